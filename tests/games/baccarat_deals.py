"""Hands and rounds of both baccarats that the tests of the games share. No test here."""

from typing import Any, Final

from hypothesis import strategies as st

from tablectl.cards import DECK, SUITS, Card
from tablectl.games import midi_baccarat, paytables, three_card_baccarat
from tablectl.games.midi_baccarat import MidiSeat
from tablectl.games.midi_baccarat_rules import WAGERS
from tablectl.games.midi_third_cards import next_due
from tablectl.games.rules import MidiBaccaratRules, ThreeCardBaccaratRules, parse_rules
from tablectl.games.settlement import Line, Meter, SeatHand, Settlement

from .deals import by_wager, cards

MIDI_METERS: Final = {
    "star": Meter(7_654_325, 5_000_000),
    "spade": Meter(123_456, 35_000),
    "heart": Meter(654_321, 45_000),
}
PRINTED: Final = tuple((Card("K" + king), Card("9" + nine)) for king in SUITS for nine in SUITS)


def three_card_rules(**changed: Any) -> ThreeCardBaccaratRules:
    """Every wager offered, paytable A, unless changed; None takes a key away."""
    raw = {
        "game": "three_card_baccarat",
        "three_kings": "A",
        "tie": "A",
        "dragon": True,
        **changed,
    }
    parsed = parse_rules({key: value for key, value in raw.items() if value is not None})
    assert isinstance(parsed, ThreeCardBaccaratRules)
    return parsed


def midi_rules(**changed: Any) -> MidiBaccaratRules:
    """Every wager that any variant may offer, paytable A, unless changed; None takes a key away."""
    raw = {
        "game": "midi_baccarat",
        "dragon_bonus": "A",
        "any_pair": "nominated_hand",
        "lucky_nines": "A",
        "lucky_6": True,
        "super_6": True,
        "jackpot": "A",
        "royal_9": "A",
        "royal_9_reading": "printed_per_seat",
        **changed,
    }
    if raw.get("royal_9") is None:
        raw["royal_9_reading"] = None
    parsed = parse_rules({key: value for key, value in raw.items() if value is not None})
    assert isinstance(parsed, MidiBaccaratRules)
    return parsed


def three_card_line(
    rules: ThreeCardBaccaratRules, player: str, dealer: str, wager: str, stake: int = 1000
) -> Line:
    """How one wager ends at seat 1."""
    hand = SeatHand(1, {"ante": 1000, wager: stake}, cards(player))
    [seat] = three_card_baccarat.settle_round(rules, cards(dealer), [hand]).seats
    return by_wager(seat)[wager]


def midi_round(rules: MidiBaccaratRules, player: str, banker: str, *seats: MidiSeat) -> Settlement:
    """A round with every meter."""
    return midi_baccarat.settle_round(rules, cards(player), cards(banker), seats, MIDI_METERS)


def midi_line(
    rules: MidiBaccaratRules, player: str, banker: str, wager: str, stake: int = 1000
) -> Line:
    """How one wager ends at seat 1, where KC 9D is printed; seat 2 has KH 9S."""
    seats = (
        MidiSeat(1, {"player": 1000, wager: stake}, cards("KC 9D")),
        MidiSeat(2, {"tie": 500}, cards("KH 9S")),
    )
    return by_wager(midi_round(rules, player, banker, *seats).seats[0])[wager]


def three_card_settings() -> st.SearchStrategy[ThreeCardBaccaratRules]:
    """Any rules of the game."""
    letters = st.sampled_from([None, "A", "B"])
    common = {
        "dragon": st.booleans(),
        "dragon_three_face": st.sampled_from(["ten", "ten_against_zero"]),
        "vigorish_rounding": st.sampled_from(["up_to_quarter", "nearest_quarter", "none"]),
    }
    maryland = st.builds(
        three_card_rules,
        three_kings=letters,
        tie=letters,
        commission=st.sampled_from(["five_percent", "free"]),
        **common,
    )
    offered = st.sampled_from([None, "A"])
    washington = st.builds(
        three_card_rules, jurisdiction=st.just("WA"), three_kings=offered, tie=offered, **common
    )
    return maryland | washington


@st.composite
def three_card_rounds(
    draw: st.DrawFn,
) -> tuple[ThreeCardBaccaratRules, tuple[Card, ...], list[SeatHand]]:
    """Rules, dealer, seats in any order: always something that can be settled."""
    rules = draw(three_card_settings())
    # Now and then a deck of few ranks, or ties and three faces would hardly ever come.
    ranks = draw(st.sampled_from(["A23456789TJQK", "9TJQK45", "TJQK5"]))
    deck = [card for card in DECK if card[0] in ranks]
    draw(st.randoms(use_true_random=False)).shuffle(deck)
    most = min(rules.seats, len(deck) // 3 - 1)
    seats = draw(st.lists(st.integers(1, rules.seats), unique=True, max_size=most))
    hands = []
    for at, seat in enumerate(seats, 1):
        wagers = {"ante": draw(st.integers(1, 100_000))}
        for wager in rules.wagers[1:]:
            if draw(st.booleans()):
                wagers[wager] = draw(st.integers(1, 100_000))
        hands.append(SeatHand(seat, wagers, tuple(deck[3 * at : 3 * at + 3])))
    return rules, tuple(deck[:3]), hands


def midi_settings() -> st.SearchStrategy[MidiBaccaratRules]:
    """Any rules of the game."""
    figures = paytables.midi_baccarat()

    def letters(wager: str) -> st.SearchStrategy[str | None]:
        return st.sampled_from([None, *figures.letters(wager)])

    def made(**settings: Any) -> MidiBaccaratRules:
        if settings["variant"] != "five_treasures":
            settings["blazing_7s"] = None
        return midi_rules(**settings)

    return st.builds(
        made,
        variant=st.sampled_from(figures.letters("banker")),
        decks=st.sampled_from(figures.decks),
        tie_pays=st.integers(8, 12),
        vigorish_rounding=st.sampled_from(["up_to_quarter", "nearest_quarter", "none"]),
        vigorish_collection=st.sampled_from(["at_payout", "marked"]),
        dragon_bonus=letters("dragon_bonus"),
        blazing_7s=letters("blazing_7s"),
        any_pair=st.sampled_from([None, "nominated_hand", "either_hand"]),
        lucky_nines=letters("lucky_nines"),
        lucky_6=st.booleans(),
        super_6=st.booleans(),
        jackpot=letters("jackpot"),
        royal_9=letters("royal_9"),
    )


@st.composite
def midi_rounds(
    draw: st.DrawFn,
) -> tuple[MidiBaccaratRules, list[Card], list[Card], list[MidiSeat]]:
    """Rules, both hands, seats in any order: always something that can be settled."""
    rules = draw(midi_settings())
    # Now and then a shoe of few cards, or personal kings and nines would hardly ever come.
    few = draw(st.sampled_from(["A23456789TJQK", "9KQ", "K9"]))
    shoe = [card for card in DECK if card[0] in few][: draw(st.sampled_from([52, 6]))]
    dealt = draw(st.lists(st.sampled_from(shoe), min_size=6, max_size=6))
    hands: dict[str, list[Card]] = {"player": [], "banker": []}
    while (side := next_due(hands["player"], hands["banker"]).side) is not None:
        hands[side].append(dealt.pop(0))
    seats = []
    for seat in draw(st.lists(st.integers(1, rules.seats), unique=True, max_size=9)):
        wagers = {
            wager: draw(st.integers(1, 100_000))
            for wager in WAGERS
            if rules.offers(wager) and draw(st.booleans())
        }
        if "royal_9" in wagers and not {"player", "banker", "tie"} & wagers.keys():
            wagers["tie"] = 500
        printed = draw(st.sampled_from(PRINTED))
        shown = printed if "royal_9" in wagers or draw(st.booleans()) else None
        seats.append(MidiSeat(seat, wagers, shown))
    return rules, hands["player"], hands["banker"], seats
