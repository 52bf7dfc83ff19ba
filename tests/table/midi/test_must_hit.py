"""Must Hit (MIDI 12.N, 12.O): sealed, hit at settlement, pending, paid once, drawn anew."""

import random
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from tablectl.journal.meters import prove_meters
from tablectl.journal.proof import Broken
from tablectl.journal.replay import replay
from tablectl.outbox.view import snapshot
from tablectl.table import must_hit
from tablectl.table.inputs import Action
from tablectl.table.seal import trigger_commitment
from tablectl.table.setup import MeterSetup
from tablectl.table.table import step
from tests.daemon.files import ROOT
from tests.journal.standalone_verifier import verify as standalone
from tests.journal.test_meters import Told, follow
from tests.journal.test_real_core import record
from tests.table.midi.pit import Attended
from tests.table.midi.sessions import Session

METER = MeterSetup("must_hit", 10_000, "0.5", 20_000)
LOSING = ("2C", "3D", "7H", "4S")  # Player 9: banker loses, no Royal 9
SMALL: dict[str, Any] = {"royal": True, "trigger_meter": METER}


def bets(pit: Attended, *seats: int, cents: int = 100) -> Attended:
    pit.betting()
    for seat in seats:
        pit.wager(seat, banker=1000, royal_9=cents)
    return pit.lock()


def table(*triggers: int, **more: Any) -> Attended:
    return Attended(triggers=triggers, **SMALL, **more).in_play()


def hit(pit: Attended) -> Any:
    return pit.last("progressive.hit").data


def test_only_the_commitment_leaves_before_the_hit() -> None:
    pit = table(10_100)
    [sealed] = pit.named("progressive.sealed")
    assert sealed.data.keys() == {
        "meter", "commitment", "least", "most", "clauses", "inferred",
    }  # fmt: skip
    assert (sealed.data["least"], sealed.data["most"]) == (10_001, 20_000)
    bets(pit, 1, 2).drawn(*LOSING)
    trigger = pit.state.meter("must_hit").trigger
    outside = repr([event.data for event in pit.events]) + repr(snapshot(pit.state, unconfirmed=0))
    assert trigger.salt not in outside
    assert "10100" not in outside
    pit.turn()
    data = hit(pit)
    text = b"tablectl-must-hit-1" + bytes.fromhex(data["salt"]) + b"10100"
    assert sha256(text).hexdigest() == sealed.data["commitment"] == data["commitment"]


def test_12n_a_hit_is_pending_validated_paid_whole_and_drawn_anew() -> None:
    pit = table(10_100, 15_000)
    bets(pit, 1, 2).drawn(*LOSING).turn()
    data = hit(pit)
    assert (data["cents"], data["trigger"], data["seats"]) == (10_100, 10_100, [1, 2])
    assert data["clauses"] == ["MIDI 12.N(1)(a)"]
    seat = data["seat"]
    text = b"tablectl-must-hit-seat-1" + bytes.fromhex(data["salt"]) + (1).to_bytes(8, "big")
    assert seat == [1, 2][int(sha256(text).hexdigest(), 16) % 2]
    [win] = snapshot(pit.state, unconfirmed=0)["wins"]
    assert (win["seat"], win["meter"], win["status"]) == (seat, "must_hit", "PENDING")
    assert pit.refused("confirm_payment", "dealer", seat=seat)
    assert pit.refused("validate_progressive", seat=3 - seat, meter="must_hit")
    pit.do("validate_progressive", seat=seat, meter="must_hit")
    [win] = snapshot(pit.state, unconfirmed=0)["wins"]
    assert win["status"] == "VALIDATED"
    pit.paid()
    [paid] = pit.named("progressive.paid")
    assert (paid.data["seat"], paid.data["cents"]) == (seat, 10_100)
    assert pit.state.meter("must_hit").cents == 10_000
    assert len(pit.named("progressive.sealed")) == 2
    assert pit.state.meter("must_hit").trigger.cents == 15_000
    ended = Counter((e.data["seat"], e.data["wager"]) for e in pit.named("wager.settled"))
    assert ended == {(s, w): 1 for s in (1, 2) for w in ("banker", "royal_9")}
    settled = pit.last("round.settled").data["seats"]
    assert {s["seat"]: s["returned"] for s in settled} == {seat: 10_100, 3 - seat: 0}


def test_below_the_trigger_nothing_is_hit_and_the_next_round_may() -> None:
    pit = table(10_101)
    bets(pit, 1, 2).drawn(*LOSING).turn().paid()
    assert not pit.named("progressive.hit")
    pit.do("clear_round", "dealer")
    bets(pit, 3).drawn(*LOSING).turn()
    assert (hit(pit)["round"], hit(pit)["seat"], hit(pit)["cents"]) == (2, 3, 10_150)


def test_nobody_who_did_not_wager_can_win_it() -> None:
    pit = table(10_100)
    pit.do("correct_meter", meter="must_hit", cents=12_000, reason="display repaired")
    pit.betting().wager(1, banker=1000).lock().drawn(*LOSING).turn().paid()
    assert not pit.named("progressive.hit")
    pit.do("clear_round", "dealer")
    bets(pit, 4).drawn(*LOSING).turn()
    assert (hit(pit)["seat"], hit(pit)["cents"]) == (4, 12_050)


def test_a_void_round_adds_nothing_and_hits_nothing() -> None:
    pit = table(10_050)
    bets(pit, 1).drawn("2C", "3D")
    pit.do("void_round", reason="a spilt drink")
    assert pit.state.meter("must_hit").cents == 10_000
    assert not pit.named("progressive.hit")


def test_at_its_maximum_it_is_hit_whatever_the_trigger_says() -> None:
    pit = table(20_000)
    lower = MeterSetup("must_hit", 10_000, "0.5", 10_050)
    pit.setup = Attended(royal=True, trigger_meter=lower).setup
    pit.restart()
    pit.devices_tell()
    pit.do("resume_table")
    bets(pit, 1).drawn(*LOSING).turn()
    assert (hit(pit)["trigger"], hit(pit)["cents"]) == (20_000, 10_050)


@pytest.mark.parametrize("cents", [10_000, 20_001, 0])
def test_12o_a_trigger_out_of_bounds_or_unasked_for_is_refused(cents: int) -> None:
    pit = Attended(triggers=[cents], **SMALL)
    pit.start()
    assert pit.state.meter("must_hit").trigger is None
    assert "bounds" in pit.last("action.refused").data["why"]
    assert str(cents) not in repr(pit.last("action.refused").data["why"])
    armed = table(12_000)
    assert armed.arm(13_000).refusal is not None
    assert armed.state.meter("must_hit").trigger.cents == 12_000


def test_no_bets_are_taken_for_a_meter_without_a_trigger() -> None:
    pit = table(12_000)
    meters = tuple(replace(meter, trigger=None) for meter in pit.state.meters)
    bare = replace(pit.state, meters=meters)
    assert must_hit.wanted(bare) == must_hit.Wanted("must_hit", 10_001, 20_000)
    given = Action(pit.at(), "open_bets", "dealer-1", ("dealer",))
    refusal = step(bare, given).refusal
    assert refusal is not None
    assert refusal.clauses == ("MIDI 12.N",)
    assert step(pit.state, given).refusal is None


@pytest.mark.parametrize("changes", [{"training": True}, {"tracking": "cards"}])
def test_a_table_that_moves_no_meter_asks_for_no_trigger(changes: dict[str, Any]) -> None:
    pit = Attended(**SMALL)
    pit.setup = replace(pit.setup, **changes)
    pit.start()
    assert not pit.named("progressive.sealed")


def test_a_revealed_hit_is_paid_by_hand_with_its_seat() -> None:
    pit = table(10_050)
    bets(pit, 1, 2).drawn(*LOSING).turn()
    seat = hit(pit)["seat"]
    pit.state_by_hand()
    args: dict[str, Any] = {"returned": 10_100, "reason": "after a halt"}
    assert "won" in pit.refused("settle_by_hand", seat=seat, **args).why
    part = args | {"meter": "must_hit", "award": 100}
    assert pit.refused("settle_by_hand", seat=seat, **part)
    pit.do("settle_by_hand", seat=seat, **args, meter="must_hit", award=10_100)
    assert pit.state.phase == "clearing"
    assert pit.state.meter("must_hit").cents == 10_000
    assert len(pit.named("progressive.sealed")) == 2


def test_the_regulators_page_has_a_vector() -> None:
    page = (ROOT / "docs/regulators/README.md").read_text()
    salt = bytes(range(32))
    sealed = sha256(b"tablectl-must-hit-1" + salt + b"43210").hexdigest()
    drawn = sha256(b"tablectl-must-hit-seat-1" + salt + (12).to_bytes(8, "big")).digest()
    assert sealed in page
    assert f"seat {[1, 4, 7][int.from_bytes(drawn, 'big') % 3]} wins" in page.replace("\n", " ")


def told(pit: Attended, **lies: dict[str, Any]) -> Told:
    """The records of a table, with other data in the events named."""
    named = {name.replace("_", "."): lie for name, lie in lies.items()}
    return [[(e.type, {**e.data, **named.get(e.type, {})}) for e in made] for made in pit.made]


def won() -> Attended:
    pit = table(10_101)
    bets(pit, 1, 2).drawn(*LOSING).turn().paid()
    pit.do("clear_round", "dealer")
    bets(pit, 1, 2, 3).drawn(*LOSING).turn()
    pit.do("validate_progressive", seat=hit(pit)["seat"], meter="must_hit")
    return pit.paid()


def test_what_the_table_tells_is_proved() -> None:
    follow(told(won()))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"trigger": 10_102}, "open the commitment"),
        ({"salt": "00" * 32}, "open the commitment"),
        ({"cents": 10_249}, "not paid whole"),
        ({"seat": 9}, "not the one that was drawn"),
        ({"seats": [8, 9]}, "not the one that was drawn"),
    ],
)
def test_a_hit_that_was_not_drawn_is_found(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(Broken, match=what):
        follow(told(won(), progressive_hit=changes))


def test_a_hit_that_is_left_out_is_found() -> None:
    with pytest.raises(Broken, match="not told a win"):
        follow([[e for e in made if e[0] != "progressive.hit"] for made in told(won())])


def test_a_hit_that_came_late_is_found() -> None:
    late = trigger_commitment(10_100, "11" * 32)
    lie: dict[str, Any] = {"trigger": 10_100, "salt": "11" * 32, "commitment": late}
    lie["seat"] = must_hit.winner("11" * 32, 2, [1, 2, 3])
    with pytest.raises(Broken, match="earlier round"):
        follow(told(won(), progressive_hit=lie, progressive_sealed={"commitment": late}))


@pytest.mark.parametrize("seed", range(4))
def test_random_sessions_with_voids_and_restarts_hit_once_and_add_up(
    tmp_path: Any, seed: int
) -> None:
    rng = random.Random(seed)
    steep = MeterSetup("must_hit", 10_000, "0.9", 10_150)
    session = Session(rng, royal=True, trigger_meter=steep).run(700)
    pit = session.pit
    sealed = [e.data["commitment"] for e in pit.named("progressive.sealed")]
    hits = [e.data for e in pit.named("progressive.hit") if e.data["meter"] == "must_hit"]
    paid = [e.data for e in pit.named("progressive.paid") if e.data["meter"] == "must_hit"]
    assert [h["commitment"] for h in hits] == sealed[: len(hits)], seed
    assert hits, f"session {seed} never came to a hit"
    void = [e.data["round"] for e in pit.named("progressive.void_hit")]
    assert len(sealed) == len(paid) + len(void) + 1
    assert len(hits) - len(paid) - len(void) in (0, 1)
    voided = {e.data["round"] for e in pit.named("round.voided")}
    assert voided & {h["round"] for h in hits} == set(void)
    data = tmp_path / "data"
    record(data, pit, rng, crashes=0)
    report, ledger = prove_meters(data)
    assert report.ok, (seed, report.broken)
    assert ledger.accounts["must_hit"].cents == pit.state.meter("must_hit").cents
    assert replay(data).ok, seed
    closed = sorted(data.glob("journal-*.db"), key=lambda path: int(path.stem.split("-")[1]))
    assert standalone([*closed, data / "journal.db"]) is None
