"""Dealing from an automated shoe (TCP 10.B): order, places, and cards that stay sealed."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

import pytest

from tests.table.pit import Pit, fill

Hands = Mapping[str, Sequence[str | None]]
HANDS: Hands = {
    "seat/1": ["2C", "7D", "9H"],
    "seat/3": ["3C", "8D", "TH"],
    "seat/5": ["4C", "9D", "JH"],
    "dealer": ["AS", "QD", "6H"],
}


def dealt(pit: Pit) -> list[str]:
    return [event.data["place"] for event in pit.named("card.dealt")]


def feed_hands(pit: Pit, hands: Hands) -> Pit:
    for owner in pit.state.round.plan:
        pit.device("shoe", "stack", hands[owner])
    return pit


# ── 10.B ──
def test_10b_stacks_go_from_the_dealers_far_left_and_the_dealer_is_last():
    """TCP 10.B(1) to (3), whatever the order in which the wagers came."""
    pit = Pit().opened().betting()
    for seat in (6, 2, 4):
        pit.wager(seat, ante=1000)
    pit.lock()
    assert pit.commands[-1].args == {"stacks": 4}
    pit.deal()
    hands = ("seat/2", "seat/4", "seat/6", "dealer")
    assert dealt(pit) == [f"{hand}/{n}" for hand in hands for n in (1, 2, 3)]
    assert [event.data["draw"] for event in pit.named("card.dealt")] == list(range(1, 13))


@pytest.mark.parametrize("wager", ["ante", "pair_plus"])
def test_10b_only_seats_with_a_wager_get_a_stack(wager):
    pit = Pit().opened().betting().wager(3, **{wager: 1000}).wager(4, ante=1000)
    pit.do("remove_wager", seat=4, wager="ante")
    assert pit.lock().state.round.plan == ("seat/3", "dealer")


def test_10b_all_seven_seats_and_the_dealer():
    pit = Pit().opened().betting()
    for seat in range(1, 8):
        pit.wager(seat, ante=1000)
    pit.lock().deal()
    assert len(pit.state.round.cards) == 24
    assert pit.state.phase == "deciding"


def test_10b_the_events_of_a_deal():
    pit = fill("locked")
    since = pit.state.sequence
    feed_hands(pit, HANDS)
    types = pit.types(since)
    assert types == ["round.dealing", *["card.dealt"] * 12, "round.dealt", "seat.asked"]
    assert all(e.subject == "round/1" for e in pit.events if e.sequence > since)
    for event in pit.named("card.dealt"):
        assert event.data.keys() >= {"round", "deck", "draw", "place", "commitment"}
        assert (event.data["round"], event.data["deck"]) == (1, "red")


def test_10b_the_prompt_names_whose_stack_is_next():
    pit = fill("locked")
    for name, hand in (("seat 1", "seat/1"), ("seat 3", "seat/3"), ("seat 5", "seat/5")):
        outcome = pit.tick(1)
        assert name in outcome.prompts[0].text
        pit.device("shoe", "stack", HANDS[hand])
    assert "yourself" in pit.tick(1).prompts[0].text


def test_the_shoe_is_given_leave_for_what_is_left_after_an_outage():
    pit = fill("dealing")
    pit.device("shoe", "offline", what="cable")
    before = len(pit.commands)
    pit.device("shoe", "online", dispensed=1)
    assert [(c.name, c.args) for c in pit.commands[before:]] == [("dispense", {"stacks": 3})]
    assert pit.state.phase == "dealing"


# ── cards that nobody asked for ──
@pytest.mark.parametrize("phase", ["deciding", "settling", "clearing", "voided"])
def test_a_stack_after_the_last_hand_joins_the_stub_and_voids_nothing(phase):
    pit = fill(phase)
    wagers = pit.state.round.wagers
    pit.device("shoe", "stack", ["KC", "KD", "KH"])
    assert pit.state.phase == phase
    assert pit.state.round.wagers == wagers
    data = pit.last("irregularity.drawn_in_error").data
    assert data.keys() >= {"round", "what", "evidence", "ruling"}
    told = {event.sequence: event for event in pit.events}
    assert [told[n].data["place"] for n in data["evidence"]] == ["stub/1", "stub/2", "stub/3"]


@pytest.mark.parametrize("phase", ["betting", "locking"])
def test_a_card_before_the_lock_returns_every_wager(phase):
    pit = fill(phase)
    pit.device("shoe", "stack", ["KC", "KD", "KH"])
    assert pit.state.phase == "voided"
    assert pit.state.round.live_wagers() == ()
    assert pit.last("round.voided").data["reason"] == "card_before_lock"
    assert {"reshuffle", "acknowledge_void"} <= pit.duties()
    assert pit.state.last_deck == "red"


def test_cards_between_rounds_send_the_deck_back_to_the_shuffler():
    pit = Pit().opened()
    pit.do("load_shoe")
    pit.device("shoe", "stack", ["KC", "KD", "KH"])
    assert pit.state.phase == "preparing"
    assert pit.state.deck("red").custody == "discard"
    assert pit.refused("open_bets").clauses or pit.duties()
    pit.shuffle("red")
    pit.do("load_shoe")
    pit.do("open_bets")


def test_5a_a_stack_that_left_with_the_void_sends_the_deck_back_to_the_shuffler():
    """The floor voids before any card, a stack was on its way: those cards are out."""
    pit = fill("locked")
    pit.do("void_round", reason="evacuation")
    pit.device("shoe", "stack", HANDS["seat/1"])
    pit.do("clear_round")
    pit.do("acknowledge_void")
    pit.refused("open_bets")
    assert pit.state.last_deck == "red"


def test_a_shoe_that_dealt_while_the_box_was_off_between_rounds_is_seen():
    pit = Pit().opened()
    pit.do("load_shoe")
    pit.restart()
    for device in ("shuffler", "button"):
        pit.device(device, "online")
    pit.device("bonus", "online", locked=True)
    pit.device("shoe", "online", dispensed=1)
    pit.do("resume_table")
    pit.refused("open_bets")


def test_a_stack_from_a_shoe_without_a_deck_is_refused():
    pit = Pit().opened()
    pit.device("shoe", "stack", ["KC", "KD", "KH"])
    assert pit.last("device.refused").data["device"] == "shoe"


def test_no_more_than_52_cards_are_ever_out():
    for phase in ("dealing", "deciding", "settling", "voided"):
        pit = fill(phase)
        for _ in range(20):
            pit.device("shoe", "stack", [None] * 3)
            assert pit.state.round is None or len(pit.state.round.cards) <= 52


# ── the seal ──
def test_a_commitment_is_published_at_the_deal_and_checks_out_at_the_reveal():
    """SHA-256("tablectl-card-1", 32 salt bytes, two ASCII bytes), as anybody would check it."""
    pit = fill("clearing")
    dealt_ = {e.data["place"]: e.data["commitment"] for e in pit.named("card.dealt")}
    revealed = {e.data["place"]: e.data for e in pit.named("card.revealed")}
    assert len(dealt_) == 12
    assert set(revealed) == set(dealt_) - {"seat/3/1", "seat/3/2", "seat/3/3"}
    for place, data in revealed.items():
        salt = bytes.fromhex(data["salt"])
        assert len(salt) == 32
        digest = sha256(b"tablectl-card-1" + salt + data["card"].encode()).hexdigest()
        assert digest == dealt_[place]
        assert data.keys() >= {"round", "draw", "place", "card", "salt"}


SESSIONS = {
    "settled": lambda pit: pit.decide().settle(),
    "folded": lambda pit: pit.decide("fold").settle(),
    "jam": lambda pit: pit.device("shoe", "jam"),
    "misdeal": lambda pit: pit.do("declare_misdeal", confirm=True),
    "void": lambda pit: pit.do("void_round", reason="evacuation"),
    "restart": lambda pit: (pit.restart(), pit.devices_tell(), pit.do("resume_table")),
    "stub": lambda pit: pit.device("shoe", "stack", ["KC", "KD", "KH"]),
}


def session(how: str, hands: Hands) -> list[str]:
    """Everything that leaves until the first card is shown, commitments and salts aside."""
    pit = Pit(seed=5).opened().betting()
    pit.wager(1, ante=1000, pair_plus=500, progressive=100, six_card_bonus=500)
    pit.wager(3, ante=2000, progressive=500).wager(5, pair_plus=1500).lock()
    feed_hands(pit, hands)
    SESSIONS[how](pit)
    told: list[str] = []
    again = Pit(seed=5)
    for input_ in pit.inputs:
        outcome = again.feed(input_)
        for event in outcome.events:
            if event.type == "card.revealed":
                return told
            data = {**event.data, "commitment": None} if "commitment" in event.data else event.data
            told.append(json.dumps([event.type, event.subject, data], sort_keys=True))
        told.append(repr((outcome.prompts, outcome.allowed, outcome.commands, outcome.refusal)))
        told.append(repr([(a.kind, a.what) for a in again.state.alarms]))
    return told


@pytest.mark.parametrize("how", SESSIONS)
def test_nothing_computed_from_a_face_down_card_leaves_before_its_reveal(how):
    """The same session with other faces looks the same from outside until the first reveal."""
    royal = {
        "seat/1": ["AS", "KS", "QS"],
        "seat/3": ["AH", "KH", "QH"],
        "seat/5": ["5C", "5D", "5H"],
        "dealer": ["JC", "7D", "2H"],
    }
    assert session(how, HANDS) == session(how, royal)


def test_folded_cards_stay_sealed_for_good():
    """TCP 11.D(1): a folded hand without a six card bonus is racked face down."""
    pit = fill("clearing")
    salts = [card.salt for card in pit.state.round.hand("seat/3")]
    pit.do("clear_round")
    text = json.dumps([event.data for event in pit.events])
    assert not any(salt in text for salt in salts)
    assert not any(f'"{card}"' in text for card in HANDS["seat/3"])


def test_cards_of_a_void_round_stay_sealed_for_good():
    pit = fill("deciding")
    pit.do("declare_misdeal", confirm=True)
    pit.do("clear_round")
    assert pit.named("card.revealed") == []
    text = json.dumps([event.data for event in pit.events])
    assert not any(f'"{card}"' in text for hand in HANDS.values() for card in hand)


# ── unreadable cards ──
def test_an_unreadable_card_never_voids_and_has_no_commitment():
    pit = feed_hands(fill("locked"), {**HANDS, "seat/1": ["2C", None, "9H"]})
    assert pit.state.phase == "deciding"
    event = next(e for e in pit.named("card.dealt") if e.data["place"] == "seat/1/2")
    assert event.data["commitment"] is None
    assert pit.last("card.unreadable").data["place"] == "seat/1/2"
    assert pit.refused("enter_card", place="seat/1/2", card="7D")


def settling_with(hands: Hands, **decisions: str) -> Pit:
    pit = feed_hands(fill("locked"), hands).decide(**decisions)
    pit.do("reveal_dealer", "dealer")
    return pit


def test_an_unreadable_seats_card_is_entered_at_its_turn():
    pit = settling_with({**HANDS, "seat/5": ["4C", None, "JH"]})
    assert "seat/5/2" in pit.tick(1).prompts[0].text
    refusal = pit.refused("confirm_payment", seat=5)
    assert "confirm_payment" not in refusal.allowed
    for place in ("seat/5/1", "seat/1/1", "nowhere"):
        assert pit.refused("enter_card", place=place, card="9D").malformed
    for card in ("1D", "9d", ""):
        assert pit.refused("enter_card", place="seat/5/2", card=card).malformed
    pit.do("enter_card", "dealer", place="seat/5/2", card="9D")
    shown = pit.last("card.revealed").data
    assert (shown["card"], shown["salt"], shown["entered"]) == ("9D", None, True)
    pit.do("confirm_payment", seat=5)


@pytest.mark.parametrize("decision", ["play", "fold"])
def test_an_unreadable_dealers_card_is_entered_before_any_seat_settles(decision):
    pit = settling_with({**HANDS, "dealer": ["AS", None, "6H"]}, seat_1=decision)
    assert pit.state.halt is None
    assert pit.named("card.revealed")[-1].data["place"].startswith("dealer/")
    pit.do("enter_card", place="dealer/2", card="QD")
    assert pit.state.round.turns[0] == 5
    while pit.state.phase == "settling":
        pit.do("confirm_payment", seat=pit.state.round.turns[0])


def test_a_refused_entry_tells_nothing_of_the_cards_that_lie_face_down():
    """Two tables that differ in face-down cards only answer every entry alike."""
    tables = []
    for folded in (["3C", "8D", "TH"], ["3S", "8S", "TS"]):
        hands = {**HANDS, "seat/3": folded, "dealer": ["AS", None, "6H"]}
        pit = settling_with(hands, seat_3="fold", seat_1="play")
        tables.append(pit)
    for card in ("AS", "6H", "KK"):
        refusals = [pit.act("enter_card", place="dealer/2", card=card).refusal for pit in tables]
        assert refusals[0] is not None
        assert refusals[0] == refusals[1]
    first, second = [pit.act("enter_card", place="dealer/2", card="3C") for pit in tables]
    assert first.refusal == second.refusal
    assert [e.type for e in first.events] == [e.type for e in second.events]


def test_an_entered_card_that_turns_up_again_stops_the_table():
    """A card that was entered lies face up a second time: the floor settles what is open."""
    pit = settling_with({**HANDS, "dealer": ["AS", None, "6H"]}, seat_3="play", seat_1="play")
    pit.do("enter_card", place="dealer/2", card="4C")  # seat 5's, still face down
    assert pit.state.halt.cause == "duplicate_card"
    pit.do("resume_table")
    for seat in (5, 3, 1):
        pit.do("settle_by_hand", seat=seat, returned=0, reason="looked at")
    assert pit.state.phase == "clearing"


def test_the_true_entry_is_possible_where_another_card_was_misread():
    """A card was read as the queen that lies unread beside it: the floor settles by hand."""
    pit = settling_with({**HANDS, "dealer": ["AS", "QD", None]}, seat_3="fold")
    assert pit.refused("enter_card", place="dealer/3", card="QD").clauses == ("TCP 3.A(1)",)
    pit.do("enter_card", place="dealer/3", card="QD", confirm=True)
    assert pit.state.halt.cause == "duplicate_card"
    pit.do("resume_table")
    for seat in (5, 1):
        pit.do("settle_by_hand", seat=seat, returned=0, reason="looked at")
    assert pit.state.phase == "clearing"
