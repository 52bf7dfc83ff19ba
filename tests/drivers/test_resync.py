"""Every codec, whatever garbage came before: it raises nothing, stays small, and reads on.

What each codec makes of garbage stands in its own tests; here is what all of them owe.
"""

import sys
from collections import deque
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.angel_eye import codec as angel_eye
from drivers.barcode_reader import codec as barcode
from drivers.bee_tek import codec as bee_tek
from drivers.hid_button import codec as hid_button
from drivers.io_board.asks import Answer, Ask
from drivers.io_board.modbus import Modbus, framed
from drivers.io_board.numato import Numato
from drivers.tablelink import codec as tablelink
from tablectl.hal.hid_keyboard import Keyboard

MS = 1_000_000
BUFFERED = 1024  # bytes that a codec may keep
POINTS = Ask("inputs", range(7))
LEVELS = (True, False, True, False, False, False, False)


class Stream:
    """A codec that is fed bytes: what it gives for one whole frame, after a pause."""

    def __init__(self, make, whole, meant, before=lambda _framer: b""):
        self.make, self.whole, self.meant, self.before = make, whole, meant, before


def asked(wire):
    """Boards answer questions: the next one forgets what lies there."""
    wire.request(POINTS)
    return b""


def begun(wire):
    wire.request(POINTS)
    return wire


STREAMS = {
    "tablelink": Stream(
        tablelink.Framer, tablelink.Frame(0x11, 5, 7).to_bytes(), tablelink.Frame(0x11, 5, 7),
        lambda _: b"\0",  # as a device that begins to speak sends it
    ),
    "angel_eye": Stream(
        angel_eye.Framer, bytes.fromhex("05 31 50 03 36 32"), angel_eye.Report("1", "P"),
    ),
    "bee_tek": Stream(
        bee_tek.Framer, b"[Game]<Card:4S>\r\n", bee_tek.Drawn("Game", "4S"), lambda _: b"\r\n"
    ),
    "modbus": Stream(
        lambda: begun(Modbus(1)), framed(bytes.fromhex("01 02 01 05")), Answer(LEVELS), asked
    ),
    "numato": Stream(
        lambda: begun(Numato()), b"\r\ngpio readall\r\n0005\r\n>", Answer(LEVELS), asked
    ),
}  # fmt: skip


def size(codec):
    """How many bytes it keeps, all of its fields together."""
    kept = vars(codec).values()
    return sum(
        len(value) for value in kept if isinstance(value, bytes | bytearray | str | list | deque)
    )


@pytest.mark.parametrize("family", STREAMS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_after_any_garbage_the_next_whole_frame_is_read(family, data):
    stream = STREAMS[family]
    half = st.sampled_from([stream.whole[:n] for n in range(1, len(stream.whole))])
    garbage = b"".join(data.draw(st.lists(st.one_of(st.binary(max_size=60), half), max_size=20)))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(garbage)), max_size=8)))
    codec = stream.make()
    for begin, end in pairwise([0, *cuts, len(garbage)]):
        for _ in codec.feed(garbage[begin:end]):
            pass
        assert size(codec) < BUFFERED
    list(codec.feed(stream.before(codec)))
    assert list(codec.feed(stream.whole))[-1:] == [stream.meant]


@pytest.mark.parametrize("family", STREAMS)
def test_a_flood_of_one_byte_is_not_kept(family):
    for byte in (0x00, 0x05, 0x15, 0x0D, 0x20, 0x30, 0x3E, 0xFF, 0x01):
        codec = STREAMS[family].make()
        for _ in range(4):
            for _ in codec.feed(bytes((byte,)) * 4096):
                pass
            assert size(codec) < BUFFERED
            assert sys.getsizeof(codec) < BUFFERED


reports = st.lists(st.tuples(st.binary(max_size=10), st.integers(0, 300)), max_size=60)


@settings(max_examples=150, deadline=None)
@given(garbage=reports)
def test_after_any_reports_and_a_pause_the_next_code_is_read(garbage):
    scans, now = barcode.Scans(), 0
    for report, later_ms in garbage:
        now += later_ms * MS
        scans.feed(report, now)
        assert len(scans._line) <= barcode.LONGEST
    now += barcode.STALL_NS
    scans.stalled(now)
    typed = [0x1E, 0x1F, 0x20, 0x28]  # 1 2 3 Enter
    told = []
    for usage in typed:
        for report in (bytes((0, 0, usage, 0, 0, 0, 0, 0)), bytes(8)):
            now += 5 * MS
            told += scans.feed(report, now)
    assert told == ["123"]


@settings(max_examples=150, deadline=None)
@given(garbage=st.lists(st.binary(max_size=10), max_size=60))
def test_after_any_reports_a_button_is_what_its_next_report_says(garbage):
    keyboard = Keyboard()
    for report in garbage:
        keyboard.feed(report)
        hid_button.pressed(report)
        assert len(keyboard.down) <= 6
    keyboard.feed(bytes(8))
    assert [key.usage for key in keyboard.feed(bytes((0, 0, 0x28, 0, 0, 0, 0, 0))) or ()] == [0x28]
    assert hid_button.pressed(bytes((0x16, 0, 0, 0, 0, 0, 0, 0)))
