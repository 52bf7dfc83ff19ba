"""Issue by property, with time between table and devices: late bets, lost answers, kill -9.

Whatever happens: nobody can wager as leave is given or a stack leaves, no wager counts that was not
locked, the meters are given what lies in the inventory, and each hit is paid once.
"""

import random
from collections import Counter
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.journal.test_meters import follow
from tests.table.lock_world import LockWorld

SEEDS = st.integers(0, 1_000_000)


@lru_cache(maxsize=32)
def lived(seed: int, steps: int = 1200) -> LockWorld:
    """A world that has come to rest: everything is on the disk. It checks the interlock itself."""
    world = LockWorld(random.Random(seed))
    world.run(steps)
    while world.waiting:
        world.commit()
    return world


def proved(world: LockWorld, seed: int) -> None:
    pit = world.pit
    ledger = follow([[(e.type, dict(e.data)) for e in made] for made in pit.made])
    for meter in pit.state.meters:
        account = ledger.accounts[meter.name]
        assert account.cents == meter.cents, seed
        assert (account.awarded, account.wagered) == (meter.awarded, meter.wagered), seed
    for event in pit.named("progressive.contributed"):
        racked = world.racked[event.data["round"]]
        assert event.data["wagered"] == sum(racked.values()), (seed, event.data, racked)
    voided = {event.data["round"] for event in pit.named("round.voided")}
    hits = Counter((e.data["round"], e.data["seat"]) for e in pit.named("progressive.hit"))
    paid = Counter((e.data["round"], e.data["seat"]) for e in pit.named("progressive.paid"))
    assert all(count == 1 for count in paid.values()), seed
    assert paid.keys() <= hits.keys(), seed
    for event in pit.named("round.settled"):
        won = {hit for hit in hits if hit[0] == event.data["round"]}
        assert event.data.get("by_hand") or event.data["round"] in voided or won <= paid.keys()
    for event in pit.events:
        assert event.data.get("cause") not in ("invariant", "exception"), (seed, event)


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(SEEDS)
def test_nothing_after_the_lock_and_every_cent_accounted_for(seed: int) -> None:
    proved(lived(seed), seed)


@pytest.mark.soak
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(SEEDS)
def test_nothing_after_the_lock_for_long(seed: int) -> None:
    proved(lived(seed, 6000), seed)


def test_the_worlds_are_worth_something() -> None:
    seen: Counter[str] = Counter()
    for seed in range(8):
        world = lived(seed)
        seen.update(world.pit.types())
        seen.update(kills=world.kills, stacks=world.stacks)
    for wanted in (
        "kills", "stacks", "wager.accepted", "irregularity.wager_after_lock", "progressive.locked",
        "progressive.count_verified", "progressive.count_mismatch", "progressive.contributed",
        "progressive.hit", "progressive.paid", "round.voided", "irregularity.shoe_jam",
        "device.offline", "alarm.raised",
    ):  # fmt: skip
        assert seen[wanted] >= 3, (wanted, seen[wanted])
