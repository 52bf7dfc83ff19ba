"""The words of the prompts, each sentence under a key that stays: the one place to translate.

Another language is another mapping with the same keys. A name in braces is filled in; one that ends
in `cents` is told as money, a list of phrases is told one after the other.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tablectl.cards import dollars

ENGLISH: Final[Mapping[str, str]] = {
    # ── any table ──
    "halted": "The table is halted: {why} Make sure, then resume.",
    "devices_untold": "Wait: {devices} has not told its state yet.",
    "open_table": "Open the table.",
    "sign_on": "Sign on: nobody is on the table.",
    "test_lamps_and_lock": "Test the lamps and the lock.",
    "wait_for_lock": "Wait: wagering is being locked.",
    "wait_for_shoe": "Wait: the shoe is being held.",
    # ── devices (TCP 13.H) ──
    "device_has_fault": "{device} has a fault: mend it, or cover it and mark it out of order.",
    "device_is_away": "{device} is {health}: see to it, or cover it and mark it out of order.",
    "device_to_confirm": "See that {device} is covered or marked, and confirm it.",
    "device_before_bets": "{device} is {health}: see to it before bets open.",
    "device_to_return": "{device} is out of order: a technician returns it before bets open.",
    "device_has_not_locked": (
        "{device} is {health} and has not locked: bring it back, or void the round (void_round), "
        "or cancel the lock (cancel_lock)."
    ),
    "device_is_not_locked_again": (
        "{device} is {health} and has not locked: bring it back, or void the round (void_round)."
    ),
    "stop_dealing": "Stop dealing: wagering is being locked again.",
    # ── duties ──
    "duty_opening_test": "The opening test failed: mend it and test again.",
    "duty_acknowledge_void": "The round was void: acknowledge it.",
    "duty_reshuffle": "Reshuffle deck {deck} and have it counted.",
    "duty_reshuffle_by_hand": "Shuffle deck {deck} again and cut it.",
    "duty_count_deck": "Count deck {deck}: 52 cards.",
    "duty_cut_again": "Cut deck {deck} again.",
    "duty_remove_deck": "Remove deck {deck} from the table.",
    "duty_change_decks": "Replace all the cards with new decks.",
    "duty_clear_deck_latch": "Deck {deck} counted wrong: see to it, then clear it.",
    # ── decks (TCP 3 to 5) ──
    "receive_decks": "Bring decks to the table.",
    "inspect_deck": "Inspect deck {deck} for defects.",
    "verify_deck": "Verify the inspection of deck {deck}.",
    "spread_deck": "Spread deck {deck} face up for the first player.",
    "show_deck": "Let the first player look at deck {deck}.",
    "wash_deck": "Turn deck {deck} down, wash it and stack it.",
    "shuffle_deck": "Put deck {deck} into the shuffler.",
    "shuffle_deck_by_hand": "Shuffle deck {deck} and stack it.",
    "deck_is_shuffled": "Deck {deck} is being shuffled: wait for its count.",
    "cut_deck": "Cut deck {deck}, at least ten from the top.",
    "load_shoe": "Take deck {deck} into the shoe.",
    "load_hand": "Take deck {deck} into your hand.",
    "single_deck": "The other deck is not ready: wait for it, or declare single-deck play.",
    "change_decks": "The time of the decks is up: change them.",
    "count_overdue": "Count the whole deck: a count is overdue.",
    "spread_idle": "Nobody plays: spread the cards out.",
    # ── wagers ──
    "open_bets": "Open the bets.",
    "take_wagers": 'Take wagers; then announce "no more bets".',
    "shoe_cannot_deal": (
        "The shoe cannot deal this round: give every wager back, then clear the round."
    ),
    "nobody_wagers": "Nobody has a wager: clear the round.",
    "count_chips": "Collect the progressive chips and count them.",
    "count_chips_again": "Collect the progressive chips and count them again.",
    "chips_differ": (
        "The progressive chips differ from the accepted wagers: decide (resolve_count)."
    ),
    "listening_deck_counted_wrong": (
        "The shuffler counted these cards wrong: take the deck from the table."
    ),
    "listening_change_decks": (
        "The time of the decks is up: change them, then acknowledge the alarm."
    ),
    "listening_void": "The round is void: return all wagers, and gather the cards.",
    "late_bet": "Give seat {seat} its late {wager} back.",
    # ── the deal (TCP 8 to 10) ──
    "deal_then_count": (
        "Deal three cards to every seat and yourself, one at a time; then count the stub."
    ),
    "deal_then_ask": (
        "Deal three cards to every seat and yourself, one at a time; then ask seat {seat}: play or "
        "fold?"
    ),
    "deal_then_reveal": (
        "Deal three cards to every seat and yourself, one at a time; then reveal your cards."
    ),
    "stack_to_seat": "Deliver the next stack to seat {seat}.",
    "stack_to_dealer": "Deliver the next stack to yourself.",
    "card_to_seat": "Deal the next card to seat {seat}.",
    "card_to_dealer": "Deal the next card to yourself.",
    "card_to_community": "Deal the next card to the community area.",
    "count_stub": "Count the stub.",
    "count_stub_again": "Count the stub again, watched by the floor.",
    "judge_stub": "The stub is wrong: count the hands. Were they misdealt, with 52 cards present?",
    # ── decisions and the reveal (TCP 11) ──
    "ask_seat": "Ask seat {seat}: play or fold?",
    "take_dealer_stack": "Take your cards out of the shuffler.",
    "reveal_dealer": "Reveal your cards.",
    "card_read_twice": (
        "One card was read twice: look at the cards, then correct the one misread (correct_card, "
        "its draw alone) or void the round (void_round)."
    ),
    "floor_decides": (
        "A hand is wrong, and no rule of this table decides: void the round, or let it stand where "
        "every hand has three cards (acknowledge_alarm)."
    ),
    # ── settlement (TCP 11.D) ──
    "card_up_twice": (
        "One card lies face up twice: correct what was entered wrong (correct_card), void the "
        "round (void_found_late), or settle the open seats by hand."
    ),
    "settle_by_hand": "Settle the open seats by hand.",
    "enter_card": "Enter the card at {place}.",
    "end_dispute": "Seat {seat} is in dispute: look at the cards, correct or confirm, and end it.",
    "paid_by_misread_card": (
        "Seat {seat} was paid by a misread card: see to it, and end the dispute."
    ),
    "validate_win": (
        "Seat {seat} has won {cents}, PENDING: look at the hand and the light, and validate it."
    ),
    "validate_meter": (
        "Seat {seat} has won {cents} from meter {meter}, PENDING: look at the hand and the light, "
        "and validate it."
    ),
    "pay_seat": "Seat {seat} gets {cents} back; confirm.",
    "pay_seat_and_envy": "Seat {seat} gets {cents} back, {others}; confirm.",
    "collect_seat": "Seat {seat} loses: collect; confirm.",
    "collect_seat_pay_envy": "Seat {seat} loses: collect, {others}; confirm.",
    "envy_bonus": "seat {seat} {cents} envy bonus",
    "by_odds": "Seat {seat}: {results}; confirm.",
    "result": "{wager} {outcome}",
    "result_with_odds": "{wager} {outcome} {odds}",
    "result_at_seat": "seat {seat} {wager} {outcome}",
    "result_at_seat_with_odds": "seat {seat} {wager} {outcome} {odds}",
    # ── the end of a round ──
    "clear_round": "Put the cards into the discard rack.",
    "void": "The round is void: return every wager, gather the cards.",
    "void_with_chips": (
        "The round is void: return every wager, gather the cards. Progressive chips come from the "
        "inventory: seat {seats}."
    ),
    "void_give": "The round is void: give seat {seat} {cents}, and tick it off.",
    "void_take": "The round is void: take back from seat {seat} {cents}, and tick it off.",
    "void_take_unknown": (
        "The round is void: take back from seat {seat} what it won, and give what it lost, and "
        "tick it off."
    ),
}


def in_words(key: str, values: Mapping[str, Any], words: Mapping[str, str] = ENGLISH) -> str:
    """The sentence of a key with its values filled in. Raises KeyError where either is missing."""
    shown = {name: _shown(name, value, words) for name, value in values.items()}
    return words[key].format_map(shown)


def _shown(name: str, value: Any, words: Mapping[str, str]) -> str:
    if name.endswith("cents"):
        return dollars(value)
    if isinstance(value, Mapping):  # a phrase within the sentence
        return in_words(value["key"], value["values"], words)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_shown("", each, words) for each in value)
    return value.replace("_", " ") if name in ("wager", "health") else str(value)
