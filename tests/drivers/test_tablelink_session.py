"""tablelink's host side: the page's handshake, bad lines, orders that run as often as allowed."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from drivers.tablelink.driver import TableLink
from drivers.tablelink.words import order, wire_boot
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import (
    Card,
    Command,
    Counters,
    DevicePlan,
    Ended,
    Identity,
    Reading,
    Token,
    check_reading,
)
from tests.drivers.vectors import vectors
from tests.drivers.wire import MS, EveryFifthLost, Faults, Wire, nothing, perfect

VECTORS = {name: wire for name, (_, wire) in vectors().items()}
SHOE = DevicePlan("shoe", "shoe", "tablelink", "/dev/null")
NONCE = bytes(range(0xA0, 0xB0))


def session(plan=SHOE, boot=0x1234ABCD, event=6):
    driver = TableLink(plan, Counters(), lambda size: NONCE[:size])
    driver._memory.boot, driver._memory.event = boot, event
    made = driver.session()
    made.open(0)
    return made


def ready(plan=SHOE):
    """A session that the page's vectors brought online; the STATE says that 7 and 8 are to come."""
    made = session(plan, event=8)
    made.receive(VECTORS["WELCOME"] + VECTORS["STATE"], MS)
    made.bytes_to_send()
    return made


# ── the page ───────────────────────────────────────────────────────────────
def test_the_handshake_is_the_one_of_the_page():
    it = session()
    assert it.bytes_to_send() == b"\0" + VECTORS["HELLO"]
    [who] = it.receive(VECTORS["WELCOME"], MS)
    assert who == Identity(
        "shoe", "SH-000117", "Example Shoe", {"CardRec": "4.0.018", "Main": "2.1"}, "1234abcd",
        frozenset({"reads_cards", "takes_hold"}),
    )  # fmt: skip
    assert it.bytes_to_send() == VECTORS["START"]
    assert it.receive(VECTORS["STATE"], 2 * MS) == []  # reports 7 and 8 are still to come


def test_the_proofs_are_those_of_the_page():
    plan = replace(SHOE, key=bytes(range(32)))
    it = session(plan)
    it.bytes_to_send()
    [who] = it.receive(VECTORS["WELCOME_PROOF"], MS)
    assert isinstance(who, Identity)
    assert who.proved
    assert it.bytes_to_send() == VECTORS["START_PROOF"]
    for answer, key in (("WELCOME", bytes(range(32))), ("WELCOME_PROOF", bytes(32))):
        [end] = session(replace(SHOE, key=key)).receive(VECTORS[answer], MS)
        assert isinstance(end, Ended)
        assert end.refused == "proof"
        assert "key" in end.what


def test_the_game_mode_is_told_with_the_identity():
    made = session(replace(SHOE, kind="shuffler"))
    [who] = made.receive(VECTORS["WELCOME_MODE"], MS)
    assert isinstance(who, Identity)
    assert (who.kind, who.game_mode) == ("shuffler", "Three Card Baccarat")
    assert who.capabilities == {"counts_cards", "two_decks", "recognises_cards"}


READINGS: dict[str, Reading | None] = {
    "EVENT_FAULT": Reading("fault", {"what": "cover open (rear cover)"}),
    "EVENT_CLEARED": Reading("cleared"),
    "EVENT_JAM": Reading("jam", {"age_ms": 1200}),
    "EVENT_SHUFFLE_STARTED": Reading("shuffle_started"),
    "EVENT_SHUFFLE_DONE": Reading("shuffle_done", {"count": 52}),
    "EVENT_SHUFFLE_DONE_UNCOUNTED": Reading("shuffle_done", {"count": None}),
    "EVENT_STACK": Reading("stack", {"dispensed": 4}, (Card("AC"), Card("TD"), Card("KS"))),
    "EVENT_STACK_UNREADABLE": Reading("stack", {"dispensed": 5}, (Card("AC"), None, Card("KS"))),
    "EVENT_HELD": Reading("held"),
    "EVENT_LOCKED": Reading("locked"),
    "EVENT_UNLOCKED": Reading("unlocked"),
    "EVENT_PRESSED": Reading("pressed", {"button": 1}),
    "EVENT_MODE": None,  # an identity, told apart below
    "EVENT_SHUFFLE_DONE_RECOGNISED": Reading(
        "shuffle_done", {"compartment": 2, "count": 52, "distinct": 51}
    ),
    "EVENT_CARD": Reading(
        "card", {"dispensed": 7, "place": "seat/3/1", "mode": "game"}, (Card("TD"),)
    ),
    "EVENT_CARD_UNREADABLE": Reading(
        "card", {"dispensed": 8, "place": "dealer/2", "mode": "game"}, (None,)
    ),
    "EVENT_CARD_OUTSIDE": Reading("card", {"dispensed": 9, "mode": "outside"}, (Card("KS"),)),
    "EVENT_COVER_CARD": Reading("cover_card"),
    "EVENT_STANDBY": Reading("standby"),
    "EVENT_STARTED": Reading("started"),
    "EVENT_RESULT": Reading("result", {"winner": "tie", "player_pair": False, "banker_pair": True}),
    "EVENT_RELEASED": Reading("released"),
    "EVENT_ACCEPTED": Reading("accepted", {"seat": 5, "wager": "progressive", "cents": 500}),
    "EVENT_WITHDRAWN": Reading("withdrawn", {"seat": 5, "wager": "progressive"}),
    "EVENT_LATE": Reading("late", {"seat": 5, "wager": "progressive"}),
    "EVENT_BADGE": Reading("badge", {"token": Token("0004712938")}),
}
KIND_OF = {
    "shuffle": "shuffler", "locked": "progressive", "unlock": "progressive",
    "accept": "progressive", "withdr": "progressive", "late": "progressive", "pressed": "button",
    "badge": "badge_reader",
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in READINGS if READINGS[name]])
def test_a_report_becomes_a_reading_once(name):
    it = ready()
    it._memory.event = VECTORS_NUMBER[name] - 1
    assert it.receive(VECTORS[name], MS) == [READINGS[name]]
    assert it.receive(VECTORS[name], MS) == []
    reading = READINGS[name]
    assert reading is not None
    kind = next((v for k, v in KIND_OF.items() if reading.name.startswith(k)), "shoe")
    assert check_reading(kind, reading) is None


VECTORS_NUMBER = {name: number for number, name in enumerate(READINGS, 9)}


def test_the_acknowledgement_is_the_one_of_the_page():
    it = ready()
    it.receive(VECTORS["EVENT_FAULT"], MS)
    acked = it.bytes_to_send()
    assert len(acked) == len(VECTORS["ACK"])
    assert acked[5:9] == VECTORS["ACK"][5:9]  # the number; seq differs from the vector's


def test_another_game_mode_is_told_as_the_identity_anew():
    it = ready()
    it._memory.event = VECTORS_NUMBER["EVENT_MODE"] - 1
    [who] = it.receive(VECTORS["EVENT_MODE"], MS)
    assert isinstance(who, Identity)
    assert (who.serial, who.game_mode) == ("SH-000117", "Three Card Poker")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("COMMAND_RELEASE", Command("it", "release", False, "x", 47)),
        (
            "COMMAND_LAMP",
            Command("it", "lamp", False, "x", 48, {"seat": 5, "wager": "progressive", "on": True}),
        ),
        ("COMMAND_SHOW", Command("it", "show", False, "x", 49, {"sign": "open"})),
    ],
)
def test_an_order_is_the_one_of_the_page(name, command):
    frame = vectors()[name][0]
    made = order(command)
    assert made.to_bytes()[8:] == frame[4:-4][8:]  # the boot is a hash here


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("lamp", {"seat": 0, "wager": "progressive", "on": True}),
        ("lamp", {"seat": 256, "wager": "progressive", "on": True}),
        ("lamp", {"seat": 1, "wager": "", "on": True}),
        ("lamp", {"seat": 1, "wager": "w" * 25, "on": True}),
        ("lamp", {"seat": 1, "wager": "größe", "on": True}),
        ("show", {"sign": "disco"}),
        ("show", {}),
    ],
)
def test_an_order_that_no_device_can_take_is_refused(name, args):
    with pytest.raises(CommandRefused):
        order(Command("it", name, False, "b", 1, args))


# ── a good line ────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "kind", ["shuffler", "shoe", "progressive", "button", "indicator", "badge_reader"]
)
def test_online_tells_the_state(kind):
    wire = Wire(kind).connect().run(100)
    told: dict[str, Any] = {
        "shoe": {"dispensed": 0},
        "progressive": {"locked": True, "accepts": True},
    }
    assert wire.readings == [Reading("online", told.get(kind, {}))]
    assert wire.identity.kind == kind


def test_a_button_pressed_while_the_link_was_away_is_told_before_online():
    wire = Wire("button")
    wire.device.report(0x40, b"\x01")
    wire.run(2000).connect().run(100)
    assert wire.names() == ["pressed", "online"]
    assert wire.readings[0].args["age_ms"] >= 2000


def test_a_standing_jam_is_told_after_online():
    wire = Wire("shoe")
    wire.device.fault = 1
    wire.connect().run(100)
    assert wire.names() == ["online", "jam"]


def test_a_lock_is_on_the_wire_at_once_and_answered():
    wire = Wire("progressive").connect().run(100)
    wire.order("unlock")
    wire.run(10)
    assert not wire.device.locked
    wire.order("lock")
    leaving = wire.session.bytes_to_send()
    assert leaving
    wire.to_device(leaving)
    wire.run(10)
    assert wire.device.locked
    assert wire.names() == ["online", "unlocked", "locked"]


def test_heartbeats_keep_an_idle_link_for_a_minute():
    wire = Wire("button").connect().run(60_000)
    assert wire.ended is None
    assert wire.names() == ["online"]
    assert wire.counters.frames_bad == wire.counters.frames_lost == 0


def test_an_echo_is_no_sign_of_life():
    """The device is gone and the line gives back what is sent: the host notices all the same."""
    wire = Wire("button").connect().run(1000)
    wire.connected = False
    bad = wire.counters.frames_bad
    heard = []
    for now in range(wire.now, wire.now + 3000, 10):
        heard += wire.session.tick(now * MS)
        heard += wire.session.receive(wire.session.bytes_to_send(), now * MS)
    assert [each.what for each in heard] == ["it was silent for 2000 ms"]
    assert wire.counters.frames_bad > bad, "and it is counted"


# ── restrict first ─────────────────────────────────────────────────────────
def test_a_restriction_overtakes_what_waits_and_what_is_under_way():
    wire = Wire("shoe").connect().run(100)
    wire.channel = nothing
    wire.order("dispense", stacks=3)  # n 1: lost on the wire
    wire.run(20)
    wire.order("dispense", stacks=2)  # n 2: waits for n 1
    wire.order("hold")  # n 3: overtakes both
    wire.channel = perfect
    wire.run(500)
    assert wire.device.held
    assert wire.device.ran == []
    assert wire.device.outcomes[:2] == [0, 2]  # the hold first, then the stale copy of n 1
    assert wire.names() == ["online", "held"]
    assert wire.ended is None


def test_a_permission_waits_for_the_answer_to_a_restriction():
    wire = Wire("shoe").connect().run(100)
    wire.channel = nothing
    wire.order("hold")
    wire.order("dispense", stacks=1)
    wire.run(50)
    wire.channel = perfect
    wire.run(300)
    assert [name for name, _ in wire.device.restricted] == ["hold"]
    assert [name for name, _ in wire.device.ran] == ["dispense"]
    assert not wire.device.held


def test_a_permission_that_a_newer_restriction_overtook_is_not_sent():
    wire = Wire("shoe").connect().run(100)
    late = wire.command("dispense", stacks=1)  # its record was slow
    wire.order("hold")
    wire.session.send(late, wire.now * MS)
    wire.run(300)
    assert wire.device.ran == []
    assert wire.counters.commands_dropped == 1


def test_an_answer_waits_for_the_reports_before_it():
    wire = Wire("shoe").connect().run(100)
    wire.order("dispense", stacks=2)
    wire.run(50)
    wire.channel = lambda frame: [] if frame[1] == 0x20 else [frame]
    wire.device.stack(b"\x01\x02\x03")
    wire.order("hold")
    wire.run(50)
    assert wire.device.held
    assert wire.names() == ["online"]  # "held" must not overtake the stack that left before it
    wire.channel = perfect
    wire.run(400)
    assert wire.names() == ["online", "stack", "held"]


def test_a_refused_permission_is_a_fault():
    wire = Wire("shoe").connect().run(100)
    wire.device.fault = 3
    wire.order("dispense", stacks=1)
    wire.run(50)
    assert wire.readings[-1] == Reading("fault", {"what": "it refused to dispense: no cards"})


@pytest.mark.parametrize("args", [{"stacks": 0}, {"stacks": 17}, {"stacks": "1"}, {}])
def test_an_impossible_dispense_is_refused(args):
    wire = Wire("shoe").connect().run(100)
    with pytest.raises(CommandRefused, match="stacks"):
        wire.order("dispense", **args)


def test_nothing_is_sent_before_online():
    wire = Wire("shoe").connect()
    with pytest.raises(CommandRefused):
        wire.order("hold")


# ── bad lines ──────────────────────────────────────────────────────────────
LINES = {
    "every fifth lost": lambda _seed: EveryFifthLost(),
    "repeated": lambda seed: Faults(seed, repeat=0.5),
    "reordered": lambda seed: Faults(seed, late=0.2),
    "garbage": lambda seed: Faults(seed, garbage=0.15),
    "everything": lambda seed: Faults(seed, loss=0.08, repeat=0.2, late=0.1, garbage=0.08),
}


@pytest.mark.parametrize("line", LINES)
def test_a_bad_line_changes_no_report_and_runs_nothing_twice(line):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    wire = Wire("shoe", seed=seed, channel=LINES[line](seed))
    asked: list[Command] = []
    cards: list[bytes] = []
    owed: list[Command] = []
    for _ in range(40):
        if not wire.connected:
            wire.connect()
        wire.run(50)
        if wire.online:
            for command in owed:
                wire.session.send(replace(command), wire.now * MS)
            owed = []
            asked.append(wire.order("dispense", stacks=2))
            wire.run(rng.randrange(20, 400))
        if wire.connected and rng.random() < 0.2:
            owed = wire.cut()
            wire.run(rng.randrange(0, 3000))
        if not wire.device.held:
            read = rng.randbytes(3)
            if wire.device.stack(read):
                cards.append(read)
        wire.run(200)
    wire.channel = perfect
    for _ in range(200):
        if wire.online and not wire.device.kept:
            break
        if not wire.connected:
            wire.connect()
        wire.run(100)
    ran = Counter(wire.device.ran)
    assert all(count == 1 for count in ran.values()), "a permissive command ran twice"
    assert len(ran) <= len(asked)
    told = [reading for reading in wire.readings if reading.name == "stack"]
    assert [reading.args["dispensed"] for reading in told] == list(range(1, len(cards) + 1))
    assert wire.device.dispensed == len(cards) > 5
    if line in ("everything", "garbage"):
        assert wire.counters.frames_bad > 0


def test_one_byte_at_a_time():
    wire = Wire("progressive")
    wire.cut_up = lambda data: [bytes([byte]) for byte in data]
    wire.connect().run(100)
    wire.order("lock")
    wire.run(50)
    assert wire.names() == ["online", "locked"]


def test_everything_merged():
    wire = Wire("button")
    wire.cut_up = lambda data: [data]
    wire.connect().run(100)
    for _ in range(3):
        wire.device.report(0x40, b"\x01")
    wire.run(100)
    assert wire.names() == ["online", "pressed", "pressed", "pressed"]


def test_random_bytes_move_nothing():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    wire = Wire("shoe").connect().run(100)
    for _ in range(500):
        wire.take(wire.session.receive(rng.randbytes(rng.randrange(1, 300)), wire.now * MS))
    assert wire.names() == ["online"]
    assert wire.counters.frames_bad > 100


# ── ends ───────────────────────────────────────────────────────────────────
def test_silence_ends_it_and_the_device_restricts_itself():
    wire = Wire("progressive").connect().run(100)
    wire.order("unlock")
    wire.run(50)
    assert not wire.device.locked
    wire.channel = nothing
    wire.run(1900)
    assert wire.connected
    wire.run(200)
    assert wire.ended == Ended("it was silent for 2000 ms")
    assert wire.device.locked
    wire.channel = perfect
    wire.connect().run(100)
    assert wire.names() == ["online", "unlocked", "locked", "online"]
    assert wire.readings[-1].args == {
        "locked": True, "accepts": True, "executed": {"boot": wire_boot("boot-1").hex(), "n": 1},
    }  # fmt: skip


def test_no_answer_to_a_command_ends_it():
    wire = Wire("progressive").connect().run(100)
    wire.device.command = lambda *_: 0
    real = wire.device.send
    wire.device.send = lambda type_, *args: None if type_ == 0x31 else real(type_, *args)
    wire.order("lock")
    wire.run(600)
    assert wire.ended == Ended("it did not answer lock, sent 5 times")
    assert [command.name for command in wire.session.unanswered()] == ["lock"]
    assert wire.counters.commands_resent == 4


def test_a_restart_of_the_device_ends_it_at_once():
    wire = Wire("shoe").connect().run(100)
    wire.device.boot()
    wire.run(10)
    assert wire.ended == Ended("it restarted")
    wire.connect().run(100)
    assert wire.names() == ["online", "online"]


def test_nobody_answers():
    wire = Wire("shoe")
    wire.device.mute = True
    wire.connect().run(4900)
    assert wire.ended is None
    wire.run(200)
    assert wire.ended == Ended("it does not answer within 5000 ms")


def test_a_lost_state_is_asked_for_again():
    wire = Wire("shoe")
    states = []

    def loses_the_first_state(frame):
        states.extend([frame] if frame[1] == 0x04 or frame[0:2] == b"\x02\x04" else [])
        return [] if states == [frame] else [frame]

    wire.channel = loses_the_first_state
    wire.connect().run(1000)
    assert len(states) == 2
    assert wire.names() == ["online"]


def test_reports_that_were_lost_are_said_to_be():
    wire = Wire("button").connect().run(100)
    wire.cut()
    wire.run(2500)
    for _ in range(20):
        wire.device.report(0x40, b"\x01")
    wire.connect().run(1000)
    assert wire.names() == ["online", *["pressed"] * 16, "online", "fault"]
    assert wire.readings[-1].args == {"what": "4 of its reports were lost"}
    assert wire.counters.reports_lost == 4


def test_a_report_that_is_not_understood_is_acknowledged_and_said():
    wire = Wire("button").connect().run(100)
    wire.device.report(0x77, b"abc")
    wire.run(50)
    assert wire.device.kept == []
    assert wire.readings[-1].name == "fault"
    assert "77" in wire.readings[-1].args["what"]


def test_a_host_that_stops_says_so():
    wire = Wire("progressive").connect().run(100)
    wire.order("unlock")
    wire.run(50)
    wire.session.close(wire.now * MS)
    wire.to_device(wire.session.bytes_to_send())
    assert wire.device.locked


@pytest.mark.parametrize("key", [None, bytes(range(32))])
def test_a_device_with_a_key_refuses_a_host_without(key):
    plan = replace(SHOE, key=key)
    wire = Wire("shoe", plan=plan, key=bytes(range(32))).connect().run(100)
    if key is None:
        assert wire.ended == Ended(
            "it refuses this host's proof: check the key on both sides", refused="proof"
        )
    else:
        assert wire.names() == ["online"]
        assert wire.identity.proved


def test_the_session_wakes_in_time_and_never_spins():
    """Driven by `wake_ns` alone, an idle minute takes a few hundred ticks."""
    wire = Wire("button").connect().run(100)
    wire.step = lambda: None
    now, ticks = wire.now * MS, 0
    end = now + 60_000 * MS
    while now < end and wire.ended is None:
        wake = wire.session.wake_ns
        assert wake > now
        now, ticks = wake, ticks + 1
        wire.take(wire.session.tick(now))
        wire.now = now // MS
        wire.device.feed(wire.session.bytes_to_send(), wire.now)
        wire.device.send(0x10)
        wire.take(wire.session.receive(wire.device.take_out(), now))
    assert wire.ended is None
    assert ticks < 300


# ── a technician looks ─────────────────────────────────────────────────────
def test_who_only_looks_leaves_the_kept_reports_to_the_host():
    wire = Wire("shuffler")
    wire.device.report(0x10, b"\0")
    wire.device.report(0x03, b"\0")
    host, wire.plan = wire.plan, replace(wire.plan, peek=True)
    wire.driver = TableLink(wire.plan, wire.counters, random.Random(1).randbytes)
    for _ in range(2):  # also again, with the same memory
        wire.readings.clear()
        wire.connect().until(lambda: wire.online)
        wire.run(1000)
        assert wire.names() == ["online"]  # what is kept is old news, and the host's
        assert len(wire.device.kept) == 2
        wire.cut()
        wire.device.end()
    wire.readings.clear()
    wire.driver = TableLink(host, wire.counters, random.Random(2).randbytes)
    wire.connect().until(lambda: wire.online)
    assert wire.names()[:3] == ["shuffle_started", "jam", "online"]
    assert wire.device.kept == []
