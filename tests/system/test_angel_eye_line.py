"""The daemon and a shoe that borrows nothing from hwsim: told exactly, over whatever TCP does.

What is told in one process is proved by tests/drivers/test_angel_eye_shoes.py; here are the wire,
the process and its end.
"""

import socket
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.drivers.angel_eye_shoe import NOISY, Shoe, Style, differ, heard
from tests.outbox.mosquitto import until
from tests.system.processes import sound
from tests.system.shoe_line import ListeningTable

TROUBLE = replace(NOISY, pieces="random", dropped=0.02, cut=0.01)


def agrees(table: ListeningTable, shoe: Shoe) -> None:
    shoe.flush()
    until(
        lambda: len(heard(table.said())) >= len(shoe.expected),
        f"{table.told}: {differ(heard(table.said()), shoe.expected)}",
    )
    table.rest()
    assert not (wrong := differ(heard(table.said()), shoe.expected)), f"{table.told}: {wrong}"


def ends_well(table: ListeningTable) -> None:
    table.server.look()
    table.stop()
    table.nothing_was_wrong()
    sound(table.data, table.told)


def test_a_line_that_breaks_and_a_daemon_that_dies_change_nothing(tmp_path: Path) -> None:
    with ListeningTable(tmp_path, "line 1") as table:
        table.server.accept()
        shoe = Shoe(table, "line 1", TROUBLE)
        shoe.boot()
        shoe.new_decks()
        for _ in range(3):
            shoe.hand()
        shoe.style = Style(killed=0.15)
        while not shoe.happened["killed"]:
            shoe.hand()
        shoe.style = replace(TROUBLE, pieces="bytes", dropped=0)
        shoe.hand(cover=2)
        shoe.hand()
        shoe.whole(rounds=1)
        assert table.drops > 2
        agrees(table, shoe)
        ends_well(table)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("pieces", ["whole", "bytes", "random", "merged"])
@pytest.mark.parametrize("seed", range(2))
def test_two_shoes_over_a_bad_line(tmp_path: Path, seed: int, pieces: str) -> None:
    told = f"seed {seed}, {pieces}"
    with ListeningTable(tmp_path, told) as table:
        table.server.accept()
        style = replace(TROUBLE, pieces=pieces, dropped=0.004, cut=0.002)
        shoe = Shoe(table, told, replace(style, killed=0.002))
        shoe.whole()
        shoe.style = style
        shoe.whole()
        agrees(table, shoe)
        ends_well(table)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_a_slow_trickle_and_a_long_absence(tmp_path: Path) -> None:
    with ListeningTable(tmp_path, "slow") as table:
        table.server.accept()
        shoe = Shoe(table, "slow", Style(pieces="bytes", pause_s=0.05))
        shoe.boot()
        shoe.new_decks()
        shoe.hand()
        table.server.hang_up()
        table.server.away()
        time.sleep(60)
        table.server.accept()
        shoe.hand()
        for _ in range(8):  # taken and dropped again and again
            table.server.hang_up()
            table.server.accept()
        shoe.hand()
        agrees(table, shoe)
        ends_well(table)


@pytest.mark.soak
def test_three_shoes_at_once_are_taken_in(tmp_path: Path) -> None:
    """More than a dealer deals in a day, as fast as TCP carries it."""
    with ListeningTable(tmp_path, "fast") as table:
        table.server.accept()
        shoe = Shoe(table, "fast", Style(pieces="merged"))
        for _ in range(3):
            shoe.whole(rounds=70)
        agrees(table, shoe)
        ends_well(table)


@pytest.mark.parametrize(
    "how", [pytest.param("nobody listens", marks=pytest.mark.soak), "nobody answers"]
)
def test_it_ends_in_time_while_it_looks_for_its_shoe(tmp_path: Path, how: str) -> None:
    with ListeningTable(tmp_path, how) as table:
        table.server.accept()
        table.say(b"\x05")
        held = []
        table.server.hang_up()
        table.server.away()
        if how == "nobody answers":  # a connection takes seconds, and comes to nothing
            full = socket.create_server(("127.0.0.1", table.server.port), backlog=0)
            held.append(full)
            for _ in range(3):
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex(full.getsockname())
                held.append(one)
        time.sleep(1.5)
        table.stop()
        for each in held:
            each.close()
