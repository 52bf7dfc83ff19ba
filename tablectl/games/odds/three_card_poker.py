"""The odds of every wager of Three Card Poker (TCP 12).

Each kind of hand is settled once, by the game's own settlement; the ante and play are counted
together, per ante, for a player who plays every hand that is worth more played than folded.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import combinations
from typing import Any, Final

from tablectl.cards import DECK, RANKS, dollars
from tablectl.games import paytables
from tablectl.games.hands import QUEEN_HIGH, ThreeKind, pack, three_card
from tablectl.games.odds.poker_hands import (
    DEALER_HANDS,
    PAIRS_OF_HANDS,
    Counted,
    Hand,
    five_card_kinds,
    standings,
    three_card_kinds,
)
from tablectl.games.odds.report import NOT_COUNTED, Odds, Paid, Question, outcomes, paid
from tablectl.games.rules import ThreeCardPokerRules, parse_rules
from tablectl.games.settlement import Award, Decision, Meter, SeatHand
from tablectl.games.three_card_poker import award_round, validate_round

GAME: Final = "three_card_poker"
KEYS: Final = ("ante_bonus", "pair_plus", "progressive", "six_card_bonus", "five_card_progressive")
"""The rules that choose a paytable, in the order of the answers."""

_STAKE: Final = 500  # the one stake that every wager takes, in cents
_NEVER_FOLDED: Final = "counted as if the hand were never folded (TCP 11.C(2))"
_CENSUS: Final[dict[str, Callable[[], Mapping[Any, Counted]]]] = {
    "pair_plus": three_card_kinds,
    "progressive": three_card_kinds,
    "six_card_bonus": partial(five_card_kinds, 6),
    "five_card_progressive": partial(five_card_kinds, 5),
}
# How a played hand may end, in the order of a Standing's counts.
_ENDS: Final = ("dealer_out", "loses", "ties", "wins")


def questions(settings: Mapping[str, object]) -> Iterator[Question]:
    """Every wager and paytable that `settings` leave open."""
    figures = paytables.three_card_poker()
    for key in KEYS:
        letters = (str(settings[key]),) if key in settings else figures.letters(key)
        for letter in letters:
            if key == "ante_bonus":
                yield Question("ante_play", letter, partial(ante_play, letter))
            else:
                yield Question(key, letter, partial(one_wager, key, letter))


def offered(rules: ThreeCardPokerRules) -> Iterator[Question]:
    """The wagers and paytables of one table."""
    chosen = {key: getattr(rules, key) for key in KEYS}
    missing = {key for key, letter in chosen.items() if letter is None}
    return (asked for asked in questions(chosen) if asked.wager not in missing)


@cache
def one_wager(wager: str, letter: str) -> Odds:
    """The odds of any wager but ante and play."""
    kinds = _CENSUS[wager]().values()
    ends = outcomes(
        (paid(_settled(wager, letter, example), _STAKE), count) for count, example in kinds
    )
    notes = [NOT_COUNTED] if any(end.award for end in ends) else []
    if wager == "progressive":
        notes += _envy_notes()
    if wager == "five_card_progressive":
        notes.append(_NEVER_FOLDED)
    total = sum(count for count, _ in kinds)
    return Odds(GAME, wager, letter, 1, total, ends, tuple(notes))


def _envy_notes() -> Iterator[str]:
    """What comes with a progressive wager, by its stake, and depends on other seats' hands."""
    figures = paytables.three_card_poker()
    for stake in figures.letters("envy_bonus"):
        rows = figures.table("envy_bonus", stake).rows
        told = ", ".join(f"{row.hand} {row.odds} ({row.clause})" for row in rows)
        yield f"not counted, the envy bonus of {dollars(int(stake))}: {told.replace('_', ' ')}"


def _settled(wager: str, letter: str, cards: Hand) -> list[Award]:
    """What the settlement makes of a wager on these cards: the player's three, then the others."""
    player, others = cards[:3], cards[3:]
    rest = [card for card in DECK if card not in cards]
    dealer = others if len(others) == 3 else tuple(rest[:3])
    community = others if len(others) == 2 else ()
    return [
        award
        for award in _awards({wager: letter}, wager, player, dealer, community)
        if award[0].wager == wager
    ]


def _awards(
    chosen: Mapping[str, str],
    wager: str,
    player: Hand,
    dealer: Hand,
    community: Hand = (),
    decision: Decision = "play",
) -> list[Award]:
    """Settle one seat with this wager, and an ante where it cannot stand alone (TCP 7.F)."""
    rules = parse_rules({"game": GAME, "ante_bonus": "A", "pair_plus": "A", **chosen})
    assert isinstance(rules, ThreeCardPokerRules)
    hand = SeatHand(1, {"ante": _STAKE, wager: _STAKE}, player, decision)
    meters = {name: Meter(0, 0) for name in paytables.three_card_poker().meters}
    return award_round(validate_round(rules, dealer, [hand], meters, community)).seats[1]


@cache
def ante_play(letter: str) -> Odds:
    """The odds of ante and play together, bonus included, per ante and with the best decisions."""
    ends, fold = _ends(letter), _fold(letter)
    counted: list[tuple[Paid, int]] = []
    played: list[tuple[int, Hand]] = []
    for standing, (hands, example) in standings().items():
        by_end = [
            (ends[standing.kind, end], count)
            for end, count in zip(_ENDS, standing.counts, strict=True)
            if count
        ]
        if sum(count * end.pays for end, count in by_end) > fold.pays * DEALER_HANDS:
            counted += [(end, hands * count) for end, count in by_end]
            played.append((standing.strength, example))
        else:
            counted.append((fold, hands * DEALER_HANDS))
    worst = "-".join(sorted((card[0] for card in min(played)[1]), key=_height, reverse=True))
    notes = ("per ante", f"best decisions: play {worst} or better, fold the rest")
    return Odds(GAME, "ante_play", letter, 1, PAIRS_OF_HANDS, outcomes(counted), notes)


def _height(rank: str) -> tuple[bool, int]:
    return rank == "A", RANKS.index(rank)


def _fold(letter: str) -> Paid:
    player, dealer = DECK[:3], DECK[3:6]
    awards = _awards({"ante_bonus": letter}, "ante", player, dealer, decision="fold")
    return paid(awards, _STAKE)._replace(name="folds")


def _ends(letter: str) -> dict[tuple[ThreeKind, str], Paid]:
    """How a hand of each kind ends, played, in each way that is possible for it."""
    ends: dict[tuple[ThreeKind, str], Paid] = {}
    for (kind, end), (player, dealer) in _examples().items():
        awards = _awards({"ante_bonus": letter}, "ante", player, dealer)
        bonus = [f"with_{row.hand}" for row, *_ in awards if row.wager == "ante_bonus"]
        ends[kind, end] = paid(awards, _STAKE)._replace(name="_".join([end, *bonus]))
    return ends


@cache
def _examples() -> dict[tuple[ThreeKind, str], tuple[Hand, Hand]]:
    """For each kind of hand and each way it can end, one such round: player and dealer."""
    found: dict[tuple[ThreeKind, str], tuple[Hand, Hand]] = {}
    for standing, (_, player) in standings().items():
        for end, count in zip(_ENDS, standing.counts, strict=True):
            if count and (standing.kind, end) not in found:
                rest = [card for card in DECK if card not in player]
                found[standing.kind, end] = (
                    player,
                    next(
                        dealer
                        for dealer in combinations(rest, 3)
                        if _end(standing.strength, three_card(pack(dealer)).strength) == end
                    ),
                )
    return found


def _end(player: int, dealer: int) -> str:
    if dealer < QUEEN_HIGH:
        return _ENDS[0]
    return _ENDS[1 + (player >= dealer) + (player > dealer)]
