"""Frames of every other family, one in twenty damaged: right counters, nothing wrong told.

100,000 of them in the soak, some thousands in a quick run. The other ends are the tests' own, and
so is every judgement of what a damaged frame still says. Shoes that read: test_shoe_soak.py.
"""

import random
import struct
from collections import Counter

import pytest

from hwsim.usb.buttons import BigRedButton, KeyButton
from hwsim.usb.scanner import KEYS, Scanner
from tablectl.cards import DECK
from tests.contract.device import unstuff
from tests.drivers.usb_wire import Wire as UsbWire
from tests.drivers.wire import Wire

SHORT, FULL = 4000, 100_000
DAMAGED = 1 / 20
RUNS = [(SHORT, 1), *(pytest.param(FULL, seed, marks=pytest.mark.soak) for seed in range(3))]


# ── tablelink: CRC-32, numbered frames, reports repeated until they are taken ──
class BadLine:
    """Hurts one frame in twenty by a bit that begins no other frame, and counts on its own."""

    def __init__(self, rng):
        self.rng = rng
        self.sent: Counter[str] = Counter()
        self.hurt: Counter[str] = Counter()
        self.events: list[int] = []  # the numbers of the reports that arrived whole

    def __call__(self, frame):
        if frame == b"\0":
            return [frame]
        way = "up" if self._type(frame) in (0x02, 0x04, 0x11, 0x20, 0x31) else "down"
        self.sent[way] += 1
        if self.rng.random() >= DAMAGED:
            raw = unstuff(frame[:-1])
            if way == "up" and raw[0] == 0x20:
                self.events.append(struct.unpack_from("<I", raw, 4)[0])
            return [frame]
        self.hurt[way] += 1
        at, bit = self.rng.choice(
            [(at, bit) for at in range(len(frame) - 1) for bit in range(8) if frame[at] != 1 << bit]
        )
        return [frame[:at] + bytes((frame[at] ^ 1 << bit,)) + frame[at + 1 :]]

    @staticmethod
    def _type(frame):
        raw = unstuff(frame.strip(b"\0"))
        return raw[0] if raw else None


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("frames", "seed"), RUNS)
def test_tablelink_tells_each_report_once_and_runs_each_command_once(frames, seed):
    rng = random.Random(f"tablelink {seed}")
    wire = Wire("shoe", seed=seed).connect().run(100)
    assert wire.online
    before = (wire.counters.frames_good, wire.counters.frames_lost)
    line = wire.channel = BadLine(rng)
    given, asked, taken = [], 0, 0
    while line.sent.total() < frames:
        asked += 1
        wire.order("dispense", stacks=1)
        wire.until(lambda: wire.device.allowed or not wire.connected)
        cards = bytes(rng.sample(range(52), 3))
        given.append(tuple(DECK[card] for card in cards))
        assert wire.device.stack(cards)
        if asked % 8 == 0:  # else the next order comes while this report is under way
            wire.until(lambda: not wire.device.kept)
        wire.until(lambda: len(wire.device.kept) < 8)
    wire.channel = lambda frame: [frame]
    wire.until(lambda: not wire.device.kept).run(600)
    assert wire.ended is None
    # What was told, in what order, and what was done.
    told = [reading.cards for reading in wire.readings if reading.name == "stack"]
    assert told == given
    assert not {"fault", "offline", "jam"} & set(wire.names())
    done = [ident for name, ident in wire.device.ran if name == "dispense"]
    assert len(done) == len(set(done)) == asked
    # What was counted.
    counters = wire.counters
    assert counters.frames_bad == line.hurt["up"] > frames // 100
    assert counters.frames_good - before[0] >= line.sent["up"] - line.hurt["up"]
    assert counters.frames_lost - before[1] == line.hurt["up"], "every one by the sender's count"
    taken = len(line.events) - len(set(line.events))
    assert counters.frames_repeated >= taken > 0
    assert counters.reports_lost == 0


# ── a polled button: no check, and a report says a state ───────────────────
@pytest.mark.parametrize(("frames", "seed"), RUNS)
def test_a_polled_button_is_pressed_only_where_a_report_says_so(frames, seed):
    rng = random.Random(f"polled {seed}")
    wire = UsbWire(BigRedButton("B-1"), "button", "hid_button")
    told = wire.counters.frames_good  # who it is, and the report that brought it online
    state = expected = 0
    bad = hidden = 0
    up_ns = None
    for _ in range(frames):
        wire.now_ns += 10_000_000
        status = rng.choices((0x17, 0x15, 0x16), (20, 4, 2))[0]
        report = bytes((status, 0, 0, 0, 0, 0, 0, 0))
        if rng.random() < DAMAGED:
            report = hurt(rng, report)
        if len(report) != 8 or not 0x15 <= report[0] <= 0x17:
            bad += 1
        else:
            told += 1
            hidden += (report[0] == 0x16) != (status == 0x16)
            down = report[0] == 0x16
            if down and not state:
                expected += up_ns is None or wire.now_ns - up_ns >= 50_000_000
            elif state and not down:
                up_ns = wire.now_ns
            state = down
        wire.take_report(report)
    assert wire.names.count("pressed") == expected > frames // 100
    assert set(wire.names) == {"online", "pressed"}
    assert (wire.counters.frames_good, wire.counters.frames_bad) == (told, bad)
    assert bad > frames // 40
    # A press restricts, so a false one is on the safe side; most damage is seen all the same.
    assert hidden < bad / 2


def hurt(rng, report):
    """A bit turned over, a byte lost or one too many."""
    match rng.randrange(3):
        case 0:
            at = rng.randrange(len(report))
            return report[:at] + bytes((report[at] ^ 1 << rng.randrange(8),)) + report[at + 1 :]
        case 1:
            return report[: rng.randrange(len(report))]
        case _:
            return report + rng.randbytes(1)


# ── a button that types a key ──────────────────────────────────────────────
@pytest.mark.parametrize(("frames", "seed"), RUNS)
def test_a_key_button_is_pressed_only_by_its_own_key(frames, seed):
    rng = random.Random(f"key {seed}")
    wire = UsbWire(KeyButton("K-1"), "button", "hid_button", options={"usage": 0x28})
    down, pressed, bad, told = False, 0, 0, wire.counters.frames_good
    for n in range(frames):
        wire.now_ns += 60_000_000
        report = bytes((0, 0, 0x28 if n % 2 else 0, 0, 0, 0, 0, 0))
        if rng.random() < DAMAGED:
            report = hurt(rng, report)
        if len(report) != 8:
            bad += 1
        else:
            told += 1
            keys = set(report[2:]) - {0}
            if not keys & {1, 2, 3}:  # an error says nothing of the keys
                pressed += 0x28 in keys and not down
                down = 0x28 in keys
        wire.take_report(report)
    assert wire.names.count("pressed") == pressed > frames // 3
    assert set(wire.names) == {"online", "pressed"}
    assert (wire.counters.frames_good, wire.counters.frames_bad) == (told, bad)


# ── a scanner: no check in its reports, so the site's codes need one ───────
def code(number):
    """Four digits, the last of which makes their sum weighed 1, 3, 1, 3 a multiple of ten."""
    digits = [number // 100 % 10, number // 10 % 10, number % 10]
    weighed = digits[0] + 3 * digits[1] + digits[2]
    return "".join(map(str, [*digits, -weighed * 7 % 10]))


CODES = {code(100 + 7 * n): card for n, card in enumerate(DECK)}


@pytest.mark.parametrize(("frames", "seed"), RUNS)
def test_no_damage_makes_a_scanned_card_another_card(frames, seed):
    """One damaged report a code at most: more may make another code, which nothing can tell."""
    assert len(CODES) == 52
    rng = random.Random(f"scan {seed}")
    wire = UsbWire(
        Scanner("S-1"), "shoe", "barcode_reader", options={"codes": CODES, "repeat_ms": 0}
    )
    sent = whole = bad = 0
    missed = told_wrong = good = 0
    while sent < frames:
        text = rng.choice(sorted(CODES))
        reports = [r for sign in (*text, "enter") for r in (key(sign), bytes(8))]
        at = rng.randrange(len(reports)) if rng.random() < DAMAGED * len(reports) else None
        if at is not None:
            reports[at] = hurt(rng, reports[at])
            bad += len(reports[at]) != 8
        sent += len(reports)
        before, counted = len(wire.heard), wire.counters.frames_good
        for report in reports:
            wire.now_ns += 5_000_000
            wire.take_report(report)
        good += wire.counters.frames_good - counted
        wire.pass_ms(700)  # what broke off is given up
        told = wire.readings_since(before)
        cards = [reading.cards[0] for reading in told if reading.name == "card"]
        if at is None:
            assert cards == [CODES[text]]
            assert [reading.name for reading in told] == ["card"]
            whole += 1
            continue
        assert set(cards) <= {CODES[text], None}, f"{text} was hurt, and is another card"
        told_wrong += cards == [None]
        missed += not cards
        if not cards:
            assert "gap" in {reading.name for reading in told}, "nobody knows that a card passed"
    assert whole > frames // 50
    assert missed > 0
    assert told_wrong > 0
    assert good == sent - bad
    assert wire.counters.frames_bad >= bad > frames // 60


def key(sign):
    modifiers, usage = (0, 0x28) if sign == "enter" else KEYS[sign]
    return bytes((modifiers, 0, usage, 0, 0, 0, 0, 0))
