"""Issue by property: nothing counted after the lock, no card before it, meters to the cent.

Random sessions with late bets, lost acknowledgements, reboots, wrong counts, disputes and voids.
"""

import random
from collections import Counter
from functools import lru_cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablectl.table.inputs import DeviceEvent
from tablectl.table.state import State
from tablectl.table.table import step
from tests.journal.test_meters import follow
from tests.table.chip_sessions import ChipSession

QUICK = settings(
    max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
SEEDS = st.integers(0, 100_000)


@lru_cache(maxsize=64)
def play(seed: int, steps: int = 350) -> ChipSession:
    session = ChipSession(random.Random(seed))
    session.run(steps)
    return session


def _ends_progressive(kind: str, data: Any) -> bool:
    returned = kind == "wager.returned" and data["wager"] == "progressive"
    return returned or (kind == "wager.refused" and data["reason"] == "no chip")


@QUICK
@given(SEEDS)
def test_no_wager_is_counted_after_the_lock(seed: int) -> None:
    """What the meters are told of is what stood at the lock, less what had no chip."""
    standing: Counter[int] = Counter()
    locked = False
    for event in play(seed).pit.events:
        data, kind = event.data, event.type
        if kind == "round.opened":
            standing, locked = Counter(), False
        elif kind == "round.bets_locked":
            locked = True
        elif kind == "wager.placed" and data["wager"] == "progressive":
            assert not locked, (seed, event)
            standing[data["seat"]] = data["cents"]
        elif _ends_progressive(kind, data):
            standing[data["seat"]] = 0
        elif kind == "progressive.contributed":
            assert locked, (seed, event)
            assert data["wagered"] == standing.total(), (seed, event)


@QUICK
@given(SEEDS)
def test_no_card_is_permitted_before_the_lock_and_the_count(seed: int) -> None:
    state, acknowledged = State(), False
    for input_ in play(seed).pit.inputs:
        if isinstance(input_, DeviceEvent) and input_.device == "bonus":
            acknowledged |= input_.name == "locked" or input_.args.get("locked") is True
        outcome = step(state, input_)
        for command in outcome.commands:
            if command.name in ("unlock", "lock"):
                acknowledged = False
            if command.name == "dispense":
                assert acknowledged, seed
                assert outcome.state.round is not None
                assert outcome.state.round.count in ("", "verified"), seed
        state = outcome.state


@QUICK
@given(SEEDS)
def test_the_meters_reconcile_to_the_cent_and_each_hit_is_paid_once(seed: int) -> None:
    pit = play(seed).pit
    ledger = follow([[(e.type, dict(e.data)) for e in made] for made in pit.made])
    for meter in pit.state.meters:
        account = ledger.accounts[meter.name]
        assert account.cents == meter.cents, seed
        assert (account.awarded, account.wagered) == (meter.awarded, meter.wagered), seed
    hits = Counter((e.data["round"], e.data["seat"]) for e in pit.named("progressive.hit"))
    paid = Counter((e.data["round"], e.data["seat"]) for e in pit.named("progressive.paid"))
    assert all(count == 1 for count in paid.values()), seed
    assert paid.keys() <= hits.keys(), seed


@QUICK
@given(SEEDS)
def test_nothing_breaks(seed: int) -> None:
    for event in play(seed).pit.events:
        assert event.data.get("cause") not in ("invariant", "exception"), (seed, event)


def test_the_sessions_are_worth_something() -> None:
    seen: Counter[str] = Counter()
    for seed in range(20):
        seen.update(play(seed).pit.types())
    for wanted in (
        "wager.accepted", "progressive.count_verified", "progressive.count_mismatch",
        "irregularity.wager_after_lock", "progressive.hit", "progressive.validated",
        "progressive.paid", "progressive.reset", "round.voided", "table.restarted",
        "round.disputed", "wager.refused",
    ):  # fmt: skip
        assert seen[wanted] >= 3, (wanted, seen[wanted])
