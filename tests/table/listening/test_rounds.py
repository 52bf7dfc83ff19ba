"""A three-card table with a reader and nobody else: rounds followed from the cards alone."""

from typing import Any

import pytest

from tablectl.cards import Card
from tablectl.games import three_card_baccarat as baccarat
from tablectl.games import three_card_poker as poker
from tablectl.games.settlement import SeatHand
from tablectl.journal.codec import StateCodec
from tablectl.outbox.view import snapshot
from tablectl.table.inputs import DeviceEvent, Restart, RoundOver
from tablectl.table.seal import commitment
from tablectl.table.state import State
from tablectl.table.table import CORE_VERSION, Table, before, step
from tests.table.listening.pit import GAMES, SHOE, Listened

DEALINGS = ("automated_shoe", "manual_shoe", "hand")


@pytest.mark.parametrize("dealing", DEALINGS)
@pytest.mark.parametrize("game", GAMES)
def test_rounds_are_followed_whatever_is_dealt_and_how(game, dealing):
    pit = Listened(seed=1, game=game, dealing=dealing)
    many = [1, 2, 5, pit.rules.seats, 3]
    pit.rounds(*many)
    settled = pit.settled()
    assert list(settled) == [1, 2, 3, 4, 5]
    for number, truth in enumerate(pit.truths, 1):
        data = settled[number]
        assert data["dealer"] == truth.dealer
        assert [hand["hand"] for hand in data["hands"]] == list(range(1, len(truth.hands) + 1))
        shown = [hand["cards"] for hand in data["hands"]]
        assert shown == ([[]] * len(truth.hands) if game == "poker" else truth.hands)
        assert (data["seats"], data["inferred"]) == ([], True)
    assert pit.irregularities() == []
    assert not pit.commands
    assert not pit.named("table.halted")
    assert all(event.data["settled"] for event in pit.named("round.cleared"))


def test_what_nobody_reported_is_inferred_and_the_cards_were_told():
    pit = Listened()
    pit.play(2)
    types = pit.types()
    order = ["table.opened", "deck.loaded", "round.opened", "round.bets_locked", "round.dealing"]
    assert [t for t in types if t in order] == order
    assert types.index("card.dealt") > types.index("round.dealing")
    for name in order:
        assert pit.last(name).data["inferred"] is True, name
    assert pit.last("card.dealt").data["inferred"] is False
    since = pit.state.sequence
    pit.over()
    ended = [e for e in pit.events if e.sequence > since and not e.type.startswith("device.")]
    assert all(event.data["inferred"] for event in ended)
    assert [e.type for e in ended if not e.type.startswith("card.")] == [
        "round.dealt", "round.revealed", "round.settled", "round.cleared",
    ]  # fmt: skip


def test_nothing_is_asked_of_people_and_nobody_can_act():
    pit = Listened()
    people = {"log_on", "log_off", "halt_table", "suspend_table", "opening_test"}
    assert pit.refused("open_bets", "dealer").why.startswith("this table only listens")
    for _ in range(2):
        assert set(pit.tick(1).allowed) <= people
        assert pit.tick(1).prompts == ()
        assert pit.refused("no_more_bets", "dealer")
        pit.play(2)
    assert not pit.state.duties


# ── whose the cards are ──
def test_a_stack_has_no_seat_until_it_is_known():
    pit = Listened()
    pit.play(2)
    places = [card.place for card in pit.state.round.cards]
    assert places == [f"hand/{n}/{i}" for n in (1, 2, 3) for i in (1, 2, 3)]
    pit.over()
    moved = [(e.data["from"], e.data["to"]) for e in pit.named("card.moved")]
    assert moved == [(f"hand/3/{i}", f"dealer/{i}") for i in (1, 2, 3)]
    assert {hand["seat"] for hand in pit.last("round.settled").data["hands"]} == {None}


@pytest.mark.parametrize("dealing", DEALINGS)
def test_where_every_seat_plays_the_seats_are_known(dealing):
    pit = Listened(game="maryland", dealing=dealing).rounds(6)
    data = pit.last("round.settled").data
    assert [hand["seat"] for hand in data["hands"]] == [1, 2, 3, 4, 5, 6]
    assert {row["seat"] for row in data["results"]} == {1, 2, 3, 4, 5, 6}
    assert {e.data["place"] for e in pit.named("card.revealed")} >= {"seat/6/3", "dealer/1"}


def test_card_by_card_the_hands_are_known_only_when_all_are_out():
    pit = Listened(game="maryland", dealing="manual_shoe")
    pit.play(3)
    assert [card.place for card in pit.state.round.cards] == [f"deal/{n}" for n in range(1, 13)]
    assert [hand["hand"] for hand in snapshot(pit.state, unconfirmed=0)["hands"]] == [0]
    pit.over()
    assert [e.data["to"] for e in pit.named("card.moved")][:5] == [
        "hand/1/1", "hand/2/1", "hand/3/1", "dealer/1", "hand/1/2",
    ]  # fmt: skip


@pytest.mark.parametrize("players", [1, 4, 7])
def test_8e2_two_cards_more_are_the_community_cards_and_stay_sealed(players):
    pit = Listened(five_card_progressive="A", dealing="manual_shoe")
    pit.play(players, community=True).over()
    data = pit.last("round.settled").data
    assert data["dealer"] == pit.truths[0].dealer
    assert len(data["hands"]) == players
    assert data["community"] == []
    to = [e.data["to"] for e in pit.named("card.moved")]
    assert to[-2:] == ["community/1", "community/2"]
    assert not any(e.data["place"].startswith("community") for e in pit.named("card.revealed"))


def test_a_shoe_that_knows_the_places_is_believed():
    pit = Listened(game="maryland", dealing="manual_shoe")
    pit.shuffled()
    [*_, truth] = (pit.lie(2), pit.truths[-1])
    for at in range(3):
        for owner, cards in (("seat/2", 0), ("seat/5", 1), ("dealer", None)):
            hand = truth.dealer if cards is None else truth.hands[cards]
            pit.tell([hand[at]], 0, place=f"{owner}/{at + 1}")
    pit.over()
    data = pit.last("round.settled").data
    assert [(h["hand"], h["seat"], h["cards"]) for h in data["hands"]] == [
        (1, 2, truth.hands[0]), (2, 5, truth.hands[1]),
    ]  # fmt: skip
    assert not pit.named("card.moved")


# ── what it came to ──
def of(cards: list[str]) -> tuple[Card, ...]:
    return tuple(map(Card, cards))


@pytest.mark.parametrize("game", ["maryland", "washington"])
@pytest.mark.parametrize("more", [{}, {"three_kings": "A", "tie": "A"}])
def test_in_baccarat_every_hand_lies_open_and_its_results_are_the_games_own(game, more):
    pit = Listened(seed=4, game=game, **more).rounds(*[4] * 12)
    for number, truth in enumerate(pit.truths, 1):
        data = pit.settled()[number]
        stakes = dict.fromkeys(pit.rules.wagers, 1000)
        for hand, cards in enumerate(truth.hands, 1):
            lines = baccarat.settle_seat(
                pit.rules, of(truth.dealer), SeatHand(1, stakes, of(cards))
            ).lines
            rows = [row for row in data["results"] if row["hand"] == hand]
            assert [(r["wager"], r["outcome"], r["odds"], r["clause"]) for r in rows] == [
                (line.wager, line.outcome, line.odds, line.clause) for line in lines
            ]


def test_11d_in_poker_a_hand_may_have_been_folded_and_stays_sealed():
    pit = Listened(seed=2, six_card_bonus="A").rounds(*[3] * 20)
    shown = {(e.data["round"], e.data["place"]) for e in pit.named("card.revealed")}
    assert {place.partition("/")[0] for _, place in shown} == {"dealer"}
    assert len(shown) == 60
    for number, truth in enumerate(pit.truths, 1):
        named = repr([e.data for e in pit.events if e.data.get("round") == number])
        assert not any(f"'{card}'" in named for hand in truth.hands for card in hand)


@pytest.mark.parametrize(
    ("dealer", "qualifies"), [("QS 4D 2H", True), ("JS TD 2H", False), ("2S 2D 4H", True)]
)
def test_both_decisions_are_shown_as_far_as_the_dealers_cards_decide(dealer, qualifies):
    """TCP 11.C, 11.D(3)(c): what the hand's own cards decide stays open."""
    pit = Listened(six_card_bonus="A", progressive="A")
    pit.shuffled()
    for number, cards in enumerate(("AS KS 9D", "AH 3C 8D", dealer), 1):
        pit.tell(cards.split(), number)
    pit.over()
    data = pit.last("round.settled").data
    assert data["qualifies"] is qualifies
    rows = {(r["hand"], r["decision"], r["wager"]): r for r in data["results"]}
    assert len(rows) == len(data["results"]) == 2 * (5 + 4)
    for hand in (1, 2):
        told = {
            wager: (row["outcome"], row["odds"])
            for (n, decision, wager), row in rows.items()
            if (n, decision) == (hand, "play")
        }
        known = {"ante": ("win", "1 to 1"), "play": ("push", None)}
        assert told == dict.fromkeys(pit.rules.wagers, ("sealed", None)) | (
            {} if qualifies else known
        )
        folds = {w: r["outcome"] for (n, d, w), r in rows.items() if (n, d) == (hand, "fold")}
        assert folds == {
            "ante": "forfeit", "pair_plus": "forfeit", "progressive": "forfeit",
            "six_card_bonus": "sealed",
        }  # fmt: skip
    assert all(row["clause"].startswith("TCP 11.") or row["odds"] for row in rows.values())


def test_what_the_dealers_cards_decide_is_what_a_seat_gets():
    """The rows that are told agree with a settlement of the very hands."""
    pit = Listened(seed=8).rounds(*[5] * 30)
    told = 0
    for number, truth in enumerate(pit.truths, 1):
        rows = [r for r in pit.settled()[number]["results"] if r["outcome"] != "sealed"]
        for row in rows:
            hand = SeatHand(
                1, {"ante": 1000, "pair_plus": 500}, of(truth.hands[row["hand"] - 1]),
                row["decision"],
            )  # fmt: skip
            lines = poker.settle_seat(pit.rules, of(truth.dealer), hand, {}).lines
            same = {line.wager: (line.outcome, line.odds, line.clause) for line in lines}
            assert same[row["wager"]] == (row["outcome"], row["odds"], row["clause"])
            told += row["decision"] == "play"
    assert told > 50


# ── when it is over ──
def test_nothing_is_shown_while_people_may_still_decide():
    """TCP 3.B(3): a shuffle may be the other deck's, whatever is in play."""
    pit = Listened(dealing="manual_shoe")
    pit.play(3)
    for _ in range(2):
        pit.shuffled()
        assert not pit.named("card.revealed")
        assert pit.state.phase == "dealing"
    pit.tell([pit.pack.pop()], 1)
    assert len(pit.named("card.revealed")) == 3
    assert [e.data["round"] for e in pit.named("round.opened")] == [1, 2]


def test_a_count_that_begins_anew_is_another_round_and_a_shuffle_is_none():
    """An automated shoe says itself when cards were loaded: two decks may alternate."""
    pit = Listened()
    pit.shuffled()
    told = pit.lie(3)
    for number, cards in enumerate(told, 1):
        if number == 3:  # the other deck is shuffled in the middle of this deal
            pit.device("shuffler", "shuffle_started")
            pit.device("shuffler", "shuffle_done", count=52)
        pit.tell(list(cards), number)
    assert not pit.named("card.revealed")
    pit.tell([pit.pack.pop() for _ in range(3)], 1)
    assert pit.settled()[1]["dealer"] == pit.truths[0].dealer
    assert pit.irregularities() == []


@pytest.mark.parametrize("dealing", ["manual_shoe", "hand"])
def test_a_shoe_that_says_when_it_was_loaded_needs_no_shuffler(dealing):
    pit = Listened(dealing=dealing, devices=(SHOE,))
    for _ in range(3):
        pit.device("shoe", "started")
        pit.play(2)
    assert list(pit.settled()) == [1, 2]
    assert pit.irregularities() == []


def test_bets_are_locked_by_the_first_card_and_nothing_opens_without_one():
    pit = Listened()
    pit.shuffled()
    pit.over().over()
    assert not pit.named("round.opened")
    pit.play(1).over().over()
    assert [e.data["round"] for e in pit.named("round.bets_locked")] == [1]
    assert pit.state.phase == "preparing"


# ── the record ──
def test_between_two_rounds_there_is_a_moment_without_cards():
    """Else no snapshot could be stored, no file closed, and no other setup take effect."""
    pit = Listened()
    pit.rounds(2).play(2)
    event = DeviceEvent(pit.at(), "shoe", "stack", {"dispensed": 1}, ())
    assert before(pit.state, event) is None  # it makes no sense: nothing ends by it
    pit.play(2)
    [over] = [i for i in pit.inputs if isinstance(i, RoundOver)]
    table = Table()
    for input_ in pit.inputs[: pit.inputs.index(over) + 1]:
        table.step(input_)
    assert table.state.round is None
    assert not table.state.cards_on_table
    text = StateCodec(State).encode(table.state)
    assert StateCodec(State).decode(text) == table.state
    assert not any(f'"{card}"' in text for truth in pit.truths for card in truth.dealer)


@pytest.mark.parametrize("dealing", DEALINGS)
def test_recorded_ahead_or_not_the_same_events_come_of_it(dealing):
    told = []
    for ahead in (True, False):
        pit = Listened(seed=5, dealing=dealing, ahead=ahead)
        pit.play(2).play(3).play(1).over()
        told.append([(e.type, dict(e.data)) for e in pit.events])
    assert told[0] == told[1]


def test_the_same_inputs_give_the_same_events():
    pit = Listened(seed=13, game="maryland")
    pit.play(2).play(3).over()
    state, again = State(), list[Any]()
    for input_ in pit.inputs:
        outcome = step(state, input_)
        state = outcome.state
        again += outcome.events
    assert again == pit.events


def test_every_card_shown_opens_its_commitment():
    pit = Listened(seed=3, game="washington", dealing="manual_shoe").rounds(3, 7)
    sealed = {
        (e.data["round"], e.data["draw"]): e.data["commitment"] for e in pit.named("card.dealt")
    }
    for event in pit.named("card.revealed"):
        data: Any = event.data
        opened = commitment(data["card"], data["salt"])
        assert opened == sealed[data["round"], data["draw"]]


@pytest.mark.parametrize("at", range(1, 5))
def test_a_restart_in_a_round_loses_nothing(at):
    pit = Listened()
    pit.shuffled()
    for number, cards in enumerate(pit.lie(3), 1):
        pit.tell(list(cards), number)
        if number == at:
            text = StateCodec(State).encode(pit.state)
            pit.table = Table(StateCodec(State).decode(text))
            pit.restart()
            assert pit.state.halt is None
            pit.device("shuffler", "online")
            pit.device("shoe", "online", dispensed=number)
    pit.over()
    assert pit.settled()[1]["dealer"] == pit.truths[0].dealer
    assert pit.irregularities() == []


def test_a_setup_that_changes_takes_effect_between_two_rounds():
    pit = Listened()
    pit.play(2)
    table = pit.setup
    pit.setup = Listened(pair_plus="B").setup
    pit.feed(Restart(pit.at(), pit.setup, "other", "0.1.0", CORE_VERSION))
    pit.device("shoe", "online", dispensed=3)
    assert pit.state.setup == table
    pit.play(2)
    assert pit.state.setup == pit.setup
