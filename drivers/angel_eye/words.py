"""What Angel Eye reports mean, in the words of a shoe. Cards come out as plain reads."""

from typing import Final

from drivers.angel_eye.codec import Report
from tablectl.hal.kinds import DECK, Card, Reading

SUITS: Final = {1: "D", 2: "C", 3: "S", 4: "H"}
RANKS: Final = "A23456789TJQK"  # from 1
HANDS: Final = {0: "player", 1: "banker"}
BURN, FIRST, BURN_COUNT = 2, 4, 5
WINNERS: Final = {1: "player", 2: "tie", 4: "banker", 7: "forced"}
HAND_CARDS: Final = 3
IN_ERROR: Final = 0x40
ERRORS: Final = {
    1: "a card cannot be read",
    2: "a card was drawn too many (overdraw)",
    3: "a button was mishandled",
    4: "a card was pushed back at the exit",
    5: "a card was pushed back midway",
    6: "the code of a card is wrong",
    7: "drawing a card took too long",
}
READ_FAILED: Final = (1, 6)
REFUSALS: Final = {
    0x01: "a transmission error",
    0x02: "a wrong BCC: try the other setting of the option bcc",
    0x03: "no ETX",
    0x11: "format or length",
    0x12: "address",
    0x13: "command",
    0x14: "type",
    0x21: "it is busy",
    0x22: "it is writing",
    0xFF: "another reason",
}


def card(byte: int) -> Card | None:
    """A card from its byte; whatever is no card left the shoe and could not be read."""
    suit, rank = byte >> 4 & 7, byte & 15
    if suit not in SUITS or not 1 <= rank <= len(RANKS):
        return None
    found = Card(RANKS[rank - 1] + SUITS[suit])
    assert found in DECK
    return found


def drawn(report: Report) -> Reading | None:
    """`D`: a card left in a game. A place that no game has means that something was missed."""
    target, index = report.payload[0] >> 4 & 7, report.payload[0] & 15
    read = (card(report.payload[1]),)
    if target == BURN_COUNT:
        return None  # how many will be burned, which the rules know by the first card
    if target in HANDS and 1 <= index <= HAND_CARDS:
        return Reading("card", {"place": f"{HANDS[target]}/{index}"}, read)
    if target == FIRST:
        return Reading("card", {"place": "first"}, read)
    if target == BURN and index:
        return Reading("card", {"place": f"burn/{index}", "mode": "burn"}, read)
    return Reading("gap", {"what": f"it tells of card {index} for target {target}, which is none"})


def outside(report: Report) -> Reading:
    """`d`: a card left while the shoe was locked, in error or being set."""
    return Reading("card", {"mode": "outside"}, (card(report.payload[1]),))


def result(report: Report) -> Reading:
    """`G`: who won, as the shoe sees it."""
    byte = report.payload[0]
    winner = WINNERS.get(byte >> 4 & 7)
    if winner is None:
        return Reading("gap", {"what": f"it tells of result {byte >> 4 & 7}, which is none"})
    pairs = {"player_pair": bool(byte & 1), "banker_pair": bool(byte & 2)}
    return Reading("result", {"winner": winner, **pairs})


def error_name(code: int) -> str:
    """An error for people."""
    return ERRORS.get(code, f"error {code}")


def refusal_name(reason: int) -> str:
    """Why it refused a command."""
    return REFUSALS.get(reason, f"reason {reason:02X}")
