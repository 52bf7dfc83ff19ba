"""Every irregularity at every moment of a round, at every kind of three-card table."""

import random
from collections.abc import Iterator

import pytest

from tablectl.table import method
from tablectl.table.outputs import Event
from tablectl.table.procedures import procedure
from tablectl.table.table import Outcome
from tests.table.good_dealer import GoodDealer, Stuck
from tests.table.moments import TABLES, Moment, moments
from tests.table.pit import Pit
from tests.table.rulings import (
    HOUSE,
    IRREGULARITIES,
    Expected,
    Halted,
    Recorded,
    Refused,
    Void,
    the_floor_decides,
)
from tests.table.stimuli import stimuli

tables = pytest.mark.parametrize("table", TABLES)
# Where it takes longer: in `make test` the tables that differ most, all of them in the soak.
SOME = ("poker, automated shoe, progressives", "poker, the dealer's stack inside",
        "poker, manual shoe, seats", "baccarat, manual shoe that reads",
        "Washington, the floor decides")  # fmt: skip
some_tables = pytest.mark.parametrize(
    "table", [t if t in SOME else pytest.param(t, marks=pytest.mark.soak) for t in TABLES]
)
WITHOUT_RULINGS = "Washington, the floor decides"


def cells(table: str) -> Iterator[tuple[str, Moment, Expected]]:
    for moment in moments(table).values():
        for name, irregularity in IRREGULARITIES.items():
            if irregularity.where(moment):
                expected = irregularity.expected(moment)
                if table == WITHOUT_RULINGS:
                    expected = the_floor_decides(expected, moment, name)
                yield name, moment, expected


def cites(event: Event, clauses: tuple[str, ...]) -> bool:
    """Whether an event rests on these clauses, and on the house where no clause says so."""
    own = [clause for clause in clauses if clause != HOUSE]
    return event.data["clauses"] == own and (
        HOUSE not in clauses or HOUSE in event.data.get("basis", ())
    )


def faults(pit: Pit, moment: Moment, outcome: Outcome, expected: Expected) -> Iterator[str]:
    """What came otherwise than it must."""
    since = moment.state.sequence
    voided = pit.named("round.voided", since)
    irregular = [e for e in pit.events if e.type.startswith("irregularity.") and e.sequence > since]
    refused = outcome.refusal is not None or "device.refused" in pit.types(since)
    if any(e.data.get("cause") in ("exception", "invariant") for e in pit.events):
        yield f"halted: {pit.last('table.halted').data['why']}"
    if refused != isinstance(expected, Refused):
        yield f"refused: {refused}"
    if bool(voided) != isinstance(expected, Void):
        yield f"void: {bool(voided)}"
        return
    if (pit.state.halt is not None) != isinstance(expected, Halted):
        yield f"halted: {pit.state.halt}"
    match expected:
        case Void(clauses, duty):
            yield from _void(pit, moment, voided, clauses, duty)
        case Recorded(clauses, duty):
            looked = irregular or pit.named("deck.face_up", since)
            if bool(clauses) != bool(looked):
                yield f"recorded: {[e.type for e in looked]}"
            if looked and clauses and not cites(looked[-1], clauses):
                yield f"cites {looked[-1].data}"
            yield from _owes(pit, moment, {duty} if duty else set())
        case Refused():
            if outcome.refusal is not None and not (outcome.refusal.why and outcome.allowed):
                yield "no reason, or nothing is possible instead"
            yield from _owes(pit, moment, set())


def _void(
    pit: Pit, moment: Moment, voided: list[Event], clauses: tuple[str, ...], duty: str | None
) -> Iterator[str]:
    before, after = moment.state.round, pit.state.round
    assert before is not None
    assert len(voided) == 1
    if not cites(voided[0], clauses):
        yield f"void by {voided[0].data['clauses']}"
    if pit.state.phase != "voided" or after.pending or after.live_wagers():
        yield "wagers or contributions are left"
    back = {(w["seat"], w["wager"]): w["cents"] for w in voided[0].data["returned"]}
    if back != {(w.seat, w.wager): w.shown for w in before.live_wagers()}:
        yield f"returned {back}"
    if any(meter.cents != meter.reset for meter in pit.state.meters):
        yield "a meter moved"
    owed = {"acknowledge_void"} | ({duty} if duty else set())
    if duty == "reshuffle" and method.usable_shuffler(pit.state) is None:
        owed.add("count_deck")
    yield from _owes(pit, moment, owed)


def _owes(pit: Pit, moment: Moment, expected: set[str]) -> Iterator[str]:
    added = pit.duties() - {duty.duty for duty in moment.state.duties}
    if added != expected:
        yield f"new duties {added}, not {expected}"


@tables
def test_every_irregularity_is_ruled_right_at_every_moment(table):
    wrong = []
    for name, moment, expected in cells(table):
        pit = moment.pit()
        outcome = IRREGULARITIES[name].doing(pit)
        wrong += [f"{moment.name}, {name}: {f}" for f in faults(pit, moment, outcome, expected)]
    assert wrong == []


@some_tables
def test_after_every_irregularity_the_prompts_lead_to_the_next_round(table):
    """And no round begins while a duty is open."""
    led = set()
    for name, moment, expected in cells(table):
        pit = moment.pit()
        IRREGULARITIES[name].doing(pit)
        health = tuple(device.health for device in pit.state.devices)
        stands = (moment.name, pit.state.phase, pit.state.halt, *sorted(pit.duties()), *health)
        if isinstance(expected, Refused) or stands in led:
            continue
        led.add(stands)
        if pit.state.duties:
            assert pit.act("open_bets").refusal is not None, (moment.name, name)
        leads_to_the_next_round(pit, table, f"{moment.name}, {name}")


def leads_to_the_next_round(pit: Pit, table: str, after: str) -> None:
    """By the prompts alone, whether a device that fails is mended or covered."""
    ails = any(device.health != "online" for device in pit.state.devices)
    for mends in (True, False) if ails else (True,):
        again = Moment(table, after, pit.state).pit()
        try:
            GoodDealer(again, mends=mends).to_next_bets()
        except Stuck as stuck:
            raise Stuck(f"{after}: {stuck}") from None
        assert again.state.duties == (), after


# ── whatever is done or told, at any moment ────────────────────────────────
def broken(pit: Pit, outcome: Outcome) -> Iterator[str]:
    """What no input whatever may bring about."""
    for event in outcome.events:
        if event.data.get("cause") in ("exception", "invariant"):
            yield event.data["why"]
    if outcome.refusal is not None:
        refusal, told = outcome.refusal, outcome.events[-1].data
        basis = refusal.clauses or told.get("basis") or refusal.malformed or refusal.role
        if not (refusal.why and refusal.allowed and basis):
            yield f"refused without a reason, a basis or a way on: {refusal}"
    actions = procedure(pit.state).actions
    for prompt in outcome.prompts:
        awaited = prompt.awaits if prompt.role != "device" else None
        if awaited in actions and awaited not in outcome.allowed:
            yield f"asks for what it refuses: {prompt.text}"
        if "{" in prompt.text or not prompt.text.endswith((".", "?")):
            yield f"no sentence: {prompt.text}"
    if not outcome.prompts and pit.state.halt is None:
        yield f"nothing is asked for in {pit.state.phase}"


def whatever(moment: Moment) -> Iterator[tuple[str, Pit, Outcome]]:
    for name, doing in stimuli(moment.state):
        pit = moment.pit()
        yield f"{moment.name}, {name}", pit, doing(pit)


@some_tables
def test_whatever_is_done_or_told_nothing_breaks_and_something_is_asked_for(table):
    wrong = [
        f"{after}: {fault}"
        for moment in moments(table).values()
        for after, pit, outcome in whatever(moment)
        for fault in broken(pit, outcome)
    ]
    assert wrong == []


@pytest.mark.soak
@pytest.mark.timeout(7200)
@tables
def test_whatever_comes_upon_whatever_the_prompts_lead_to_the_next_round(table):
    """Two things at once, at every moment: as many pairs as there is patience for."""
    rng = random.Random(table)
    firsts = [
        Moment(table, after, pit.state)
        for moment in moments(table).values()
        for after, pit, outcome in whatever(moment)
        if outcome.refusal is None and outcome.events
    ]
    for first in rng.sample(firsts, min(60, len(firsts))):
        for after, pit, outcome in whatever(first):
            assert list(broken(pit, outcome)) == [], after
            if outcome.refusal is None and rng.random() < 0.2:
                leads_to_the_next_round(pit, table, after)
