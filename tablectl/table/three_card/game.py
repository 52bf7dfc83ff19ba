"""The two three-card games as one procedure sees them: which wagers, who is asked, what is paid.

The procedure of a round is the same; what differs between Three Card Poker and Three Card Baccarat
stands here, and only here. What a hand is worth stays in games/.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from tablectl.cards import Card
from tablectl.games import three_card_baccarat as baccarat
from tablectl.games import three_card_poker as poker
from tablectl.games.rules import ThreeCardBaccaratRules, ThreeCardPokerRules
from tablectl.games.settlement import Line, Meter, SeatHand, SeatResult, Settlement
from tablectl.table.state import State
from tablectl.table.step import Step

Rules = ThreeCardPokerRules | ThreeCardBaccaratRules
WITHOUT_STAKE: Final = ("ante_bonus", "envy_bonus")  # lines that answer for no chips of their own
PROGRESSIVE: Final = ("progressive", "five_card_progressive")
# The wager that must lie beside a side wager, and the clause that wants it there.
_POKER_BESIDE: Final = {
    "progressive": "TCP 7.F(4)(a)",
    "six_card_bonus": "TCP 7.F(5)(b)",
    "five_card_progressive": "TCP 7.F(6)(a)",
}
_BACCARAT_BESIDE: Final = dict.fromkeys(("three_kings", "tie", "dragon"), "TCB 7.E(2)")
_WASHINGTON_BESIDE: Final = dict.fromkeys(("three_kings", "tie", "dragon"), "WA-TCB D3")


def rules_of(of: State | Step) -> Rules:
    """The rules of the three-card game that the table plays."""
    setup = of.setup
    assert setup is not None
    assert isinstance(setup.rules, ThreeCardPokerRules | ThreeCardBaccaratRules)
    return setup.rules


def is_poker(of: State | Step) -> bool:
    """Whether seats decide, side wagers pay from meters, and so on."""
    return isinstance(rules_of(of), ThreeCardPokerRules)


def base_wagers(rules: Rules) -> tuple[str, ...]:
    """The wagers of which a seat has one before any other."""
    return ("ante", "pair_plus") if isinstance(rules, ThreeCardPokerRules) else ("ante",)


def beside_base(rules: Rules) -> Mapping[str, str]:
    """The wagers that lean on a base wager, each with the clause."""
    if isinstance(rules, ThreeCardPokerRules):
        return _POKER_BESIDE
    return _WASHINGTON_BESIDE if rules.jurisdiction == "WA" else _BACCARAT_BESIDE


def pair_plus_condition(rules: Rules) -> str:
    """TCP 7.G, where the house plays that version."""
    return rules.pair_plus_condition if isinstance(rules, ThreeCardPokerRules) else "free"


def settlement_order(rules: Rules, seats: Sequence[int]) -> tuple[int, ...]:
    """The order in which the seats are settled."""
    if isinstance(rules, ThreeCardPokerRules):
        return poker.settlement_order(rules, seats)
    return baccarat.settlement_order(rules, seats)


def settle_seat(
    rules: Rules,
    dealer: Sequence[Card],
    hand: SeatHand,
    meters: dict[str, Meter],
    community: Sequence[Card] = (),
) -> SeatResult:
    """One seat at its turn; `meters` change in place. Raises SettleError."""
    if isinstance(rules, ThreeCardPokerRules):
        return poker.settle_seat(rules, dealer, hand, meters, community)
    return baccarat.settle_seat(rules, dealer, hand)


def settle_round(
    rules: Rules,
    dealer: Sequence[Card],
    hands: Sequence[SeatHand],
    meters: Mapping[str, Meter],
    community: Sequence[Card] = (),
) -> Settlement:
    """The whole round at once, to check what was paid seat by seat. Raises SettleError."""
    if isinstance(rules, ThreeCardPokerRules):
        return poker.settle_round(rules, dealer, hands, meters, community)
    return baccarat.settle_round(rules, dealer, hands, meters)


def envy_lines(rules: Rules, holder: SeatHand, others: Sequence[SeatHand]) -> dict[int, Line]:
    """What a holder's hand gives the other seats (TCP 11.D(7)(e)); nothing in baccarat."""
    if isinstance(rules, ThreeCardPokerRules):
        return poker.envy_lines(rules, holder, others)
    return {}
