"""Angel Eye's codec against the page's vectors, byte by byte, and against garbage."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.angel_eye.codec import (
    LONGEST,
    PAYLOADS,
    Accepted,
    Framer,
    Refused,
    Report,
    operation,
)
from drivers.angel_eye.words import card
from tablectl.hal.kinds import DECK
from tests.drivers.vectors import frames

REPORTS = frames("reports", "angel-eye")
COMMANDS = frames("commands", "angel-eye")
MEANT = {
    "S 0": Report("0", "S"),
    "P 1": Report("1", "P"),
    "D 2: the first card, eight of spades": Report("2", "D", b"\xc1\xb8"),
    "D 3: burn 1, not read": Report("3", "D", b"\xa1\x80"),
    "D 4: player 1, ace of diamonds": Report("4", "D", b"\x81\x91"),
    "D 5: banker 1, king of hearts": Report("5", "D", b"\x91\xcd"),
    "D 6: banker 3, ten of clubs": Report("6", "D", b"\x93\xaa"),
    "R 7: the same, no new card": Report("7", "R", b"\x93\xaa"),
    "d 8: in error mode, two of spades": Report("8", "d", b"\x92\xb2"),
    "G 9: banker, both pairs": Report("9", "G", b"\xc3"),
    "C 0": Report("0", "C"),
    "E 1: overdraw, in error mode": Report("1", "E", b"\xc2"),
    "e 2: overdraw is over": Report("2", "e", b"\x82"),
    "L 3: locked": Report("3", "L", b"\x81"),
    "M 4: address 01 is now 000F": Report("4", "M", b"01000F"),
}
ORDERED: dict[str, Any] = {
    "lock on, as the printed example has it: 1B": ("LK", 2, "example"),
    "lock on, by the text of the specification: 19": ("LK", 2, "specification"),
    "lock off, example": ("LK", 1, "example"),
    "clear error 2, example": ("EC", 2, "example"),
    "progress, example": ("GP", 0, "example"),
}
WIRE = b"".join(REPORTS.values())


def cut(data, size=1):
    return [data[at : at + size] for at in range(0, len(data), size)]


def fed(*parts):
    framer = Framer()
    items = [item for part in parts for item in framer.feed(part)]
    return items, framer.good, framer.bad


def test_every_vector_has_a_meaning_and_every_report_a_vector():
    assert REPORTS.keys() == MEANT.keys()
    assert COMMANDS.keys() == ORDERED.keys()
    assert {report.code for report in MEANT.values()} == PAYLOADS.keys()


@pytest.mark.parametrize("name", MEANT)
def test_a_report_is_read_and_written(name):
    assert fed(REPORTS[name]) == ([MEANT[name]], 1, 0)
    assert MEANT[name].to_bytes() == REPORTS[name]


@pytest.mark.parametrize("name", ORDERED)
def test_a_command_is_written(name):
    assert operation(*ORDERED[name]) == COMMANDS[name]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_frames_come_cut_anywhere(size):
    assert fed(*cut(WIRE, size)) == (list(MEANT.values()), len(MEANT), 0)


def test_answers_stand_between_reports():
    items, good, bad = fed(b"\x06" + REPORTS["S 0"] + b"\x15\x21\x06" + REPORTS["P 1"])
    assert items == [
        Accepted(), Report("0", "S"), Refused(0x21), Accepted(), Report("1", "P"),
    ]  # fmt: skip
    assert (good, bad) == (2, 0)


def test_the_cards_are_the_52():
    suits = {1: "D", 2: "C", 3: "S", 4: "H"}
    read = {
        (suit, rank): card(0x80 | number << 4 | rank)
        for number, suit in suits.items()
        for rank in range(1, 14)
    }
    assert sorted(filter(None, read.values())) == sorted(DECK)
    assert read["S", 8] == "8S"
    assert read["H", 1] == "AH"
    assert read["C", 10] == "TC"
    assert [read["D", rank] for rank in (11, 12, 13)] == ["JD", "QD", "KD"]
    for byte in (0x80, 0x81, 0x90, 0x9E, 0x9F, 0xD1, 0xF8):
        assert card(byte) is None


# ── damage ─────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", MEANT)
def test_no_damaged_byte_goes_unseen(name):
    """One byte of a frame, turned into every other: the next frame is read all the same."""
    whole, after = REPORTS[name], REPORTS["P 1"]
    for at in range(len(whole)):
        for byte in set(range(256)) - {whole[at]}:
            items, good, bad = fed(whole[:at] + bytes([byte]) + whole[at + 1 :] + after)
            assert [item for item in items if isinstance(item, Report)] == [MEANT["P 1"]]
            assert (good, bad) == (1, 2 if byte == 0x05 and at else 1), (at, byte)


@pytest.mark.parametrize(
    ("noise", "bad"),
    [
        (b"\xff", 1),
        (b"\xff" * 5000, 1),
        (b"\x05", 1),
        (b"\x05" * 10, 10),
        (b"\x05" + b"3" * 5000, 1),
        (b"\x053D\x81\x91", 1),  # cut off
        (b"\x0561\x036F", 1),  # a code of two digits, and a wrong BCC
        (b"\x053D\x81\x91\x036a", 1),  # lower case
        (b"\x053D\x11\x11\x0374", 1),  # bit 7 is not set
        (b"\x053D\x81\x0375", 1),  # D with half its payload
        (b"\x05\x0303", 1),  # neither number nor code
        (b"\x15\x05", 2),  # a refusal without its reason, and a report that only begins
    ],
)
def test_after_noise_the_next_report_is_read(noise, bad):
    items, good, counted = fed(noise + REPORTS["P 1"])
    assert [item for item in items if isinstance(item, Report)] == [MEANT["P 1"]]
    assert (good, counted) == (1, bad)


def test_a_code_that_nobody_knows_is_still_a_report():
    body = b"3Z\x81\x82\x83\x03"
    check = 0
    for byte in body:
        check ^= byte
    assert fed(b"\x05" + body + b"%02X" % check)[0] == [Report("3", "Z", b"\x81\x82\x83")]


@settings(max_examples=300)
@given(st.lists(st.one_of(st.binary(max_size=30), st.sampled_from(sorted(REPORTS.values())))))
def test_garbage_never_raises_nor_grows_and_may_be_cut_anywhere(parts):
    data = b"".join(parts)
    whole = fed(data)
    assert whole == fed(*cut(data)) == fed(*cut(data, 5))
    framer = Framer()
    for byte in data:
        list(framer.feed(bytes([byte])))
        assert len(framer._frame or b"") <= LONGEST
    reports = [item for item in whole[0] if isinstance(item, Report)]
    assert len(reports) == whole[1]
    assert all(report.to_bytes() in data for report in reports)  # nothing is invented


@given(st.sampled_from(sorted(PAYLOADS)), st.characters(min_codepoint=0x30, max_codepoint=0x39),
       st.binary(min_size=6, max_size=6))  # fmt: skip
def test_what_is_written_is_read(code, seq, data):
    report = Report(seq, code, bytes(byte | 0x80 for byte in data[: PAYLOADS[code]]))
    assert fed(report.to_bytes()) == ([report], 1, 0)


def test_no_representation_shows_a_card():
    assert "b8" not in repr(MEANT["D 2: the first card, eight of spades"]).lower()
