"""What is printed at each seat (MIDI 12.K): read, checked, and handed to the core."""

from pathlib import Path

import pytest

from tablectl.daemon.config import load, read, to_setup
from tests.daemon.files import ROOT

SHIPPED = (ROOT / "config/midi-baccarat.toml").read_text()
THIRD = '3 = { printed_king_9 = ["KD", "9D"] }'
SHOWN = "seats.3.printed_king_9"


def test_the_core_is_told_what_every_seat_shows(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(SHIPPED.replace(THIRD, '3 = { printed_king_9 = ["9H", "KD"] }'))
    printed = dict(to_setup(load(file)).printed_king_9)
    assert list(printed) == list(range(1, 10))
    assert printed[3] == ("KD", "9H")  # the king first, however it was written
    meters = {meter.name: meter.maximum for meter in to_setup(load(file)).meters}
    assert meters == {"heart": 0, "must_hit": 100_000, "spade": 0, "star": 0}


@pytest.mark.parametrize(
    ("line", "key", "clause"),
    [
        ('3 = { printed_king_9 = ["KS", "8H"] }', SHOWN, "MIDI 12.K"),
        ('3 = { printed_king_9 = ["KS", "9H", "9H"] }', SHOWN, "MIDI 12.K"),
        ('3 = { printed_king_9 = ["KS", "KH"] }', SHOWN, "MIDI 12.K"),
        ('3 = { printed_king_9 = "K9" }', SHOWN, "MIDI 12.K"),
        ('3 = { printed_king_9 = ["KS", 9] }', SHOWN, "MIDI 12.K"),
        ("3 = {}", SHOWN, "MIDI 12.K"),
        ("", "seats.3", "MIDI 12.K"),
        ("3 = 7", "seats.3", "MIDI 12.K"),
        (THIRD + '\n10 = { printed_king_9 = ["KS", "9H"] }', "seats.10", "MIDI 12.K"),
        (THIRD[:-1] + ', jack = "JS" }', "seats.3.jack", None),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, line: str, key: str, clause: str | None) -> None:
    file = tmp_path / "table.toml"
    file.write_text(SHIPPED.replace(THIRD, line))
    [fault] = read(file).faults
    assert (fault.key, fault.clause) == (key, clause)


def test_no_seat_is_described_where_royal_9_is_not_offered(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    ez = (ROOT / "config/midi-baccarat-ez.toml").read_text()
    file.write_text(ez + "\n[seats]\n" + THIRD + "\n")
    [fault] = read(file).faults
    assert (fault.key, fault.clause) == ("seats.3", "MIDI 12.K")
