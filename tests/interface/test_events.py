"""Every event that dashboards rely on, made by the real core, with the fields that it must carry.

Each has a scene that brings it about; sessions of every game, sensible and not, bring more of each.
An event that nothing brings about any more is missed here, and so is a field.
"""

import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import pytest

from tablectl.journal.chain import rfc3339
from tablectl.table.inputs import Checkpoint, Segment, Unsealed
from tablectl.table.outputs import Event
from tests.interface import names
from tests.interface.shapes import Each, misfits
from tests.table import by_hand
from tests.table.chip_sessions import ChipSession
from tests.table.listening.test_sessions import Day
from tests.table.midi.pit import BUTTON, HELD, Attended, Watched
from tests.table.midi.pit import fill as midi_fill
from tests.table.midi.sessions import Session as MidiSession
from tests.table.pit import Pit, fill
from tests.table.sessions import Session


# ── scenes ──────────────────────────────────
def clock_and_journal() -> Pit:
    pit = fill("betting")
    pit.utc_ns -= 3_600_000_000_000
    pit.wager(2, ante=500)
    at, mark = pit.at(), "ab" * 32
    pit.feed(Checkpoint(at, pit.state.sequence, mark, mark, mark * 2, mark))
    pit.feed(Segment(at, "journal-1.db", pit.state.sequence, mark, mark, 2))
    return pit


def devices_that_fail() -> Pit:
    pit = fill("preparing")
    pit.device("shuffler", "jam")
    pit.do("mark_out_of_order", "dealer", device="shuffler")
    pit.do("confirm_out_of_order", device="shuffler")
    pit.do("return_to_service", "technician", device="shuffler")
    pit.device("button", "fault", what="stuck")
    pit.device("button", "cleared")
    pit.device("toaster", "online")
    for serial in ("A1", "B2"):
        pit.device("button", "online", identity={"serial": serial, "versions": {"main": "1"}})
    pit.device("button", "offline", what="it has A1", refused="serial", identity={"serial": "C3"})
    return pit


def sealed_cards_shown() -> Pit:
    pit = fill("closed")
    pit.feed(Unsealed(pit.at(), "shoe", "tess", ("technician",)))
    pit.feed(Unsealed(pit.at(), "shoe", "tess", ("technician",), over=True, shown=3))
    return pit


def face_up_and_moved() -> Pit:
    pit = fill("dealing")
    pit.do("report_face_up", "dealer", cards=1, place="seat/1/2", confirm=True)
    return pit


def dealers_card_exposed() -> Pit:
    pit = fill("deciding")
    pit.do("report_exposed", "dealer", place="dealer/1", confirm=True)
    return pit


def the_stub_is_wrong(misdealt: bool) -> Pit:
    table = by_hand.open_by_hand(by_hand.pit())
    for _ in range(4):
        by_hand.unseen_round(table)
        by_hand.shuffle_cut_load(table)
    by_hand.locked(table)
    for _ in range(2):
        table.do("count_stub", cards=42)
    table.do("judge_stub", misdealt=misdealt, confirm=True)
    return table


def a_midi_shoe_that_cannot_read() -> Pit:
    pit = Attended(first="3H").opened().receive()
    pit.do("offer_cut", "dealer", seat=9, accepted=True)
    pit.do("load_shoe", "dealer")
    pit.device("shoe", "card", [None])
    pit.do("burn" if "burn" in pit.tick(1).allowed else "enter_card", "dealer",
           **({"card": "2H"} if "burn" in pit.tick(1).allowed else
              {"place": "burn/1", "card": "2H"}))  # fmt: skip
    return pit


def vigorish() -> Pit:
    pit = Attended(vigorish_collection="marked").in_play()
    for seat, name in ((1, "collect_vigorish"), (2, "write_off_vigorish")):
        pit.betting().wager(seat, banker=1000).lock().drawn("2C", "9D", "KH", "KS").turn().paid()
        pit.do("clear_round", "dealer")
        pit.do(name, "floor", seat=seat, **({"reason": "left"} if "write" in name else {}))
    return pit


def a_shoe_with_too_many_nines() -> Pit:
    """A listening table: the ninth copy of a card in eight decks."""
    return Watched(cards=["3S"] + ["9S"] * 20).begin().hand().hand()


def reports_that_are_lost() -> Pit:
    pit = midi_fill("dealing")
    pit.device("shoe", "gap")
    return pit


def a_card_that_is_there_twice() -> Pit:
    pit = fill("dealing")
    pit.device("shoe", "stack", ["2C", "3D", "4H"])  # the first stack had the same deuce
    for cards in (["5D", "6D", "7C"], ["8C", "8D", "8H"]):
        pit.device("shoe", "stack", cards)
    return pit


def hands_in_doubt() -> Pit:
    pit = fill("settling")
    seat = pit.state.round.turns[0]
    pit.do("correct_card", draw=10, card="KD")
    pit.do("dispute", seat=seat)
    pit.do("end_dispute", seat=seat, reason="looked at")
    pit.do("abandon", seat=seat)
    return pit


def a_sloppy_cut() -> Pit:
    table = by_hand.open_by_hand(by_hand.pit())
    by_hand.unseen_round(table)
    table.do("shuffle_done", "dealer")
    table.do("cut_cards", "dealer")
    table.do("recut", reason="sloppy")
    return table


def the_shoe_ends() -> Pit:
    hand = ("9C", "2D", "KH", "3S")
    pit = Attended().in_play().played(*hand)
    pit.device("shoe", "cover_card")
    return pit.played(*hand).played(*hand)


def people_and_halts() -> Pit:
    pit = fill("betting")
    pit.refused("open_bets")
    pit.do("log_on", "dealer")
    pit.do("suspend_table", "dealer", reason="fire")
    pit.do("resume_table")
    pit.do("log_off", "dealer")
    pit.device("button", "offline", what="cable")
    pit.do("acknowledge_alarm", id=pit.state.alarms[0].id)
    return pit


def a_day_ends() -> Pit:
    pit = fill("preparing")
    pit.shuffle("red", 51)
    pit.do("remove_deck", deck="red")
    pit.do("clear_deck_latch", deck="red")
    pit.do("receive_decks", decks=[{"id": "blue", "back": "blue"}])
    pit.do("change_decks", "dealer")
    pit.do("correct_meter", meter="main", cents=123_456, reason="display")
    pit.do("close_table")
    return pit


def cards_too_soon() -> Pit:
    pit = fill("betting")
    pit.device("shoe", "stack", ["2C", "7D", "9H"])
    pit.do("acknowledge_void")
    return pit


def a_short_hand() -> Pit:
    pit = fill("locked")
    pit.device("shoe", "stack", ["2C", None, "9H"])
    pit.device("shoe", "stack", ["3C", "4D"])
    return pit


def a_shoe_that_jams() -> Pit:
    pit = fill("dealing")
    pit.device("shoe", "jam")
    return pit


def players_cards_seen_and_moved() -> Pit:
    pit = fill("deciding")
    pit.do("report_exposed", "dealer", place="seat/1/1", confirm=True)
    pit.do("move_card", draw=1, to="seat/1/2")
    return pit


def wagers_in_doubt() -> Pit:
    pit = fill("locking")
    pit.do("cancel_lock", reason="too early")
    pit.do("no_more_bets", "dealer")
    pit.acknowledge()
    pit.do("amend_wager", seat=1, wager="ante", amount=900, reason="keyed late")
    pit.do("report_late_bet", "dealer", seat=2, wager="ante")
    pit.do("report_drawn_in_error", "dealer", confirm=True)
    return pit


def a_progressive_is_won() -> Pit:
    pit = Pit().opened().betting().wager(1, ante=1000)
    pit.accept(1)
    pit.lock()
    pit.do("count_progressive", "dealer", chips=2)
    pit.do("count_progressive", "dealer", chips=1)
    pit.deal(seat_1="AS KS QS", dealer="2C 7D 9H").decide().settle()
    return pit


def the_shoe_says_otherwise() -> Pit:
    pit = Watched(5).begin()
    list(pit.places())
    return pit.hand(winner={"player": "banker", "banker": "tie", "tie": "player"}[pit.truth[2]])


def a_third_card_too_many() -> Pit:
    """Both hands stand on naturals."""
    pit = Watched(cards=["AS", "2C", "9S", "9H", "KS", "KH", "5D", "6D"]).begin()
    for place in ("player/1", "banker/1", "player/2", "banker/2", "player/3"):
        pit.card(place)
    return pit


def no_card_is_left() -> Pit:
    pit = midi_fill("dealing")
    pit.do("report_cards_run_out", "dealer", confirm=True)
    return pit


SCENES: list[Callable[[], Pit]] = [
    clock_and_journal, devices_that_fail, face_up_and_moved, dealers_card_exposed,
    lambda: the_stub_is_wrong(True), lambda: the_stub_is_wrong(False),
    a_midi_shoe_that_cannot_read, vigorish, a_shoe_with_too_many_nines, reports_that_are_lost,
    a_card_that_is_there_twice, hands_in_doubt, a_sloppy_cut, the_shoe_ends, people_and_halts,
    a_day_ends, cards_too_soon, a_short_hand, a_shoe_that_jams, players_cards_seen_and_moved,
    wagers_in_doubt, a_progressive_is_won, the_shoe_says_otherwise, a_third_card_too_many,
    no_card_is_left, sealed_cards_shown,
    *(partial(fill, phase) for phase in ("clearing", "voided")),
    *(partial(midi_fill, phase) for phase in ("settling", "voided", "simulating")),
]  # fmt: skip


def sessions() -> Iterator[Pit]:
    """Random ones, the same each time."""
    setups = [Pit().setup, by_hand.pit().setup, by_hand.pit(by_hand.SHUFFLER, baccarat=True).setup]
    for seed, setup in enumerate(setups):
        yield Session(random.Random(seed), setup=setup).run(150).pit
    for seed in range(3):
        yield ChipSession(random.Random(seed)).run(150).pit
    more: list[dict[str, Any]] = [
        {}, {"devices": ()}, {"royal": True}, {"devices": (HELD, BUTTON)}, {"tracking": "seats"},
    ]  # fmt: skip
    for seed, kinds in enumerate(more):
        yield MidiSession(random.Random(seed), **kinds).run(150).pit
    watched = Watched(3).begin()
    for _ in range(5):
        watched.hand()
    yield watched
    for seed in range(3):  # three-card tables that only listen
        yield Day(seed).run(150).pit


@cache
def scenes() -> tuple[Event, ...]:
    return tuple(event for scene in SCENES for event in scene().events)


@cache
def told() -> tuple[Event, ...]:
    """What the scenes tell, and what random sessions do."""
    return (*scenes(), *(event for pit in sessions() for event in pit.events))


EVERY = [f"{area}.{name}" for area, found in names.AREAS.items() for name in found.split()]


@pytest.mark.parametrize("type_", EVERY)
def test_the_core_tells_of_it_with_what_it_must_carry(type_: str) -> None:
    assert any(event.type == type_ for event in scenes()), f"nothing brought about {type_}"
    found = [event for event in told() if event.type == type_]
    area = type_.partition(".")[0]
    shape = {**names.AREA_DATA.get(area, {}), **names.EVENT_DATA.get(type_, {})}
    for event in found:
        assert not misfits(dict(event.data), shape), event
        assert not misfits(rfc3339(event.time_ns), names.EVENT["time"])


def test_the_account_of_a_round_is_what_settle_gives() -> None:
    found = [event.data for event in told() if event.type == "round.settled"]
    poker = [data for data in found if "dealer" in data and data["seats"]]
    midi = [data for data in found if "banker" in data]
    by_odds = [data for data in found if "order" not in data]  # nobody knows who gets what
    assert poker
    assert midi
    assert by_odds
    for data in poker:
        shape = {"round": int, "dealer": Each(str), "community": Each(str),
                 "seats": Each(names.SETTLED_SEAT)}  # fmt: skip
        assert not misfits(dict(data), shape)
    for data in midi:
        points = {"player": int, "banker": int}
        shape = {"round": int, "player": Each(str), "banker": Each(str),
                 "points": points, "winner": {"player", "banker", "tie"},
                 "seats": Each(names.SETTLED_SEAT)}  # fmt: skip
        assert not misfits(dict(data), shape)
    for data in by_odds:
        assert not misfits(dict(data), {"round": int, "results": Each(names.RESULT)})
        assert data["seats"] == []


def test_no_event_is_named_otherwise_than_its_area_says() -> None:
    strange = {event.type.partition(".")[0] for event in told()} - names.AREAS.keys()
    assert not strange
