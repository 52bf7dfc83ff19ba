"""What goes wrong at a three-card table that only listens: an event with its evidence, an alarm,
nothing blocked, and a round in doubt never settled nor shown."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tablectl.cards import DECK
from tablectl.table.setup import DeviceSetup
from tests.table.listening.pit import SHOE, SHUFFLER, Listened

STACKS: dict[str, Any] = {"dealing": "automated_shoe"}
CARDS: dict[str, Any] = {"dealing": "manual_shoe"}


def told(pit: Listened, players: int = 3) -> list[list[str | None]]:
    """A round's reports, still to be told: the count and the values may be tampered with."""
    pit.shuffled()
    return [list(cards) for cards in pit.lie(players)]


def tell(pit: Listened, reports: list[list[str | None]], first: int = 1) -> Listened:
    for number, cards in enumerate(reports, first):
        pit.tell(cards, number)
    return pit


def not_settled(pit: Listened, kind: str, *, void: bool = False) -> None:
    """Round 1 is flagged, alarmed, never settled and never shown; round 2 is none the worse."""
    [found] = pit.named(f"irregularity.{kind}")
    assert found.data["round"] == 1
    assert found.data["what"].endswith(".")
    assert found.data["clauses"] or found.data["basis"] == ["house procedure"]
    assert kind in pit.alarms()
    pit.over()
    [cleared] = pit.named("round.cleared")
    assert (cleared.data["settled"], bool(cleared.data["why"])) == (False, True)
    assert not pit.named("round.settled")
    assert not pit.named("card.revealed")
    assert bool(pit.named("round.voided")) is void
    assert pit.state.phase == "preparing"
    assert not pit.state.duties
    for device in pit.state.devices:
        if device.health == "fault":
            pit.device(device.id, "cleared")
    pit.rounds(3)
    assert list(pit.settled()) == [2]
    assert pit.settled()[2]["dealer"] == pit.truths[-1].dealer
    assert not pit.named("table.halted")
    assert not pit.commands


# ── cards ──
@pytest.mark.parametrize("cards", [1, 2, 4, 5])
@pytest.mark.parametrize("at", [0, 2, 3])
def test_13d_a_stack_that_is_not_three_voids(cards, at):
    pit = Listened()
    reports = told(pit)
    reports[at] = (reports[at] + [pit.pack.pop(), pit.pack.pop()])[:cards]
    tell(pit, reports)
    data = pit.last("round.voided").data
    assert data["clauses"] == ["TCP 13.D"]
    assert data["returned"] == [{"seat": None, "wager": "all", "cents": None}]
    assert data["duties"] == []
    found = pit.last("irregularity.incorrect_number_of_cards")
    assert data["evidence"] == [found.sequence]
    dealt = [e for e in pit.events if e.sequence in found.data["evidence"]]
    assert [e.type for e in dealt] == ["card.dealt"] * cards
    assert pit.state.phase == "voided"
    assert [p.text for p in pit.tick(1).prompts] == [
        "The round is void: return all wagers, and gather the cards."
    ]
    [alarm] = [a for a in pit.state.alarms if a.kind == "incorrect_number_of_cards"]
    assert alarm.severity == "critical"
    assert alarm.what.endswith("Return all wagers.")
    not_settled(pit, "incorrect_number_of_cards", void=True)


@pytest.mark.parametrize(
    ("game", "rules", "clauses"),
    [("maryland", {}, ["TCB 13.C"]), ("washington", {}, []),
     ("washington", {"house_rulings": False}, None)],
)  # fmt: skip
def test_13d_the_void_is_the_games_own(game, rules, clauses):
    """Washington has no rulings: Maryland's as house procedure, or the floor decides."""
    pit = Listened(game=game, **rules)
    reports = told(pit)
    reports[1].append(pit.pack.pop())
    tell(pit, reports)
    if clauses is None:
        assert not pit.named("round.voided")
    else:
        assert pit.last("round.voided").data["clauses"] == clauses
    not_settled(pit, "incorrect_number_of_cards", void=clauses is not None)


@pytest.mark.parametrize("cards", [4, 5, 7, 8, 10, 11])
def test_card_by_card_another_number_is_known_when_the_round_is_over(cards):
    pit = Listened(**CARDS)
    tell(pit, told(pit)[:cards])
    assert not pit.irregularities()
    pit.over()
    pit.events = [e for e in pit.events if e.type != "round.cleared"] + pit.named("round.cleared")
    assert pit.irregularities() == ["incorrect_number_of_cards"]
    assert pit.last("irregularity.incorrect_number_of_cards").data["round"] == 1
    assert not pit.named("round.settled")
    assert not pit.named("card.revealed")
    assert pit.rounds(2).settled()[2]["dealer"] == pit.truths[-1].dealer


def test_one_hand_alone_is_no_round():
    pit = Listened()
    tell(pit, told(pit)[:1]).over()
    assert pit.irregularities() == ["incorrect_number_of_cards"]
    assert not pit.named("round.settled")


@pytest.mark.parametrize("cards", [14, 17])
def test_8e2_without_a_five_card_progressive_two_more_are_no_community_cards(cards):
    pit = Listened(**CARDS)
    tell(pit, told(pit, 5)[:cards]).over()
    assert pit.irregularities() == ["incorrect_number_of_cards"]


@pytest.mark.parametrize("rules", [STACKS, CARDS])
def test_a_card_that_is_there_twice_names_neither_card_nor_place(rules):
    pit = Listened(**rules)
    reports = told(pit)
    reports[-1][-1] = twice = reports[0][0]
    tell(pit, reports)
    data = pit.last("irregularity.duplicate_card").data
    assert data["evidence"] == []
    since = json.dumps([dict(e.data) for e in pit.events if e.type.startswith(("irr", "alarm"))])
    assert twice is not None
    assert twice not in since
    assert "hand/" not in since
    assert "deal/" not in since
    not_settled(pit, "duplicate_card")


@pytest.mark.parametrize("rules", [STACKS, CARDS])
@pytest.mark.parametrize("at", [0, -1])
def test_a_card_that_cannot_be_read_is_never_guessed(rules, at):
    pit = Listened(**rules)
    reports = told(pit)
    reports[at][-1] = None
    tell(pit, reports)
    assert len(pit.named("card.unreadable")) == 1
    not_settled(pit, "unreadable_card")


@pytest.mark.parametrize(("rules", "players"), [(STACKS, 8), (CARDS, 8), (STACKS, 9), (CARDS, 12)])
@pytest.mark.parametrize(("game", "clause"), [("poker", "TCP 13.C"), ("maryland", "TCB 13.B")])
def test_an_overdraw_more_than_every_seat_and_the_dealer(rules, players, game, clause):
    pit = Listened(**rules, game=game)
    tell(pit, told(pit, players))
    assert pit.last("irregularity.drawn_in_error").data["clauses"] == [clause]
    not_settled(pit, "drawn_in_error")


def test_a_card_drawn_while_the_shoe_was_not_in_play():
    pit = Listened(**CARDS)
    reports = told(pit)
    tell(pit, reports[:5])
    pit.tell(["2C" if ["2C"] not in reports else "3C"], 0, mode="outside")
    tell(pit, reports[5:])
    assert {c.place for c in pit.state.round.cards if c.place.startswith("aside")} == {"aside/6"}
    not_settled(pit, "drawn_in_error")


def test_burn_mode_is_a_game_agnostic_reader():
    """A Bee-Tek whose key is turned reads any game; nothing is burned here."""
    pit = Listened(**CARDS, game="maryland")
    for number, cards in enumerate(told(pit), 1):
        pit.tell(cards, number, mode="burn")
    pit.over()
    assert pit.irregularities() == []
    assert pit.settled()[1]["dealer"] == pit.truths[0].dealer


def test_a_second_card_for_one_place():
    pit = Listened(**CARDS)
    places = ["seat/1/1", "dealer/1", "seat/1/2", "dealer/2", "seat/1/2", "dealer/3"]
    for cards, place in zip(told(pit, 1), places, strict=True):
        pit.tell(cards, 0, place=place)
    not_settled(pit, "duplicate_card")


@pytest.mark.parametrize("missing", ["seat/1/3", "dealer/3", None])
def test_places_that_make_no_whole_hands(missing):
    pit = Listened(**CARDS)
    places = ["seat/1/1", "dealer/1", "seat/1/2", "dealer/2", "seat/1/3", "dealer/3"]
    for cards, place in zip(told(pit, 1), places, strict=True):
        if missing is None and place == "dealer/3":
            pit.tell(cards, 0)
        elif place != missing:
            pit.tell(cards, 0, place=place)
    pit.over()
    assert pit.irregularities() == ["incorrect_number_of_cards"]
    assert not pit.named("round.settled")


def test_more_cards_than_a_deck_has_and_the_table_goes_on():
    """No boundary was told at all: the record stays bounded, and nothing of it is settled."""
    pit = Listened(dealing="manual_shoe", devices=(SHOE, SHUFFLER))
    pit.device("shuffler", "offline", what="no power")
    for _ in range(3):
        pit.pack = list(map(str, DECK))
        for cards in pit.lie(7):
            pit.tell(list(cards), 0)
    assert len(pit.state.round.cards) == 3 * 24 - 52
    assert pit.irregularities() == ["sequence_gap", "impossible_card", "sequence_gap"]
    assert not pit.named("table.halted")
    pit.device("shuffler", "online")
    pit.rounds(2)
    pit.play(4).over()
    assert list(pit.settled().values())[-1]["dealer"] == pit.truths[-1].dealer


# ── the link and the device ──
@pytest.mark.parametrize("rules", [STACKS, CARDS])
@pytest.mark.parametrize("at", [1, 3, -1])
def test_a_gap_in_the_reports_while_cards_are_out(rules, at):
    pit = Listened(**rules)
    reports = told(pit)
    reports = [*reports[:at], [], *reports[at:]] if at > 0 else [*reports, []]
    for number, cards in enumerate(reports, 1):
        if cards:
            pit.tell(cards, number - (0 < at < number))
        else:
            pit.device("shoe", "gap", what="2 reports")
    assert pit.last("irregularity.sequence_gap").data["evidence"]
    not_settled(pit, "sequence_gap")


def test_a_gap_between_rounds_is_recorded_and_a_counting_shoe_shows_that_nothing_is_missing():
    pit = Listened()
    pit.rounds(2)
    pit.device("shoe", "gap")
    assert pit.last("irregularity.sequence_gap").data["round"] is None
    assert pit.last("irregularity.sequence_gap").data["ruling"] == "recorded"
    pit.rounds(3)
    assert list(pit.settled()) == [1, 2]


def test_a_gap_between_rounds_before_a_reader_that_counts_nothing():
    """It may have taken the first cards; a shuffle, or the shoe's word, after it shows that not."""
    pit = Listened(**CARDS)
    pit.rounds(2)
    reports = told(pit)
    pit.device("shoe", "gap")
    tell(pit, reports).over()
    assert list(pit.settled()) == [1]
    pit.device("shoe", "gap")
    pit.rounds(2)
    assert list(pit.settled()) == [1, 3]


@pytest.mark.parametrize(("first", "skip"), [(2, 0), (1, 2)])
def test_stacks_that_the_shoe_counted_and_nobody_was_told(first, skip):
    pit = Listened()
    reports = told(pit)
    if skip:
        tell(pit, reports[:skip])
        tell(pit, reports[skip + 1 :], skip + 2)
    else:
        tell(pit, reports[1:], first)
    not_settled(pit, "sequence_gap")


def test_a_table_that_begins_to_listen_in_the_middle_of_a_round():
    pit = Listened(**CARDS)
    reports = pit.lie(3)
    pit.device("shoe", "gap")
    tell(pit, [list(cards) for cards in reports[3:]])
    pit.over()
    assert pit.irregularities()[-1] == "sequence_gap"
    assert not pit.named("round.settled")
    assert pit.rounds(2).settled()[2]["dealer"] == pit.truths[-1].dealer


@pytest.mark.parametrize("says", [0, 1, 3, None])
def test_a_device_that_comes_back_with_another_count(says):
    """It was started anew, or stacks left it meanwhile."""
    pit = Listened()
    reports = told(pit)
    tell(pit, reports[:2])
    pit.device("shoe", "offline", what="it restarted")
    args = {} if says is None else {"dispensed": says}
    pit.device("shoe", "online", **args)
    tell(pit, reports[2:], (says or 0) + 1)
    found = pit.named("irregularity.sequence_gap")
    assert found[0].data["round"] == 1
    pit.over()
    assert not pit.named("round.settled")
    assert not pit.named("card.revealed")
    pit.rounds(3)
    assert list(pit.settled().values())[-1]["dealer"] == pit.truths[-1].dealer


def test_a_lost_link_alone_is_no_irregularity():
    pit = Listened()
    reports = told(pit)
    tell(pit, reports[:2])
    pit.device("shoe", "offline", what="link lost")
    pit.device("shoe", "online", dispensed=2)
    tell(pit, reports[2:], 3).over()
    assert pit.irregularities() == []
    assert list(pit.settled()) == [1]


@pytest.mark.parametrize("name", ["jam", "fault"])
@pytest.mark.parametrize("at", [1, 4])
@pytest.mark.parametrize(("game", "clause"), [("poker", "TCP 13.G"), ("maryland", "TCB 13.D")])
def test_13g_a_jam_with_cards_out(name, at, game, clause):
    """Whether a stack was still inside nobody knows: neither void nor settled."""
    pit = Listened(game=game)
    reports = told(pit)
    tell(pit, reports[:at])
    pit.device("shoe", name, **({"what": "misfeed"} if name == "fault" else {}))
    data = pit.last("irregularity.shoe_jam").data
    assert data["clauses"] == [clause]
    assert [e.type for e in pit.events if e.sequence in data["evidence"]] == ["device.fault"]
    assert "device_fault" in pit.alarms()
    pit.device("shoe", "cleared")
    not_settled(pit, "shoe_jam")


def test_a_jam_between_rounds_harms_no_round():
    pit = Listened()
    pit.device("shoe", "jam")
    pit.device("shoe", "cleared")
    pit.rounds(2)
    assert pit.irregularities() == []
    assert list(pit.settled()) == [1]


def test_a_reader_that_fails_may_have_missed_a_card():
    pit = Listened(**CARDS)
    reports = told(pit)
    tell(pit, reports[:5])
    pit.device("shoe", "fault", what="it raises the alarm 'E3 Card Not Read'")
    pit.device("shoe", "cleared")
    tell(pit, reports[5:])
    not_settled(pit, "sequence_gap")


@pytest.mark.parametrize("name", ["jam", "fault"])
def test_13f_a_shuffler_that_jams_voids_nothing(name):
    pit = Listened()
    pit.play(2)
    pit.device("shuffler", "shuffle_started")
    pit.device("shuffler", name)
    assert pit.last("irregularity.shuffler_jam").data["clauses"] == ["TCP 13.F"]
    pit.over()
    assert list(pit.settled()) == [1]


def test_5f_a_cover_card_in_the_deal_is_no_card_of_a_hand():
    pit = Listened(**CARDS)
    reports = told(pit)
    tell(pit, reports[:4])
    pit.device("shoe", "cover_card")
    tell(pit, reports[4:]).over()
    assert pit.irregularities() == ["wrong_order"]
    assert pit.last("irregularity.wrong_order").data["clauses"] == ["TCP 5.F(1)"]
    assert list(pit.settled()) == [1]


# ── reports that make no sense ──
SENSELESS: list[tuple[dict[str, Any], Callable[[Listened], object]]] = [
    (STACKS, lambda pit: pit.device("shoe", "card", ["2C"])),
    (STACKS, lambda pit: pit.device("shoe", "stack", [], dispensed=2)),
    (STACKS, lambda pit: pit.device("shoe", "stack", ["2C"] * 60, dispensed=2)),
    (CARDS, lambda pit: pit.device("shoe", "stack", ["2C", "3C", "4C"])),
    (CARDS, lambda pit: pit.device("shoe", "card", ["2C", "3C"])),
    (CARDS, lambda pit: pit.device("shoe", "card", ["2C"], place="player/1")),
    (CARDS, lambda pit: pit.device("shoe", "card", ["2C"], place="seat/8/1")),
    (CARDS, lambda pit: pit.device("shoe", "card", ["2C"], place=7)),
]


@pytest.mark.parametrize("number", range(len(SENSELESS)))
def test_a_report_of_cards_that_makes_no_sense_may_be_a_card_that_is_missing(number):
    rules, senseless = SENSELESS[number]
    pit = Listened(**rules)
    reports = told(pit)
    tell(pit, reports[:2])
    cards = pit.state.round.cards
    senseless(pit)
    assert pit.events[-1].type == "device.refused"
    assert pit.state.round.cards == cards
    tell(pit, reports[2:], 3).over()
    assert not pit.named("round.settled")
    assert pit.last("round.cleared").data["why"] == "A report of cards made no sense."
    pit.rounds(2)
    assert list(pit.settled()) == [2]


@pytest.mark.parametrize("name", ["result", "dance"])
def test_a_word_that_no_three_card_shoe_has_changes_nothing(name):
    pit = Listened()
    pit.play(2)
    before = pit.state.round
    pit.device("shoe", name)
    assert pit.events[-1].type == "device.refused"
    assert pit.state.round == before


# ── other people's devices ──
def test_a_button_and_a_progressive_are_noted_and_nothing_is_asked_of_them():
    devices = (SHOE, DeviceSetup("bonus", "progressive"), DeviceSetup("button", "button"))
    pit = Listened(progressive="A", devices=devices)
    for _ in range(3):
        for name in ("unlocked", "accepted", "withdrawn", "locked", "late"):
            pit.device("bonus", name, seat=1, wager="progressive", cents=100)
        pit.device("button", "pressed")
        pit.tick(60_000)
        pit.play(2)
    pit.restart()
    pit.device("shoe", "online", dispensed=3)
    pit.device("bonus", "online", locked=False)
    pit.tick(60_000)
    assert not pit.commands
    assert not pit.named("table.halted")
    assert pit.alarms() == set()
    assert list(pit.settled()) == [1, 2]


def test_alarms_do_not_pile_up_without_people():
    pit = Listened()
    for _ in range(30):
        reports = told(pit, 2)
        reports[0][0] = None
        tell(pit, reports).over()
    assert len(pit.named("irregularity.unreadable_card")) == 30
    assert len(pit.state.alarms) == 1
    pit.do("acknowledge_alarm", "surveillance", id=pit.state.alarms[0].id)
    assert not pit.state.alarms


def test_a_person_may_halt_the_table_and_it_still_listens():
    pit = Listened()
    pit.play(2)
    pit.do("halt_table", "surveillance", reason="a quarrel")
    pit.play(2)
    assert pit.state.halt is not None
    assert list(pit.settled()) == [1]
    pit.do("resume_table")
    assert pit.state.halt is None
