"""tablelink's codec against the page's vectors, byte by byte, and against garbage."""

import random
import zlib
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.tablelink import codes as c
from drivers.tablelink import messages as m
from drivers.tablelink import reports as r
from drivers.tablelink.codec import Frame, Framer, cobs, uncobs
from tests.drivers.vectors import damage, pairs, vectors

VECTORS = vectors()
SESSION = 0xE106
HOST = bytes(range(0xA0, 0xB0))
DEVICE = bytes(range(0xB0, 0xC0))
BOOT = bytes.fromhex("1122334455667788")
WELCOME = m.Welcome(
    2, HOST, DEVICE, 0x1234ABCD, 0x12, "SH-000117", (("CardRec", "4.0.018"), ("Main", "2.1")),
    "Example Shoe",
)  # fmt: skip
SHUFFLER = m.Welcome(
    1, HOST, DEVICE, 0x1234ABCD, 0x45, "SF-000023", (("RNG", "1.002.004"),), "Example Shuffler",
    "Three Card Baccarat",
)  # fmt: skip
PROOFS = {name: VECTORS[name][0][-36:-4] for name in ("WELCOME_PROOF", "START_PROOF")}
START = m.Start(DEVICE, 500, 2000, 0x1234ABCD, 6)


def condition(**changes):
    plain = m.Condition(
        locked=False, held=True, busy=False, reports_lost=False, fault=0, dispensed=5, event=20,
        pending=0,
    )  # fmt: skip
    return replace(plain, **changes)


def event(number, report, age_ms=0):
    return m.Event(number, age_ms, report)


def ident(n):
    return m.CommandId(BOOT, n)


# Name -> sender, seq, session, message: what each of the page's vectors means.
MEANT: dict[str, Any] = {
    "HELLO": ("host", 0, 0, m.Hello(HOST)),
    "WELCOME": ("device", 0, 0, WELCOME),
    "WELCOME_PROOF": ("device", 1, 0, replace(WELCOME, proof=PROOFS["WELCOME_PROOF"])),
    "WELCOME_MODE": ("device", 0, 0, SHUFFLER),
    "START": ("host", 1, SESSION, START),
    "START_PROOF": ("host", 1, SESSION, replace(START, proof=PROOFS["START_PROOF"])),
    "STATE": (
        "device", 0, SESSION,
        m.State(condition(dispensed=3, event=8, pending=2), ident(41), ident(42)),
    ),
    "STATE_NEVER": (
        "device", 0, SESSION, m.State(condition(locked=True, dispensed=None, event=0))
    ),
    "HEARTBEAT": ("host", 2, SESSION, m.Heartbeat()),
    "ALIVE": ("device", 2, SESSION, m.Alive()),
    "BYE": ("host", 9, SESSION, m.Bye(m.CLOSING)),
    "BYE_BOOT": ("device", 0, 0, m.Bye(m.BOOTED)),
    "EVENT_FAULT": ("device", 3, SESSION, event(9, r.Fault(2, "rear cover"))),
    "EVENT_CLEARED": ("device", 4, SESSION, event(10, r.Cleared())),
    "EVENT_JAM": ("device", 5, SESSION, event(11, r.Jam(0), 1200)),
    "EVENT_SHUFFLE_STARTED": ("device", 6, SESSION, event(12, r.ShuffleStarted(0))),
    "EVENT_SHUFFLE_DONE": ("device", 7, SESSION, event(13, r.ShuffleDone(0, 52))),
    "EVENT_SHUFFLE_DONE_UNCOUNTED": ("device", 8, SESSION, event(14, r.ShuffleDone(0, None))),
    "EVENT_STACK": ("device", 9, SESSION, event(15, r.Stack(4, b"\x00\x16\x33"))),
    "EVENT_STACK_UNREADABLE": ("device", 10, SESSION, event(16, r.Stack(5, b"\x00\xff\x33"))),
    "EVENT_HELD": ("device", 11, SESSION, event(17, r.Held())),
    "EVENT_LOCKED": ("device", 12, SESSION, event(18, r.Locked())),
    "EVENT_UNLOCKED": ("device", 13, SESSION, event(19, r.Unlocked())),
    "EVENT_PRESSED": ("device", 14, SESSION, event(20, r.Pressed(1))),
    "EVENT_MODE": ("device", 17, SESSION, event(21, r.Mode("Three Card Poker"))),
    "EVENT_SHUFFLE_DONE_RECOGNISED": ("device", 18, SESSION, event(22, r.ShuffleDone(2, 52, 51))),
    "EVENT_CARD": ("device", 19, SESSION, event(23, r.Drawn(7, 3, 1, 0, 0x16))),
    "EVENT_CARD_UNREADABLE": ("device", 20, SESSION, event(24, r.Drawn(8, 0xE0, 2, 0, 0xFF))),
    "EVENT_CARD_OUTSIDE": ("device", 21, SESSION, event(25, r.Drawn(9, 0, 0, 2, 0x33))),
    "EVENT_COVER_CARD": ("device", 22, SESSION, event(26, r.CoverCard())),
    "EVENT_STANDBY": ("device", 23, SESSION, event(27, r.Standby())),
    "EVENT_STARTED": ("device", 24, SESSION, event(28, r.Started())),
    "EVENT_RESULT": ("device", 25, SESSION, event(29, r.Outcome(3, 2))),
    "EVENT_RELEASED": ("device", 26, SESSION, event(30, r.Released())),
    "EVENT_ACCEPTED": ("device", 27, SESSION, event(31, r.Accepted(5, 500, "progressive"))),
    "EVENT_WITHDRAWN": ("device", 28, SESSION, event(32, r.Withdrawn(5, "progressive"))),
    "EVENT_LATE": ("device", 29, SESSION, event(33, r.Late(5, "progressive"))),
    "EVENT_BADGE": ("device", 30, SESSION, event(34, r.Badge("0004712938"))),
    "ACK": ("host", 3, SESSION, m.Ack(9)),
    "COMMAND_LOCK": ("host", 4, SESSION, m.Order(ident(43), c.LOCK)),
    "COMMAND_HOLD": ("host", 5, SESSION, m.Order(ident(44), c.HOLD)),
    "COMMAND_UNLOCK": ("host", 6, SESSION, m.Order(ident(45), c.UNLOCK)),
    "COMMAND_DISPENSE": ("host", 7, SESSION, m.Order(ident(46), c.DISPENSE, b"\x05")),
    "COMMAND_RELEASE": ("host", 8, SESSION, m.Order(ident(47), c.RELEASE)),
    "COMMAND_LAMP": ("host", 9, SESSION, m.Order(ident(48), c.LAMP, b"\x05\x01progressive")),
    "COMMAND_SHOW": ("host", 10, SESSION, m.Order(ident(49), c.SHOW, b"\x01")),
    "RESULT_DONE": ("device", 15, SESSION, m.Result(ident(44), m.DONE, condition())),
    "RESULT_STALE": ("device", 16, SESSION, m.Result(ident(40), m.STALE, condition())),
    "SEQ_WRAP": ("device", 255, SESSION, m.Alive()),
}  # fmt: skip


def test_every_vector_of_the_page_is_here():
    assert set(MEANT) | {"LONGEST"} == set(VECTORS)


@pytest.mark.parametrize("name", MEANT)
def test_a_vector_reads_and_writes(name):
    sender, seq, session, message = MEANT[name]
    raw, wire = VECTORS[name]
    assert cobs(raw) + b"\0" == wire
    [frame] = Framer().feed(wire)
    assert (frame.type, frame.seq, frame.session) == (message.TYPE, seq, session)
    assert m.decode(frame, sender) == message
    assert Frame(message.TYPE, seq, session, message.to_bytes()).to_bytes() == wire


def test_the_longest_frame():
    raw, wire = VECTORS["LONGEST"]
    [frame] = Framer().feed(wire)
    assert frame.payload == b"\x55" * 240
    assert frame.to_bytes() == wire
    assert len(raw) == 248
    assert m.decode(frame, "device") == "unknown"
    framer = Framer()
    assert framer.feed(b"\x55" + wire) == []
    assert (framer.good, framer.bad) == (0, 1)


@pytest.mark.parametrize(("data", "stuffed"), list(pairs("cobs")))
def test_cobs(data, stuffed):
    assert cobs(data) == bytes.fromhex(stuffed)
    assert uncobs(bytes.fromhex(stuffed)) == data


@pytest.mark.parametrize(("data", "crc"), list(pairs("crc")))
def test_crc(data, crc):
    assert f"{zlib.crc32(data):08x}" == crc


@pytest.mark.parametrize("wire", damage())
def test_damage_is_one_bad_frame_and_the_next_one_is_read(wire):
    framer = Framer()
    assert framer.feed(wire) == []
    assert (framer.good, framer.bad) == (0, 1)
    assert len(framer.feed(VECTORS["HEARTBEAT"][1])) == 1


def test_one_byte_at_a_time_and_all_at_once():
    stream = b"\0" + b"".join(wire for _, wire in VECTORS.values())
    single = Framer()
    frames = [frame for byte in stream for frame in single.feed(bytes([byte]))]
    assert frames == Framer().feed(stream)
    assert (single.good, single.bad) == (len(VECTORS), 0)


def test_noise_costs_the_frame_that_it_touches_and_no_other():
    beat = VECTORS["HEARTBEAT"][1]
    touching, apart = Framer(), Framer()
    assert touching.feed(b"\xde\xad\xbe\xef" + beat + beat) == Framer().feed(beat)
    assert (touching.good, touching.bad) == (1, 1)
    assert len(apart.feed(b"\xde\xad\xbe\xef\0" + beat)) == 1
    assert (apart.good, apart.bad) == (1, 1)


def test_an_endless_frame_is_bounded():
    framer = Framer()
    for _ in range(1000):
        assert framer.feed(b"\x55" * 1000) == []
    assert len(framer._buffer) <= 249
    assert len(framer.feed(b"\0" + VECTORS["HEARTBEAT"][1])) == 1
    assert (framer.good, framer.bad) == (1, 1)


def test_every_flipped_bit_is_seen():
    for name in ("EVENT_STACK", "COMMAND_DISPENSE", "RESULT_DONE"):
        wire = VECTORS[name][1]
        for bit in range(8 * (len(wire) - 1)):
            hurt = bytearray(wire)
            hurt[bit // 8] ^= 1 << bit % 8
            assert Framer().feed(bytes(hurt)) == []


@pytest.mark.parametrize("name", MEANT)
def test_a_payload_cut_short_is_malformed_or_strange_and_never_raises(name):
    sender, _, session, message = MEANT[name]
    payload = message.to_bytes()
    for size in range(len(payload)):
        read = m.decode(Frame(message.TYPE, 0, session, payload[:size]), sender)
        assert read == "malformed" or read != message
    longer = m.decode(Frame(message.TYPE, 0, session, payload + b"\x40\x00"), sender)
    assert longer != "unknown"  # bytes after the known fields belong to later versions


def test_a_line_that_echoes_is_malformed():
    for sender, seq, session, message in MEANT.values():
        if message.TYPE == m.Bye.TYPE:
            continue
        frame = Frame(message.TYPE, seq, session, message.to_bytes())
        assert m.decode(frame, "device" if sender == "host" else "host") == "malformed"


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 0xFF), st.binary(max_size=240), st.sampled_from(["host", "device"]))
def test_no_payload_raises(type_, payload, sender):
    wire = Frame(type_, 7, 9, payload).to_bytes()
    [frame] = Framer().feed(wire)
    assert frame.payload == payload
    read = m.decode(frame, sender)
    assert isinstance(read, str) or m.decode(
        Frame(type_, 7, 9, read.to_bytes()), sender
    ) in (read, "malformed")  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=2000), st.lists(st.integers(0, 2000), max_size=20))
def test_no_bytes_raise_and_cutting_changes_nothing(data, cuts):
    whole = Framer()
    expected = whole.feed(data)
    parts, framer, frames = (
        sorted({0, len(data), *(c for c in cuts if c < len(data))}),
        Framer(),
        [],
    )
    for begin, end in pairwise(parts):
        frames += framer.feed(data[begin:end])
    assert frames == expected
    assert (framer.good, framer.bad) == (whole.good, whole.bad)


@pytest.mark.soak
def test_a_hundred_thousand_frames_with_one_in_twenty_damaged():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    wires = [wire for _, wire in VECTORS.values()]
    framer, hurt = Framer(), 0
    taken = 0
    for _ in range(100_000):
        wire = bytearray(rng.choice(wires))
        if rng.random() < 0.05:
            wire[rng.randrange(len(wire) - 1)] ^= 1 << rng.randrange(8)
            hurt += 1
        taken += len(framer.feed(bytes(wire)))
    assert taken == framer.good == 100_000 - hurt
    assert framer.bad >= hurt  # a byte turned into 00 makes two bad frames of one


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("EVENT_STACK", ("x16", "22", "cards")),
        ("EVENT_CARD", ("x16", "22", "card=")),
        ("EVENT_RESULT", ("winner", "pairs")),
        ("EVENT_BADGE", ("0004712938", "4712")),
    ],
)
def test_cards_and_badges_are_in_no_representation(name, hidden):
    _, wire = VECTORS[name]
    [frame] = Framer().feed(wire)
    message = m.decode(frame, "device")
    for text in hidden:
        assert text not in repr(frame) + repr(message)


@pytest.mark.parametrize(
    ("code", "args"),
    [
        (0x04, b""),
        (0x04, b"x" * 33),
        (0x11, b"\x02\x34\x00\x33"),
        (0x22, bytes(5)),
        (0x26, b"\x05\x00"),
        (0x32, b"\x05\xf4\x01\x00\x00"),
        (0x32, b"\x00\xf4\x01\x00\x00progressive"),
        (0x33, b"\x05"),
        (0x34, b"\x05" + b"x" * 25),
        (0x60, b""),
        (0x60, b"47\x0011"),
        (0x60, b"4" * 65),
    ],
)
def test_a_report_without_what_it_needs_is_strange_and_hides_what_it_has(code, args):
    report = r.read_report(code, args)
    assert report == r.Strange(code, args)
    assert "args" not in repr(report)
