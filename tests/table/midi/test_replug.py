"""Every device of a Midi table, pulled out and put in at every moment of a round.

A shoe that only reads is not leaned on: while it is away the dealer enters the cards. One that is
held, and a device that takes wagers, are waited for. Nothing is void while the cards are
undisturbed (house procedure). Afterwards the table is played on by its prompts.
"""

from typing import Any

import pytest

from tablectl.table.setup import DeviceSetup
from tablectl.table.signs import sign_of
from tests.table.midi.onwards import play_on
from tests.table.midi.pit import BUTTON, HELD, READER, Attended, Watched
from tests.table.midi.test_matrix import MOMENTS as IN_PLAY
from tests.table.midi.test_matrix import Moment
from tests.table.midi.test_watching import NATURAL

SIGN = DeviceSetup("sign", "indicator")
DEVICES = ("shoe", "bonus", "button", "sign")


def _closed(_pit: Attended) -> None:
    """As it was made."""


def _opened(pit: Attended) -> None:
    pit.do("open_table")


def _burning(pit: Attended) -> None:
    _opened(pit)
    pit.receive()
    pit.do("offer_cut", "dealer", seat=9, accepted=True)
    pit.do("load_shoe", "dealer")
    pit.device("shoe", "card", ["3H"])
    pit.device("shoe", "card", ["KC"])


def _locking(pit: Attended) -> None:
    pit.betting().wager(1, player=1000).wager(3, banker=2000)
    pit.do("no_more_bets", "dealer")


BEFORE: dict[str, tuple[str, Moment]] = {
    "closed": ("closed", _closed),
    "no cards": ("preparing", _opened),
    "burning": ("preparing", _burning),
}
MOMENTS: dict[str, tuple[str, Moment]] = {**BEFORE, "locking": ("locking", _locking), **IN_PLAY}

# While a device is away: what is refused, and by which clause.
REFUSED: dict[tuple[str, str], tuple[str, dict[str, Any], str]] = {
    ("bonus", "ready"): ("open_bets", {}, "MIDI 2.C"),
    ("bonus", "bets"): (
        "place_wager", {"seat": 3, "wager": "royal_9", "amount": 500}, "MIDI 2.C(1)",
    ),
}  # fmt: skip
# While the reader is away: the dealer says what lies there.
ENTERED = {"locked": "enter_card", "one out": "enter_card", "three out": "enter_card"}
# Two moments wait for a device, and end when it has answered or is back and has told its state.
BACK = {"locking": "locked", "cancelling": "betting"}  # MIDI 2.C(2), 7.D


def at(moment: str, shoe: DeviceSetup) -> Attended:
    pit = Attended(devices=(shoe, BUTTON, SIGN), royal=True)
    phase, reach = MOMENTS[moment]
    if moment in BEFORE:
        pit.start()
        pit.devices_tell()
    else:
        pit.in_play()
    reach(pit)
    assert pit.state.phase == phase
    return pit


def undisturbed(pit: Attended) -> Any:
    """All that a lost link must not touch."""
    state = pit.state
    return (state.phase, state.round, state.shoe, state.carried, state.duties, state.meters)


def answer(pit: Attended, since: int) -> None:
    """Every command from here on is carried out, and answered."""
    answers = {"lock": "locked", "unlock": "unlocked", "hold": "held"}
    while since < len(pit.commands):
        command = pit.commands[since]
        since += 1
        device = pit.state.device(command.device)
        if command.name in answers and device.health == "online":
            pit.device(command.device, answers[command.name])


def pull(pit: Attended, device: str, moment: str, what: str = "the link broke") -> None:
    """The device is away: told and alarmed, and everything else is as it was."""
    before, since, sent = undisturbed(pit), pit.state.sequence, len(pit.commands)
    pit.device(device, "offline", what=what)
    assert undisturbed(pit) == before
    assert [t for t in pit.types(since) if not t.startswith("alarm.")] == ["device.offline"]
    assert ("device_offline", device) in {(a.kind, a.about) for a in pit.state.alarms}
    assert all(command.name == "show" for command in pit.commands[sent:])
    if (device, moment) in REFUSED:
        action, args, clause = REFUSED[device, moment]
        assert clause in pit.refused(action, "dealer", **args).clauses
    if device == "shoe" and moment in ENTERED:
        assert ENTERED[moment] in pit.tick(1).allowed
    pit.tick(200)
    assert undisturbed(pit) == before
    to_it = [c for c in pit.commands[sent:] if c.device == device and not c.restrictive]
    assert not to_it


def plug_in(pit: Attended, device: str) -> None:
    """It is back, has restricted itself, and tells its state."""
    sent = len(pit.commands)
    kind = pit.state.device(device).kind
    pit.device(device, "online", **({"locked": True} if kind == "progressive" else {}))
    answer(pit, sent)


def is_back(pit: Attended, device: str, moment: str) -> None:
    state = pit.state
    assert state.phase == BACK.get(moment, MOMENTS[moment][0])
    assert state.device(device).health == "online"
    assert ("device_offline", device) not in {(a.kind, a.about) for a in state.alarms}
    assert state.halt is None
    if device == "bonus":
        open_again = state.phase == "betting" and not state.round.was_locked
        assert state.device(device).locked == (not open_again)
    if device == "sign":
        shown = [c.args["sign"] for c in pit.commands if c.name == "show"]
        assert shown[-1] == sign_of(state)


CELLS = [
    (shoe, device, moment)
    for shoe in (READER, HELD)
    for device in DEVICES
    for moment in MOMENTS
    if shoe is READER or device == "shoe"
]


def named(value: Any) -> str:
    return value if isinstance(value, str) else "reader" if value.listen_only else "held"


@pytest.mark.parametrize("swapped", [False, True], ids=["out and in", "another one in between"])
@pytest.mark.parametrize(("shoe", "device", "moment"), CELLS, ids=named)
def test_pulled_out_and_put_in(shoe: DeviceSetup, device: str, moment: str, swapped: bool) -> None:
    if moment == "cancelling":
        shoe = HELD  # a shoe that only tells has nothing to wait for
    pit = at(moment, shoe)
    waits = moment in BACK and device != {"locking": "bonus", "cancelling": "shoe"}[moment]
    pull(pit, device, moment)
    before = pit.state.round
    if swapped:
        since = pit.state.sequence
        pit.device(device, "offline", what="it should have serial B-1, but B-2 answers")
        assert pit.state.device(device).health == "offline"
        allowed = {"device.offline", "alarm.raised", "alarm.cleared"}
        assert set(pit.types(since)) <= allowed
    plug_in(pit, device)
    if waits:  # the device that is waited for answers meanwhile
        pit.device("bonus", "locked") if moment == "locking" else pit.device("shoe", "held")
    is_back(pit, device, moment)
    assert moment in BACK or pit.state.round == before
    assert not [t for t in pit.types() if t.startswith("irregularity.")] or moment == "simulated"
    if not swapped:
        play_on(pit)


# ── a reader that cannot tell what it missed says so ───────────────────────
UNSEEN = {"locked": "player/1", "one out": "banker/1", "three out": "banker/2"}


@pytest.mark.parametrize("moment", UNSEEN)
def test_a_card_that_passed_while_the_reader_was_away_is_entered(moment: str) -> None:
    """Else the next card that is read would be taken for it."""
    pit = at(moment, READER)
    before = len(pit.state.round.cards)
    pull(pit, "shoe", moment)
    pit.device("shoe", "online")
    pit.device("shoe", "gap", what="what it told while nobody listened is not known")
    assert "sequence_gap" in {
        e.type.removeprefix("irregularity.") for e in pit.events if e.type.startswith("irreg")
    }
    assert "enter_card" in pit.tick(1).allowed
    pit.device("shoe", "card", ["9S"])
    assert UNSEEN[moment] not in {c.place for c in pit.state.round.cards if c.card == "9S"}
    assert len(pit.state.round.cards) >= before
    play_on(pit)


@pytest.mark.parametrize("lost", [0, 1, 2])
@pytest.mark.parametrize("place", [None, "burn/2"])
def test_5f_no_burned_card_is_shown_in_place_of_a_first_one_that_nobody_read(
    lost: int, place: str | None
) -> None:
    """Of the first card and two more, the first `lost` are not told."""
    pit = at("no cards", READER)
    pit.receive()
    pit.do("offer_cut", "dealer", seat=9, accepted=True)
    pit.do("load_shoe", "dealer")
    pull(pit, "shoe", "burning")
    pit.device("shoe", "online")
    pit.device("shoe", "gap", what="what it told while nobody listened is not known")
    since, args = pit.state.sequence, {"place": place} if place else {}
    for card in ["2H", "KC", "QD"][lost:]:
        first = {"place": "first"} if place and card == "2H" else args
        pit.device("shoe", "card", [card], **first)
    shown = [e.data["card"] for e in pit.named("card.burned", since) if "card" in e.data]
    assert shown == (["2H"] if place and not lost else [])
    if pit.state.shoe.stage != "ready":
        pit.do("burn", "dealer", **({} if pit.state.shoe.burn_due else {"card": "2H"}))
    assert pit.state.shoe.stage == "ready"
    play_on(pit)


@pytest.mark.parametrize("moment", ["bets", "locked", "one out", "four out", "paid"])
def test_everything_at_once(moment: str) -> None:
    pit = at(moment, HELD)
    for device in DEVICES:
        pit.device(device, "offline", what="one plug for all")
    for device in ("sign", "bonus", "shoe", "button"):
        plug_in(pit, device)
    assert all(device.health == "online" for device in pit.state.devices)
    assert pit.state.phase == MOMENTS[moment][0]
    play_on(pit)


# ── a table that only listens ──────────────────────────────────────────────
@pytest.mark.parametrize("at_report", range(8))
def test_a_listened_shoe_that_misses_nothing_is_as_if_it_had_never_been_away(
    at_report: int,
) -> None:
    told = []
    for away in (False, True):
        pit = Watched(cards=["AS", "KC", *NATURAL, *NATURAL]).begin()
        for n, place in enumerate([*pit.places(), "result", "standby"]):
            if away and n == at_report:
                pit.device("shoe", "offline", what="the link broke")
                pit.device("shoe", "offline", what="nobody listens")
                pit.device("shoe", "online")
            if place == "result":
                pit.result()
            elif place == "standby":
                pit.device("shoe", "standby")
            else:
                pit.card(place)
        pit.hand()
        quiet = ("device.o", "alarm.")
        told.append([(e.type, e.subject) for e in pit.events if not e.type.startswith(quiet)])
    assert told[0] == told[1]
