"""Every device of a three-card table, pulled out and put in at every moment of a round.

House procedure for a link that is lost: the round stands still where it leans on that device, goes
on exactly when it is back, and nothing is void while the cards are undisturbed. What a clause says
stands in the tables below. Afterwards the table is played on by its prompts, without a restart.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tablectl.table.signs import sign_of
from tests.table.plugs import KINDS, MOMENTS, Plugged, at

Cell = tuple[str, str, str]  # game, device, moment


def cells(game: str) -> list[Cell]:
    """Every device of that game's table at every moment; without a progressive nothing locks."""
    plays_for_a_meter = game == "three_card_poker"
    return [
        (game, device, moment)
        for device in KINDS
        for moment in MOMENTS
        if plays_for_a_meter or (device != "bonus" and moment != "locking")
    ]


CELLS = [*cells("three_card_poker"), *cells("three_card_baccarat")]

# ── what the rules demand ──────────────────────────────────────────────────
# While a device is away: what is refused, and by which clause.
REFUSED: dict[tuple[str, str], tuple[str, dict[str, Any], str]] = {
    ("shoe", "loaded"): ("open_bets", {}, "TCP 13.H"),
    ("bonus", "loaded"): ("open_bets", {}, "TCP 2.C"),
    ("bonus", "bets"): (
        "place_wager", {"seat": 3, "wager": "progressive", "amount": 100}, "TCP 2.C(1)",
    ),
    ("shuffler", "shuffling"): ("shuffle_done", {}, "TCP 5.A"),
}  # fmt: skip
# Two moments wait for a device, and end when it has answered or is back and has told its state.
BACK = {
    "locking": "locked",  # it is locked (TCP 2.C(2), 10.A(2))
    "cancelling": "betting",  # the shoe holds, so the cancelled lock takes effect
}
# A shoe that had leave to deal and cannot say what it dealt has failed: all hands are void.
VOID = {("shoe", moment): "TCP 13.G" for moment in ("locked", "cancelling", "first stack out")}
BACCARAT = {"TCP 13.H": "TCB 13.E", "TCP 13.G": "TCB 13.D", "TCP 5.A": "TCB 5.A"}  # its own text


def clause_of(game: str, clause: str) -> str:
    return clause if game == "three_card_poker" else BACCARAT[clause]


def undisturbed(table: Plugged) -> Any:
    """All that a lost link must not touch."""
    state = table.state
    decks = [(deck.id, deck.preparation, deck.custody) for deck in state.decks]
    return (state.phase, state.round, decks, state.duties, state.shoe, state.carried, state.meters)


def pulled(cell: Cell, what: str = "the link broke") -> Plugged:
    """The device is away: told and alarmed, and everything else is as it was."""
    game, device, moment = cell
    table = at(moment, game)
    before, since, sent = undisturbed(table), table.state.sequence, len(table.commands)
    table.unplug(device, what)
    assert undisturbed(table) == before
    told = [t for t in table.types(since) if not t.startswith("alarm.")]
    assert told == ["device.offline"]
    assert what in table.last("device.offline").data["what"]
    assert ("device_offline", device) in {(a.kind, a.about) for a in table.state.alarms}
    assert all(command.name == "show" for command in table.commands[sent:])
    stands_still(table, cell)
    return table


def stands_still(table: Plugged, cell: Cell) -> None:
    """While it is away: nothing is permitted, by nobody's word and no passing of time."""
    game, device, moment = cell
    phase, round_ = table.state.phase, table.state.round
    sent = len(table.commands)
    if (device, moment) in REFUSED:
        action, args, clause = REFUSED[device, moment]
        if action == "shuffle_done":
            args = {"deck": next(d.id for d in table.state.decks)}
        refusal = table.refused(action, "dealer", **args)
        assert clause_of(game, clause) in refusal.clauses, refusal
    for _ in range(2):
        table.tick(200)
    assert (table.state.phase, table.state.round) == (phase, round_)
    to_it = [c for c in table.commands[sent:] if c.device == device and not c.restrictive]
    assert not to_it
    if device == "bonus":
        assert not [c for c in table.commands[sent:] if c.name == "dispense"]


def is_back(table: Plugged, cell: Cell, phase: str) -> None:
    """The device is told what the moment calls for, and nobody else is told anything."""
    _, device, _ = cell
    state, machine = table.state, table.machines[device]
    assert state.phase == phase
    assert state.device(device).health == "online"
    assert ("device_offline", device) not in {(a.kind, a.about) for a in state.alarms}
    assert state.halt is None
    if device == "bonus":
        # "No more bets" stands for a progressive even where the lock was cancelled.
        assert machine.locked == (state.phase != "betting" or state.round.was_locked)
        assert state.device(device).locked == machine.locked
    if device == "shoe":
        dealing = state.phase in ("locked", "dealing")
        left = len(state.round.plan) - state.round.stacks if dealing else 0
        assert machine.allowed == left
    if device == "sign":
        assert machine.sign == sign_of(state)


# ── the matrix ─────────────────────────────────────────────────────────────
def named(cell: Cell) -> str:
    game, device, moment = cell
    return f"{game.removeprefix('three_card_')}-{device}-{moment}"


def matrix(*devices: str) -> Callable[[Any], Any]:
    """Every cell; a quick run has these devices, and of baccarat what deals alone."""
    quick = devices or KINDS
    cells = [
        cell if cell[1] in quick and (cell[0] == "three_card_poker" or cell[1] == "shoe")
        else pytest.param(cell, marks=pytest.mark.soak)
        for cell in CELLS
    ]  # fmt: skip
    return pytest.mark.parametrize("cell", cells, ids=named)


@matrix("button", "sign")
def test_out(cell: Cell) -> None:
    """What leans on it waits; when it is there again at last, the table plays on."""
    table = pulled(cell)
    if cell[1] in ("button", "sign"):
        table.play_on()  # the announcement locks as well; lights only tell
    table.replug(cell[1])
    table.play_on()


@matrix()
def test_out_and_in(cell: Cell) -> None:
    _game, device, moment = cell
    table = pulled(cell)
    phase, round_ = table.state.phase, table.state.round
    table.replug(device)
    is_back(table, cell, BACK.get(moment, phase))
    if moment not in BACK:
        assert table.state.round == round_
    assert not [t for t in table.types() if t.startswith("irregularity.")]
    table.play_on()


@matrix("shoe", "shuffler", "bonus")
def test_out_rebooted_and_in(cell: Cell) -> None:
    """It has forgotten what it counted and what it was told."""
    game, device, moment = cell
    table = pulled(cell)
    phase, round_ = table.state.phase, table.state.round
    table.reboot(device)
    table.replug(device)
    if (device, moment) in VOID:
        voided = table.last("round.voided").data
        assert clause_of(game, VOID[device, moment]) in voided["clauses"]
        assert {w["seat"] for w in voided["returned"]} == {1, 3}
        assert table.state.phase == "voided"
        assert table.machines["shoe"].allowed == 0
        assert table.machines["bonus"].locked if "bonus" in table.machines else True
    else:
        is_back(table, cell, BACK.get(moment, phase))
        assert table.state.round == round_ or moment in BACK
        assert not [t for t in table.types() if t.startswith("irregularity.")]
    table.play_on()


@matrix()
def test_out_and_another_one_in(cell: Cell) -> None:
    """A swap: the other one is never let in, whatever it would tell; then the right one is back."""
    device, moment = cell[1:]
    table = pulled(cell)
    phase, since = table.state.phase, table.state.sequence
    what = "it should have serial SH-1, but SH-2 answers: connect the right device"
    table.device(device, "offline", what=what)
    assert what in table.last("device.offline").data["what"]
    assert table.state.device(device).health == "offline"
    assert set(table.types(since)) <= {"device.offline", "alarm.raised", "alarm.cleared"}
    stands_still(table, cell)
    table.replug(device)
    is_back(table, cell, BACK.get(moment, phase))  # as in test_out_and_in: it plays on


# ── what a device did while nobody heard it ────────────────────────────────
@pytest.mark.parametrize("moment", ["locked", "first stack out"])
def test_10b_stacks_taken_in_the_moment_before_it_held_count_when_it_tells(moment: str) -> None:
    table = at(moment)
    stacks = table.state.round.stacks
    table.machines["shoe"].here = False
    table.device("shoe", "offline", what="the link broke")
    table.take_stack()  # its silence limit is not over yet
    table.machines["shoe"].restrict()
    assert table.state.round.stacks == stacks
    table.replug("shoe")
    assert table.state.round.stacks == stacks + 1
    assert not [t for t in table.types() if t.startswith("irregularity.")]
    table.play_on()


@pytest.mark.parametrize("moment", ["loaded", "bets", "locking"])
def test_cards_that_left_a_shoe_that_had_no_leave_are_not_dealt_from(moment: str) -> None:
    """Between rounds the deck is reshuffled; before the lock every wager goes back as well."""
    table = at(moment)
    table.unplug("shoe")
    table.machines["shoe"].dispensed = 1  # somebody took a stack out of it
    table.replug("shoe")
    assert "irregularity.card_before_lock" in table.types()
    assert table.state.phase == ("preparing" if moment == "loaded" else "voided")
    assert "reshuffle" in table.duties()
    table.play_on()


def test_2c2_a_press_that_the_button_kept_locks_when_it_is_told() -> None:
    table = at("bets")
    table.unplug("button")
    table.tell(table.machines["button"], "pressed", button=1, age_ms=1500)
    assert table.state.phase == "betting"
    table.replug("button")
    assert table.state.phase in ("locking", "locked")
    assert table.machines["bonus"].locked
    table.play_on()


@pytest.mark.parametrize("count", [52, 51])
def test_5d_a_count_that_the_shuffler_kept_counts_when_it_is_told(count: int) -> None:
    table = at("shuffling")
    table.unplug("shuffler")
    shuffler = table.machines["shuffler"]
    deck, shuffler.shuffling = shuffler.shuffling, ""
    table.tell(shuffler, "shuffle_done", deck=deck, count=count)
    table.replug("shuffler")
    if count == 52:
        assert table.state.deck(deck).preparation == "shuffled"
    else:
        assert table.state.deck(deck).latched
    table.play_on()


def test_2c2_no_more_bets_while_the_progressive_is_away_waits_for_it() -> None:
    """The lock is owed to it, and goes out before it can be online."""
    table = at("bets")
    table.unplug("bonus")
    table.do("no_more_bets", "dealer")
    table.answer()
    assert table.state.phase == "locking"
    assert not [c for c in table.commands if c.name == "dispense"]
    [owed] = table.machines["bonus"].owed[:1]
    assert (owed.name, owed.restrictive) == ("lock", True)
    table.replug("bonus")
    assert table.state.phase == "locked"
    assert [c.name for c in table.commands if c.device == "shoe"][-1] == "dispense"
    table.play_on()


def test_a_progressive_that_is_away_for_long_halts_nothing_that_the_floor_cannot_end() -> None:
    table = at("locking")
    table.unplug("bonus")
    for _ in range(20):
        table.tick()
    if table.state.halt is not None:
        assert table.state.halt.cause == "lock"
        table.do("resume_table")
    table.do("void_round", reason="the progressive is away")
    table.replug("bonus")
    table.play_on()


@pytest.mark.parametrize("moment", MOMENTS)
def test_everything_at_once(moment: str) -> None:
    """One plug for all of them: they come back one after the other, in any order."""
    table = at(moment)
    phase = table.state.phase
    for device in KINDS:
        table.unplug(device)
    assert table.state.phase == phase
    order = table.rng.sample(KINDS, len(KINDS))
    for device in order:
        table.replug(device)
    assert not [t for t in table.types() if t.startswith("irregularity.")], order
    assert all(device.health == "online" for device in table.state.devices)
    table.play_on()


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(20))
def test_pulled_out_again_and_again(seed: int) -> None:
    """Hundreds of rounds with plugs out at random: every round is settled, none is void."""
    table = Plugged("three_card_baccarat" if seed % 2 else "three_card_poker", seed)
    devices = sorted(table.machines)
    rng, rounds = table.rng, 0
    while rounds < 150:
        table.turn()
        rounds = len(table.named("round.settled"))
        if rng.random() < 0.3:
            for device in rng.sample(devices, rng.randint(1, len(devices))):
                table.unplug(device)
            for _ in range(rng.randint(0, 4)):
                table.tick(rng.choice((1, 100, 400)))
            away = [m.id for m in table.machines.values() if not m.here]
            for device in rng.sample(away, len(away)):
                table.replug(device)
            if table.state.halt is not None and table.state.halt.cause == "lock":
                table.do("resume_table")
    assert not table.named("round.voided")
    assert not [t for t in table.types() if t.startswith("irregularity.")]


def test_a_state_told_twice_changes_nothing() -> None:
    """A link that flaps as soon as it is up."""
    for moment in MOMENTS:
        for device in KINDS:
            table = at(moment)
            machine = table.machines[device]
            table.unplug(device)
            table.replug(device)
            before = replace(table.state, sequence=0)
            table.device(device, "online", **machine.state())
            table.answer()
            assert table.state.phase == before.phase, (moment, device)
            assert table.state.round == before.round, (moment, device)
