"""What is due from the shoe in a round, in which order (TCP 8.E, 9.C, 10.B). It knows no card."""

from collections.abc import Iterable
from typing import Final

from tablectl.table import method
from tablectl.table.state import Round, State, Wager

_HAND: Final = 3
COMMUNITY: Final = ("community/1", "community/2")


def of(state: State, wagers: Iterable[Wager]) -> tuple[str, ...]:
    """Each seat with a wager from the dealer's far left, then the dealer: in stacks of three from
    an automated shoe, else one card at a time, and the community cards after the last of them."""
    seats = sorted({wager.seat for wager in wagers})
    if not seats:
        return ()
    owners = (*(f"seat/{seat}" for seat in seats), "dealer")
    if method.dealing(state) == "automated_shoe":
        return owners[:-1] if left_in_shuffler(state) else owners
    passes = (f"{owner}/{card}" for card in range(1, _HAND + 1) for owner in owners)
    return (*passes, *(COMMUNITY if _wants_community(wagers) else ()))


def left_in_shuffler(state: State) -> bool:
    """The dealer's stack stays inside until every player has acted (TCP 10.B(4))."""
    rules = state.setup.rules if state.setup else None
    left = getattr(rules, "dealer_cards", "delivered") == "left_in_shuffler"
    return left and method.dealing(state) == "automated_shoe"


def dealer_is_inside(state: State) -> bool:
    """A round is under way whose dealer's stack has not come out yet."""
    round_ = state.round
    return left_in_shuffler(state) and round_ is not None and not round_.hand("dealer")


def from_stub(state: State, round_: Round) -> tuple[str, ...]:
    """An automated shoe deals no community cards: they come from the stub (TCP 10.B(6))."""
    automated = method.dealing(state) == "automated_shoe"
    return COMMUNITY if automated and _wants_community(round_.live_wagers()) else ()


def community_is_from_stub(state: State) -> bool:
    """Whether community cards are, or were, due from the stub in an automated shoe."""
    round_ = state.round
    return round_ is not None and bool(from_stub(state, round_)) and not round_.revealed


def includes(round_: Round, seat: int) -> bool:
    """Whether cards are due to a seat."""
    owner = f"seat/{seat}"
    return any(due == owner or due.startswith(owner + "/") for due in round_.plan)


def whose(due: str) -> tuple[str, int | None]:
    """Whom a card or a stack goes to: a seat and its number, the dealer or the community area."""
    owner, _, place = due.partition("/")
    return owner, int(place.partition("/")[0]) if owner == "seat" else None


def _wants_community(wagers: Iterable[Wager]) -> bool:
    return any(wager.wager == "five_card_progressive" for wager in wagers)
