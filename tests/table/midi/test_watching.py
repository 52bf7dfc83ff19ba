"""A table with nothing but a listening shoe: a whole shoe, and what can be wrong in it."""

import json
from collections import Counter
from typing import Any

import pytest

from tablectl.games import midi_baccarat as game
from tablectl.games import midi_third_cards as chapter_10
from tablectl.journal.codec import StateCodec
from tablectl.outbox.view import snapshot
from tablectl.table.midi.state import FIRST_FOUR
from tablectl.table.outputs import Event
from tablectl.table.state import State
from tablectl.table.table import Table, step
from tests.table.midi.pit import Watched, setup

NATURAL = ["9C", "2D", "KH", "3S"]  # Player 9, Banker 5
DRAWN = ["2C", "3D", "KH", "2S", "4C", "5D"]  # Player 2, draws 4; Banker 5, draws 5


def played(seed: int, hands: int) -> Watched:
    pit = Watched(seed).begin()
    for _ in range(hands):
        pit.hand()
    return pit


def test_a_whole_shoe_of_eight_decks_is_followed_to_its_end():
    pit = Watched(3).begin()
    hands = 0
    truths: list[Any] = []
    while len(pit.shoe) > 20:
        pit.hand()
        hands += 1
        truths.append(pit.truth)
    settled = pit.named("round.settled")
    assert [e.data["round"] for e in settled] == list(range(1, hands + 1))
    for event, (player, banker, winner) in zip(settled, truths, strict=True):
        assert (event.data["player"], event.data["banker"]) == (player, banker)
        assert event.data["winner"] == winner
        assert event.data["points"] == {
            "player": chapter_10.points(player), "banker": chapter_10.points(banker),
        }  # fmt: skip
        assert event.data["seats"] == []
        assert [r["wager"] for r in event.data["results"]] == list(pit.setup.rules.wagers)
    assert pit.irregularities() == []
    assert not pit.commands
    assert not pit.named("table.halted")
    assert [e.data["round"] for e in pit.named("round.opened")] == list(range(1, hands + 1))
    draws = [e.data["draw"] for e in pit.events if e.type in ("card.dealt", "card.burned")]
    assert draws == list(range(1, 416 - len(pit.shoe) + 1))


def test_the_table_opens_by_itself_and_what_nobody_reported_is_marked_so():
    pit = played(1, 1)
    assert pit.types()[:3] == ["table.restarted", "config.loaded", "device.online"] or (
        pit.types().index("table.opened") < pit.types().index("round.opened")
    )
    for name in ("table.opened", "round.opened", "round.bets_locked", "deck.loaded"):
        assert pit.last(name).data["inferred"] is True
    assert pit.last("card.dealt").data["inferred"] is False
    assert pit.last("round.settled").data["inferred"] is False


def test_a_round_is_opened_before_its_first_card_and_settled_with_the_result():
    pit = Watched(cards=["AS", "KC", *NATURAL]).begin()
    since = pit.state.sequence
    for place in pit.places():
        pit.card(place)
    types = pit.types(since)
    assert types[0] == "round.opened"
    assert types.index("round.opened") < types.index("card.dealt")
    assert "card.revealed" not in types
    since = pit.state.sequence
    pit.result()
    assert pit.types(since) == ["card.revealed"] * 4 + ["round.settled"]


def test_the_first_four_are_shown_with_a_third_card_and_third_cards_with_the_result():
    pit = Watched(cards=["AS", "KC", *DRAWN]).begin()
    for place in list(pit.places())[:4]:
        pit.card(place)
    assert not pit.named("card.revealed")
    pit.card("player/3")
    shown = [e.data["place"] for e in pit.named("card.revealed")]
    assert shown == ["player/1", "banker/1", "player/2", "banker/2"]
    last = pit.events[-1]
    assert (last.type, last.data["place"]) == ("card.dealt", "player/3")
    pit.card("banker/3")
    assert len(pit.named("card.revealed")) == 4
    pit.result()
    assert [e.data["place"] for e in pit.named("card.revealed")][4:] == ["player/3", "banker/3"]
    assert pit.last("round.settled").data["points"] == {"player": 6, "banker": 0}


def test_5f_the_first_card_is_shown_and_the_burned_ones_stay_sealed():
    pit = Watched(cards=["3H", "KC", "QD", "JS", *NATURAL]).begin()
    first, *rest = pit.named("card.burned")
    assert first.data["card"] == "3H"
    assert len(rest) == 3
    assert all("card" not in e.data and "salt" not in e.data for e in rest)
    assert all("KC" not in json.dumps(dict(e.data)) for e in pit.events)


@pytest.mark.parametrize("sent", [0, 2, 4])
def test_5f_another_number_burned_than_the_first_card_asks_for_is_flagged(sent):
    pit = Watched(cards=["3H", *["KC"] * sent])
    pit.card("first")
    for n in range(1, sent + 1):
        pit.card(f"burn/{n}", mode="burn")
    pit.device("shoe", "standby")
    kind = "drawn_in_error" if sent > 3 else "incorrect_number_of_cards"
    assert pit.irregularities() == [kind]
    pit.shoe = list(reversed(NATURAL))
    pit.hand()
    assert pit.last("round.settled").data["winner"] == "player"


# ── the end of a shoe (MIDI 9.D, 3.B) ──
def after_cover(pit: Watched, at: int | None) -> Watched:
    """A cover card before the next hand (None) or within it, after `at` cards."""
    if at is None:
        pit.device("shoe", "cover_card")
        return pit.hand()
    for n, place in enumerate(pit.places()):
        if n == at:
            pit.device("shoe", "cover_card")
        pit.card(place)
    pit.result()
    pit.device("shoe", "standby")
    return pit


@pytest.mark.parametrize("at", [None, 1, 2, 3])
def test_9d_that_hand_then_last_hand_then_one_more_then_new_decks(at):
    pit = after_cover(played(2, 3), at)
    assert [e.data["round"] for e in pit.named("round.last_hand")] == [4]
    types = pit.types()
    assert types.index("round.last_hand") > types.index("round.settled")
    assert snapshot(pit.state, unconfirmed=0)["last_hand"] is True
    pit.hand()
    assert [e.data["round"] for e in pit.named("round.settled")] == [1, 2, 3, 4, 5]
    assert [d.duty for d in pit.state.duties] == ["change_decks"]
    pit.card("player/1")
    assert len(pit.named("round.opened")) == 5
    assert pit.irregularities() == ["drawn_in_error"]
    pit.shoe = Watched(9).shoe
    pit.begin()
    assert not pit.state.duties
    assert pit.last("deck.changed").data == {
        "deck": "shoe-2", "decks": 8, "was": "shoe-1", "clauses": ["MIDI 3.B"], "inferred": True,
    }  # fmt: skip
    pit.hand()
    assert [e.data["round"] for e in pit.named("round.settled")][-1] == 6
    assert pit.last("round.opened").data["deck"] == "shoe-2"
    assert pit.last("card.dealt").data["draw"] < 40


def test_9d_a_cover_card_after_the_last_card_of_a_hand_is_the_next_rounds():
    pit = Watched(cards=["AS", "KC", *NATURAL, *NATURAL, *NATURAL]).begin()
    for place in pit.places():
        pit.card(place)
    pit.device("shoe", "cover_card")
    pit.result()
    assert not pit.named("round.last_hand")
    pit.hand()
    assert [e.data["round"] for e in pit.named("round.last_hand")] == [2]


def test_9d_the_other_cover_card_changes_nothing():
    pit = after_cover(played(2, 3), None)
    after_cover(pit, 1)
    assert len(pit.named("round.last_hand")) == 1
    assert pit.state.shoe.ending == "over"


def test_new_decks_are_known_by_their_first_card_alone():
    pit = played(4, 2)
    pit.shoe = Watched(5).shoe
    pit.card("first")
    assert pit.state.shoe.number == 2
    assert pit.last("deck.changed").data["inferred"] is True


# ── what can be wrong ──
def dealt(*cards: str | None, **rules) -> Watched:
    pit = Watched(cards=["AS", "KC"], **rules).begin()
    for place, card in zip(FIRST_FOUR, cards, strict=False):
        pit.card(place, card)
    return pit


def not_settled(pit: Watched, kind: str, *, results: int = 0) -> None:
    """The round is flagged with its clause or house procedure, alarmed, and never settled."""
    pit.device("shoe", "standby")
    assert kind in pit.irregularities()
    assert len(pit.named("round.settled")) == results
    cleared = pit.last("round.cleared").data
    assert cleared["settled"] is False
    assert cleared["why"]
    found = pit.last(f"irregularity.{kind}").data
    assert found["round"] == 1
    assert found["clauses"] or found["basis"] == ["house procedure"]
    assert kind in {alarm.kind for alarm in pit.state.alarms}
    pit.shoe = list(reversed(NATURAL))
    pit.hand()
    assert pit.last("round.settled").data["round"] == 2  # the next one is not touched by it


def test_11a_the_shoes_result_is_not_believed():
    pit = dealt(*NATURAL)
    pit.device("shoe", "result", winner="banker")
    data = pit.last("irregularity.result_mismatch").data
    assert pit.last("round.settled").data["winner"] == "player"
    assert data["evidence"] == [pit.last("round.settled").sequence]
    assert "result_mismatch" in {alarm.kind for alarm in pit.state.alarms}


def test_the_shoes_pairs_are_compared_too():
    pit = dealt("9C", "2D", "9H", "3S")
    pit.device("shoe", "result", winner="player", player_pair=False, banker_pair=False)
    assert pit.irregularities() == ["result_mismatch"]
    assert "player pair" in pit.last("irregularity.result_mismatch").data["what"]


@pytest.mark.parametrize("after", [1, 2, 3, 4])
def test_a_gap_within_a_round_is_never_settled_short(after):
    pit = Watched(cards=["AS", "KC"]).begin()
    for place, card in list(zip(FIRST_FOUR, NATURAL, strict=True))[:after]:
        pit.card(place, card)
    pit.device("shoe", "gap", what="3 reports")
    assert pit.last("irregularity.sequence_gap").data["evidence"]
    for place, card in list(zip(FIRST_FOUR, NATURAL, strict=True))[after:]:
        pit.card(place, card)
    pit.device("shoe", "result", winner="player")
    not_settled(pit, "sequence_gap")


def test_a_gap_that_swallowed_a_rounds_end_and_the_next_ones_beginning():
    pit = dealt(*NATURAL)
    pit.device("shoe", "gap")
    pit.card("player/2", "5C")
    pit.card("banker/2", "6C")
    pit.device("shoe", "result", winner="player")
    pit.device("shoe", "standby")
    assert [e.data["round"] for e in pit.named("round.opened")] == [1, 2]
    assert not pit.named("round.settled")
    assert [e.data["settled"] for e in pit.named("round.cleared")] == [False, False]
    rounds = [e.data["round"] for e in pit.named("irregularity.sequence_gap")]
    assert rounds == [1, 2]


def test_a_gap_between_rounds_leaves_a_whole_round_alone():
    pit = Watched(cards=["AS", "KC", *NATURAL]).begin()
    pit.device("shoe", "gap")
    pit.hand()
    assert pit.last("round.settled").data["round"] == 1
    assert pit.last("irregularity.sequence_gap").data["round"] is None


def test_a_gap_between_rounds_that_took_the_first_card():
    pit = Watched(cards=["AS", "KC"]).begin()
    pit.device("shoe", "gap")
    for place, card in (("banker/1", "2D"), ("player/2", "KH"), ("banker/2", "3S")):
        pit.card(place, card)
    pit.device("shoe", "result", winner="player")
    not_settled(pit, "sequence_gap")


def test_a_second_card_for_a_filled_place():
    pit = dealt(*NATURAL)
    pit.card("player/2", "4C")
    pit.device("shoe", "result", winner="player")
    not_settled(pit, "duplicate_card")


def test_8c_a_card_out_of_order_is_flagged_and_counts_where_it_lies():
    pit = Watched(cards=["AS", "KC"]).begin()
    for place, card in (("player/1", "9C"), ("player/2", "KH"), ("banker/1", "2D"),
                        ("banker/2", "3S")):  # fmt: skip
        pit.card(place, card)
    pit.device("shoe", "result", winner="player")
    assert pit.irregularities() == ["wrong_order"]
    assert pit.last("round.settled").data["player"] == ["9C", "KH"]


def test_10a_a_third_card_beside_a_natural():
    pit = dealt(*NATURAL)
    pit.card("player/3", "4C")
    data = pit.last("irregularity.unauthorised_third_card").data
    assert "MIDI 10.A" in data["what"]
    assert data["clauses"] == ["MIDI 13.B", "MIDI 13.C"]
    pit.device("shoe", "result", winner="player")
    not_settled(pit, "unauthorised_third_card")


def test_10e_a_bankers_third_card_is_judged_only_when_the_players_third_lies_open():
    """What is due to the banker follows from a card that is still face down: silence until then."""
    pit = dealt("2C", "3D", "KH", "4S")  # Player 2 draws; Banker 7 stays
    pit.card("player/3", "6H")
    pit.card("banker/3", "5D")
    assert pit.irregularities() == []
    pit.device("shoe", "result", winner="banker")
    data = pit.last("irregularity.unauthorised_third_card").data
    assert "MIDI 10.E(2)" in data["what"]
    not_settled(pit, "unauthorised_third_card")


def test_10b_a_third_card_that_is_missing():
    pit = dealt("2C", "3D", "KH", "4S")
    pit.device("shoe", "result", winner="banker")
    not_settled(pit, "incorrect_number_of_cards")


def test_a_round_that_ends_with_a_card_missing():
    pit = dealt(*NATURAL[:3])
    pit.device("shoe", "result", winner="player")
    not_settled(pit, "incorrect_number_of_cards")


def test_3a_more_copies_of_a_card_than_decks_names_neither_card_nor_place():
    pit = Watched(cards=["AS", "KC"], decks=6).begin()
    for _ in range(6):
        for place, card in zip(FIRST_FOUR, NATURAL, strict=True):
            pit.card(place, card)
        pit.device("shoe", "result", winner="player")
    assert pit.irregularities() == []
    pit.card("player/1", "9C")
    data = pit.last("irregularity.impossible_card").data
    assert data["evidence"] == []
    assert "9C" not in json.dumps(dict(data))
    assert "player" not in data["what"]
    for place, card in zip(FIRST_FOUR[1:], ("AD", "AH", "AC"), strict=True):
        pit.card(place, card)
    pit.device("shoe", "result", winner="banker")
    pit.device("shoe", "standby")
    assert pit.last("round.cleared").data["settled"] is False


def test_an_unread_card_is_never_guessed():
    pit = dealt("9C", None, "KH", "3S")
    assert pit.last("card.unreadable").data["place"] == "banker/1"
    pit.device("shoe", "result", winner="player")
    not_settled(pit, "unreadable_card")


def test_a_forced_end_is_not_settled():
    pit = dealt(*NATURAL)
    pit.device("shoe", "result", winner="forced")
    not_settled(pit, "result_mismatch")


def test_an_overdraw_is_a_fault_that_ends_and_no_card():
    pit = dealt(*NATURAL)
    since = pit.state.sequence
    pit.device("shoe", "fault", what="overdraw")
    pit.device("shoe", "cleared")
    kinds = [t for t in pit.types(since) if not t.startswith("alarm.")]
    assert kinds == ["device.fault", "device.cleared"]
    pit.device("shoe", "result", winner="player")
    assert pit.last("round.settled").data["round"] == 1


def test_13a_a_card_outside_play_belongs_to_no_hand():
    pit = dealt(*NATURAL)
    pit.card(None, "5D", mode="outside")
    assert pit.irregularities() == ["drawn_in_error"]
    pit.device("shoe", "result", winner="player")
    assert pit.last("round.settled").data["player"] == ["9C", "KH"]
    assert pit.state.shoe.drawn == 7


def test_a_lost_link_is_no_irregularity_by_itself():
    pit = dealt(*NATURAL[:2])
    pit.device("shoe", "offline", what="link lost")
    pit.device("shoe", "online")
    pit.card("player/2", "KH")
    pit.card("banker/2", "3S")
    pit.device("shoe", "result", winner="player")
    assert pit.irregularities() == []
    assert pit.last("round.settled").data["round"] == 1


def test_a_shoe_that_starts_anew_in_a_round():
    pit = dealt(*NATURAL[:2])
    pit.device("shoe", "started")
    assert pit.state.shoe.number == 1  # no new decks before their first card
    not_settled(pit, "sequence_gap")


def test_reports_that_make_no_sense_are_recorded_and_change_nothing():
    pit = dealt(*NATURAL)
    before = pit.state.round
    for name, cards, args in (
        ("card", ["2C", "3C"], {}), ("card", [], {}), ("card", ["2C"], {"place": "dealer/1"}),
        ("card", ["2C"], {"place": 7}), ("dance", [], {}),
    ):  # fmt: skip
        pit.device("shoe", name, cards, **args)
        assert pit.events[-1].type == "device.refused"
    assert pit.state.round == before
    assert pit.state.halt is None


def test_a_reader_without_places_is_followed_by_the_rules():
    pit = Watched(7)
    first = pit.shoe[-1]
    value = 10 if first[0] in "TJQK" else 1 if first[0] == "A" else int(first[0])
    for _ in range(value + 1):
        pit.card(None, mode="burn")
    truths = []
    for _ in range(20):
        for _place in pit.places():
            pit.card(None)
        truths.append(list(pit.truth[:2]))
    pit.card(None)
    settled = [[e.data["player"], e.data["banker"]] for e in pit.named("round.settled")]
    assert settled == truths
    assert pit.irregularities() == []


# ── restart ──
def test_a_restart_in_mid_shoe_resumes_by_itself_and_exactly():
    through, cut = Watched(11).begin(), Watched(11).begin()
    for n in range(30):
        through.hand()
        places = list(cut.places())
        for at, place in enumerate(places):
            if at == n % len(places):
                text = StateCodec(State).encode(cut.state)
                cut.table = Table(StateCodec(State).decode(text))
                cut.restart()
                assert cut.state.halt is None
                cut.device("shoe", "online")
            cut.card(place)
        cut.result()
        cut.device("shoe", "standby")
    assert not cut.commands
    told = [
        [dict(e.data) for e in pit.events if e.type in ("round.settled", "round.opened")]
        for pit in (through, cut)
    ]
    assert told[0] == told[1]
    assert cut.irregularities() == []


def test_the_same_inputs_give_the_same_events():
    pit = played(13, 5)
    again: list[Event] = []
    state = State()
    for input_ in pit.inputs:
        outcome = step(state, input_)
        state = outcome.state
        again += outcome.events
    assert again == pit.events


@pytest.mark.parametrize("variant", ["standard", "ez", "fortune_7", "no_commission"])
def test_results_are_the_games_own(variant):
    pit: Any = Watched(17, variant=variant).begin()
    for _ in range(25):
        pit.hand()
    for event in pit.named("round.settled"):
        rows = game.round_results(pit.setup.rules, event.data["player"], event.data["banker"])
        assert event.data["results"] == [
            {"wager": w, "outcome": r.outcome, "odds": r.odds, "clause": r.clause}
            for w, r in rows.items()
        ]
    assert Counter(e.data["winner"] for e in pit.named("round.settled")).total() == 25


def test_alarms_do_not_pile_up_without_people():
    pit = Watched(6).begin()
    for _ in range(40):
        pit.hand(winner="nobody")
    assert len(pit.named("irregularity.result_mismatch")) == 40
    assert len(pit.named("alarm.raised")) == 40
    assert len(pit.state.alarms) == 1
    alarm = pit.state.alarms[0]
    pit.do("acknowledge_alarm", "surveillance", id=alarm.id)
    assert not pit.state.alarms


def test_nothing_but_people_and_alarms_can_be_acted_on():
    people = {"log_on", "log_off", "halt_table", "suspend_table", "opening_test"}
    assert set(played(1, 1).tick(1).allowed) <= people
    assert setup().controls("shoe") is False
