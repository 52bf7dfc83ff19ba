"""Hands and rounds that the tests of the games share. No test here."""

from typing import Any, Final

from hypothesis import strategies as st

from tablectl.cards import DECK, Card, parse_card
from tablectl.games import paytables
from tablectl.games.rules import ThreeCardPokerRules, parse_rules
from tablectl.games.settlement import Line, Meter, SeatHand, SeatResult, Settlement
from tablectl.games.three_card_poker import settle_round

METERS: Final = {
    name: Meter(cents, 100_000)
    for name, cents in {
        "main": 1_234_567,
        "major": 2_000_001,
        "minor": 300_003,
        "main5": 5_000_005,
        "major5": 700_007,
        "minor5": 200_002,
        "mega5": 9_000_009,
    }.items()
}


def cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_card(card) for card in text.split())


def rules(**changed: Any) -> ThreeCardPokerRules:
    """Every wager offered, paytable A, unless changed; None takes a key away."""
    raw = {
        "game": "three_card_poker",
        "ante_bonus": "A",
        "pair_plus": "A",
        "progressive": "A",
        "six_card_bonus": "A",
        "five_card_progressive": "A",
        **changed,
    }
    parsed = parse_rules({key: value for key, value in raw.items() if value is not None})
    assert isinstance(parsed, ThreeCardPokerRules)
    return parsed


def hand(seat: int, text: str, decision: str | None = "play", /, **wagers: int) -> SeatHand:
    return SeatHand(seat, wagers, cards(text), decision)  # type: ignore[arg-type]


def settle_one(
    in_force: ThreeCardPokerRules, dealer: str, seat: SeatHand, community: str = ""
) -> SeatResult:
    """The result of a round with one seat and every meter."""
    settled = settle_round(in_force, cards(dealer), [seat], METERS, cards(community))
    return settled.seats[0]


def as_json(settled: Settlement, identity: object = None) -> dict[str, Any]:
    """What `tablectl settle` answers for it."""
    fields = Line._fields[:7]
    return {
        "id": identity,
        "seats": [
            {
                "seat": result.seat,
                "returned": result.returned,
                "lines": [dict(zip(fields, line, strict=False)) for line in result.lines],
            }
            for result in settled.seats
        ],
        "order": list(settled.order),
        "meters": settled.meters,
    }


def by_wager(result: SeatResult) -> dict[str, Line]:
    return {line.wager: line for line in result.lines}


RULES: Final = st.builds(
    rules,
    **{
        wager: st.sampled_from(paytables.three_card_poker().letters(wager))
        for wager in ("ante_bonus", "pair_plus")
    },
    **{
        wager: st.sampled_from([None, *paytables.three_card_poker().letters(wager)])
        for wager in ("progressive", "six_card_bonus", "five_card_progressive")
    },
)

# Dealt at random these would hardly ever come, and they are where meters and envy are.
_RARE: Final = [
    cards(text)
    for text in (
        "AS KS QS", "AH KH QH", "AD KD QD", "AC KC QC",
        "JS TS 9S", "JD TD 9D", "7C 7D 7H", "5H 6H 7H", "8H 9H 2C",
    )
]  # fmt: skip


@st.composite
def decks(draw: st.DrawFn) -> list[Card]:
    """A deck in some order, rare hands first more often than chance would have it."""
    first: list[Card] = []
    for group in draw(st.lists(st.sampled_from(_RARE), max_size=5)):
        if not set(group) & set(first):
            first += group
    rest = [card for card in DECK if card not in first]
    draw(st.randoms(use_true_random=False)).shuffle(rest)
    return first + rest


@st.composite
def rounds(
    draw: st.DrawFn,
) -> tuple[ThreeCardPokerRules, tuple[Card, ...], list[SeatHand], tuple[Card, ...]]:
    """Rules, dealer, seats in any order, community: always something that can be settled."""
    in_force, deck = draw(RULES), draw(decks())
    seats = draw(st.lists(st.integers(1, 7), unique=True, max_size=7))
    groups = draw(st.permutations([tuple(deck[at : at + 3]) for at in range(0, 24, 3)]))
    community = tuple(deck[24:26])
    chips = st.sampled_from([100, 500])
    amounts = st.integers(1, 100_000)
    hands = []
    for seat, held in zip(seats, groups[1:], strict=False):
        wagers = {}
        for wager in draw(st.sampled_from([("ante",), ("pair_plus",), ("ante", "pair_plus")])):
            wagers[wager] = draw(amounts)
        for wager in in_force.wagers[3:]:
            if draw(st.booleans()):
                wagers[wager] = draw(amounts if wager == "six_card_bonus" else chips)
        decision = draw(st.sampled_from(["play", "fold"])) if "ante" in wagers else None
        gone = decision == "fold" and "six_card_bonus" not in wagers and draw(st.booleans())
        hands.append(SeatHand(seat, wagers, () if gone else held, decision))  # type: ignore[arg-type]
    return in_force, groups[0], hands, community
