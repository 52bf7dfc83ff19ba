"""Whole shoes through driver and table, in one process: told exactly, whatever the line does.

The shoe and the truth are of the tests' own (angel_eye_shoe.py); nothing of hwsim is used.
"""

import os
import random
from dataclasses import replace
from typing import Any

import pytest

from drivers.angel_eye.driver import AngelEye
from tablectl.hal import registry
from tablectl.hal.kinds import Counters, DevicePlan, Reading, check_reading
from tablectl.journal.codec import StateCodec
from tablectl.table.state import State
from tablectl.table.table import Table
from tests.drivers.angel_eye_shoe import (
    BANKER,
    BURN,
    DECK,
    NOISY,
    PLAYER,
    WINNERS,
    Shoe,
    Style,
    differ,
    frame,
    heard,
    points,
    result,
    thirds,
    told,
    winner,
)
from tests.table.midi.pit import setup
from tests.table.pit import Pit

PLAN = DevicePlan("shoe", "shoe", "angel_eye", "socket://127.0.0.1:1", read_only=True)
LEFT_OUT = ("table.restarted", "device.online", "device.offline")


def made(counters: Counters) -> AngelEye:
    driver = registry.make(PLAN, counters, os.urandom)
    assert isinstance(driver, AngelEye)
    return driver


class Listened(Pit):
    """A table that listens to a driver: a `Line` for a shoe."""

    def __init__(self) -> None:
        super().__init__(setup=setup())
        self.counters = Counters()
        self.links = 0
        self.start()
        self._begin("")

    def _begin(self, mark: str) -> None:
        self.driver = made(self.counters)
        self.driver.resume(mark)
        self._connect()

    def _connect(self) -> None:
        self.links += 1
        self.session = self.driver.session()
        self.session.open(0)
        self._hear(self.session.tick(0))

    def _hear(self, readings: Any) -> None:
        for reading in readings:
            assert isinstance(reading, Reading)
            assert check_reading("shoe", reading) is None
            args = {**reading.args, "mark": reading.mark} if reading.mark else reading.args
            self.device("shoe", reading.name, reading.cards, **args)
        assert self.session.bytes_to_send() == b""

    # ── the line ──
    def say(self, data: bytes) -> None:
        self._hear(self.session.receive(data, 0))

    def drop(self) -> None:
        self.session.close(0)
        self.device("shoe", "offline", what="the other side closed the link")
        self._connect()

    def kill(self, away_ms: int = 3000) -> None:
        """kill -9 of the whole daemon: what is left is what the record says."""
        text = StateCodec(State).encode(self.state)
        self.table = Table(StateCodec(State).decode(text))
        self.mono_ns += away_ms * 1_000_000
        self.utc_ns += away_ms * 1_000_000
        self.start()
        mark = self.state.device("shoe").mark
        self._begin(mark.text if mark else "")

    # ── looking back ──
    def said(self) -> list[tuple[str, Any]]:
        return [(event.type, event.data) for event in self.events]

    def agrees(self, shoe: Shoe) -> None:
        shoe.flush()
        assert not (wrong := differ(heard(self.said()), shoe.expected)), wrong
        assert not self.commands

    def flagged(self, number: int | None) -> list[str]:
        """The irregularities of a round."""
        found = [e for e in self.events if e.type.startswith("irregularity.")]
        return [e.type.removeprefix("irregularity.") for e in found if e.data["round"] == number]


def at_play(seed: object, style: Style | None = None, hands: int = 2) -> tuple[Listened, Shoe]:
    table = Listened()
    shoe = Shoe(table, seed, style)
    shoe.boot()
    shoe.new_decks()
    for _ in range(hands):
        shoe.hand()
    return table, shoe


STYLES = {
    "plain": Style(copies=1),
    "copies": Style(copies=4),
    "noisy": NOISY,
    "byte by byte": replace(NOISY, pieces="bytes"),
    "cut anywhere": replace(NOISY, pieces="random"),
    "many at once": replace(NOISY, pieces="merged"),
    "dropped links": replace(NOISY, dropped=0.05, cut=0.03),
    "killed": Style(killed=0.05, noise=0.1),
}  # fmt: skip


@pytest.mark.parametrize("name", STYLES)
def test_a_shoe_is_told_exactly(name: str) -> None:
    table = Listened()
    shoe = Shoe(table, name, STYLES[name])
    shoe.whole(rounds=9)
    table.agrees(shoe)
    wanted = {"dropped": table.links > 5, "killed": shoe.happened["killed"] > 2}
    assert all(true for what, true in wanted.items() if getattr(STYLES[name], what))


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize("seed", range(5))
def test_two_whole_shoes_are_told_exactly(name: str, seed: int) -> None:
    table = Listened()
    shoe = Shoe(table, f"{name} {seed}", STYLES[name])
    shoe.whole()
    shoe.whole()
    assert shoe.rounds > 120
    table.agrees(shoe)


# ── the cutting card (MIDI 9.D) ────────────────────────────────────────────
@pytest.mark.parametrize("cover", [0, 1, 2, 3, 4, 5])
def test_9d_wherever_the_cutting_card_comes(cover: int) -> None:
    for seed in range(6):  # with and without third cards
        table, shoe = at_play(f"{cover} {seed}")
        while not shoe.ending:
            shoe.hand(cover=cover)
        while shoe.ending != "over":
            shoe.hand()
        table.agrees(shoe)


class Covering(Shoe):
    """Its cutting card comes before the next report of a kind."""

    before = b""

    def tell(self, body: bytes, lost: bool = False) -> None:
        if self.before and body.startswith(self.before):
            self.before = b""
            self.cover()
        super().tell(body, lost)


def test_9d_between_the_result_and_the_stand_by() -> None:
    """No card of a hand is out: it belongs to the next one."""
    table = Listened()
    shoe = Covering(table, 1)
    shoe.boot()
    shoe.new_decks()
    shoe.before = b"P"
    shoe.hand()
    assert shoe.ending == "this"
    shoe.hand()
    shoe.hand()
    assert shoe.ending == "over"
    table.agrees(shoe)


def test_9d_the_bottom_cutting_card_in_the_last_hand() -> None:
    table, shoe = at_play(2)
    shoe.hand(cover=1)
    shoe.hand(cover=2)
    assert shoe.ending == "over"
    table.agrees(shoe)


def test_9d_during_the_burn_is_flagged_and_ends_the_shoe_all_the_same() -> None:
    table = Listened()
    shoe = Covering(table, 3)
    shoe.boot()
    shoe.before = told(b"D", BURN, 1, None)[:2]
    shoe.new_decks()
    at = shoe.expected.index(("burned", "burn/2", None))
    shoe.expected.insert(at, ("irregularity", "wrong_order", None))
    assert shoe.ending == "this"
    shoe.hand()
    shoe.hand()
    assert shoe.ending == "over"
    table.agrees(shoe)


def after_the_end(shoe: Shoe) -> None:
    """A card although the decks were due to be replaced: flagged, and no round."""
    card = shoe.next()
    shoe.tell(told(b"D", PLAYER, 1, card))
    shoe.expected += [
        ("dealt", None, f"aside/{shoe.dealt}"), ("irregularity", "drawn_in_error", None),
    ]  # fmt: skip


@pytest.mark.parametrize("before", ["nothing", "boot", "boots", "cover"])
def test_3b_no_round_is_opened_until_new_decks(before: str) -> None:
    """A shoe that was only switched off and on holds the decks that it had."""
    table, shoe = at_play(before)
    shoe.hand(cover=1)
    shoe.hand()
    for _ in range(("nothing", "boot", "boots").index(before) if before != "cover" else 0):
        shoe.boot()
    if before == "cover":
        shoe.tell(b"C")
    after_the_end(shoe)
    shoe.new_decks()
    shoe.hand()
    shoe.hand(cover=0)
    shoe.hand()
    after_the_end(shoe)
    table.agrees(shoe)
    assert [e.data["was"] for e in table.named("deck.changed")] == ["shoe-1"]


@pytest.mark.parametrize("hands", [0, 1])
def test_9d_a_shoe_that_boots_between_cutting_card_and_last_hand_still_has_its_end(
    hands: int,
) -> None:
    table, shoe = at_play(hands)
    shoe.cover()
    for _ in range(hands):
        shoe.hand()
    shoe.boot()
    while shoe.ending != "over":
        shoe.hand()
    shoe.boot()
    after_the_end(shoe)
    table.agrees(shoe)


def test_decks_that_are_changed_before_their_end() -> None:
    table, shoe = at_play(5)
    shoe.boot()
    shoe.new_decks()
    shoe.hand(cover=3)
    shoe.new_decks()  # between "last hand" and that hand
    shoe.hand()
    shoe.hand()
    table.agrees(shoe)


# ── the shoe's own result ──────────────────────────────────────────────────
def test_a_result_that_differs_is_flagged_and_the_cards_decide() -> None:
    table, shoe = at_play(6, NOISY)
    for n in range(12):
        match n % 4:
            case 0:
                shoe.hand(claims=shoe.rng.choice(sorted(WINNERS)))
            case 1:
                shoe.hand(pairs=shoe.rng.choice((1, 2)))
            case 2:
                shoe.hand(forced=True)
            case _:
                shoe.hand()
    table.agrees(shoe)


# ── what is lost is never settled over ─────────────────────────────────────
def rounds_to_come(shoe: Shoe, count: int) -> list[Any]:
    """Rounds as reports, with what lies there: `(reports, player, banker)`."""
    out = []
    for _ in range(count):
        player: list[str] = []
        banker: list[str] = []
        reports: list[bytes] = []
        due = ["P", "B", "P", "B"]
        while due:
            side = due.pop(0)
            cards = player if side == "P" else banker
            cards.append(shoe.next())
            reports.append(told(b"D", PLAYER if side == "P" else BANKER, len(cards), cards[-1]))
            if len(reports) == 4:
                due = thirds(player, banker, shoe.cards[-1])
        pairs = (player[0][0] == player[1][0]) | (banker[0][0] == banker[1][0]) << 1
        reports.append(result(WINNERS[winner(player, banker)], pairs))
        out.append((reports, player, banker))
    return out


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.soak) for n in range(1, 40))]
)
@pytest.mark.parametrize("how", ["every copy damaged", "while the link was away"])
def test_a_round_with_a_lost_report_is_flagged_and_no_other(seed: int, how: str) -> None:
    """One to four reports in a row are lost anywhere, the end of a round and the next one's
    beginning included."""
    print(f"seed {seed}")
    table, shoe = at_play(f"{how} {seed}", Style(damaged=0.1, noise=0.1), hands=0)
    truths = rounds_to_come(shoe, 40 if seed else 20)
    plan = [(n, r) for n, (reports, *_) in enumerate(truths) for r in (*reports, b"P")]
    lost: set[int] = set()
    at = 3
    while at < len(plan) - 20:
        at += shoe.rng.randint(15, 30)
        lost |= set(range(at, at + shoe.rng.randint(1, 4)))
    short, known = set(), set()
    for at, (n, report) in enumerate(plan):
        if at in lost and at - 1 not in lost and how == "while the link was away":
            table.drop()
        shoe.tell(report, lost=at in lost)
        if at in lost and report != b"P":
            short.add(n)
        elif report[:1] == b"D":
            known.add(n)
    shoe.flush()
    settled = {e.data["round"]: e.data for e in table.named("round.settled")}
    assert len(short & known) > 1
    for number, n in enumerate(sorted(known), 1):
        if n in short:
            assert number not in settled, f"round {number} is settled over a lost card"
            assert "sequence_gap" in table.flagged(number)
        else:
            _, player, banker = truths[n]
            assert (settled[number]["player"], settled[number]["banker"]) == (player, banker)
            assert table.flagged(number) == []
    assert [e.data["round"] for e in table.named("round.opened")] == list(range(1, len(known) + 1))


ODD = {
    "another card for a filled place": ("duplicate_card", False),
    "the same card for a filled place": ("duplicate_card", False),
    "not read": ("unreadable_card", False),
    "restarted": ("sequence_gap", False),
    "a place that there is not": ("sequence_gap", False),
    "out of order": ("wrong_order", True),
    "burned": ("drawn_in_error", True),
    "outside the game": ("drawn_in_error", True),
}  # fmt: skip


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.soak) for n in range(1, 20))]
)
def test_an_odd_report_is_flagged_in_its_round_and_no_other_is_touched(seed: int) -> None:
    print(f"seed {seed}")
    table, shoe = at_play(f"odd {seed}", Style(damaged=0.1, noise=0.1), hands=0)
    odd = {1 + 2 * n: what for n, what in enumerate(shoe.rng.sample(list(ODD), len(ODD)))}
    truths = rounds_to_come(shoe, 2 * len(ODD) + 1)
    for n, (reports, *_) in enumerate(truths):
        begin = list(reports)
        if n in odd:
            begin = oddly(shoe, odd[n], begin)
        for report in (*begin, b"P"):
            shoe.tell(report)
    shoe.flush()
    settled = {e.data["round"]: e.data for e in table.named("round.settled")}
    for n, (_, player, banker) in enumerate(truths):
        kind, stands = ODD[odd[n]] if n in odd else ("", True)
        assert table.flagged(n + 1)[:1] == [kind] * bool(kind), odd.get(n)
        assert (n + 1 in settled) == stands, odd.get(n)
        if stands:
            assert settled[n + 1]["points"] == {
                "player": points(player), "banker": points(banker),
            }  # fmt: skip
    assert len(table.named("round.opened")) == len(truths)


def oddly(shoe: Shoe, what: str, reports: list[bytes]) -> list[bytes]:
    """A round's reports with one oddity in them, never among its first."""
    at = shoe.rng.randint(1, 3)
    before, after, old = reports[:at], reports[at:], reports[at - 1]
    stray = shoe.next()
    match what:
        case "another card for a filled place":
            other = next(c for c in DECK if told(b"D", 0, 0, c)[2:] != old[2:])
            return [*before, old[:2] + told(b"D", 0, 0, other)[2:], *after]
        case "the same card for a filled place":
            return [*before, old, *after]
        case "not read":
            return [*before, after[0][:2] + b"\x80", *after[1:]]
        case "restarted":
            return [*before, b"S"]
        case "a place that there is not":
            return [*before, told(b"D", PLAYER, 4, stray), *after]
        case "out of order":
            return [reports[1], reports[0], *reports[2:]]
        case "burned":
            return [*before, told(b"D", BURN, 1, stray), *after]
        case "outside the game":
            return [*before, told(b"d", 1, 1, stray), *after]
    raise AssertionError(what)


# ── the daemon dies in the middle of it ────────────────────────────────────
def test_a_kill_costs_nothing_at_any_report_and_any_copy() -> None:
    """The record says up to where the shoe was heard: copies are dropped, nothing is missed."""
    for at in range(1, 14):
        table, shoe = at_play(at, hands=1)
        count = [0]
        say = table.say

        def counted(data: bytes, table=table, count=count, at=at, say=say) -> None:
            say(data)
            count[0] += 1
            if count[0] == at:
                table.kill()

        shoe.style = Style(copies=2)
        table.say = counted  # type: ignore[method-assign]
        shoe.hand()
        table.agrees(shoe)


@pytest.mark.parametrize("away_ms", [3000, 60_000])
def test_what_was_told_while_it_was_dead_is_missing(away_ms: int) -> None:
    """In a longer absence ten reports could pass unheard: the same number says nothing then."""
    table, shoe = at_play(7)
    [(reports, *_)] = rounds_to_come(shoe, 1)
    for report in reports[:2]:
        shoe.tell(report)
    shoe.flush()
    table.kill(away_ms)
    for n, report in enumerate([*reports[2:], b"P"]):
        shoe.tell(report, lost=n == 0 and away_ms < 15_000)
    shoe.flush()
    assert "sequence_gap" in table.flagged(3)
    assert 3 not in {e.data["round"] for e in table.named("round.settled")}
    shoe.rounds = 3
    shoe.hand()
    assert table.last("round.settled").data["round"] == 4


def test_an_error_stands_through_a_kill() -> None:
    table, shoe = at_play(8)
    shoe.tell(b"E\xc2")
    table.kill()
    assert table.named("device.fault")[-1].data["said"] == "fault"
    shoe.tell(b"e\x82")
    assert [e.type for e in table.events if e.type in ("device.fault", "device.cleared")] == [
        "device.fault", "device.fault", "device.cleared",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "mark", ["", "x", "3D81", "3D81/Z", "\x003D81/", "AD81/", "3D/" + "02," * 40]
)
def test_a_mark_that_makes_no_sense_is_no_mark(mark: str) -> None:
    driver = made(Counters())
    driver.resume(mark)
    session = driver.session()
    session.open(0)
    session.tick(0)
    readings = session.receive(frame(4, told(b"D", PLAYER, 2, "AS")), 0)
    assert [r.name for r in readings if isinstance(r, Reading)] == ["gap", "card"]


def test_a_mark_holds_no_card() -> None:
    table, shoe = at_play(9)
    marks = set()
    for card in random.Random(1).sample(DECK, 20):
        driver = made(Counters())
        session = driver.session()
        session.open(0)
        session.receive(frame(0, b"S"), 0)
        [reading] = session.receive(frame(1, told(b"D", PLAYER, 1, card)), 0)
        assert isinstance(reading, Reading)
        marks.add(reading.mark)
    assert marks == {"1D81/"}
    assert table.state.device("shoe").mark.text == f"{(shoe.seq - 1) % 10}P/"
