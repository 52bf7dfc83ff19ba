"""The supervisor in virtual time: back-off, outages told once, commands across outages."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest

from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Ended, Line, Reading
from tests.hal.virtual import Site, clock_ns, run

NS = 1_000_000_000


def command(name, n, **args):
    return Command("it", name, name in ("lock", "hold"), "boot-1", n, args)


def test_an_absent_device_is_told_once_and_tried_within_bounds():
    async def scenario():
        site = Site()
        site.absent = True
        async with site:
            await asyncio.sleep(3600)
            assert site.names() == ["offline"]
            assert site.supervisor.status.state == "waiting"
            assert "check the cable" in site.supervisor.status.what
            gaps = [b - a for a, b in pairwise(site.opened)]
            assert 0.125 * NS <= gaps[0] <= 0.26 * NS
            assert max(gaps) <= 10.01 * NS
            assert min(gaps[8:]) >= 5 * NS  # slow by then, and not in step
            assert len(set(gaps[8:])) > 10
            site.absent = False
            await asyncio.sleep(11)
            assert site.names() == ["offline", "online"]
            assert site.counters.reconnects == 0  # it had never been there

    run(scenario())


def test_a_good_link_begins_its_back_off_anew():
    async def scenario():
        async with Site() as site:
            for _ in range(6):
                await asyncio.sleep(30)
                assert site.supervisor.status.state == "online"
                site.links[0].lose()
                await asyncio.sleep(0.3)
                assert site.supervisor.status.state == "online"
            assert site.counters.reconnects == 6
            assert site.names() == ["online"] + ["offline", "online"] * 6

    run(scenario())


def test_a_device_that_never_stops_talking_loses_its_link():
    """Its neighbours must not wait for it. What it told is heeded: it may be a button."""

    async def scenario():
        async with Site("button") as site:
            await asyncio.sleep(1)
            for _ in range(6000):
                site.device.report(0x40, b"\x01")
                await asyncio.sleep(0.002)
            told = site.names()
            assert told.count("offline") >= 1
            assert "reports more" in next(
                r.args["what"] for _, r in site.told if r.name == "offline"
            )
            seconds = clock_ns() / NS
            first = told.index("offline")
            assert told[:first] == ["online"] + ["pressed"] * (first - 1), "and none is lost"
            assert 3000 < told.count("pressed") < 3000 + 110 * seconds + 50

    run(scenario())


def test_a_device_that_babbles_without_end_loses_its_link():
    async def scenario():
        async with Site("button") as site:
            await asyncio.sleep(1)
            for _ in range(100):
                site.links[0].arrived(bytes(range(1, 255)) * 16)
                if not site.links or site.supervisor.status.state != "online":
                    break
            offline = [r.args["what"] for _, r in site.told if r.name == "offline"]
            assert len(offline) == 1
            assert "more than a line can carry" in offline[0]
            assert site.counters.bytes_in < 300_000
            await asyncio.sleep(60)
            assert site.supervisor.status.state == "online", "and it comes back when it is quiet"

    run(scenario())


def test_a_link_that_never_holds_is_tried_more_slowly():
    async def scenario():
        async with Site() as site:
            for _ in range(200):
                await asyncio.sleep(0.5)
                if site.links:
                    site.links[0].lose()
            assert len(site.opened) < 30

    run(scenario())


def test_a_lock_leaves_in_the_same_moment():
    async def scenario():
        async with Site() as site:
            await asyncio.sleep(1)
            before = len(site.written)
            assert site.supervisor.send(command("lock", 1)) is True
            assert len(site.written) == before + 1
            assert site.written[-1][0] == clock_ns()
            await asyncio.sleep(0.1)
            assert site.names() == ["online", "locked"]

    run(scenario())


def test_restrictions_are_owed_and_go_out_before_online_is_told():
    async def scenario():
        order = []
        holder: list[Site] = []

        def listener(device, reading):
            site = holder[0]
            order.append((reading.name, len(site.device.restricted), len(site.written)))
            if reading.name == "online" and len(site.opened) > 1:
                site.supervisor.send(command("unlock", 9))

        holder.append(Site(listener=listener))
        async with holder[0] as site:
            await asyncio.sleep(1)
            site.absent = True
            site.links[0].lose()
            await asyncio.sleep(1)
            for n in (3, 4):
                assert site.supervisor.send(command("lock", n)) is False
            with pytest.raises(CommandRefused, match="unlock was not sent"):
                site.supervisor.send(command("unlock", 5))
            site.absent = False
            await asyncio.sleep(12)
            locks = [int.from_bytes(ident[8:], "little") for _, ident in site.device.restricted]
            assert locks == [4]  # the newest of them is enough
            assert [name for name, _ in site.device.ran] == ["unlock"]
            assert not site.device.locked  # 9 was ordered after 4, and ran after it
        assert [name for name, _, _ in order] == [
            "online",
            "offline",
            "online",
            "locked",
            "unlocked",
        ]

    run(scenario())


def test_a_permission_under_way_when_the_link_breaks_is_gone():
    async def scenario():
        async with Site("shoe") as site:
            await asyncio.sleep(1)
            site.deaf = True
            site.supervisor.send(command("dispense", 1, stacks=1))
            await asyncio.sleep(0.05)
            site.links[0].lose()
            site.deaf = False
            await asyncio.sleep(5)
            assert site.names() == ["online", "offline", "online"]
            assert site.device.ran == []
            assert site.device.outcomes == []  # no copy was sent in the later session
            assert site.counters.commands_dropped == 1

    run(scenario())


def test_a_silent_device_is_told_within_its_own_limit():
    async def scenario():
        async with Site(silence_ms=300) as site:
            await asyncio.sleep(5)
            site.deaf = site.device.mute = True
            begun = clock_ns()
            await asyncio.sleep(1)
            when, reading = site.told[-1]
            assert reading == Reading("offline", {"what": "it was silent for 300 ms"})
            assert when - begun <= 0.31 * NS

    run(scenario())


def test_reasons_of_another_sort_are_told_and_repeats_are_not():
    async def scenario():
        async with Site(identity={"serial": "OTHER"}) as site:
            await asyncio.sleep(100)
            assert site.names() == ["offline"]
            assert site.supervisor.status.refused
            site.absent = True
            await asyncio.sleep(100)
            assert site.names() == ["offline", "offline"]
            site.absent = False
            await asyncio.sleep(100)
            assert site.names() == ["offline", "offline"]
            assert site.supervisor.status.refused
            assert len(site.opened) < 60

    run(scenario())


def test_a_refused_device_gets_no_start():
    async def scenario():
        async with Site(identity={"serial": "OTHER"}) as site:
            await asyncio.sleep(60)
            assert site.device.running is None
            assert not any(b"\x03" in data[:3] for _, data in site.written)

    run(scenario())


class Broken:
    """A driver whose session does what its maker did not mean."""

    kinds = frozenset({"progressive"})
    line = Line()
    wake_ns = None

    def __init__(self, act):
        self.act = act
        self.send: Callable[[Command, int], None] = fail_to_send

    def session(self):
        return self

    def open(self, now_ns):
        self.now_ns = now_ns

    def tick(self, _now_ns):
        return []

    def receive(self, _data, _now_ns):
        return self.act()

    def bytes_to_send(self):
        return b""

    def unanswered(self):
        return ()

    def close(self, now_ns):
        pass


def fail():
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("act", "what"),
    [
        (fail, "its driver failed (ZeroDivisionError): report this"),
        (lambda: [Reading("stack")], "a progressive does not say 'stack'"),
        (lambda: [Reading("locked", {"colour": 1})], "locked of a progressive has no colour"),
        (lambda: [Ended("enough")], "enough"),
    ],
)
def test_a_broken_driver_costs_its_own_link_only(act, what):
    async def scenario():
        async with Site(driver=Broken(act)) as site:
            await asyncio.sleep(0.001)
            site.links[0].arrived(b"x")
            await asyncio.sleep(0.05)
            assert site.names() == ["offline"]
            assert what in site.told[0][1].args["what"]
            assert not site.task.done()

    run(scenario())


def test_a_driver_that_fails_on_a_lock_leaves_it_owed():
    async def scenario():
        driver = Broken(lambda: [Reading("online")])
        async with Site(driver=driver) as site:
            await asyncio.sleep(0.001)
            site.links[0].arrived(b"x")
            driver.send = fail_to_send
            assert site.supervisor.send(command("lock", 1)) is False
            await asyncio.sleep(0.05)
            assert site.names() == ["online", "offline"]
            assert site.counters.driver_errors == 1
            sent = []
            driver.send = lambda command, _now_ns: sent.append(command.n)
            await asyncio.sleep(1)
            site.links[0].arrived(b"x")
            assert sent == [1]

    run(scenario())


def fail_to_send(_command, _now_ns):
    raise ZeroDivisionError


def test_a_failing_listener_comes_out_of_run():
    async def scenario():
        def listener(device, reading):
            raise LookupError(reading.name)

        async with Site(listener=listener) as site:
            await asyncio.sleep(1)
            with pytest.raises(LookupError, match="online"):
                await site.task

    run(scenario())


def test_stop_says_good_bye_and_closes():
    async def scenario():
        async with Site() as site:
            await asyncio.sleep(1)
            site.supervisor.send(command("unlock", 1))
            await asyncio.sleep(0.1)
            assert not site.device.locked
            site.supervisor.stop()
            await site.task
            assert site.device.locked
            assert site.supervisor.status.state == "stopped"
            assert site.names() == ["online", "unlocked"]

    run(scenario())


def test_stop_while_it_backs_off_and_before_it_began():
    async def scenario():
        site = Site()
        site.absent = True
        async with site:
            await asyncio.sleep(100)
        assert site.task.done()
        async with Site():
            pass

    run(scenario())


def test_a_day_of_trouble_is_bounded():
    """Every outage told once, the device locked in each, and nothing piles up."""

    async def scenario():
        async with Site(silence_ms=1000) as site:
            await asyncio.sleep(1)
            for n in range(1, 300):
                if site.supervisor.status.state == "online":
                    site.supervisor.send(command("unlock", n))
                await asyncio.sleep(7)
                match n % 4:
                    case 0:
                        site.links and site.links[0].lose()
                    case 1:
                        site.device.boot()
                    case 2:
                        site.deaf = site.device.mute = True
                        await asyncio.sleep(1.1)
                        assert site.device.locked
                        site.deaf = site.device.mute = False
                    case 3:
                        site.device.out += b"\x55" * 5000
                await asyncio.sleep(20)
                assert site.supervisor.status.state == "online"
            assert len(set(site.device.ran)) == len(site.device.ran)
            names = site.names()
            assert names.count("online") == names.count("offline") + 1
            assert site.counters.frames_bad >= 70
            assert len(asyncio.all_tasks()) == 2

    run(scenario())
