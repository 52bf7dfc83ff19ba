"""The contract of a reading shoe: each card told once, and where reports may be missing, that.

It is online with its link, and hears no byte from whoever only listens.
"""

import asyncio
import random

import pytest

from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command
from tests.contract.readers import READERS
from tests.contract.rig import Rig


@pytest.fixture(params=sorted(READERS))
def play(request, tmp_path):
    """Play a scenario, an async function of a rig, against a reading shoe."""

    def run(scenario, **plan):
        async def whole():
            peer = READERS[request.param](tmp_path)
            plan.setdefault("read_only", True)
            async with Rig(peer, "shoe", silence_ms=None, **plan) as rig:
                await scenario(rig)

        asyncio.run(whole())

    return run


async def begin(rig):
    """Online, and past what was not heard before."""
    await rig.told("online")
    await until_heard(rig)
    rig.readings.clear()


async def until_heard(rig):
    """Bytes pass: what opens a line may drop what is under way."""
    name = "standby" if rig.peer.numbered else "card"
    for _ in range(100):
        if rig.peer.numbered:
            rig.peer.tell("standby")
        else:
            rig.peer.card("player", 1, "2C")
        await asyncio.sleep(0.05)
        if name in rig.names():
            return
    raise AssertionError("nothing is heard")


def test_a_link_that_is_up_is_online_and_says_nothing_of_who(play):
    async def scenario(rig):
        await rig.told("online")
        status = rig.supervisor.status
        assert (status.state, status.identity) == ("online", None)
        await asyncio.sleep(0.1)
        assert rig.names() == (["online"] if rig.peer.numbered else ["online", "gap"])

    play(scenario)


def test_each_card_is_told_once_with_its_place(play):
    async def scenario(rig):
        await begin(rig)
        dealt = [("player", 1, "AD"), ("banker", 1, "TS"), ("player", 2, None), ("banker", 2, "KH")]
        for target, index, card in dealt:
            report = rig.peer.card(target, index, card)
            if rig.peer.numbered:
                rig.peer.babble(report)  # a copy
        await rig.told("card", 4)
        await asyncio.sleep(0.05)
        assert rig.names() == ["card"] * 4
        assert [each.cards for each in rig.readings] == [(card,) for _, _, card in dealt]
        places = [each.args.get("place") for each in rig.readings]
        wanted = [f"{target}/{index}" for target, index, _ in dealt]
        assert places == (wanted if rig.peer.places else [None] * 4)

    play(scenario)


def test_burned_cards_are_told_as_such(play):
    async def scenario(rig):
        await begin(rig)
        rig.peer.card("burn", 1, "5C")
        burned = await rig.told("card")
        assert burned.args["mode"] == "burn"

    play(scenario)


def test_garbage_is_counted_and_is_no_card(play):
    async def scenario(rig):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        rng = random.Random(seed)
        await begin(rig)
        for _ in range(20):
            rig.peer.babble(rng.randbytes(60) + b"\x05\r\n")
        await rig.until(lambda: rig.supervisor.counters.frames_bad >= 20)
        rig.peer.babble(b"\x05x\r\n")
        assert rig.names() == ([] if rig.peer.numbered else ["gap"])
        rig.peer.card("player", 1, "9H")
        told = await rig.told("card")
        assert told.cards == ("9H",)
        assert rig.names().count("card") == 1

    play(scenario)


def test_a_broken_link_is_told_and_mended_and_cards_go_on(play):
    async def scenario(rig):
        await begin(rig)
        rig.peer.card("player", 1, "9H")
        await rig.told("card")
        await rig.peer.drop()
        offline = await rig.told("offline")
        assert offline.args["what"]
        await rig.told("online")
        assert rig.supervisor.counters.reconnects == 1
        rig.readings.clear()
        await until_heard(rig)
        if rig.peer.numbered:
            assert rig.names()[0] in ("standby", "gap")
        assert rig.names().count("offline") == 0

    play(scenario)


def test_what_may_be_missing_is_told(play):
    async def scenario(rig):
        await begin(rig)
        if rig.peer.numbered:
            rig.peer.wire.seq += 3
        else:
            rig.peer.babble(b"[Game]<Card:\r\n")
        rig.peer.card("banker", 1, "9H")
        await rig.told("card")
        assert rig.names() == ["gap", "card"]

    play(scenario)


def test_an_error_is_a_fault_until_it_is_over(play):
    async def scenario(rig):
        await begin(rig)
        rig.peer.tell("error", code=2)
        assert (await rig.told("fault")).args["what"]
        if rig.peer.numbered:
            rig.peer.tell("error_over", code=2)
        else:
            rig.peer.card("player", 1, "9H")
        await rig.told("cleared")

    play(scenario)


def test_no_byte_is_ever_sent_to_it(play):
    async def scenario(rig):
        await begin(rig)
        for name in ("hold", "release"):
            with pytest.raises(CommandRefused, match="read_only"):
                rig.order(name)
        rig.peer.tell("error", code=2)
        await rig.told("fault")
        await rig.peer.drop()
        await rig.told("online")
        await asyncio.sleep(0.1)
        assert rig.peer.bytes_heard == b""
        assert rig.supervisor.counters.bytes_out == 0

    play(scenario)


def test_it_takes_only_the_commands_of_its_kind(play):
    async def scenario(rig):
        await rig.told("online")
        with pytest.raises(CommandRefused, match="a shoe takes no"):
            rig.supervisor.send(Command("it", "explode", True, "boot-1", 1))

    play(scenario)


def test_one_that_may_be_held_is_held_and_released(play):
    async def scenario(rig):
        await begin(rig)
        if rig.peer.driver == "bee_tek":
            with pytest.raises(CommandRefused, match="takes no commands"):
                rig.order("hold")
            return
        rig.order("hold")
        await rig.told("held")
        assert rig.peer.wire.locked
        rig.order("release")
        await rig.told("released")
        assert not rig.peer.wire.locked
        assert rig.peer.wire.ordered == ["LK02", "LK01"]

    play(scenario, read_only=False)
