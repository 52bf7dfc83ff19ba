"""Frames of a reading shoe, one in twenty damaged: right counters, and no wrong card.

100,000 of them in the soak, some thousands in a quick run.

The frames and the oracle are written here, from the pages, and borrow nothing from the codecs.
"""

import os
import random
from dataclasses import dataclass, field

import pytest

from tablectl.cards import DECK
from tablectl.hal import registry
from tablectl.hal.kinds import Counters, DevicePlan, Reading

SHORT, FULL = 8000, 100_000
DAMAGED = 1 / 20
RUNS = [(SHORT, 6), *(pytest.param(FULL, seed, marks=pytest.mark.soak) for seed in range(10))]
SUITS = {"D": 1, "C": 2, "S": 3, "H": 4}
RANKS = "A23456789TJQK"
LENGTHS = {b"S": 3, b"P": 3, b"D": 5}  # from the number to ETX


@dataclass
class Truth:
    """What was sent, and what must come of it."""

    told: list = field(default_factory=list)  # (name, card), gaps included
    good: int = 0
    repeated: int = 0
    lost: int = 0


def frame(seq, body):
    text = str(seq % 10).encode() + body + b"\x03"
    check = 0
    for byte in text:
        check ^= byte
    return b"\x05" + text + b"%02X" % check


def damaged(rng, data):
    """One byte becomes another, an answer aside: what an XOR always finds."""
    at = rng.randrange(len(data))
    byte = rng.choice([byte for byte in range(256) if byte not in (0x06, 0x15, data[at])])
    return data[:at] + bytes([byte]) + data[at + 1 :]


def angel_eye(rng, frames, stream, truth):
    """Reports, each up to three times; a report whose every copy is damaged leaves a gap."""
    count, seq, gap = 0, 0, False
    stream.append(frame(0, b"S"))
    truth.told.append(("started", None))
    truth.good += 1
    while count < frames:
        seq += 1
        card, place = rng.choice(DECK), rng.choice((0x81, 0x82, 0x83, 0x91, 0x92, 0x93))
        byte = 0x80 | SUITS[card[1]] << 4 | RANKS.index(card[0]) + 1
        whole = frame(seq, bytes((0x44, place, byte)))
        copies = [rng.random() < DAMAGED for _ in range(rng.randint(1, 3))]
        count += len(copies)
        stream += [damaged(rng, whole) if bad else whole for bad in copies]
        arrived = copies.count(False)
        truth.good += arrived
        truth.repeated += max(0, arrived - 1)
        if not arrived:
            truth.lost += 1
            gap = True
            continue
        truth.told += [("gap", None)] * gap + [("card", card)]
        gap = False
    stream.append(frame(seq + 1, b"P"))  # closes what may be open
    truth.good += 1
    truth.told += [("gap", None)] * gap + [("standby", None)]


def bad_by_the_page(stream):
    """One for each ENQ that begins no good frame, one for what follows a good one."""
    bad = 0
    first, *pieces = stream.split(b"\x05")
    bad += bool(first)
    for piece in pieces:
        end = piece.find(b"\x03")
        body, check, rest = piece[: end + 1], piece[end + 1 : end + 3], piece[end + 3 :]
        wanted = 0
        for byte in body:
            wanted ^= byte
        if len(body) != LENGTHS.get(body[1:2]) or check != b"%02X" % wanted:
            bad += 1
        else:
            bad += bool(rest)
    return bad


def listen(driver, stream, rng):
    """Feed a stream to a driver, cut at random; a link now and then breaks between frames."""
    counters = Counters()
    plan = DevicePlan("shoe", "shoe", driver, "/dev/x", read_only=True)
    made = registry.make(plan, counters, os.urandom)
    session = made.session()
    session.open(0)
    session.tick(0)
    told = []
    at = 0
    while at < len(stream):
        size = rng.randint(1, 200)
        for heard in session.receive(stream[at : at + size], 0):
            assert isinstance(heard, Reading)
            told.append((heard.name, heard.cards[0] if heard.cards else None))
        assert session.bytes_to_send() == b""
        at += size
    return told, counters


@pytest.mark.parametrize(("frames", "seed"), RUNS)
def test_an_angel_eye_shoe_on_a_bad_line(frames, seed):
    rng = random.Random(seed)
    stream: list[bytes] = []
    truth = Truth()
    angel_eye(rng, frames, stream, truth)
    data = b"".join(stream)
    told, counters = listen("angel_eye", data, rng)
    assert told == truth.told
    assert truth.lost > frames // 200
    assert counters == Counters(
        frames_good=truth.good,
        frames_bad=bad_by_the_page(data),
        frames_repeated=truth.repeated,
        frames_lost=truth.lost,
    )


@pytest.mark.parametrize(("frames", "seed"), RUNS)
def test_a_bee_tek_shoe_on_a_bad_line(frames, seed):
    """It has no check: damage hides where a card becomes another card, and nowhere else. What
    becomes of such a card is the table's to see: order, place and deck."""
    rng = random.Random(seed)
    lines = []
    truth: list = []
    bad = hidden = split = 0
    for _ in range(frames):
        card = rng.choice(DECK)
        whole = b"[Game]<Card:%b>\r\n" % card.encode()
        if rng.random() < DAMAGED:
            at = rng.randrange(len(whole) - 2)
            whole = (
                whole[:at] + bytes([whole[at] ^ 1 << rng.choice((0, 2, 6, 7))]) + whole[at + 1 :]
            )
            other = whole[12:14].decode("latin-1")
            if at in (12, 13) and other in DECK:
                hidden += 1
                truth.append(("card", other))
            else:
                bad += 1
                split += whole[at] == 0x0A  # one bad line becomes two
                truth += [] if truth and truth[-1][0] == "gap" else [("gap", None)]
        else:
            truth.append(("card", card))
        lines.append(whole)
    told, counters = listen("bee_tek", b"".join(lines), rng)
    assert told == (truth[1:] if truth[0][0] == "gap" else truth)  # `online` told one already
    assert counters == Counters(frames_good=frames - bad, frames_bad=bad + split)
    assert 0 < hidden < bad / 5
