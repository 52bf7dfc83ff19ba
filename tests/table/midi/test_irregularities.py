"""Irregularities of Midi Baccarat (MIDI chapter 13): each ruling, at every moment it can happen."""

from dataclasses import replace
from typing import Any

import pytest

from tablectl.table.inputs import Action, Second
from tablectl.table.midi.irregularities import RULINGS
from tablectl.table.midi.phases import MIDI, PHASES
from tests.table.midi.pit import HELD, Attended, fill

NATURAL = ("9C", "2D", "KH", "3S")
BOTH_STAND = ("7C", "2D", "KH", "5S")  # Player 7, Banker 7
BANKER_DRAWS = ("7C", "2D", "KH", "3S")  # Player 7 stands, Banker 5 draws
IN_A_ROUND = (
    "betting",
    "locking",
    "locked",
    "dealing",
    "turning",
    "drawing",
    "settling",
    "clearing",
)


def standing(phase: str, **more) -> Attended:
    """A table in a phase; some phases need a device that keeps the table in them."""
    if phase == "cancelling":
        more.setdefault("devices", (HELD,))
    return fill(phase, **({"royal": True} if phase == "locking" else {}) | more)


def wagers_went_back(pit: Attended) -> None:
    assert pit.state.phase == "voided"
    listed = pit.last("round.voided").data["returned"]
    assert len(listed) == 5
    assert all(w.status == "returned" for w in pit.state.round.wagers)
    assert pit.state.round.pending == ()
    assert "acknowledge_void" in pit.duties()


def on_to_the_next_round(pit: Attended) -> Attended:
    if pit.state.phase == "settling":
        pit.paid()
    pit.do("clear_round", "dealer")
    if "acknowledge_void" in pit.duties():
        pit.do("acknowledge_void")
    return pit


# ── 13.A: drawn in error, not disclosed ──
@pytest.mark.parametrize(
    "phase", ["preparing", "betting", "locking", "turning", "settling", "clearing", "voided"]
)
def test_13a_a_card_that_no_hand_was_due_is_the_next_hands_first(phase):
    pit = standing(phase)
    pit.drawn("6H")
    assert [c.place for c in pit.state.carried] == ["carried/1"]
    kind = pit.last("irregularity.drawn_in_error").data
    assert kind["clauses"] == ["MIDI 13.A"]
    assert kind["evidence"] == [pit.last("card.dealt").sequence]
    assert not pit.state.carried[0].up
    if phase == "turning":
        pit.turn().drawn("4C").turn("player").drawn("2D").turn("banker")
        assert pit.last("round.revealed").data["player"] == ["2C", "KH", "4C"]
        assert [c.card for c in pit.state.carried] == ["6H"]
    if phase in ("turning", "settling", "clearing", "voided"):
        on_to_the_next_round(pit)
    if phase not in ("betting", "locking"):
        pit.betting().wager(1, player=1000)
    if phase != "locking":
        pit.do("no_more_bets", "dealer")
    pit.acknowledge()
    moved = pit.last("card.moved").data
    assert (moved["from"], moved["to"]) == ("carried/1", "player/1")
    assert not pit.state.carried
    pit.drawn("2D", "KH", "3S")
    assert pit.state.phase == "turning"
    assert [c.place for c in pit.state.round.cards] == [
        "player/1", "banker/1", "player/2", "banker/2",
    ]  # fmt: skip


def test_13a_several_are_used_in_order():
    pit = Attended().in_play().drawn("6H", "7H")
    pit.betting().wager(1, player=1000).lock()
    assert [(c.card, c.place) for c in pit.state.round.cards] == [
        ("6H", "player/1"), ("7H", "banker/1"),
    ]  # fmt: skip


def test_13a_a_carried_card_goes_unexposed_when_the_shoe_ends():
    pit = Attended().in_play()
    pit.device("shoe", "cover_card")
    pit.played(*NATURAL)
    pit.betting().wager(1, banker=1000).lock().drawn(*NATURAL).turn().paid().drawn("6H")
    pit.do("clear_round", "dealer")
    assert not pit.state.carried
    assert "card" not in pit.last("card.burned").data


def test_13a_from_a_plain_shoe_the_dealer_reports_it_and_sees_the_ruling_first():
    pit = Attended(devices=()).in_play().betting().wager(1, player=1000).lock()
    assert ruled(pit, "report_drawn_in_error") == ("MIDI 13.A",)
    assert not pit.state.carried
    pit.do("report_drawn_in_error", "dealer", confirm=True)
    assert pit.last("card.moved").data["to"] == "player/1"


# ── 13.B: a third card that is not authorised, not disclosed ──
def test_13b1_becomes_the_bankers_third_card():
    pit = Attended().in_play().betting().wager(1, player=1000).lock().drawn(*BANKER_DRAWS).turn()
    pit.device("shoe", "card", ["4C"], place="player/3")
    assert pit.last("card.dealt").data["place"] == "banker/3"
    assert pit.last("irregularity.unauthorised_third_card").data["clauses"] == ["MIDI 13.B(1)"]
    pit.turn("banker")
    assert pit.last("round.revealed").data["points"] == {"player": 7, "banker": 9}


def test_13b2_becomes_the_first_card_of_the_next_hand():
    pit = Attended().in_play().betting().wager(1, player=1000).lock().drawn(*BOTH_STAND).turn()
    assert pit.state.phase == "settling"
    pit.drawn("4C")
    assert pit.last("irregularity.unauthorised_third_card").data["clauses"] == ["MIDI 13.B(2)"]
    assert pit.state.carried[0].place == "carried/1"


@pytest.mark.parametrize(("cards", "clause", "place"), [
    (BANKER_DRAWS, "MIDI 13.B(1)", "banker/3"), (BOTH_STAND, "MIDI 13.B(2)", "carried/1"),
])  # fmt: skip
def test_13b_from_a_plain_shoe(cards, clause, place):
    pit = plain(cards)
    assert ruled(pit, "report_drawn_in_error", place="player/3") == (clause,)
    pit.do("report_drawn_in_error", "dealer", place="player/3", confirm=True)
    assert pit.last("card.dealt").data["place"] == place


def ruled(pit: Attended, action: str, **args: Any) -> tuple[str, ...]:
    """The clauses of the ruling that a report shows before it is confirmed."""
    ruling = pit.do(action, "dealer", **args).ruling
    assert ruling is not None
    return ruling.clauses


def plain(cards: tuple[str, ...], **rules) -> Attended:
    """A plain shoe's round with both hands up."""
    pit = Attended(devices=(), **rules).in_play().betting().wager(1, player=1000).lock()
    pit.do("hand_cards", "dealer", seat=1, hand="player")
    for place, card in zip(("player/1", "player/2", "banker/1", "banker/2"),
                           (cards[0], cards[2], cards[1], cards[3]), strict=True):  # fmt: skip
        pit.do("enter_card", "dealer", place=place, card=card)
    return pit


# ── 13.C: a third card that is not authorised, disclosed ──
def test_13c1_is_the_bankers_third_card():
    pit = plain(BANKER_DRAWS)
    args = {"place": "player/3", "card": "4C"}
    assert ruled(pit, "report_exposed", **args) == ("MIDI 13.C(1)",)
    pit.do("report_exposed", "dealer", **args, confirm=True)
    assert pit.last("irregularity.disclosed_card").data["clauses"] == ["MIDI 13.C(1)"]
    assert pit.last("round.revealed").data["banker"] == ["2D", "3S", "4C"]


@pytest.mark.parametrize("reads", [True, False])
def test_13c2a_goes_to_the_bucket_with_one_more_face_down(reads):
    if reads:
        pit = Attended().in_play().betting().wager(1, player=1000).lock().drawn(*BOTH_STAND).turn()
        pit.drawn("4C")
        pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
    else:
        pit = plain(BOTH_STAND)
        pit.do("report_exposed", "dealer", place="player/3", card="4C", confirm=True)
    assert pit.last("irregularity.disclosed_card").data["clauses"] == ["MIDI 13.C(2)(a)"]
    assert not pit.state.carried
    assert pit.state.shoe.discard
    on_to_the_next_round(pit)
    assert pit.refused("open_bets", "dealer").clauses == ("MIDI 13.C(2)(a)",)
    if reads:
        pit.drawn("QS")
    else:
        pit.do("burn", "dealer")
    assert "card" not in pit.last("card.burned").data
    pit.do("open_bets", "dealer")


def test_13c2b_is_the_first_card_of_a_simulated_round():
    pit = Attended(disclosed_card="simulated_round").in_play()
    pit.betting().wager(1, player=1000).lock().drawn(*BOTH_STAND).turn().drawn("4C")
    pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
    assert pit.last("irregularity.disclosed_card").data["clauses"] == ["MIDI 13.C(2)(b)"]
    on_to_the_next_round(pit)
    simulated(pit, "4C")


def simulated(pit: Attended, first: str) -> None:
    """A simulated round: opened, dealt, cleared, and nothing else; then play goes on."""
    assert pit.refused("open_bets", "dealer").clauses == ("MIDI 13.D(1)",)
    since = pit.state.sequence
    ending = pit.state.shoe.ending
    pit.do("begin_simulated_round", "dealer")
    assert pit.state.phase == "simulating"
    assert pit.last("round.opened").data["kind"] == "simulated"
    while pit.state.phase == "simulating":
        pit.drawn(pit.rng.choice(["2C", "3C", "8D", "9S", "KD"]))
    assert pit.state.round.cards[0].card == first
    assert all(card.up for card in pit.state.round.cards)
    pit.do("clear_round", "dealer")
    rounds = [t for t in pit.types(since) if t.startswith(("round.", "wager.", "progressive."))]
    assert rounds == ["round.opened", "round.dealt", "round.cleared"]
    assert pit.state.shoe.ending == ending
    pit.played(*NATURAL)


# ── 13.D: a due card is disclosed ──
def test_13d_the_first_card_of_a_round_sends_the_wagers_back():
    pit = fill("locked").drawn("5H")
    assert ruled(pit, "report_exposed", place="player/1") == ("MIDI 13.D(1)", "MIDI 13.D(2)")
    pit.do("report_exposed", "dealer", place="player/1", confirm=True)
    wagers_went_back(pit)
    on_to_the_next_round(pit)
    simulated(pit, "5H")


@pytest.mark.parametrize("dealt", [2, 3, 4])
def test_13d_a_later_card_is_set_aside_and_replaced(dealt):
    pit = fill("locked").drawn(*("2C", "3D", "KH", "2S")[:dealt])
    place = ("player/1", "banker/1", "player/2", "banker/2")[dealt - 1]
    pit.do("report_exposed", "dealer", place=place, confirm=True)
    assert pit.state.carried[0].up
    assert pit.state.phase == "dealing"
    pit.drawn("9H")
    assert pit.last("card.dealt").data["place"] == place
    pit.drawn(*("KH", "2S")[dealt - 2 :])
    assert pit.state.phase == "turning"


def test_13d_a_third_card_is_set_aside_and_replaced():
    pit = fill("drawing").drawn("4C")
    pit.do("report_exposed", "dealer", place="player/3", confirm=True)
    pit.drawn("5C").turn("player").drawn("2D").turn("banker")
    assert pit.state.phase == "settling"
    assert pit.last("round.revealed").data["player"] == ["2C", "KH", "5C"]
    on_to_the_next_round(pit)
    simulated(pit, "4C")


@pytest.mark.parametrize("dealt", [2, 4])
def test_13d_by_setting_any_disclosed_card_turns_the_round_into_a_simulated_one(dealt):
    pit = fill("locked", exposed_due_card="simulated_round")
    pit.drawn(*("2C", "3D", "KH", "2S")[:dealt])
    pit.do("report_exposed", "dealer", place="banker/1", confirm=True)
    wagers_went_back(pit)
    assert len(pit.state.carried) == dealt
    on_to_the_next_round(pit)
    simulated(pit, "2C")


@pytest.mark.parametrize("phase", ["preparing", "betting", "locked"])
def test_13d_a_carried_card_that_is_disclosed_while_it_waits(phase):
    pit = fill("preparing").drawn("6H")
    if phase != "preparing":
        pit.betting().wager(1, player=1000)
        pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
        assert pit.state.phase == "voided"
        on_to_the_next_round(pit)
    else:
        pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
    simulated(pit, "6H")


@pytest.mark.parametrize("phase", ["preparing", "betting", "locked", "dealing"])
def test_13d_found_face_up_in_a_plain_shoe(phase):
    pit = Attended(devices=()).in_play()
    if phase != "preparing":
        pit.betting().wager(1, player=1000)
    if phase in ("locked", "dealing"):
        pit.lock()
    pit.do("report_face_up", "dealer", cards=1, card="6H", confirm=True)
    assert pit.last("irregularity.face_up_card").data["clauses"][0] == "MIDI 13.D(1)"
    if phase != "preparing":
        assert pit.state.phase == "voided"
        on_to_the_next_round(pit)
    assert pit.refused("open_bets", "dealer").clauses == ("MIDI 13.D(1)",)
    pit.do("begin_simulated_round", "dealer")
    assert [(c.card, c.place) for c in pit.state.round.cards] == [("6H", "player/1")]
    for place, card in (("banker/1", "2C"), ("player/2", "2D"), ("banker/2", "8S")):
        pit.do("enter_card", "dealer", place=place, card=card)
    assert pit.state.phase in ("simulating", "clearing")


def test_13d_due_after_the_last_hand_it_is_discarded_instead():
    pit = Attended().in_play()
    pit.device("shoe", "cover_card")
    pit.played(*NATURAL)
    pit.betting().wager(1, player=1000).lock().drawn("9C", "2D")
    pit.do("report_exposed", "dealer", place="banker/1", confirm=True)
    pit.drawn("3D", "KH", "3S").turn().paid()
    pit.do("clear_round", "dealer")
    assert not pit.state.carried
    assert pit.duties() == {"change_decks"}


# ── 13.E and the shoe ──
@pytest.mark.parametrize("phase", ["locked", "dealing", "turning", "drawing"])
def test_13e_cards_that_run_out_void_the_round_and_the_decks_are_replaced(phase):
    pit = standing(phase)
    assert ruled(pit, "report_cards_run_out") == (
        "MIDI 13.E(1)",
        "MIDI 13.E(2)",
    )
    assert pit.state.phase == phase
    pit.do("report_cards_run_out", "dealer", confirm=True)
    wagers_went_back(pit)
    assert pit.duties() == {"acknowledge_void", "change_decks"}
    on_to_the_next_round(pit)
    pit.refused("open_bets", "dealer")
    pit.do("change_decks", "dealer")
    pit.new_shoe().played(*NATURAL)


def test_13e_a_round_that_the_shoe_could_not_complete_is_not_begun():
    pit = Attended(decks=6).in_play()
    nearly = replace(pit.state.shoe, drawn=pit.state.shoe.size - 5)
    pit.table.state = replace(pit.state, shoe=nearly)
    assert pit.refused("open_bets", "dealer").clauses == ("MIDI 13.E",)
    pit.drawn("6H")  # four left, and one that is kept: still five
    pit.refused("open_bets", "dealer")
    pit.table.state = replace(pit.state, shoe=replace(nearly, drawn=nearly.size - 5))
    pit.do("open_bets", "dealer")


@pytest.mark.parametrize("phase", [p for p in PHASES if p != "closed"])
def test_a_shoe_jam_voids_nothing_while_the_order_is_kept(phase):
    pit = standing(phase)
    wagers = pit.state.round.wagers if pit.state.round else None
    pit.device("shoe", "jam")
    assert pit.state.phase == phase
    assert (pit.state.round.wagers if pit.state.round else None) == wagers
    assert pit.last("irregularity.shoe_jam").data["basis"] == ["house procedure"]


@pytest.mark.parametrize("phase", ["betting", "locked", "dealing", "turning", "drawing"])
def test_a_jam_that_loses_the_order_voids_and_changes_the_decks(phase):
    pit = standing(phase)
    assert pit.refused("report_jam", "dealer", order_lost=True, confirm=True).role
    pit.do("report_jam", order_lost=True, confirm=True)
    wagers_went_back(pit)
    assert "change_decks" in pit.duties()


def test_a_cover_card_in_the_burn_has_the_cards_cut_again():
    pit = Attended(first="7H").opened().receive()
    pit.do("cut_cards", "dealer")
    pit.do("load_shoe", "dealer")
    pit.drawn("7H", "2C")
    pit.device("shoe", "cover_card")
    assert pit.state.shoe.stage == "shuffled"
    pit.do("cut_cards", "dealer")
    pit.do("load_shoe", "dealer")
    pit.burned().played(*NATURAL)


# ── misreads ──
def impossible(card: str = "9C") -> Attended:
    """Six decks, and a seventh copy of a card among those that lie face down."""
    pit = Attended(decks=6).in_play()
    for _ in range(6):
        pit.played(card, "2D", "KH", "3S")
    return pit.betting().wager(1, player=1000).lock().drawn(card)


def test_an_impossible_card_stops_the_table_and_names_nothing():
    pit = impossible()
    assert pit.state.halt.cause == "impossible_card"
    data = pit.last("irregularity.impossible_card").data
    assert data["clauses"] == ["MIDI 3.A"]
    assert "9C" not in str(dict(data))
    assert "player" not in str(dict(data))


def test_a_misread_is_corrected_by_floor_and_surveillance_together():
    pit = impossible()
    pit.do("resume_table")
    pit.drawn("AD", "AH", "AC").turn()
    assert pit.state.phase == "drawing"  # it waits for the floor
    assert pit.tick(1).prompts[0].awaits == "correct_card"
    draw = pit.state.round.cards[0].draw
    args = {"draw": draw, "card": "8C"}
    alone = pit.feed(Action(pit.at(), "correct_card", "floor-1", ("floor",), args=args))
    assert alone.refusal is not None
    assert alone.refusal.role
    watch = Second("watch-1", ("surveillance",), "pin")
    outcome = pit.feed(
        Action(pit.at(), "correct_card", "floor-1", ("floor",), args=args, second=watch)
    )
    assert outcome.refusal is None
    assert pit.last("card.corrected").data["card"] == "8C"
    assert pit.last("round.revealed").data["points"] == {"player": 9, "banker": 2}


def test_a_real_one_voids_and_the_decks_are_replaced():
    pit = impossible()
    pit.do("resume_table")
    pit.drawn("AD", "AH", "AC").turn()
    pit.do("void_round", reason="seven nines of clubs")
    assert pit.duties() == {"acknowledge_void", "change_decks"}


def test_an_unreadable_card_is_entered_when_it_lies_face_up():
    pit = fill("locked").drawn("2C", None, "KH", "2S")
    pit.turn("player")
    pit.refused("enter_card", "dealer", place="banker/1", card="3D")
    pit.turn("banker")
    assert pit.state.phase == "turning"
    pit.do("enter_card", "dealer", place="banker/1", card="3D")
    assert pit.state.phase == "drawing"


def test_a_void_at_the_floors_discretion_ends_with_the_first_hand_that_is_up():
    for phase in ("locked", "dealing", "turning"):
        pit = fill(phase)
        pit.do("void_round", reason="a spilt drink")
        wagers_went_back(pit)
        on_to_the_next_round(pit).played(*NATURAL)
    pit = fill("turning").turn("player")
    assert "lies face up" in pit.refused("void_round", reason="late").why


# ── the matrix: every report in every phase is ruled or refused, and nobody is stuck ──
REPORTS: dict[str, dict[str, Any]] = {
    "report_drawn_in_error": {}, "report_exposed": {"place": "player/1"},
    "report_face_up": {"cards": 1, "card": "6H"}, "report_cards_run_out": {}, "report_jam": {},
}  # fmt: skip


@pytest.mark.parametrize("reads", [True, False], ids=["reader", "plain"])
@pytest.mark.parametrize("action", REPORTS)
@pytest.mark.parametrize("phase", PHASES)
def test_every_report_in_every_phase(phase, action, reads):
    pit = standing(phase)
    if not reads:
        pit.device("shoe", "fault", what="lens")
    before = pit.state
    outcome = pit.act(action, "dealer", **REPORTS[action])
    possible = MIDI.row(action, phase) is not None
    if not possible:
        assert outcome.refusal is not None
    if outcome.refusal is not None:
        assert outcome.refusal.clauses or outcome.refusal.malformed or action == "report_jam"
        return
    assert outcome.ruling is not None  # the ruling is shown first, and nothing is done
    assert (pit.state.round, pit.state.carried) == (before.round, before.carried)
    pit.do(action, "dealer", **REPORTS[action], confirm=True)
    assert pit.state.halt is None
    irregular = [e for e in pit.events if e.type.startswith("irregularity.")][-1]
    assert irregular.data["ruling"] == outcome.ruling.ruling
    assert tuple(irregular.data["clauses"]) == outcome.ruling.clauses
    assert irregular.data["clauses"] or irregular.data["basis"] == ["house procedure"]
    voided = any(row.void and row.ruling == outcome.ruling.ruling for row in RULINGS.values())
    assert (pit.state.phase == "voided") == (voided or phase == "voided")
    if pit.state.phase == "voided" and pit.state.duties:
        assert pit.refused("open_bets", "dealer").clauses


@pytest.mark.parametrize("phase", PHASES)
def test_a_card_that_comes_in_any_phase_is_placed_kept_or_refused(phase):
    pit = standing(phase)
    pit.drawn("6H")
    last = pit.last("card.dealt") if phase != "closed" else pit.last("device.refused")
    assert last.sequence > 0
    assert pit.state.halt is None
    assert pit.tick(1).allowed
