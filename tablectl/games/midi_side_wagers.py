"""What a Midi Baccarat round is to each wager: the name of the paytable row that it hits, or None.

Pure functions of the two hands. They know no stakes, no odds and no settings; the names are those
of the rows in the packaged paytables.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from tablectl.cards import RANKS, Card
from tablectl.games import paytables

# ---------------------------------------------------------------- by points and number of cards


class Coup(NamedTuple):
    """A finished round as most wagers see it: points and number of cards of both hands."""

    player: int
    player_cards: int
    banker: int
    banker_cards: int

    @property
    def banker_wins(self) -> bool:
        """Whether the banker's hand won."""
        return self.banker > self.player

    @property
    def player_wins(self) -> bool:
        """Whether the player's hand won."""
        return self.player > self.banker


def _player(coup: Coup) -> str | None:
    return "wins" if coup.player_wins else None


def banker_three_card_7(coup: Coup) -> bool:
    """Dragon 7, and what Fortune 7 and the treasure of that name pay for (MIDI 1.B(1))."""
    return coup.banker_wins and coup.banker == 7 and coup.banker_cards == 3


def _panda(coup: Coup) -> bool:
    return coup.player_wins and coup.player == 8 and coup.player_cards == 3


def _tie(coup: Coup) -> str | None:
    return "tie" if coup.player == coup.banker else None


def _dragon_bonus(mine: int, my_cards: int, theirs: int, their_cards: int) -> str | None:
    """The Dragon Bonus on one hand (MIDI 7.A(4)): a natural is never paid by its margin.

    From which margin on a hand is paid is for the paytable to say.
    """
    naturals = paytables.midi_baccarat().natural.points
    natural = my_cards == 2 and mine in naturals
    other = their_cards == 2 and theirs in naturals
    if natural:
        if other and mine == theirs:
            return "natural_tie"
        return "natural_winner" if not other or mine > theirs else None
    return f"win_by_{mine - theirs}" if mine > theirs else None


def _one_up(coup: Coup) -> str | None:
    if coup.player - coup.banker != 1:
        return None
    return "one_to_zero" if coup.player == 1 else "by_one_point"


def _heavenly_9(coup: Coup) -> str | None:
    """Three cards that count nine, in one hand or both; it need not win (MIDI 7.A(13))."""
    player = (coup.player, coup.player_cards) == (9, 3)
    banker = (coup.banker, coup.banker_cards) == (9, 3)
    return "both_hands" if player and banker else "one_hand" if player or banker else None


def _blazing_7s(coup: Coup) -> str | None:
    """Both hands seven, with two cards each or three each (MIDI 7.A(14))."""
    if coup.player != 7 or coup.banker != 7 or coup.player_cards != coup.banker_cards:
        return None
    return "three_cards_each" if coup.player_cards == 3 else "two_cards_each"


def _cover_all(coup: Coup) -> str | None:
    """Any of the four other treasures, two-card sevens too where nothing else pays them."""
    hit = (
        banker_three_card_7(coup)
        or _panda(coup)
        or _heavenly_9(coup) is not None
        or _blazing_7s(coup) is not None
    )
    return "any_treasure" if hit else None


def _lucky_6(coup: Coup) -> str | None:
    if not coup.banker_wins or coup.banker != 6:
        return None
    return "three_cards" if coup.banker_cards == 3 else "two_cards"


def _named(name: str, hit: Callable[[Coup], object]) -> Callable[[Coup], str | None]:
    return lambda coup: name if hit(coup) else None


BY_POINTS: Final[Mapping[str, Callable[[Coup], str | None]]] = MappingProxyType(
    {
        "player": _player,
        "tie": _tie,
        "dragon_bonus_player": lambda coup: _dragon_bonus(*coup),
        "dragon_bonus_banker": lambda coup: _dragon_bonus(*coup[2:], *coup[:2]),
        "dragon_7": _named("dragon_7", banker_three_card_7),
        "panda_8": _named("panda_8", _panda),
        "fortune_7": _named("fortune_7", banker_three_card_7),
        "one_up": _one_up,
        "treasure_fortune_7": _named("fortune_7", banker_three_card_7),
        "golden_8": _named("golden_8", _panda),
        "heavenly_9": _heavenly_9,
        "blazing_7s": _blazing_7s,
        "cover_all": _cover_all,
        "lucky_6": _lucky_6,
        "super_6": _named("wins_with_6", _lucky_6),
    }
)
"""The wagers that points and numbers of cards decide; the banker's wager also asks the variant."""


def banker(coup: Coup) -> tuple[str, ...]:
    """The names that a banker's win has, the most particular first; none where it did not win."""
    if not coup.banker_wins:
        return ()
    particular = ["dragon_7", "fortune_7"] if banker_three_card_7(coup) else []
    particular += ["wins_with_6"] if coup.banker == 6 else []
    return (*particular, "wins")


# ---------------------------------------------------------------- by the first two cards of each

Two = Sequence[Card]


def _pair(two: Two) -> str | None:
    if two[0][0] != two[1][0]:
        return None
    return "pair_of_nines" if two[0][0] == "9" else "pair"


def _either_pair(player: Two, banker: Two) -> str | None:
    """One award for both hands, a pair of nines first."""
    found = _pair(player), _pair(banker)
    return "pair_of_nines" if "pair_of_nines" in found else found[0] or found[1]


def _lucky_nines(player: Two, banker: Two) -> str | None:
    suits = [card[1] for card in (*player, *banker) if card[0] == "9"]
    if not suits:
        return None
    if len(suits) == 1:
        return "nine_of_diamonds" if suits == ["D"] else "one_nine"
    if len(suits) == 4:
        return "four_nines"
    name = "two_nines" if len(suits) == 2 else "three_nines"
    return f"{name}_same_suit" if len(set(suits)) == 1 else name


_RUNS: Final = frozenset(
    "".join(sorted((RANKS + "A")[at : at + 4])) for at in range(len(RANKS) - 2)
)
"""Four ranks in sequence, the ace at either end."""


def _jackpot(player: Two, banker: Two) -> str | None:
    cards = (*player, *banker)
    ranks = "".join(sorted([card[0] for card in cards]))
    suited = cards[0][1] == cards[1][1] == cards[2][1] == cards[3][1]
    return _poker_hand(ranks, suited)


@lru_cache(maxsize=4096)
def _poker_hand(ranks: str, suited: bool) -> str | None:
    """One four-card hand, rows tried from the top; at most 3,640 of them."""
    counts = Counter(ranks)
    most = max(counts.values())
    run = ranks in _RUNS
    pairs = [rank for rank, count in counts.items() if count == 2]
    rows = (
        ("four_card_royal", suited and ranks == "AJKQ"),
        ("four_of_a_kind", most == 4),
        ("straight_flush", suited and run),
        ("three_of_a_kind", most == 3),
        ("flush", suited),
        ("straight", run),
        ("two_pair", len(pairs) == 2),
        ("pair_of_aces", pairs == ["A"]),
        ("pair_of_tens_to_kings", bool(pairs) and pairs[0] in "TJQK"),
    )
    return next((name for name, hit in rows if hit), None)


BY_FIRST_FOUR: Final[Mapping[str, Callable[[Two, Two], str | None]]] = MappingProxyType(
    {
        "any_pair": _either_pair,
        "any_pair_player": lambda player, _: _pair(player),
        "any_pair_banker": lambda _, banker: _pair(banker),
        "lucky_nines": _lucky_nines,
        "jackpot": _jackpot,
    }
)
"""The wagers that the first two cards of both hands decide."""

# ---------------------------------------------------------------- Royal 9

KingNine = frozenset[str]
"""A king and a nine of given suits."""


def king_nine(two: Iterable[str]) -> KingNine | None:
    """A king and a nine, or None where the two cards are something else."""
    cards = frozenset(two)
    return cards if {card[0] for card in cards} == {"K", "9"} else None


def _royal(two: Two) -> str | None:
    """A nine and a face card (MIDI 1.B(6)): suited, plain, or None."""
    first, second = two
    faces = (first[0] in "JQK") + (second[0] in "JQK")
    if faces != 1 or "9" not in (first[0], second[0]):
        return None
    return "suited" if first[1] == second[1] else "plain"


def plain_royal_9(player: Two, banker: Two) -> str | None:
    """The rows that do not ask what is printed at a seat."""
    royals = [royal for royal in (_royal(player), _royal(banker)) if royal]
    if not royals:
        return None
    if len(royals) == 2:
        return "both_suited" if royals == ["suited", "suited"] else "both"
    return "any_suited" if royals == ["suited"] else "any"


def personal_royal_9(
    player: KingNine | None, banker: KingNine | None, own: KingNine, printed: frozenset[KingNine]
) -> tuple[str, ...]:
    """The personal rows that a seat with `own` hits, whichever of them its paytable has.

    `printed` are the king and nine of every seat. Highest first, as the paytables have them.
    """
    hit = []
    if player == banker == own:
        hit.append("exact_match")
    if player in printed and banker in printed:
        hit.append("any_two_personal")
    if banker == own and player != own:
        hit.append("personal_banker")
    if player == own and banker != own:
        hit.append("personal_player")
    if player is not None and player == banker and player != own:
        hit.append("identical")
    return tuple(hit)
