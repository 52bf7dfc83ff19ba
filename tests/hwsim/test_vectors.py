"""The byte vectors of docs/integrators/tablelink.md, read from the page, both ways."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwsim.tablelink import messages as m
from hwsim.tablelink.framing import (
    Damaged,
    Frame,
    Splitter,
    cobs_decode,
    cobs_encode,
    crc32,
)
from hwsim.tablelink.link import _proof, session_id
from hwsim.tablelink.speech import (
    COMMANDS,
    EVENTS,
    FAULTS,
    HANDS,
    MODES,
    SIGNS,
    WINNERS,
    card_byte,
    card_of,
    command_arguments,
    event_arguments,
    place_bytes,
)
from tablectl.cards import DECK, Card

PAGE = (Path(__file__).parents[2] / "docs/integrators/tablelink.md").read_text()
HOST_NONCE, DEVICE_NONCE = bytes(range(0xA0, 0xB0)), bytes(range(0xB0, 0xC0))
BOOT = bytes.fromhex("1122334455667788")
KEY = bytes(range(32))


def block(name: str) -> list[str]:
    found = re.search(rf"^```{name}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"the page has no block {name}"
    return found[1].splitlines()


def vectors() -> dict[str, tuple[bytes, bytes]]:
    """Name -> frame and wire; LONGEST is written short on the page and tested by itself."""
    found, name, frame = {}, "", b""
    for line in block("vectors"):
        if not line.startswith(" "):
            name = line.strip()
        elif name != "LONGEST":
            which, _, text = line.strip().partition(" ")
            if which == "frame":
                frame = bytes.fromhex(text)
            else:
                found[name] = frame, bytes.fromhex(text)
    return found


VECTORS = vectors()


def arrow(name: str) -> list[tuple[bytes, str]]:
    pairs = (line.split(" -> ") for line in block(name))
    return [(bytes.fromhex(data.replace("(no bytes)", "")), result) for data, result in pairs]


def number(n: int) -> m.Number:
    return m.Number(BOOT, n)


def event(n: int, name: str, age_ms: int = 0, **args: object) -> m.Event:
    return m.Event(n, age_ms, EVENTS[name], event_arguments(name, args))


VERSIONS = ((m.VERSION, b"CardRec=4.0.018"), (m.VERSION, b"Main=2.1"))
ITEMS = ((m.SERIAL, b"SH-000117"), *VERSIONS, (m.MODEL, b"Example Shoe"))
WELCOME = m.Welcome(1, 2, HOST_NONCE, DEVICE_NONCE, 0x1234ABCD, m.READS | m.HOLDS, ITEMS)
SHUFFLER = m.Welcome(
    1, 1, HOST_NONCE, DEVICE_NONCE, 0x1234ABCD, m.COUNTS | m.TWO_DECKS | m.RECOGNISES,
    (
        (m.SERIAL, b"SF-000023"), (m.VERSION, b"RNG=1.002.004"), (m.MODEL, b"Example Shuffler"),
        (m.MODE, b"Three Card Baccarat"),
    ),
)  # fmt: skip
START = m.Start(DEVICE_NONCE, 500, 2000, 0x1234ABCD, 6)
RESULT = m.Condition(m.HELD, 0, 5, 0x14, 0)
# What the page says of each vector, in our words.
MEANING: dict[str, m.Message] = {
    "HELLO": m.Hello(1, HOST_NONCE),
    "WELCOME": WELCOME,
    "WELCOME_MODE": SHUFFLER,
    "START": START,
    "STATE": m.State(m.Condition(m.HELD, 0, 3, 8, 2), number(0x29), number(0x2A)),
    "STATE_NEVER": m.State(m.Condition(m.LOCKED | m.HELD, 0, 0xFFFF, 0, 0), m.NEVER, m.NEVER),
    "HEARTBEAT": m.Heartbeat(),
    "ALIVE": m.Alive(),
    "SEQ_WRAP": m.Alive(),
    "BYE": m.Bye(m.BYE_CLOSING),
    "BYE_BOOT": m.Bye(m.BYE_BOOTED),
    "EVENT_FAULT": event(9, "fault", fault="cover_open", text="rear cover"),
    "EVENT_CLEARED": event(10, "cleared"),
    "EVENT_JAM": event(11, "jam", 1200, compartment=0),
    "EVENT_SHUFFLE_STARTED": event(12, "shuffle_started", compartment=0),
    "EVENT_SHUFFLE_DONE": event(13, "shuffle_done", compartment=0, count=52),
    "EVENT_SHUFFLE_DONE_UNCOUNTED": event(14, "shuffle_done", compartment=0, count=None),
    "EVENT_STACK": event(15, "stack", dispensed=4, cards=["AC", "TD", "KS"]),
    "EVENT_STACK_UNREADABLE": event(16, "stack", dispensed=5, cards=["AC", None, "KS"]),
    "EVENT_HELD": event(17, "held"),
    "EVENT_LOCKED": event(18, "locked"),
    "EVENT_UNLOCKED": event(19, "unlocked"),
    "EVENT_PRESSED": event(20, "pressed", button=1),
    "EVENT_MODE": event(21, "mode", mode="Three Card Poker"),
    "EVENT_SHUFFLE_DONE_RECOGNISED": event(
        22, "shuffle_done", compartment=2, count=52, distinct=51
    ),
    "EVENT_CARD": event(23, "card", dispensed=7, place="seat/3/1", card="TD"),
    "EVENT_CARD_UNREADABLE": event(24, "card", dispensed=8, place="dealer/2", card=None),
    "EVENT_CARD_OUTSIDE": event(25, "card", dispensed=9, place=None, mode="outside", card="KS"),
    "EVENT_COVER_CARD": event(26, "cover_card"),
    "EVENT_STANDBY": event(27, "standby"),
    "EVENT_STARTED": event(28, "started"),
    "EVENT_RESULT": event(29, "result", winner="tie", banker_pair=True),
    "EVENT_RELEASED": event(30, "released"),
    "EVENT_ACCEPTED": event(31, "accepted", seat=5, cents=500, wager="progressive"),
    "EVENT_WITHDRAWN": event(32, "withdrawn", seat=5, wager="progressive"),
    "EVENT_LATE": event(33, "late", seat=5, wager="progressive"),
    "EVENT_BADGE": event(34, "badge", token="0004712938"),
    "ACK": m.Ack(9),
    "COMMAND_LOCK": m.Command(number(0x2B), 0x01),
    "COMMAND_HOLD": m.Command(number(0x2C), 0x02),
    "COMMAND_UNLOCK": m.Command(number(0x2D), 0x81),
    "COMMAND_DISPENSE": m.Command(number(0x2E), 0x82, b"\x05"),
    "COMMAND_RELEASE": m.Command(number(0x2F), 0x83),
    "COMMAND_LAMP": m.Command(number(0x30), 0xC1, b"\x05\x01progressive"),
    "COMMAND_SHOW": m.Command(number(0x31), 0xC2, b"\x01"),
    "RESULT_DONE": m.Result(number(0x2C), m.DONE, RESULT),
    "RESULT_STALE": m.Result(number(0x28), m.STALE, RESULT),
}


def test_the_page_has_no_vector_that_is_not_tested():
    assert len(VECTORS) >= 28
    assert VECTORS.keys() == MEANING.keys() | {"WELCOME_PROOF", "START_PROOF"}


@pytest.mark.parametrize("name", VECTORS)
def test_a_frame_and_its_wire_bytes(name):
    raw, wire = VECTORS[name]
    frame = Frame.from_bytes(raw)
    assert frame.to_bytes() == raw
    assert frame.to_wire() == wire
    assert Frame.from_wire(wire[:-1]) == frame
    assert crc32(raw) == 0x2144DF1C


@pytest.mark.parametrize("name", MEANING)
def test_a_message_and_its_payload(name):
    frame = Frame.from_bytes(VECTORS[name][0])
    assert m.unpack(frame.type, frame.payload) == MEANING[name]
    assert Frame(MEANING[name].TYPE, frame.seq, frame.session, MEANING[name].pack()) == frame
    outside = name in ("HELLO", "WELCOME", "WELCOME_MODE", "BYE_BOOT")
    assert frame.session == (0 if outside else session_id(HOST_NONCE, DEVICE_NONCE))


@pytest.mark.parametrize(
    ("name", "message", "secret"),
    [
        ("WELCOME_PROOF", WELCOME, b"tablelink-1 device" + HOST_NONCE),
        ("START_PROOF", START, b"tablelink-1 host" + DEVICE_NONCE + HOST_NONCE),
    ],
)
def test_a_proof(name, message, secret):
    payload = Frame.from_bytes(VECTORS[name][0]).payload
    proof = _proof(KEY, secret + message.pack())
    assert payload == message.pack() + m.pack_items(((m.PROOF, proof),))


def test_the_session_is_the_one_that_the_page_names():
    assert session_id(HOST_NONCE, DEVICE_NONCE) == 0xE106


def test_the_longest_frame():
    frame = Frame(0x7E, 1, 0xE106, b"\x55" * 240)
    wire = frame.to_wire()
    assert len(wire) == 250
    assert wire.startswith(bytes.fromhex("f97e0106e1555555"))
    assert wire.endswith(bytes.fromhex("55555547cfe7c300"))
    assert Frame.from_wire(wire[:-1]) == frame
    assert "wire  f9 7e 01 06 e1 55 55 55 ... 55 55 55 47 cf e7 c3 00  (250 bytes)" in PAGE


@pytest.mark.parametrize(("data", "encoded"), arrow("cobs"))
def test_cobs(data, encoded):
    assert cobs_encode(data) == bytes.fromhex(encoded)
    assert cobs_decode(bytes.fromhex(encoded)) == data


@pytest.mark.parametrize(("data", "check"), arrow("crc"))
def test_crc(data, check):
    assert crc32(data) == int(check, 16)


@pytest.mark.parametrize("line", block("bad"))
def test_damage_is_one_bad_frame(line):
    wire = bytes.fromhex(line.partition("#")[0].strip())
    (piece,) = Splitter().feed(wire)
    with pytest.raises(Damaged):
        Frame.from_wire(piece)


@pytest.mark.parametrize("code", [0x00, 0xFA, 0xFE, 0xFF])
def test_codes_that_cannot_be_are_damage(code):
    with pytest.raises(Damaged, match="cannot be"):
        cobs_decode(bytes((code,)) + b"\x11" * (code - 1 if code else 9))


# The tables of the page, against ours.
def test_event_codes_are_the_page_s():
    kinds = "any|shuffler|shoe|progressive|button|indicator|badge reader"
    rows = re.findall(rf"^\| ([0-9A-F]{{2}}) \| ([A-Z_]+) \| (?:{kinds})", PAGE, re.MULTILINE)
    page = {name.lower(): int(code, 16) for code, name in rows}
    commands = {name: code for code, name in COMMANDS.items()}
    assert page == EVENTS | commands


def test_what_shows_something_says_what():
    lamp = command_arguments("lamp", b"\x05\x01progressive")
    assert lamp == {"seat": 5, "on": True, "wager": "progressive"}
    assert command_arguments("lamp", b"\x05\x00x")["on"] is False
    for code, sign in enumerate(SIGNS):
        assert command_arguments("show", bytes((code,))) == {"sign": sign}
        assert f"{code} {sign.replace('_', ' ')}" in PAGE
    assert command_arguments("show", b"\x07") == {"sign": None}
    for name, short in (("lamp", b"\x05\x01"), ("show", b""), ("dispense", b"")):
        with pytest.raises(m.Malformed):
            command_arguments(name, short)


def test_places_modes_and_winners_are_the_page_s():
    text = re.search(r"\*\*Cards one by one\*\* .*?\n\n", PAGE, re.DOTALL)
    assert text
    for name, code in HANDS.items():
        shown = {"first": "the first card", "burn": "burned"}.get(name, name)
        assert re.search(rf"{code:02X} (the )?{shown}", text[0], re.IGNORECASE), name
    assert [place_bytes(place) for place in (None, "seat/9/3", "dealer/2", "first", "burn/10")] == [
        b"\0\0", b"\x09\x03", b"\xe0\x02", b"\xe4\x01", b"\xe5\x0a",
    ]  # fmt: skip
    assert all(f"{code} {mode}" in text[0] for code, mode in enumerate(MODES))
    assert "1 player, 2 banker, 3 tie, 4 declared by hand" in PAGE
    assert list(WINNERS.values()) == [1, 2, 3, 4]


def test_message_types_are_the_page_s():
    rows = re.findall(r"^\| ([0-9A-F]{2}) \| ([A-Z]+) \| (?:both|host|device)", PAGE, re.MULTILINE)
    ours = {cls.__name__.upper(): cls.TYPE for cls in m.BY_TYPE.values()}
    assert {name: int(code, 16) for code, name in rows} == ours


def test_faults_are_the_page_s():
    text = re.search(r"\*\*Faults\*\*: (.*?)\. 80 to FF", PAGE, re.DOTALL)
    assert text
    page = [int(code, 16) for code in re.findall(r"\b(0[0-9A-F]) ", text[1])]
    assert page == list(FAULTS.values())


def test_cards():
    known = [Card("AC"), Card("TD"), Card("KS"), None]
    assert [card_byte(card) for card in known] == [0, 0x16, 0x33, 0xFF]
    assert sorted(card_byte(card) for card in DECK) == list(range(52))
    assert [card_of(card_byte(card)) for card in DECK] == list(DECK)
    assert card_of(0x34) is card_of(0xFE) is None


# Beyond the page: nothing that a line brings raises anything but Damaged.
@given(st.binary(max_size=248))
def test_cobs_gives_back_what_it_took(data):
    if data:
        encoded = cobs_encode(data)
        assert 0 not in encoded
        assert len(encoded) == len(data) + 1
        assert cobs_decode(encoded) == data


@given(st.integers(0, 255), st.binary(max_size=260))
def test_any_payload_is_a_message_or_damaged(type_, payload):
    if type_ in m.BY_TYPE:
        try:
            message = m.unpack(type_, payload)
        except Damaged:
            return
        assert payload.startswith(message.pack())


def test_random_bytes_are_damage_whatever_the_pieces():
    rng = random.Random(7)
    splitter = Splitter()
    for _ in range(300):
        for piece in splitter.feed(rng.randbytes(rng.randrange(1, 900))):
            assert 0 < len(piece) <= 250
            with pytest.raises(Damaged):
                Frame.from_wire(piece)


def test_a_frame_survives_any_cut():
    wire = VECTORS["EVENT_STACK"][1]
    for cut in range(len(wire)):
        splitter = Splitter()
        pieces = splitter.feed(wire[:cut]) + splitter.feed(wire[cut:])
        assert pieces == [wire[:-1]]
