"""A model's neutral words and tablelink's codes: reports, commands, faults, cards, conditions."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hwsim.devices.device import Condition, Device
from hwsim.tablelink import messages as m
from hwsim.tablelink.framing import MOST_PAYLOAD
from tablectl.cards import Card

# One byte a card: 13 x suit + rank, clubs diamonds hearts spades, ace to king.
_RANKS: Final = "A23456789TJQK"
_SUITS: Final = "CDHS"
UNREAD: Final = 0xFF
MOST_CARDS: Final = 60
MOST_TEXT: Final = 80
WELCOME_HEAD: Final = 40  # bytes before the items
PROOF_ITEM: Final = 34

FAULTS: Final = {
    "jam": 0x01,
    "cover_open": 0x02,
    "no_cards": 0x03,
    "misfeed": 0x04,
    "count_failed": 0x05,
    "sensor_dirty": 0x06,
    "motor": 0x07,
    "internal": 0x08,
    "self_test": 0x09,
    "wrong_mode": 0x0A,
    "memory_lost": 0x0B,
}
EVENTS: Final = {
    "fault": 0x01,
    "cleared": 0x02,
    "jam": 0x03,
    "shuffle_started": 0x10,
    "shuffle_done": 0x11,
    "stack": 0x20,
    "held": 0x21,
    "locked": 0x30,
    "unlocked": 0x31,
    "pressed": 0x40,
}
COMMANDS: Final = {0x01: "lock", 0x02: "hold", 0x81: "unlock", 0x82: "dispense"}
PERMISSIVE: Final = 0x80


def card_byte(card: Card | None) -> int:
    if card is None:
        return UNREAD
    return 13 * _SUITS.index(card[1]) + _RANKS.index(card[0])


def card_of(byte: int) -> Card | None:
    """The card of a byte; None where it could not be read."""
    return Card(_RANKS[byte % 13] + _SUITS[byte // 13]) if byte < 52 else None


def text_bytes(text: str, most: int) -> bytes:
    """Printable ASCII only, cut to fit."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)[:most].encode("ascii")


def event_arguments(name: str, args: Mapping[str, Any]) -> bytes:
    """The arguments of an EVENT."""
    match name:
        case "fault":
            return bytes((FAULTS[args["fault"]],)) + text_bytes(args.get("text", ""), MOST_TEXT)
        case "jam" | "shuffle_started":
            return bytes((args.get("compartment", 0),))
        case "shuffle_done":
            count = args.get("count")
            counted = m.NOT_KNOWN if count is None else count
            return struct.pack("<BH", args.get("compartment", 0), counted)
        case "stack":
            cards: Sequence[Card | None] = args["cards"]
            assert len(cards) <= MOST_CARDS
            dispensed = m.NOT_KNOWN if args["dispensed"] is None else args["dispensed"]
            head = struct.pack("<HB", dispensed, len(cards))
            return head + bytes(card_byte(card) for card in cards)
        case "pressed":
            return bytes((args.get("button", 1),))
        case _:
            return b""


def capabilities(device: Device) -> int:
    bits = {
        m.COUNTS: device.counts_cards,
        m.READS: device.reads_cards,
        m.TWO_DECKS: device.two_decks,
        m.LOCKS: "lock" in device.commands,
        m.HOLDS: "hold" in device.commands,
        m.KEEPS: device.keeps_memory and bool(device.commands),
    }
    return sum(bit for bit, has in bits.items() if has)


def identity_items(device: Device) -> tuple[m.Item, ...]:
    """SERIAL, a VERSION a component, MODEL; as many versions as one frame has room for."""
    identity = device.identity
    serial = (m.SERIAL, text_bytes(identity.serial, 32))
    model = (m.MODEL, text_bytes(identity.model, 32))
    room = MOST_PAYLOAD - WELCOME_HEAD - PROOF_ITEM - len(m.pack_items((serial, model)))
    versions: list[m.Item] = []
    for name, version in identity.versions[:8]:
        item = (m.VERSION, text_bytes(f"{name}={version}", 40))
        room -= len(item[1]) + 2
        if room >= 0:
            versions.append(item)
    return (serial, *versions, model)


def condition_of(now: Condition, event: int, pending: int, lost: bool) -> m.Condition:
    flags = (
        m.LOCKED * now.locked | m.HELD * now.held | m.BUSY * now.busy | m.LOST * lost
    )  # fmt: skip
    fault = FAULTS[now.fault] if now.fault else 0
    dispensed = m.NOT_KNOWN if now.dispensed is None else now.dispensed
    return m.Condition(flags, fault, dispensed, event, pending)
