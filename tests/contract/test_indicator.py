"""The contract of an indicator: dark until it is told, then the sign, then dark when left alone."""

import asyncio

import pytest

from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import SIGNS
from tests.contract.peers import COLOURS


def test_it_is_dark_when_it_comes_online_and_when_it_is_left(play):
    peers = []

    async def scenario(rig):
        await rig.told("online")
        assert rig.peer.lit == set()
        rig.order("show", sign="open")
        await rig.until(lambda: rig.peer.lit)
        rig.supervisor.stop()
        await rig.task
        await rig.until(lambda: rig.peer.lit == set())
        peers.append(rig.peer)

    play("indicator", scenario)
    assert peers


def test_every_sign_is_shown_at_once(play):
    async def scenario(rig):
        await rig.told("online")
        for sign in SIGNS:
            before = len(rig.peer.seen)
            assert rig.order("show", sign=sign)
            await rig.until(lambda before=before: len(rig.peer.seen) > before)
            assert rig.peer.seen[before] == COLOURS[sign], sign
        assert rig.names() == ["online"]

    play("indicator", scenario)


def test_a_sign_that_flashes_flashes_until_the_next_one(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("show", sign="winner")
        await rig.until(lambda: rig.peer.seen.count({"green"}) >= 3)
        rig.order("show", sign="open")
        await asyncio.sleep(0.1)
        steady = rig.peer.seen
        await asyncio.sleep(0.6)
        assert rig.peer.seen == steady
        assert rig.peer.lit == {"green"}

    play("indicator", scenario, needs="flashes")


def test_offline_no_sign_is_kept_and_it_comes_back_dark(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("show", sign="open")
        await rig.until(lambda: rig.peer.lit == {"green"})
        await rig.peer.drop()
        await rig.told("offline")
        with pytest.raises(CommandRefused, match="not online"):
            rig.order("show", sign="open")
        await rig.told("online", 2)
        assert rig.peer.lit == set()
        rig.order("show", sign="halted")
        await rig.until(lambda: rig.peer.lit == {"red"})

    play("indicator", scenario)


def test_a_sign_that_nobody_knows_is_refused(play):
    async def scenario(rig):
        await rig.told("online")
        with pytest.raises(CommandRefused, match="sign 'closed'"):
            rig.order("show", sign="closed")

    play("indicator", scenario)
