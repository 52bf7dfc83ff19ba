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
    "mode": 0x04,
    "shuffle_started": 0x10,
    "shuffle_done": 0x11,
    "stack": 0x20,
    "held": 0x21,
    "card": 0x22,
    "cover_card": 0x23,
    "standby": 0x24,
    "started": 0x25,
    "result": 0x26,
    "released": 0x27,
    "locked": 0x30,
    "unlocked": 0x31,
    "accepted": 0x32,
    "withdrawn": 0x33,
    "late": 0x34,
    "pressed": 0x40,
    "badge": 0x60,
}
COMMANDS: Final = {
    0x01: "lock",
    0x02: "hold",
    0x81: "unlock",
    0x82: "dispense",
    0x83: "release",
    0xC1: "lamp",
    0xC2: "show",
}
PERMISSIVE: Final = 0x80
SHOWING: Final = 0xC0
SIGNS: Final = (
    "off", "open", "no_more_bets", "attention", "winner", "halted", "out_of_order",
)  # fmt: skip
# Hands that are no seat's, and the modes and winners, by their numbers.
HANDS: Final = {
    "dealer": 0xE0, "community": 0xE1, "player": 0xE2, "banker": 0xE3, "first": 0xE4, "burn": 0xE5,
}  # fmt: skip
MODES: Final = ("game", "burn", "outside")
WINNERS: Final = {"player": 1, "banker": 2, "tie": 3, "forced": 4}
MOST_MODE: Final = 32
MOST_WAGER: Final = 24
MOST_BADGE: Final = 64


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


def place_bytes(place: str | None) -> bytes:
    """The two bytes of `seat/3/1`, `dealer/2`, `first` or of no place that is known."""
    if place is None:
        return bytes(2)
    words = place.split("/")
    if words[0] == "seat":
        return bytes((int(words[1]), int(words[2])))
    return bytes((HANDS[words[0]], int(words[1]) if len(words) > 1 else 1))


def event_arguments(name: str, args: Mapping[str, Any]) -> bytes:
    """The arguments of an EVENT."""
    match name:
        case "mode":
            return text_bytes(args["mode"], MOST_MODE)
        case "accepted":
            head = struct.pack("<BI", args["seat"], args["cents"])
            return head + text_bytes(args["wager"], MOST_WAGER)
        case "withdrawn" | "late":
            return bytes((args["seat"],)) + text_bytes(args["wager"], MOST_WAGER)
        case "badge":
            return text_bytes(args["token"], MOST_BADGE)
        case _:
            return _of_cards(name, args)


def _of_cards(name: str, args: Mapping[str, Any]) -> bytes:
    match name:
        case "fault":
            return bytes((FAULTS[args["fault"]],)) + text_bytes(args.get("text", ""), MOST_TEXT)
        case "jam" | "shuffle_started":
            return bytes((args.get("compartment", 0),))
        case "shuffle_done":
            done = struct.pack("<BH", args.get("compartment", 0), _or_unknown(args.get("count")))
            distinct = args.get("distinct")
            return done if distinct is None else done + struct.pack("<H", distinct)
        case "stack":
            cards: Sequence[Card | None] = args["cards"]
            assert len(cards) <= MOST_CARDS
            head = struct.pack("<HB", _or_unknown(args["dispensed"]), len(cards))
            return head + bytes(card_byte(card) for card in cards)
        case "card":
            mode = MODES.index(args.get("mode", "game"))
            where = place_bytes(args.get("place"))
            head = struct.pack("<H", _or_unknown(args["dispensed"]))
            return head + where + bytes((mode, card_byte(args["card"])))
        case "result":
            pairs = args.get("player_pair", False) | args.get("banker_pair", False) << 1
            return bytes((WINNERS[args["winner"]], pairs))
        case "pressed":
            return bytes((args.get("button", 1),))
        case _:
            return b""


def _or_unknown(number: int | None) -> int:
    return m.NOT_KNOWN if number is None else number


def command_arguments(name: str, data: bytes) -> dict[str, Any]:
    """What a COMMAND says; raises Malformed where it says too little."""
    least = {"dispense": 1, "lamp": 3, "show": 1}.get(name, 0)
    if len(data) < least:
        raise m.Malformed(f"{name} without what it needs")
    match name:
        case "dispense":
            return {"stacks": data[0]}
        case "lamp":
            return {
                "seat": data[0],
                "on": data[1] == 1,
                "wager": data[2:].decode("ascii", "replace"),
            }
        case "show":
            return {"sign": SIGNS[data[0]] if data[0] < len(SIGNS) else None}
        case _:
            return {}


def capabilities(device: Device) -> int:
    bits = {
        m.COUNTS: device.counts_cards,
        m.READS: device.reads_cards,
        m.TWO_DECKS: device.two_decks,
        m.LOCKS: "lock" in device.commands,
        m.HOLDS: "dispense" in device.commands,
        m.KEEPS: device.keeps_memory and bool(device.commands - {"lamp", "show"}),
        m.RECOGNISES: device.recognises_cards,
        m.WAGERS: device.tells_wagers,
        m.ONE_BY_ONE: device.tells_cards,
        m.RELEASES: "release" in device.commands,
    }
    return sum(bit for bit, has in bits.items() if has)


def identity_items(device: Device) -> tuple[m.Item, ...]:
    """SERIAL, a VERSION a component, MODEL, MODE; as many versions as a frame has room for."""
    identity = device.identity
    serial = (m.SERIAL, text_bytes(identity.serial, 32))
    last = [(m.MODEL, text_bytes(identity.model, 32))]
    if identity.mode:
        last.append((m.MODE, text_bytes(identity.mode, MOST_MODE)))
    room = MOST_PAYLOAD - WELCOME_HEAD - PROOF_ITEM - len(m.pack_items((serial, *last)))
    versions: list[m.Item] = []
    for name, version in identity.versions[:8]:
        item = (m.VERSION, text_bytes(f"{name}={version}", 40))
        room -= len(item[1]) + 2
        if room >= 0:
            versions.append(item)
    return (serial, *versions, *last)


def condition_of(now: Condition, event: int, pending: int, lost: bool) -> m.Condition:
    flags = (
        m.LOCKED * now.locked | m.HELD * now.held | m.BUSY * now.busy | m.LOST * lost
    )  # fmt: skip
    fault = FAULTS[now.fault] if now.fault else 0
    dispensed = m.NOT_KNOWN if now.dispensed is None else now.dispensed
    return m.Condition(flags, fault, dispensed, event, pending)
