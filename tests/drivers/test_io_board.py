"""I/O boards: the page's bytes, what a session makes of answers, and boards that misbehave.

The other end is hwsim's, in memory and in virtual time; it shares no line with the driver.
"""

import os
import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.io_board.asks import Answer, Ask, Changed, Refusal
from drivers.io_board.modbus import Modbus, crc16
from drivers.io_board.numato import Numato
from hwsim.faults import FaultPlan
from hwsim.io_board.board import LOCK, PINS, Board
from hwsim.io_board.modbus import ModbusWire
from hwsim.io_board.numato import NumatoWire
from hwsim.physical import PhysicalTable
from tablectl.hal import registry
from tablectl.hal.errors import BrokenDriver, CommandRefused
from tablectl.hal.kinds import (
    Command,
    Counters,
    DevicePlan,
    Ended,
    Identity,
    Reading,
    check_reading,
)
from tests.contract.boards import SENSORS
from tests.drivers.vectors import block, frames

MS = 1_000_000
WIRES: dict[str, Any] = {"modbus": ModbusWire, "numato": NumatoWire}


# ── bytes ──────────────────────────────────────────────────────────────────
def asked(meaning):
    """A line of the page as a request."""
    if found := re.fullmatch(r"set (\d+)(?: to (\d+))? (high|low)", meaning):
        pins = range(int(found[1]), int(found[2] or found[1]) + 1)
        return Ask("write", pins, (found[3] == "high",) * len(pins))
    if found := re.fullmatch(r"(inputs|outputs) (\d+) to (\d+)", meaning):
        return Ask(
            "inputs" if found[1] == "inputs" else "outputs", range(int(found[2]), int(found[3]) + 1)
        )
    return Ask(meaning)


@pytest.mark.parametrize(("meaning", "data"), frames("modbus", "io-board").items())
def test_the_modbus_requests_of_the_page(meaning, data):
    assert Modbus(1).request(asked(meaning)) == data


@pytest.mark.parametrize("line", block("numato", "io-board"))
def test_the_numato_requests_of_the_page(line):
    text, _, meaning = line.partition("#")
    assert Numato().request(asked(meaning.strip())).decode() == text.strip().replace("\\r", "\r")


def test_the_check_is_the_one_that_everybody_uses():
    assert crc16(b"123456789") == 0x4B37
    assert crc16(bytes.fromhex("01 05 00 00 FF 00 8C 3A")) == 0


def test_modbus_answers():
    wire = Modbus(1)
    ask = Ask("inputs", range(7))
    wire.request(ask)
    assert list(wire.feed(bytes.fromhex("01020105618B"))) == [
        Answer((True, False, True, False, False, False, False))
    ]
    wire.request(ask)
    assert list(wire.feed(bytes.fromhex("018202C161"))) == [Refusal("it has no such pin")]
    assert (wire.good, wire.bad) == (2, 0)


def test_a_modbus_write_is_done_only_when_its_own_pin_and_level_come_back():
    wire = Modbus(1)
    other = wire.request(Ask("write", range(3, 4), (True,)))
    mine = wire.request(Ask("write", range(3, 4), (False,)))
    assert list(wire.feed(other)) == []
    assert list(wire.feed(mine)) == [Answer()]


@pytest.mark.parametrize("end", ["\n\r", "\r\n", "\r"])
def test_numato_answers_whatever_ends_its_lines(end):
    wire = Numato()
    wire.request(Ask("inputs", range(4)))
    said = list(wire.feed(f"gpio readall{end}0005{end}># 0001 0000 00FF{end}>".encode()))
    assert said == [Answer((True, False, True, False)), Changed()]
    wire.request(Ask("inputs", range(17)))
    assert list(wire.feed(f"gpio readall{end}0005{end}>".encode())) == [
        Refusal("it has no such pin")
    ]


@given(st.lists(st.binary(max_size=40), max_size=12), st.sampled_from([Modbus(1), Numato()]))
@settings(max_examples=150, deadline=None)
def test_no_bytes_make_a_wire_raise_or_grow(pieces, wire):
    wire.request(Ask("inputs", range(7)))
    for piece in pieces:
        for said in wire.feed(piece):
            assert isinstance(said, Answer | Refusal | Changed)
    assert len(vars(wire).get("_buffer", b"")) < 64
    assert len(vars(wire).get("_line", b"")) < 64


# ── a session and a board in virtual time ──────────────────────────────────
class Bench:
    """The driver, the board, and a line between them that a test may damage."""

    def __init__(self, protocol, **options):
        table = PhysicalTable(random.Random(1))
        self.board = Board("bonus", table, FaultPlan())
        self.wire = WIRES.get(protocol, ModbusWire)(self.board)
        told = {"protocol": protocol, "sensors": SENSORS, "lock_output": LOCK, "cents": 500}
        self.plan = DevicePlan(
            "bonus", "progressive", "io_board", "/dev/x", options={**told, **options}
        )
        self.counters = Counters()
        self.driver = registry.make(self.plan, self.counters, os.urandom)
        self.now, self.n, self.heard = 0, 0, []
        self.damage = lambda data: data
        self.connect()

    def connect(self):
        self.session = self.driver.session()
        self.session.open(self.now)

    def run(self, ms):
        """Let time pass, a millisecond a step; both ends talk."""
        for _ in range(ms):
            self.now += MS
            heard = []
            wake = self.session.wake_ns
            if wake is not None and wake <= self.now:
                heard += self.session.tick(self.now)
            for answer in self.wire.receive(self.session.bytes_to_send()):
                heard += self.session.receive(self.damage(answer), self.now)
            while self.board.reports:
                self.board.reports.popleft()
                heard += self.session.receive(self.damage(self.wire.changed()), self.now)
            for each in heard:
                if isinstance(each, Reading):
                    assert check_reading("progressive", each) is None
            self.heard += heard
        return self

    def order(self, name, **args):
        self.n += 1
        self.session.send(Command("bonus", name, name == "lock", "b", self.n, args), self.now)

    def names(self):
        return [each.name for each in self.heard if isinstance(each, Reading)]


@pytest.fixture(params=sorted(WIRES))
def protocol(request):
    return request.param


def test_it_locks_before_it_is_online_whatever_state_the_board_is_in(protocol):
    bench = Bench(protocol)
    bench.board.outputs = [True] * PINS
    bench.run(100)
    assert bench.names() == ["online"]
    assert bench.board.locked
    assert not any(bench.board.lamps.values())


def test_numato_says_who_it_is():
    bench = Bench("numato").run(100)
    (who,) = [each for each in bench.heard if isinstance(each, Identity)]
    assert (who.serial, who.versions) == ("00004711", {"Firmware": "00000008"})


def test_a_chip_that_bounces_is_told_once(protocol):
    bench = Bench(protocol).run(200)
    bench.order("unlock")
    bench.run(50)
    for _ in range(9):
        bench.board.place(2)
        bench.run(7)
    bench.run(300)
    assert bench.names() == ["online", "unlocked", "accepted"]


def test_a_chip_that_lies_there_at_the_unlock_is_wagered_in_the_new_round(protocol):
    bench = Bench(protocol)
    bench.board.place(6)
    bench.run(300)
    assert bench.names() == ["online"]  # who knows since when
    bench.order("unlock")
    bench.run(100)
    assert bench.names() == ["online", "unlocked", "accepted"]


def test_a_chip_in_the_moment_of_the_lock_is_late(protocol):
    bench = Bench(protocol).run(200)
    bench.order("unlock")
    bench.run(100)
    bench.board.place(1)
    bench.run(20)  # less than debounce_ms
    bench.order("lock")
    bench.run(300)
    assert bench.names() == ["online", "unlocked", "locked", "late"]


def test_without_a_lock_output_the_driver_alone_refuses(protocol):
    bench = Bench(protocol, lock_output=-1).run(200)
    bench.order("unlock")
    bench.order("lock")
    bench.run(50)
    assert bench.names() == ["online", "locked"]
    bench.board.place(1)
    bench.run(300)
    assert bench.names() == ["online", "locked", "late"]
    assert not [pin for pin, _ in bench.board.writes if pin == LOCK]


def test_an_unlock_that_a_lock_overtakes_accepts_nothing(protocol):
    bench = Bench(protocol, lock_output=-1)
    bench.board.place(1)
    bench.run(300)
    bench.order("unlock")
    bench.order("lock")
    bench.run(300)
    assert bench.names() == ["online", "locked"]


def test_chips_that_pull_their_input_low(protocol):
    bench = Bench(protocol, chip_level="low")
    bench.board.inputs = [True] * PINS
    bench.run(200)
    bench.order("unlock")
    bench.run(100)
    bench.board.place(3)
    bench.run(300)
    assert bench.names() == ["online", "unlocked", "accepted"]


def test_a_lock_does_not_wait_for_a_look_that_is_not_answered(protocol):
    bench = Bench(protocol).run(200)
    bench.order("unlock")
    bench.run(100)
    bench.damage = lambda _: b""
    bench.run(60)
    bench.order("lock")
    bench.run(350)
    assert bench.board.locked
    assert "locked" not in bench.names()  # its answer is lost: nobody knows
    bench.damage = lambda data: data
    bench.run(700)
    assert bench.names()[-1] == "locked"
    assert bench.counters.commands_resent >= 1


def test_a_modbus_board_that_restarted_is_noticed_and_locked_again():
    bench = Bench("modbus").run(200)
    bench.order("unlock")
    bench.run(100)
    bench.board.power_cycle()
    bench.run(1500)
    (ended,) = [each for each in bench.heard if isinstance(each, Ended)]
    assert "restarted" in ended.what
    assert not ended.refused


def test_a_pin_that_is_not_there_is_refused_with_a_sentence(protocol):
    bench = Bench(protocol, sensors=[{"seat": 1, "input": 20}]).run(200)
    (ended,) = [each for each in bench.heard if isinstance(each, Ended)]
    assert ended.refused
    assert "no such pin" in ended.what


def test_silence_ends_it(protocol):
    bench = Bench(protocol).run(200)
    bench.damage = lambda _: b""
    bench.run(2500)
    (ended,) = [each for each in bench.heard if isinstance(each, Ended)]
    assert ended.what == "it was silent for 2000 ms"


def test_when_the_host_leaves_the_lock_is_its_last_word(protocol):
    bench = Bench(protocol).run(200)
    bench.order("unlock")
    bench.run(100)
    assert not bench.board.locked
    bench.session.close(bench.now)
    bench.wire.receive(bench.session.bytes_to_send())
    assert bench.board.locked


def test_a_lamp_that_is_not_there_is_refused(protocol):
    bench = Bench(protocol, sensors=[{"seat": 1, "input": 0}]).run(200)
    with pytest.raises(CommandRefused, match="no lamp"):
        bench.order("lamp", seat=1, wager="progressive", on=True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sensors": []}, "expected a list"),
        ({"sensors": [{"seat": 1}]}, "expected a list"),
        ({"sensors": [{"seat": 1, "input": 0}, {"seat": 1, "input": 1}]}, "expected a list"),
        ({"sensors": [{"seat": 1, "input": 0, "colour": 1}]}, "expected a list"),
        ({"sensors": [{"seat": 1, "input": 0, "lamp": 15}]}, "used twice"),
        ({"protocol": "numato", "sensors": [{"seat": 1, "input": 15}]}, "an input and an output"),
        ({"protocol": "numato", "sensors": [{"seat": 1, "input": 40}]}, "pins 0 to 31"),
        ({"protocol": "profibus"}, "expected what the board speaks"),
    ],
)
def test_pins_that_cannot_be_are_refused(options, sentence):
    with pytest.raises(BrokenDriver, match=sentence):
        Bench(**{"protocol": "modbus", **options})


def test_a_board_without_sensors_is_refused():
    plan = DevicePlan("bonus", "progressive", "io_board", "/dev/x")
    with pytest.raises(BrokenDriver, match="no sensor is named"):
        registry.make(plan, Counters(), os.urandom)


# ── damage ─────────────────────────────────────────────────────────────────
def damaged_run(protocol, rounds, seed):
    """Rounds with one answer in twenty damaged: what was told is what lay there.

    Returns the counters, and the bytes and the number of the answers that were damaged.
    """
    rng = random.Random(seed)
    bench = Bench(protocol, debounce_ms=200, poll_ms=20, lock_output=-1)
    damaged = []

    def hurt(data):
        if not data or rng.random() > 0.05:
            return data
        damaged.append(len(data))
        at = rng.randrange(len(data))
        return data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :]

    bench.damage = hurt
    bench.run(1500)
    wanted: list[tuple[str, int | None]] = []
    for _ in range(rounds):
        bench.order("unlock")
        bench.run(400)
        wanted.append(("unlocked", None))
        seat = rng.randrange(1, 8)
        for name in ("accepted", "withdrawn"):
            bench.board.place(seat)
            bench.run(1500)
            wanted.append((name, seat))
        bench.order("lock")
        bench.run(20)
        wanted.append(("locked", None))
        bench.board.place(seat)
        bench.run(1500)
        wanted.append(("late", seat))
        bench.board.place(seat)
        bench.run(1500)
    bench.damage = lambda data: data
    bench.run(1000)  # what was damaged last is dropped with the next request
    assert not [each for each in bench.heard if isinstance(each, Ended)], bench.heard[-1]
    readings = [each for each in bench.heard if isinstance(each, Reading)]
    assert [(each.name, each.args.get("seat")) for each in readings[1:]] == wanted
    assert {each.args["cents"] for each in readings if each.name == "accepted"} == {500}
    return bench.counters, sum(damaged), len(damaged)


def right(protocol, counters, damaged_bytes, damaged):
    """Modbus drops every damaged answer, and counts by eight bytes; Numato has no check, and what
    a damaged answer still says is believed only where it stands."""
    if protocol == "modbus":
        assert counters.frames_bad == -(-damaged_bytes // 8)
    else:
        assert damaged / 4 < counters.frames_bad < 3 * damaged


def test_damaged_answers_move_nothing(protocol):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    counters, damaged_bytes, damaged = damaged_run(protocol, 3, seed)
    right(protocol, counters, damaged_bytes, damaged)
    assert damaged > 10
    assert counters.frames_good > 300


@pytest.mark.soak
def test_damaged_answers_move_nothing_for_long(protocol):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    counters, damaged_bytes, damaged = damaged_run(protocol, 700, seed)
    right(protocol, counters, damaged_bytes, damaged)
    assert counters.frames_good + damaged > 100_000
