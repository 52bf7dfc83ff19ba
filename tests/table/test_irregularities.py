"""Irregularities (TCP 5.D, 13.D, 13.F, 13.G): what is void, what is not, what follows."""

import json

import pytest

from tablectl.cards import DECK
from tests.table.pit import Pit, fill

IN_ROUND = (
    "betting", "locking", "locked", "cancelling", "dealing", "deciding", "settling", "clearing",
)  # fmt: skip
JAM_VOIDS = ("locking", "locked", "cancelling", "dealing")
OPEN = ("preparing", *IN_ROUND, "voided")


def every_wager_went_back_once(pit: Pit, since: int) -> None:
    back = [
        (e.data["seat"], e.data["wager"], e.data["cents"])
        for e in pit.named("wager.returned", since)
    ]
    assert sorted(back) == sorted((w.seat, w.wager, w.cents) for w in pit.state.round.wagers)
    assert all(w.status == "returned" for w in pit.state.round.wagers)
    listed = pit.last("round.voided").data["returned"]
    assert sorted((w["seat"], w["wager"], w["cents"]) for w in listed) == sorted(back)


def assert_void(pit: Pit, since: int, reason: str, *clauses: str) -> None:
    """A void as interfaces.md promises it: wagers back, duties open, the shoe held."""
    assert pit.state.phase == "voided"
    data = pit.last("round.voided").data
    assert data.keys() >= {"round", "reason", "returned", "duties"}
    assert (data["round"], data["reason"], data["clauses"]) == (1, reason, list(clauses))
    every_wager_went_back_once(pit, since)
    assert ("shoe", "hold") in pit.ordered()
    assert pit.leave == 0
    assert pit.state.round.pending == ()
    assert pit.state.round.asked is None


# ── 13.G: the shoe jams ──
@pytest.mark.parametrize("how", ["jam", "fault", "report"])
@pytest.mark.parametrize("phase", JAM_VOIDS)
def test_13g_a_shoe_jam_from_the_lock_to_the_last_stack_voids(phase, how):
    pit = fill(phase)
    since = pit.state.sequence
    if how == "report":
        outcome = pit.do("report_jam", "dealer", device="shoe")
        assert outcome.ruling is not None
        assert outcome.ruling.clauses == ("TCP 13.G",)  # the ruling is shown before it is done
        assert pit.state.phase == phase
        pit.do("report_jam", "dealer", device="shoe", confirm=True)
    else:
        pit.device("shoe", how, what="motor")
    assert_void(pit, since, "shoe_jam", "TCP 13.G")
    assert {"acknowledge_void", "reshuffle"} == pit.duties()
    data = pit.last("irregularity.shoe_jam").data
    assert data.keys() >= {"round", "what", "evidence", "ruling"}
    fault = pit.last("device.fault")
    assert data["evidence"] == [fault.sequence]
    assert fault.data.keys() >= {"device", "kind", "what"}


@pytest.mark.parametrize("phase", ["betting", "deciding", "settling", "clearing"])
def test_13g_before_the_lock_or_with_every_stack_out_the_round_stands(phase):
    pit = fill(phase)
    wagers = pit.state.round.wagers
    pit.device("shoe", "jam")
    assert pit.state.phase == phase
    assert pit.state.round.wagers == wagers
    assert pit.named("irregularity.shoe_jam")[-1].data["clauses"] == ["TCP 13.G"]


def test_13g_a_shoe_that_is_still_jammed_at_the_lock_voids():
    pit = fill("betting")
    pit.device("shoe", "jam")
    since = pit.state.sequence
    pit.lock()
    assert_void(pit, since, "shoe_jam", "TCP 13.G")
    assert "dispense" not in pit.permitted()


def test_13g_a_jam_between_rounds_sends_the_loaded_deck_back():
    pit = Pit().opened()
    pit.do("load_shoe")
    pit.device("shoe", "jam")
    assert pit.state.deck("red").custody == "discard"
    assert "reshuffle" in pit.duties()
    pit.device("shoe", "cleared")
    pit.shuffle("red")
    pit.do("load_shoe")
    pit.do("open_bets")


def test_13g_the_deck_is_reshuffled_with_the_cards_already_dealt():
    pit = fill("dealing")
    pit.device("shoe", "jam")
    pit.do("clear_round")
    assert pit.state.deck("red").custody == "discard"
    pit.do("acknowledge_void")
    pit.device("shoe", "cleared")
    assert pit.refused("open_bets").clauses == ("TCP 13.G",)
    assert pit.refused("load_shoe").clauses
    pit.shuffle("red")
    assert pit.duties() == set()
    pit.do("load_shoe")
    pit.do("open_bets")


def test_13h_a_jammed_shoe_opens_no_round():
    pit = Pit().opened()
    pit.device("shoe", "jam")
    pit.do("load_shoe")
    refusal = pit.refused("open_bets")
    assert refusal.clauses == ("TCP 13.H",)
    pit.device("shoe", "cleared")
    pit.do("open_bets")


def test_a_jam_reported_twice_voids_once():
    pit = fill("dealing")
    since = pit.state.sequence
    pit.device("shoe", "jam")
    pit.device("shoe", "jam")
    pit.device("shoe", "stack", ["KC", "KD", "KH"])
    assert len(pit.named("round.voided")) == 1
    every_wager_went_back_once(pit, since)


def test_only_a_shoe_or_a_shuffler_of_this_table_jams():
    pit = fill("dealing")
    for device in ("bonus", "button", "camera"):
        assert pit.refused("report_jam", device=device, confirm=True).malformed


def test_a_second_jam_does_not_say_that_the_void_round_stands():
    pit = fill("dealing")
    pit.device("shoe", "jam")
    pit.device("shoe", "jam")
    assert pit.last("irregularity.shoe_jam").data["ruling"] != "the round stands"


# ── 13.D: an incorrect number of cards ──
@pytest.mark.parametrize("count", [0, 1, 2, 4, 7])
@pytest.mark.parametrize("position", [0, 1, 3])
def test_13d_a_stack_that_is_not_three_voids(count, position):
    """TCP 13.D: a player's or the dealer's; whatever was dealt before it."""
    pit = fill("locked")
    since = pit.state.sequence
    deck = iter(DECK)
    for _ in range(position):
        pit.device("shoe", "stack", [next(deck) for _ in range(3)])
    pit.device("shoe", "stack", [next(deck) for _ in range(count)])
    assert_void(pit, since, "incorrect_number_of_cards", "TCP 13.D")
    irregularity = pit.last("irregularity.incorrect_number_of_cards").data
    assert len(irregularity["evidence"]) == count
    assert ("The dealer" if position == 3 else "Seat") in irregularity["what"]


@pytest.mark.parametrize("phase", ["dealing", "deciding"])
def test_13d_the_dealer_reports_it_in_two_steps(phase):
    pit = fill(phase)
    since = pit.state.sequence
    outcome = pit.do("declare_misdeal", "dealer")
    assert outcome.ruling is not None
    assert outcome.ruling.clauses == ("TCP 13.D",)
    assert pit.state.phase == phase
    pit.do("declare_misdeal", "dealer", confirm=False)
    assert pit.state.phase == phase
    pit.do("declare_misdeal", "dealer", confirm=True)
    assert_void(pit, since, "incorrect_number_of_cards", "TCP 13.D")


def test_13d_after_a_decision_the_play_wager_goes_back_too():
    pit = fill("deciding")
    pit.do("play", seat=1)
    since = pit.state.sequence
    pit.do("declare_misdeal", confirm=True)
    every_wager_went_back_once(pit, since)
    assert (1, "play", 1000) in {
        (w.seat, w.wager, w.cents) for w in pit.state.round.wagers if w.status == "returned"
    }


@pytest.mark.parametrize("phase", ["preparing", "betting", "locking", "locked", "settling"])
def test_13d_no_misdeal_without_cards_or_after_the_reveal(phase):
    refusal = fill(phase).refused("declare_misdeal", confirm=True)
    assert "TCP 13.D" in refusal.clauses


# ── 13.F: the shuffler jams ──
@pytest.mark.parametrize("how", ["jam", "fault", "report"])
@pytest.mark.parametrize("phase", IN_ROUND)
def test_13f_a_shuffler_jam_voids_no_round_of_the_other_deck(phase, how):
    pit = fill(phase)
    pit.do("receive_decks", decks=[{"id": "blue", "back": "blue", "preshuffled": True}])
    pit.device("shuffler", "shuffle_started", deck="blue")
    round_, lock = pit.state.round, pit.state.lock
    if how == "report":
        assert pit.do("report_jam", "dealer", device="shuffler").ruling is None
    else:
        pit.device("shuffler", how, what="gear")
    assert (pit.state.phase, pit.state.round, pit.state.lock) == (phase, round_, lock)
    assert pit.last("irregularity.shuffler_jam").data["clauses"] == ["TCP 13.F"]
    assert pit.state.deck("blue").preparation == "stacked"
    assert [(d.duty, d.deck) for d in pit.state.duties] == [("reshuffle", "blue")]


def test_13f_a_full_new_cycle_and_count_come_before_the_next_round():
    pit = Pit().opened("red", "blue")
    pit.do("load_shoe", deck="red")
    pit.device("shuffler", "jam", deck="blue")  # blue lay shuffled in it
    assert pit.state.deck("blue").preparation == "used"
    assert pit.refused("open_bets").clauses == ("TCP 13.F",)
    pit.device("shuffler", "shuffle_done", deck="blue", count=52)  # an end without a beginning
    assert "reshuffle" in pit.duties()
    pit.device("shuffler", "cleared")
    pit.shuffle("blue")
    assert pit.duties() == set()
    pit.do("open_bets")


def test_13f_the_next_round_waits_not_the_one_that_is_played():
    pit = Pit().opened("red", "blue").betting("red").wager(1, ante=1000)
    pit.device("shuffler", "jam")
    pit.lock().deal().decide().settle()
    pit.do("clear_round")
    assert ("reshuffle", "blue") in {(d.duty, d.deck) for d in pit.state.duties}


def test_13f_a_jam_in_an_empty_shuffler_asks_for_nothing():
    pit = Pit().opened()
    pit.do("load_shoe")
    pit.device("shuffler", "jam")
    assert pit.duties() == set()
    assert len(pit.named("irregularity.shuffler_jam")) == 1


# ── 5.D: a wrong count ──
@pytest.mark.parametrize("count", [0, 51, 53, 104])
def test_5d_a_wrong_count_latches_the_deck(count):
    pit = Pit().opened("red", "blue").play_round("red")
    pit.shuffle("red", count)
    red = pit.state.deck("red")
    assert red.latched
    data = pit.last("deck.latched").data
    assert (data["deck"], data["count"], data["expected"]) == ("red", count, 52)
    assert pit.duties() == {"remove_deck", "clear_deck_latch"}
    assert [a.kind for a in pit.state.alarms] == ["deck_latched"]
    assert pit.refused("load_shoe", deck="red").clauses
    pit.shuffle("red")  # it must leave the table: another cycle does not wash it clean
    assert pit.state.deck("red").latched
    pit.do("load_shoe", deck="blue")
    assert pit.refused("open_bets").clauses == ("TCP 5.D",)
    assert pit.refused("clear_deck_latch").clauses == ("TCP 5.D",)  # remove it first
    pit.do("remove_deck", "dealer", deck="red")
    assert pit.refused("clear_deck_latch", "dealer").role
    pit.refused("open_bets")
    pit.do("clear_deck_latch")
    assert pit.state.deck("red") is None
    assert pit.state.alarms == ()
    pit.do("open_bets")


@pytest.mark.parametrize("phase", IN_ROUND)
def test_5d_a_wrong_count_voids_no_round_of_the_other_deck(phase):
    pit = fill(phase)
    pit.do("receive_decks", decks=[{"id": "blue", "back": "blue", "preshuffled": True}])
    round_ = pit.state.round
    pit.shuffle("blue", 51)
    assert (pit.state.phase, pit.state.round) == (phase, round_)
    pit.do("remove_deck", deck="blue")
    pit.do("clear_deck_latch", deck="blue")
    assert pit.duties() == set()


def test_5d_one_deck_the_table_waits_for_a_new_one():
    pit = Pit().opened()
    pit.play_round("red")
    pit.shuffle("red", 53)
    pit.do("remove_deck", deck="red")
    pit.do("clear_deck_latch", deck="red")
    assert pit.refused("load_shoe").clauses
    pit.do("receive_decks", decks=[{"id": "new", "back": "red", "preshuffled": True}])
    pit.shuffle("new")
    pit.betting("new")


def test_5d_after_a_removal_the_other_deck_deals_alone():
    """TCP 3.A, 3.B(4): one deck is left, so it deals again although it dealt last."""
    pit = Pit().opened("red", "blue").play_round("red")
    pit.shuffle("red")
    pit.do("load_shoe", deck="blue")
    pit.play_round("blue")
    pit.shuffle("blue")
    pit.do("remove_deck", deck="red")
    pit.betting("blue")


def test_5d_a_wrong_count_counts_even_if_nobody_saw_the_cycle_begin():
    pit = Pit().opened("red", "blue")
    pit.shuffle("blue", 51)  # a deck that was ready runs again: the device counts 51
    pit.refused("load_shoe", deck="blue")
    assert pit.state.deck("blue").latched


# ── duplicates ──
def test_a_duplicate_among_face_down_cards_stops_the_table_and_names_nothing():
    pit = fill("locked")
    pit.device("shoe", "stack", ["2C", "7D", "9H"])
    since = pit.state.sequence
    outcome = pit.device("shoe", "stack", ["3C", "2C", "TH"])
    assert pit.state.halt.cause == "duplicate_card"
    assert pit.state.phase == "dealing"
    told = [e for e in outcome.events if e.type != "card.dealt"]
    text = json.dumps([e.data for e in told]) + repr(outcome.prompts) + repr(pit.state.alarms)
    assert "2C" not in text
    assert "seat/3/2" not in text
    assert pit.last("irregularity.duplicate_card").data["evidence"] == []
    leaves = len(pit.commands)
    pit.do("resume_table")
    pit.device("shoe", "held")
    assert "dispense" not in pit.permitted(leaves)  # nothing goes on before the floor has looked
    pit.do("void_round", reason="the card is there twice")
    every_wager_went_back_once(pit, since)
    assert "remove_deck" in pit.duties()


def test_a_deck_with_a_duplicate_leaves_the_table():
    pit = fill("locked")
    pit.device("shoe", "stack", ["2C", "2C", "9H"])
    pit.do("resume_table")
    pit.do("void_round", reason="the card is there twice")
    pit.do("clear_round")
    pit.do("acknowledge_void")
    pit.shuffle("red")
    assert pit.refused("open_bets").clauses
    pit.do("remove_deck", deck="red")
    assert pit.duties() == set()


# ── duties and the floor ──
def test_the_floors_acknowledgement_blocks_the_next_round():
    pit = fill("locked")
    pit.do("void_round", reason="evacuation")
    pit.do("clear_round")
    refusal = pit.refused("open_bets")
    assert "acknowledge_void" in refusal.allowed
    assert pit.refused("acknowledge_void", "dealer").role
    pit.do("acknowledge_void")
    assert pit.types()[-1] == "duty.done"
    pit.refused("acknowledge_void")
    pit.do("open_bets")


@pytest.mark.parametrize("phase", ["locking", "locked", "cancelling", "dealing", "deciding"])
def test_a_discretionary_void_is_the_floors_and_has_a_reason(phase):
    pit = fill(phase)
    assert pit.refused("void_round", "dealer", reason="x").role
    for reason in ("", "  "):
        assert pit.refused("void_round", reason=reason).malformed
    assert pit.refused("void_round").malformed
    since = pit.state.sequence
    out = bool(pit.state.round.cards)
    pit.do("void_round", reason="evacuation")
    assert_void(pit, since, "floor")
    assert pit.last("round.voided").data["why"] == "evacuation"
    assert ("reshuffle" in pit.duties()) is out


def test_a_void_is_never_undone():
    pit = fill("voided")
    for action, args in (("cancel_lock", {"reason": "x"}), ("no_more_bets", {}), ("open_bets", {}),
                         ("void_round", {"reason": "x"}), ("reveal_dealer", {})):  # fmt: skip
        pit.refused(action, **args)
    pit.device("bonus", "locked")
    pit.device("shoe", "held")
    pit.device("button", "pressed")
    assert pit.state.phase == "voided"
    assert pit.leave == 0


def test_a_shuffler_that_names_no_deck_means_the_one_that_the_prompt_names():
    """5.A: of two decks that are due, the duty that was opened first is prompted first."""
    pit = Pit().opened("red", "blue").play_round("red")
    pit.shuffle("red")
    pit.betting("blue").wager(1, ante=1000).lock()
    for deck in ("blue", "red"):
        pit.device("shoe", "jam")
        pit.device("shoe", "cleared")
        if deck == "blue":
            pit.do("clear_round")
            pit.do("acknowledge_void")
            pit.do("single_deck")
            pit.do("load_shoe", deck="red")
    assert [d.deck for d in pit.state.duties if d.duty == "reshuffle"] == ["blue", "red"]
    pit.device("shuffler", "shuffle_started")
    assert pit.state.deck("blue").preparation == "shuffling"
    assert pit.state.deck("red").preparation == "used"
