"""What a technician asks for first: jams and failed reads are counted for every driver alike, and
every counter stands on the device's topic and on /metrics.
"""

import asyncio
import re
from dataclasses import fields
from pathlib import Path

from tablectl.hal.kinds import Card, Counters, Identity, Line, Reading
from tests.hal.virtual import Site, run

PAGE = (Path(__file__).parents[2] / "docs/integrators/drivers.md").read_text()


class Scripted:
    """A driver that hears what the test says."""

    kinds = frozenset({"shoe"})
    line = Line()
    wake_ns = None

    def __init__(self, who):
        self.who = who

    def session(self):
        return self

    def open(self, now_ns):
        pass

    def receive(self, _data, _now_ns):
        return []

    def tick(self, _now_ns):
        return []

    def bytes_to_send(self):
        return b""

    def unanswered(self):
        return ()

    def close(self, now_ns):
        pass


def counted(*heard, who=None):
    """The counters after these readings, over as many links as there are `online`s."""

    async def scenario():
        driver = Scripted(who)
        site = Site("shoe", driver=driver)
        async with site:
            await asyncio.sleep(0.01)
            for each in heard:
                if isinstance(each, str):
                    site.links[0].lose()
                    await asyncio.sleep(30)
                else:
                    site.supervisor._take(each)
        return site.counters

    return run(scenario())


ONLINE, JAM, CLEARED = Reading("online"), Reading("jam"), Reading("cleared")


def who(boot="1", *capabilities):
    return Identity("shoe", "S-1", boot=boot, capabilities=frozenset(capabilities))


def test_a_jam_is_counted_once_however_often_it_is_told():
    assert counted(ONLINE, JAM, JAM, "lost", ONLINE, JAM).jams == 1
    assert counted(ONLINE, JAM, CLEARED, JAM).jams == 2
    assert counted(ONLINE, JAM, Reading("jam", {"compartment": 2})).jams == 2


def test_a_jam_after_the_devices_restart_is_another_one():
    heard = [who("1"), ONLINE, JAM, "lost", who("2"), ONLINE, JAM]
    assert counted(*heard).jams == 2
    assert counted(*heard[:4], who("1"), ONLINE, JAM).jams == 1


def test_a_card_that_could_not_be_read_is_counted():
    unread, read = Reading("card", cards=(None,)), Reading("card", cards=(Card("AC"),))
    assert counted(ONLINE, unread, read, unread).reads_failed == 2


def test_a_shoe_that_reads_nothing_fails_at_nothing():
    stack = Reading("stack", {"dispensed": 1}, (None, None, Card("AC")))
    assert counted(who("1"), ONLINE, stack).reads_failed == 0
    assert counted(who("1", "reads_cards"), ONLINE, stack).reads_failed == 2


def test_the_page_names_every_counter():
    rows = re.findall(r"^\| `(\w+)` \| ", PAGE.partition("## Counters")[2], re.MULTILINE)
    assert set(rows) >= {each.name for each in fields(Counters)}
