"""Cards, decks and the opening of a table (TCP chapters 3, 4 and 5), from an automated shoe."""

import pytest

from tests.table.pit import DEVICES, Pit, fill, setup

CHAPTER_4: tuple[tuple[str, str, dict[str, bool]], ...] = (
    ("inspect_cards", "dealer", {}),
    ("verify_inspection", "floor", {}),
    ("spread_cards", "dealer", {}),
    ("player_inspected", "dealer", {"viewed": True}),
    ("wash_cards", "dealer", {}),
)


def received(*decks: str, **more) -> Pit:
    pit = Pit(**more)
    pit.start()
    pit.devices_tell()
    pit.do("open_table")
    for deck in decks or ("red",):
        pit.do("receive_decks", "dealer", decks=[{"id": deck, "back": deck}])
    return pit


def red(pit: Pit):
    return pit.state.deck("red")


# ── chapter 4: opening a table ──
def test_the_floor_opens_the_table_and_nobody_deals_before():
    pit = Pit()
    pit.start()
    pit.devices_tell()
    assert pit.refused("receive_decks", decks=[{"id": "red", "back": "red"}]).clauses
    assert pit.refused("open_table", "dealer").role
    pit.do("open_table")
    assert pit.state.phase == "preparing"


def test_4a_to_4d_each_step_in_order_and_recorded():
    """TCP 4.A to 4.D: inspected, verified by the floor, spread, looked at, washed, shuffled."""
    pit = received()
    pit.ready("red")
    told = [(e.type, e.data.get("verified")) for e in pit.events if e.type.startswith("deck.")]
    assert told == [
        ("deck.received", None),
        ("deck.inspected", False),
        ("deck.inspected", True),
        ("deck.spread", None),
        ("deck.viewed", None),
        ("deck.washed", None),
        ("deck.shuffling", None),
        ("deck.shuffled", None),
    ]
    assert all(e.subject == "deck/red" for e in pit.events if e.type.startswith("deck."))


@pytest.mark.parametrize("done", range(5))
def test_4a_to_4c_no_step_may_be_skipped_or_repeated(done):
    """TCP 4.A, 4.B, 4.C: after `done` steps exactly the next one is possible."""
    pit = received()
    for action, role, args in CHAPTER_4[:done]:
        pit.do(action, role, deck="red", **args)
    for position, (action, role, args) in enumerate(CHAPTER_4):
        if position != done:
            for deck in ({}, {"deck": "red"}):
                refusal = pit.refused(action, role, **deck, **args)
                assert any(c.startswith("TCP 4.") for c in refusal.clauses)
                assert action not in refusal.allowed
    action, role, args = CHAPTER_4[done]
    pit.do(action, role, **args)  # the only deck need not be named


@pytest.mark.parametrize("done", range(5))
def test_4d_a_deck_is_not_shuffled_before_it_was_washed(done):
    """TCP 4.D: the shuffler's report about such a deck is refused and changes nothing."""
    pit = received()
    for action, role, args in CHAPTER_4[:done]:
        pit.do(action, role, deck="red", **args)
    before = red(pit)
    pit.device("shuffler", "shuffle_started", deck="red")
    assert pit.last("device.refused").data["device"] == "shuffler"
    assert red(pit) == before
    assert pit.refused("load_shoe", deck="red").clauses


def test_4a_the_inspection_is_verified_by_a_floorperson():
    pit = received()
    pit.do("inspect_cards", "dealer")
    assert pit.refused("verify_inspection", "dealer").role
    pit.do("verify_inspection", "floor")


def test_4c_the_first_player_is_recorded_as_viewed_or_declined():
    pit = received()
    for action, role, args in CHAPTER_4[:3]:
        pit.do(action, role, **args)
    assert pit.refused("player_inspected", "dealer").malformed
    pit.do("player_inspected", "dealer", viewed=False)
    assert pit.last("deck.viewed").data["viewed"] is False


def test_4e_each_of_two_decks_goes_through_it_alone():
    """TCP 4.E: what was done with one deck does not count for the other."""
    pit = received("red", "blue")
    assert pit.refused("inspect_cards", "dealer").malformed  # which deck?
    pit.ready("red")
    assert pit.state.deck("blue").preparation == "received"
    assert pit.refused("spread_cards", deck="blue").clauses
    pit.ready("blue")


def test_4f_preshuffled_decks_skip_inspection_but_not_the_count():
    """TCP 4.F spares 4.A to 4.E; 5.D's count of 52 still comes before the shoe."""
    pit = received()
    pit.do("receive_decks", decks=[{"id": "blue", "back": "blue", "preshuffled": True}])
    assert pit.last("deck.received").data["clauses"] == ["TCP 4.F"]
    assert pit.refused("load_shoe", deck="blue").clauses
    pit.shuffle("blue")
    pit.do("load_shoe", deck="blue")


# ── chapter 3: cards, number of decks ──
def test_3b_no_more_than_two_decks():
    pit = received("red", "blue")
    refusal = pit.refused("receive_decks", decks=[{"id": "green", "back": "green"}])
    assert "TCP 3.B" in refusal.clauses
    assert len(pit.state.decks) == 2


def test_3b2_the_backs_differ_in_colour():
    pit = received("red")
    refusal = pit.refused("receive_decks", decks=[{"id": "two", "back": "red"}])
    assert refusal.clauses == ("TCP 3.B(2)",)


def test_3b2_two_decks_that_come_together_differ_too():
    pit = received("red")
    pit.do("remove_deck", deck="red")
    both = [{"id": "a", "back": "blue"}, {"id": "b", "back": "blue"}]
    assert pit.refused("receive_decks", decks=both).clauses == ("TCP 3.B(2)",)
    assert pit.state.decks == ()


def test_3b_two_decks_need_an_automated_shuffler():
    without = tuple(d for d in DEVICES if d.kind != "shuffler")
    pit = received("red", setup=setup(devices=without))
    refusal = pit.refused("receive_decks", decks=[{"id": "blue", "back": "blue"}])
    assert "TCP 3.B" in refusal.clauses


def test_3a_one_deck_goes_round_and_round():
    """TCP 3.A(1), 5.A(2): one deck, shuffled and counted again after each round."""
    pit = Pit().opened()
    for _ in range(3):
        pit.play_round()
        assert red(pit).custody == "discard"
        assert pit.refused("load_shoe", deck="red").clauses == ("TCP 5.A", "TCP 10.A(1)")
        pit.shuffle("red")
    assert pit.state.rounds == 3


def test_3b4_the_decks_alternate():
    """TCP 3.B(4): each deck every other round; the one that dealt last is refused."""
    pit = Pit().opened("red", "blue")
    for number in range(6):
        mine, other = ("red", "blue") if number % 2 == 0 else ("blue", "red")
        if number:
            assert pit.refused("load_shoe", deck=other).clauses
        pit.do("load_shoe", "dealer", deck=mine)
        pit.play_round(mine)
        assert pit.last("round.opened").data["deck"] == mine
        pit.shuffle(mine)
        refusal = pit.refused("load_shoe", deck=mine)
        assert "TCP 3.B(4)" in refusal.clauses


def test_3b4_a_round_without_a_card_does_not_count():
    """TCP 3.B(4): nobody wagered, or the floor's void before any card: the same deck again."""
    pit = Pit().opened("red", "blue").betting("red")
    pit.do("clear_round", "dealer")
    assert red(pit).custody == "shoe"
    pit.do("open_bets", "dealer")
    pit.wager(1, ante=1000).lock()
    pit.do("void_round", reason="evacuation")
    pit.do("clear_round")
    pit.do("acknowledge_void")
    pit.do("open_bets")
    assert pit.last("round.opened").data["deck"] == "red"


@pytest.mark.parametrize("cards_out", [0, 1, 2])
def test_3b4_a_void_counts_as_the_decks_round_once_a_card_is_out(cards_out):
    pit = Pit().opened("red", "blue").betting("red").wager(1, ante=1000).wager(2, ante=1000).lock()
    for stack in (["2C", "3C", "9H"], ["4C", "5D", "JH"])[:cards_out]:
        pit.device("shoe", "stack", stack)
    pit.device("shoe", "jam")
    pit.device("shoe", "cleared")
    pit.do("clear_round")
    pit.do("acknowledge_void")
    pit.shuffle("red")
    due, other = ("blue", "red") if cards_out else ("red", "blue")
    if cards_out:
        assert "TCP 3.B(4)" in pit.refused("load_shoe", deck=other).clauses
    pit.do("load_shoe", deck=due)
    pit.do("open_bets")


def test_3b4_the_floor_may_declare_single_deck_play_until_the_other_is_ready():
    """TCP 3.B(4), 3.A: wait for the other deck, or the floor goes on with one."""
    pit = Pit().opened("red")
    pit.do("receive_decks", decks=[{"id": "blue", "back": "blue"}])
    pit.play_round("red").shuffle("red")
    refusal = pit.refused("load_shoe", "dealer")
    assert "TCP 3.B(4)" in refusal.clauses
    assert "single_deck" in refusal.allowed
    assert pit.refused("single_deck", "dealer").role
    pit.do("single_deck")
    pit.play_round("red").shuffle("red")
    assert pit.refused("single_deck").clauses
    pit.ready("blue")
    assert not pit.state.single_deck
    assert "TCP 3.B(4)" in pit.refused("load_shoe", deck="red").clauses
    pit.do("load_shoe", deck="blue")


def test_3b3_one_deck_in_the_shoe_at_a_time():
    pit = Pit().opened("red", "blue")
    pit.do("load_shoe", deck="red")
    assert "TCP 3.B(3)" in pit.refused("load_shoe", deck="blue").clauses


def test_3b5_the_rack_is_empty_before_the_other_deck_deals():
    """TCP 3.B(5): cards of one deck only in the discard rack."""
    pit = Pit().opened("red", "blue").play_round("red")
    assert red(pit).custody == "discard"
    pit.do("load_shoe", deck="blue")
    refusal = pit.refused("open_bets", "dealer")
    assert refusal.clauses == ("TCP 3.B(5)",)
    assert "open_bets" not in refusal.allowed
    pit.device("shuffler", "shuffle_started", deck="red")
    pit.do("open_bets", "dealer")


def test_3b4_at_the_first_load_either_deck_may_begin():
    """TCP 3.B(4) says that decks alternate, not which of two fresh ones begins."""
    pit = Pit().opened("red", "blue")
    pit.do("load_shoe", deck="blue")


# ── chapter 5: shuffling ──
def test_5a_10a1_nothing_is_dealt_that_was_not_shuffled_and_loaded():
    pit = received()
    assert pit.refused("open_bets").clauses == ("TCP 10.A(1)", "TCP 5.A")
    pit.ready("red")
    assert pit.refused("open_bets").clauses == ("TCP 10.A(1)", "TCP 5.A")
    pit.do("load_shoe", "dealer")
    pit.do("open_bets", "dealer")


def test_5d_a_cycle_without_a_count_proves_nothing():
    """TCP 5.D, 10.C: a shuffler that does not count is used; the stub is counted instead."""
    pit = received()
    for action, role, args in CHAPTER_4:
        pit.do(action, role, **args)
    pit.shuffle("red", count=None)
    assert red(pit).preparation == "shuffled"
    pit.play_round()
    pit.shuffle("red", count=None)
    assert (pit.state.rounds_since_count, red(pit).rounds_since_count) == (1, 1)
    pit.play_round()
    pit.shuffle("red")
    assert (pit.state.rounds_since_count, red(pit).rounds_since_count) == (0, 0)


def test_5d_the_end_of_a_shuffle_that_nobody_saw_begin_readies_no_deck():
    pit = received()
    for action, role, args in CHAPTER_4:
        pit.do(action, role, **args)
    pit.device("shuffler", "shuffle_done", deck="red", count=52)
    assert red(pit).preparation == "stacked"
    assert pit.last("device.refused").data["device"] == "shuffler"


@pytest.mark.parametrize("deck", ["green", 7, ["red"], {"a": 1}])
def test_a_shuffler_that_speaks_of_an_unknown_deck_changes_nothing(deck):
    pit = received()
    before = pit.state.decks
    for name in ("shuffle_started", "shuffle_done", "jam"):
        pit.device("shuffler", name, deck=deck, count=52)
        assert pit.state.halt is None
    assert pit.state.decks == before


# ── closing ──
def test_a_table_closes_with_its_decks_out_and_no_duty_open():
    pit = Pit().opened()
    assert "close_table" not in pit.refused("close_table").allowed
    pit.do("remove_deck", "dealer")
    assert pit.refused("close_table", "dealer").role
    pit.do("close_table")
    assert pit.last("table.closed").data["meters"] == {"main": 100_000}
    assert (pit.state.phase, pit.state.decks, pit.state.last_deck) == ("closed", (), None)


def test_a_deck_in_a_round_cannot_be_removed():
    for phase in ("betting", "locking", "locked", "dealing", "deciding", "settling", "clearing"):
        pit = fill(phase)
        assert pit.refused("remove_deck", deck="red").clauses


def test_an_unsynchronised_clock_is_confirmed_by_the_floor_before_opening():
    pit = Pit()
    pit.start(clock_synchronised=False)
    assert [alarm.kind for alarm in pit.state.alarms] == ["clock_unsynchronised"]
    assert "confirm_clock" in pit.refused("open_table").allowed
    assert pit.refused("confirm_clock", "dealer").role
    pit.do("confirm_clock")
    assert pit.state.alarms == ()
    pit.do("open_table")


def test_the_clocks_alarm_ends_with_a_start_whose_clock_is_synchronised():
    pit = Pit()
    pit.start(clock_synchronised=False)
    pit.restart()
    assert pit.state.alarms == ()


def test_rounds_never_start_again_at_one():
    """Round numbers go on over a closing, an opening and a restart."""
    pit = Pit().opened().play_round()
    pit.do("remove_deck")
    pit.do("close_table")
    pit.restart()
    pit.devices_tell()
    pit.do("open_table")
    pit.do("receive_decks", decks=[{"id": "new", "back": "blue", "preshuffled": True}])
    pit.shuffle("new")
    pit.betting("new")
    assert pit.last("round.opened").data["round"] == 2
