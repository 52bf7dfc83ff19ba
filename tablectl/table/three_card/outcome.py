"""What can be said of a round when it is over, at a three-card table that only listens.

The dealer's hand was turned up in every round that was played to its end (TCP 11.D(2)). In baccarat
every hand is compared and lies open; in poker a hand may have been folded, and nobody told: it
stays sealed, and what its own cards decide stays open. A round in doubt shows nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tablectl.cards import Card
from tablectl.games import three_card_baccarat as baccarat
from tablectl.games import three_card_poker as poker
from tablectl.games.rules import ThreeCardPokerRules
from tablectl.games.settlement import Decision
from tablectl.table import listening, method
from tablectl.table.phases import ROUND
from tablectl.table.state import State, TableCard
from tablectl.table.step import Step
from tablectl.table.three_card import watched_decks
from tablectl.table.three_card.game import rules_of
from tablectl.table.three_card.observed import flag

HAND: Final = 3
COMMUNITY: Final = 2
_DECISIONS: Final[tuple[Decision, ...]] = ("play", "fold")
_RACKED: Final = {
    "automated_shoe": ("TCP 10.B(5)",), "manual_shoe": ("TCP 8.E(3)",), "hand": ("TCP 9.C(5)",),
}  # fmt: skip


def most_cards(state: State) -> int:
    """Of a round: three for every seat and the dealer, and the community cards of the five-card
    progressive, which an automated shoe does not deal (TCP 8.E(2), 10.B(6))."""
    return HAND * (rules_of(state).seats + 1) + (COMMUNITY if _community_is_dealt(state) else 0)


def _community_is_dealt(state: State) -> bool:
    offered = "five_card_progressive" in rules_of(state).wagers
    return offered and method.dealing(state) != "automated_shoe"


def ends(step: Step) -> None:
    """The round is over: its account, unless it is in doubt or void."""
    if step.state.phase == "dealing":
        places = None if step.round.doubts else _places(step)
        if places is not None:
            _account(step, places)
        elif not step.round.doubts:
            what = f"{len(step.round.cards)} cards left the shoe: no such number makes whole hands."
            flag(step, "incorrect_number_of_cards", what)
        step.update(phase=ROUND.fire("-round_ends", step.state.phase, step.state))
    listening.cleared(step, [why for _, why in step.round.doubts], "TCP 11.E")
    watched_decks.rests(step)


# ── whose the cards are ────────────────────────────────────────────────────
def _places(step: Step) -> list[str] | None:
    """Where each card lies, in the order of the deal; None where that makes no whole hands.

    The last hand is the dealer's (TCP 8.E, 9.C(2), 10.B(3)); every seat played where there are as
    many hands as seats. Else nobody knows which seats did.
    """
    cards, seats = step.round.cards, rules_of(step).seats
    if any(card.place.startswith(("seat/", "dealer/", "community/")) for card in cards):
        return _as_told(step)
    whole, rest = divmod(len(cards), HAND)
    if rest not in (0, COMMUNITY if _community_is_dealt(step.state) else 0):
        return None
    if not 2 <= whole <= seats + 1:
        return None
    owners = [f"{'seat' if whole == seats + 1 else 'hand'}/{n}" for n in range(1, whole)]
    owners.append("dealer")
    if method.dealing(step.state) == "automated_shoe":
        dealt = [f"{owner}/{at}" for owner in owners for at in range(1, HAND + 1)]
    else:
        dealt = [f"{owner}/{at}" for at in range(1, HAND + 1) for owner in owners]
    return [*dealt, *(f"community/{at}" for at in range(1, rest + 1))]


def _as_told(step: Step) -> list[str] | None:
    """A shoe that knows whom it deals to has said it: every hand must be whole."""
    owners = {card.place.rpartition("/")[0] for card in step.round.cards}
    sizes = {owner: len(step.round.hand(owner)) for owner in owners}
    community = sizes.pop("community", 0)
    right = community in (0, COMMUNITY if _community_is_dealt(step.state) else 0)
    whole = all(size == HAND for size in sizes.values())
    known = all(owner == "dealer" or owner.startswith("seat/") for owner in sizes)
    if not (right and whole and known and "dealer" in sizes and len(sizes) > 1):
        return None
    return [card.place for card in step.round.cards]


def _move(step: Step, places: Sequence[str]) -> None:
    """The cards lie where the whole deal shows that they do."""
    moved = []
    for card, place in zip(step.round.cards, places, strict=True):
        moved.append(replace(card, place=place))
        if card.place != place:
            data = {"round": step.round.number, "draw": card.draw}
            step.emit("card.moved", {**data, "from": card.place, "to": place}, inferred=True)
    step.update_round(cards=tuple(moved))


# ── the account ────────────────────────────────────────────────────────────
def _account(step: Step, places: Sequence[str]) -> None:
    """Hands, the dealer's cards, and what every wager came to, whoever made it."""
    number, racked = step.round.number, _RACKED[method.dealing(step.state)]
    _move(step, places)
    step.emit("round.dealt", {"round": number}, *racked, inferred=True)
    step.emit("round.revealed", {"round": number}, "TCP 11.D(2)", inferred=True)
    rules = rules_of(step)
    sealed = isinstance(rules, ThreeCardPokerRules)
    owners = sorted(
        {place.rpartition("/")[0] for place in places if place.startswith(("hand/", "seat/"))}
    )
    _turn_up(step, "dealer", "TCP 11.D(2)")
    for owner in () if sealed else owners:
        _turn_up(step, owner, "TCP 11.D(3)(a)")
    dealer = _shown(step, "dealer")
    hands: list[dict[str, Any]] = [
        {"hand": n, "seat": _seat(owner), "cards": list(_shown(step, owner))}
        for n, owner in enumerate(owners, 1)
    ]
    results = [
        {"hand": hand["hand"], "seat": hand["seat"], **row}
        for hand in hands
        for row in _results(step, dealer, hand["cards"])
    ]
    data = {"round": number, "dealer": list(dealer), "community": [], "hands": hands}
    if sealed:
        data["qualifies"] = poker.qualifies(dealer)
    data |= {"seats": [], "results": results}
    step.emit("round.settled", data, "TCP 11.D", "TCP 12.A", inferred=True)


def _results(step: Step, dealer: Sequence[Card], cards: Sequence[Card]) -> list[dict[str, Any]]:
    """By decision where there is one, for nobody told which was made (TCP 11.B)."""
    rules = rules_of(step)
    if isinstance(rules, ThreeCardPokerRules):
        return [
            {"decision": decision, **result._asdict()}
            for decision in _DECISIONS
            for result in poker.decision_results(rules, dealer, decision)
        ]
    return [result._asdict() for result in baccarat.hand_results(rules, dealer, cards)]


def _seat(owner: str) -> int | None:
    kind, _, number = owner.partition("/")
    return int(number) if kind == "seat" else None


def _shown(step: Step, owner: str) -> tuple[Card, ...]:
    """The cards of a hand that lie face up."""
    hand = sorted(step.round.hand(owner), key=lambda card: card.place)
    return tuple(card.card for card in hand if card.up and card.card is not None)


def _turn_up(step: Step, owner: str, clause: str) -> None:
    """Card and salt are published, and anybody can check the commitment."""
    turned: list[TableCard] = []
    for card in step.round.cards:
        up = card.place.rpartition("/")[0] == owner
        turned.append(replace(card, up=True) if up else card)
        if up:
            data = {"round": step.round.number, "draw": card.draw, "place": card.place}
            data |= {"card": card.card, "salt": card.salt}
            step.emit("card.revealed", data, clause, inferred=True)
    step.update_round(cards=tuple(turned))
