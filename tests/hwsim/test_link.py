"""The device's side of a session, in virtual time: sections 4 to 7 of the page."""

import random

import pytest

from hwsim.devices import Identity
from hwsim.tablelink import messages as m
from hwsim.tablelink.framing import Frame
from hwsim.tablelink.link import _proof, session_id
from hwsim.unit import Unit

from .host import BOOT, DISPENSE, HOLD, LOCK, MS, UNLOCK, Bench, Host

OTHER_BOOT = bytes(range(8))


def link(pit: Bench, name: str):
    return pit.units[name].link


def executed(pit: Bench, command: str) -> int:
    return len(pit.log.of(f"command {command}"))


def locked(pit: Bench) -> bool:
    return pit.bonus.locked


def byes(host: Host) -> list[int]:
    return [bye.reason for bye in host.all(m.Bye)]


# ── beginning ──
def test_welcome_says_who_and_what():
    pit = Bench()
    for name, kind, bits in (
        ("shuffler", 1, m.COUNTS),
        ("shoe", 2, m.READS | m.HOLDS | m.KEEPS),
        ("bonus", 3, m.LOCKS | m.KEEPS),
        ("button", 4, 0),
        ("sign", 5, 0),
        ("reader", 6, 0),
    ):
        welcome = pit.join(name).last(m.Welcome)
        assert (welcome.version, welcome.kind, welcome.capabilities) == (1, kind, bits)
        assert welcome.host_nonce == pit.hosts[name].nonce
        assert welcome.boot
        assert welcome.items[0][0] == m.SERIAL


def test_a_welcome_fits_into_a_frame_whatever_it_would_like_to_say():
    many = tuple((f"Component{n}", "1.2.3-" + "x" * 40) for n in range(12))
    identity = Identity("S" * 99, "M" * 99, many, "G" * 99)
    pit = Bench(key=bytes(32), options={"shoe": {"identity": identity}})
    pit.hosts["shoe"].hello()
    pit.pass_bytes("shoe")
    kinds = [kind for kind, _ in pit.hosts["shoe"].last(m.Welcome).items]
    assert kinds == [m.SERIAL, m.VERSION, m.MODEL, m.MODE, m.PROOF]


def test_the_first_thing_on_a_connection_is_a_00():
    pit = Bench()
    pit.units["shoe"].connected()
    pit.hosts["shoe"].hello()
    data = pit.units["shoe"].take()
    assert data[0] == 0
    assert Frame.from_wire(data[1:-1]).seq == 0


def test_the_same_host_nonce_gets_the_same_device_nonce():
    pit = Bench()
    host = pit.hosts["shoe"]
    host.hello()
    host.hello(again=True)
    pit.pass_bytes("shoe")
    one, two = host.all(m.Welcome)
    assert one.device_nonce == two.device_nonce
    host.start()
    host.hello(again=True)
    host.hello()
    pit.pass_bytes("shoe")
    assert len({welcome.device_nonce for welcome in host.all(m.Welcome)}) == 3
    assert link(pit, "shoe").session, "a HELLO does not end a session"


def test_a_session_is_never_0000():
    shoe = link(Bench(), "shoe")
    numbers = (n.to_bytes(16, "little") for n in range(1 << 20))
    bad = next(nonce for nonce in numbers if session_id(bytes(16), nonce) == 0)
    good = bytes(range(16))
    shoe.rng = Rigged([bad, good])
    assert shoe._fresh_nonce(bytes(16)) == good


class Rigged(random.Random):
    def __init__(self, given: list[bytes]) -> None:
        super().__init__(0)
        self.given = given

    def randbytes(self, n: int) -> bytes:
        assert n == 16
        return self.given.pop(0)


def test_a_start_restricts_and_tells_the_state():
    pit = Bench()
    pit.bonus.turn_key()
    host = pit.join("bonus")
    assert locked(pit)
    state = host.last(m.State)
    assert state.condition == m.Condition(m.LOCKED, 0, 0xFFFF, 1, 1)
    assert (state.permit, state.restrict) == (m.NEVER, m.NEVER)
    assert host.codes() == [0x31], "only the key: STATE tells the lock"


def test_a_repeated_start_is_answered_and_changes_nothing():
    pit = Bench()
    host = pit.join("bonus")
    host.command(1, UNLOCK)
    wire = host.say(
        m.Start(host.last(m.Welcome).device_nonce, 500, 2000, have_boot=0, have_event=0)
    )
    pit.pass_bytes("bonus")
    assert len(host.all(m.State)) == 2
    assert not locked(pit)
    host.send_bytes(wire)
    pit.pass_bytes("bonus")
    assert len(host.all(m.State)) == 2, "the same bytes again are a repeat"


def test_a_new_start_ends_the_old_session():
    pit = Bench(tcp=False)
    host = pit.join("bonus")
    host.command(1, UNLOCK)
    old = host.session
    host = pit.join("bonus")
    assert locked(pit)
    assert host.last(m.State).permit == m.Number(BOOT, 1)
    assert host.codes() == []
    host.say(m.Command(m.Number(BOOT, 2), UNLOCK), old)
    pit.pass_bytes("bonus")
    assert locked(pit)
    assert (host.frames[-1].session, byes(host)[-1]) == (old, m.BYE_NO_SESSION)


@pytest.mark.parametrize(
    "limits",
    [
        {"heartbeat_ms": 24},
        {"heartbeat_ms": 60_001, "silence_ms": 600_000},
        {"silence_ms": 99, "heartbeat_ms": 25},
        {"silence_ms": 600_001},
        {"silence_ms": 999},
    ],
)
def test_limits_that_cannot_be_are_refused(limits):
    pit = Bench()
    host = pit.hosts["bonus"]
    host.hello()
    pit.pass_bytes("bonus")
    host.start(**limits)
    pit.pass_bytes("bonus")
    assert byes(host) == [m.BYE_VERSION]
    assert link(pit, "bonus").session is None


def test_a_version_below_ours():
    pit = Bench()
    host = pit.hosts["bonus"]
    host.hello(version=0)
    host.hello(version=9)
    pit.pass_bytes("bonus")
    assert byes(host) == [m.BYE_VERSION]
    assert host.last(m.Welcome).version == 1


def test_a_start_that_nobody_asked_for():
    pit = Bench()
    host = pit.hosts["bonus"]
    host.session = 7
    host.say(m.Start(bytes(16), 500, 2000, 0, 0))
    host.say(m.Start(bytes(16), 500, 2000, 0, 0))
    pit.pass_bytes("bonus")
    assert byes(host) == [m.BYE_NO_SESSION], "one, whatever comes within half a second"
    assert host.frames[-1].session == 7
    host.hello()
    host.say(m.Start(bytes(16), 500, 2000, 0, 0))
    pit.pass_bytes("bonus")
    assert len(byes(host)) == 1, "a nonce is out: a wrong one is dropped"
    assert link(pit, "bonus").session is None


def test_proof_of_identity():
    key = bytes(range(32))
    pit = Bench(key=key)
    host = pit.hosts["bonus"]
    host.hello()
    pit.pass_bytes("bonus")
    welcome = host.last(m.Welcome)
    *items, (kind, proof) = welcome.items
    bare = m.Welcome(
        1, 3, host.nonce, welcome.device_nonce, welcome.boot, welcome.capabilities, tuple(items)
    )
    assert kind == m.PROOF
    assert proof == _proof(key, b"tablelink-1 device" + host.nonce + bare.pack())

    host.start()
    start = m.Start(welcome.device_nonce, 500, 2000, 0, 0)
    for wrong in (bytes(32), b"", proof):
        host.say(m.Start(welcome.device_nonce, 500, 2000, 0, 0, ((m.PROOF, wrong),)))
    pit.pass_bytes("bonus")
    assert byes(host) == [m.BYE_PROOF] * 4
    assert link(pit, "bonus").session is None
    right = _proof(key, b"tablelink-1 host" + welcome.device_nonce + host.nonce + start.pack())
    host.say(m.Start(welcome.device_nonce, 500, 2000, 0, 0, ((m.PROOF, right),)))
    pit.pass_bytes("bonus")
    assert link(pit, "bonus").session


# ── heartbeat and silence ──
def test_heartbeats_only_where_nothing_else_is_sent():
    pit = Bench()
    host = pit.join("shoe", heartbeat_ms=100, silence_ms=60_000)
    pit.run(1000)
    assert len(host.all(m.Alive)) == 10


@pytest.mark.parametrize("silence_ms", [200, 2000])
def test_a_device_locks_itself_when_it_hears_nothing(silence_ms):
    pit = Bench()
    pit.beating.clear()
    host = pit.join("bonus", heartbeat_ms=100, silence_ms=silence_ms)
    host.command(1, UNLOCK)
    pit.run(silence_ms - 10)
    assert not locked(pit)
    pit.run(10)
    assert locked(pit)
    pit.run(60_000, step=1000)
    assert len(host.all(m.Alive)) < silence_ms // 100 + 1
    host = pit.join("bonus")
    pit.pass_bytes("bonus")
    assert host.codes() == [0x30]
    assert host.events[1].age_ms == 60_000


def test_a_shoe_holds_itself_in_the_middle_of_a_stack():
    pit = Bench().shuffled()
    pit.beating.clear()
    host = pit.join("shoe")
    host.answers = False
    host.command(1, DISPENSE, 9)
    pit.run(60_000, step=100)
    assert pit.shoe.dispensed == 1, "one stack left in two seconds"
    host.answers = True
    assert pit.join("shoe").last(m.State).condition.flags == m.HELD
    pit.run(100)
    assert pit.hosts["shoe"].codes() == [0x20, 0x21]


def test_what_is_no_sign_of_life():
    pit = Bench()
    pit.beating.clear()
    host = pit.join("bonus")
    host.command(1, UNLOCK)
    beat = host.wire(m.Heartbeat())
    host.seq -= 1
    stray = host.wire(m.Heartbeat(), host.session ^ 1)
    pit.units["bonus"].receive(beat)
    for _ in range(21):
        for noise in (
            beat,
            stray,
            b"\1\2\3\0",
            *(Frame(t, 9, host.session).to_wire() for t in (4, 0x11, 0x60)),
        ):
            pit.units["bonus"].receive(noise)
        pit.run(100)
    assert locked(pit), "repeats, strays, noise and echoes do not keep it open"


def test_a_line_that_echoes_does_not_keep_a_device_open():
    """The host is gone, and the device hears everything that it says itself."""
    pit = Bench()
    pit.beating.clear()
    host = pit.join("bonus", heartbeat_ms=100)
    host.command(1, UNLOCK)
    pit.pass_bytes("bonus")
    assert not locked(pit)
    unit = pit.units["bonus"]
    for _ in range(210):
        unit.advance(10_000_000)
        unit.receive(unit.take())
    assert locked(pit)
    assert link(pit, "bonus").counters["bad"] >= 10, "its own frames are counted as bad"


def test_a_shuffle_goes_on_without_a_host():
    pit = Bench()
    host = pit.join("shuffler")
    pit.table.receive("red")
    pit.table.put_into_shuffler("red")
    pit.units["shuffler"].disconnected()
    pit.run(10_000)
    host = pit.join("shuffler")
    pit.run(100)
    assert host.codes() == [0x10, 0x11]


# ── reports ──
def test_a_report_is_sent_until_it_is_acknowledged():
    pit = Bench()
    host = pit.join("button")
    host.answers = False
    pit.table.press_button()
    pit.table.press_button()
    pit.run(990)
    events = host.all(m.Event)
    assert [(event.number, event.age_ms) for event in events] == [
        (1, age) for age in (0, 200, 400, 600, 800)
    ]
    host.say(m.Ack(2))  # not the one that is due
    host.say(m.Ack(1))
    pit.run(100)
    assert host.all(m.Event)[-1].number == 2
    assert link(pit, "button").condition().pending == 1


def test_no_acknowledgement_ends_the_session_and_keeps_the_report():
    pit = Bench()
    host = pit.join("bonus")
    host.answers = False
    pit.bonus.turn_key()
    pit.run(4990)
    assert len(host.all(m.Event)) == 25
    assert not byes(host)
    pit.run(100)
    assert byes(host)[0] == m.BYE_NO_ACK
    assert locked(pit)
    host.answers = True
    host = pit.join("bonus")
    pit.run(50)
    assert host.codes() == [0x31, 0x30]


def test_sixteen_are_kept_and_the_loss_is_told():
    pit = Bench()
    for _ in range(20):
        pit.table.press_button()
    host = pit.join("button")
    state = host.last(m.State)
    assert state.condition == m.Condition(m.LOST, 0, 0xFFFF, 20, 16)
    pit.run(100)
    assert sorted(host.events) == list(range(5, 21))
    assert link(pit, "button").condition() == m.Condition(0, 0, 0xFFFF, 20, 0)


def test_what_the_host_has_is_not_sent_again():
    pit = Bench()
    for _ in range(5):
        pit.table.press_button()
    pit.run(10)
    boot = link(pit, "button").boot
    assert pit.join("button", have=(boot, 3)).last(m.State).condition.pending == 2
    pit.units["button"].disconnected()
    pit.table.press_button()
    state = pit.join("button", have=(boot ^ 1, 99)).last(m.State)
    assert (state.condition.event, state.condition.pending) == (6, 1)


def test_a_result_names_the_reports_before_it():
    pit = Bench()
    host = pit.join("bonus")
    host.answers = False
    pit.bonus.turn_key()
    pit.bonus.turn_key()
    host.command(1, LOCK)
    pit.pass_bytes("bonus")
    condition = host.last(m.Result).condition
    assert (condition.event, condition.pending) == (2, 2)


# ── commands ──
def test_what_permits_runs_once():
    pit = Bench()
    host = pit.join("bonus")
    for _ in range(5):
        host.command(3, UNLOCK)
    pit.pass_bytes("bonus")
    assert [r.outcome for r in host.all(m.Result)] == [m.DONE] + [m.DONE_BEFORE] * 4
    assert executed(pit, "unlock") == 1
    host.command(2, UNLOCK)
    pit.pass_bytes("bonus")
    assert host.outcome(2) == m.STALE
    host = pit.join("bonus")  # in a later session too
    host.command(3, UNLOCK)
    pit.pass_bytes("bonus")
    assert host.outcome(3) == m.DONE_BEFORE
    assert locked(pit)
    assert executed(pit, "unlock") == 1


def test_what_restricts_runs_every_time():
    pit = Bench()
    host = pit.join("bonus")
    host.command(9, LOCK)
    for n in (9, 3, 9):
        pit.bonus.turn_key()
        assert not locked(pit)
        host.command(n, LOCK)
        assert locked(pit)
    pit.pass_bytes("bonus")
    assert {r.outcome for r in host.all(m.Result)} == {m.DONE}
    assert executed(pit, "lock") == 4
    assert link(pit, "bonus").rules.restrict.n == 9


@pytest.mark.parametrize(
    ("boot", "n", "outcome"),
    [(BOOT, 4, m.STALE), (BOOT, 6, m.DONE), (OTHER_BOOT, 9, m.STALE)],
)
def test_a_restriction_that_overtook_a_permission_stands(boot, n, outcome):
    pit = Bench()
    host = pit.join("bonus")
    host.command(5, LOCK)
    host.command(n, UNLOCK, boot=boot)
    pit.pass_bytes("bonus")
    assert host.last(m.Result).outcome == outcome
    assert locked(pit) is (outcome != m.DONE)


def test_the_fence_does_not_outlive_its_session():
    pit = Bench()
    pit.join("bonus").command(5, LOCK)
    host = pit.join("bonus")
    host.command(1, UNLOCK, boot=OTHER_BOOT)
    pit.pass_bytes("bonus")
    assert host.outcome(1) == m.DONE
    assert host.last(m.State).restrict == m.Number(BOOT, 5)


def test_what_it_cannot_and_does_not_know():
    pit = Bench()
    shoe, bonus = pit.join("shoe"), pit.join("bonus")
    shoe.command(1, DISPENSE, 3)  # no cards
    shoe.command(2, LOCK)
    shoe.command(3, 0x77)
    bonus.command(1, DISPENSE, 3)
    pit.join("button").command(1, HOLD)
    pit.bonus.fail("sensor_dirty", "seat 3")
    bonus.command(2, UNLOCK)
    bonus.command(3, LOCK)
    for name in pit.units:
        pit.pass_bytes(name)
    assert [shoe.outcome(n) for n in (1, 2, 3)] == [m.CANNOT, m.NOT_KNOWN_HERE, m.NOT_KNOWN_HERE]
    assert [bonus.outcome(n) for n in (1, 2, 3)] == [m.NOT_KNOWN_HERE, m.CANNOT, m.DONE]
    assert pit.hosts["button"].outcome(1) == m.NOT_KNOWN_HERE
    assert link(pit, "shoe").rules.permit == m.NEVER
    assert bonus.last(m.Result).condition.fault == 0x06


def test_a_late_copy_of_what_was_refused_is_not_done():
    pit = Bench()
    host = pit.join("shoe")
    host.command(1, DISPENSE, 3)
    pit.shuffled()
    host.command(1, DISPENSE, 3)
    host.command(2, DISPENSE, 3)
    pit.pass_bytes("shoe")
    assert [r.outcome for r in host.all(m.Result)] == [m.CANNOT, m.CANNOT, m.DONE]


@pytest.mark.parametrize("stacks", [0, 17, 255])
def test_a_leave_for_no_stack_or_too_many(stacks):
    pit = Bench().shuffled()
    host = pit.join("shoe")
    host.command(1, DISPENSE, stacks)
    pit.pass_bytes("shoe")
    assert host.outcome(1) == m.CANNOT


def test_a_permission_without_its_argument_or_number_is_malformed():
    pit = Bench().shuffled()
    host = pit.join("shoe")
    bad = link(pit, "shoe").counters["bad"]
    host.command(1, DISPENSE)
    host.command(0, DISPENSE, 3)
    pit.pass_bytes("shoe")
    assert not host.all(m.Result)
    assert link(pit, "shoe").counters["bad"] == bad + 2
    host.command(0, HOLD)
    pit.pass_bytes("shoe")
    assert host.last(m.Result).outcome == m.DONE, "what restricts is never refused for its form"


def test_bye_from_the_host():
    pit = Bench()
    host = pit.join("bonus")
    host.command(1, UNLOCK)
    host.say(m.Bye(m.BYE_CLOSING), host.session ^ 1)
    assert not locked(pit)
    host.say(m.Bye(m.BYE_CLOSING))
    assert locked(pit)
    pit.pass_bytes("bonus")
    assert not byes(host)


# ── damage ──
def test_counters():
    pit = Bench()
    host = pit.join("bonus")
    counters = link(pit, "bonus").counters
    beat = host.say(m.Heartbeat())
    host.send_bytes(beat)  # repeated
    host.seq += 3  # three lost
    host.say(m.Heartbeat())
    host.send_bytes(Frame(m.Heartbeat.TYPE, (host.seq - 100) % 256, host.session).to_wire())  # old
    host.send_bytes(b"\x09\x10\0")  # bad
    host.send_bytes(b"\0\0\0")  # nothing
    host.send_bytes(Frame(0x60, host.seq, host.session).to_wire())  # unknown
    host.send_bytes(Frame(0x20, host.seq, host.session, bytes(9)).to_wire())  # an echo
    host.send_bytes(b"\x11" * 900 + b"\0")  # too long
    host.say(m.Heartbeat(), host.session ^ 5)  # stray
    assert {name: counters[name] for name in ("repeated", "lost", "bad", "unknown", "stray")} == {
        "repeated": 2, "lost": 3, "bad": 3, "unknown": 1, "stray": 1,
    }  # fmt: skip


def test_noise_before_a_frame():
    pit = Bench()
    host = pit.join("bonus")
    counters = link(pit, "bonus").counters
    host.send_bytes(b"\xde\xad\xbe\xef" + host.wire(m.Heartbeat()))
    assert (counters["bad"], counters["good"]) == (1, 2)
    host.send_bytes(b"\xde\xad\xbe\xef\0" + host.wire(m.Heartbeat()))
    assert (counters["bad"], counters["good"]) == (2, 3)


def test_bytes_one_by_one():
    pit = Bench()
    host = pit.join("bonus")
    for byte in host.wire(m.Command(m.Number(BOOT, 1), UNLOCK)):
        pit.units["bonus"].receive(bytes((byte,)))
    assert not locked(pit)


@pytest.mark.parametrize("seed", range(5))
def test_nothing_that_a_line_brings_opens_or_breaks_it(seed):
    """Noise, and good frames with bits turned: never an exception, never a permission."""
    rng = random.Random(seed)
    pit = Bench(seed=seed).shuffled()
    pit.beating.clear()
    hosts = [pit.join(name, silence_ms=600_000) for name in ("bonus", "shoe")]
    for n in range(400):
        for name, host, code in zip(
            ("bonus", "shoe"), hosts, ((UNLOCK,), (DISPENSE, 5)), strict=True
        ):
            wire = bytearray(host.wire(m.Command(m.Number(BOOT, n + 1), code[0], bytes(code[1:]))))
            wire[rng.randrange(len(wire))] ^= 1 << rng.randrange(8)
            unit: Unit = pit.units[name]
            unit.receive(rng.randbytes(rng.randrange(400)) + b"\0" + bytes(wire) + b"\0")
            unit.advance(10 * MS)
            host.feed(unit.take())
    assert locked(pit)
    assert pit.shoe.dispensed == 0
    assert executed(pit, "unlock") == executed(pit, "dispense") == 0


@pytest.mark.parametrize("seed", range(8))
def test_a_lossy_line_never_doubles_a_permission(seed):
    """One frame in four lost or doubled, either way: every leave is given once, no report lost."""
    pit = Bench(seed=seed, faults="loss%20,repeat%10,garbage%5,split%10").shuffled()
    host = pit.join("shoe")
    for n in range(1, 9):
        for _ in range(30):
            if link(pit, "shoe").session is None:
                host = pit.join("shoe")
            host.command(n, DISPENSE, 1)
            pit.run(100)
            if host.outcome(n) is not None:
                break
        pit.run(2500)
        assert host.outcome(n) in (m.DONE, m.DONE_BEFORE), f"seed {seed}"
    for _ in range(20):
        pit.run(200)
    assert executed(pit, "dispense") == 8, f"seed {seed}"
    told = [event.arguments for event in host.events.values() if event.code == 0x20]
    out = {stack.number: stack.read for stack in pit.table.decks["red"].dealt}
    assert len(told) == len(out) <= 8
