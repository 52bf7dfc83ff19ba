"""The contract of a shoe that dispenses: stacks only with leave, each told once with its cards."""

import pytest

from tablectl.hal.errors import CommandRefused

READ = ("AC", "TD", "KS")


def test_it_holds_when_it_comes_online_and_tells_what_left(play):
    async def scenario(rig):
        online = await rig.told("online")
        assert online.args["dispensed"] == 0
        assert rig.peer.held
        assert not rig.peer.take_stack()

    play("shoe", scenario, needs="stacks")


def test_stacks_leave_as_often_as_allowed(play):
    async def scenario(rig):
        await rig.told("online")
        assert rig.order("dispense", stacks=2)
        await rig.until(lambda: len(rig.peer.ran) == 1)
        assert rig.peer.take_stack()
        first = await rig.told("stack")
        assert first.cards == READ
        assert rig.peer.take_stack()
        await rig.told("stack", 2)
        assert not rig.peer.take_stack()

    play("shoe", scenario, needs="stacks")


def test_hold_takes_the_leave_back(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("dispense", stacks=3)
        await rig.until(lambda: not rig.peer.held)
        rig.order("hold")
        await rig.told("held")
        assert rig.peer.held
        assert not rig.peer.take_stack()
        rig.order("hold")
        await rig.told("held", 2)  # idempotent, and answered every time

    play("shoe", scenario, needs="stacks")


def test_a_lost_link_holds_it_and_no_dispense_runs_twice(play):
    async def scenario(rig):
        await rig.told("online")
        for again in range(1, 4):
            rig.order("dispense", stacks=2)
            await rig.until(lambda count=again: len(rig.peer.ran) == count)
            assert rig.peer.take_stack()
            await rig.peer.drop()
            online = await rig.told("online", again + 1)
            assert rig.peer.held
            assert online.args["dispensed"] == again
            assert online.args["executed"]["n"] == again
        assert len(set(rig.peer.ran)) == len(rig.peer.ran) == 3
        assert rig.names().count("stack") == 3

    play("shoe", scenario, needs="stacks")


def test_a_stack_that_left_while_the_link_broke_is_told_before_online(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("dispense", stacks=2)
        await rig.until(lambda: not rig.peer.held)
        rig.peer.silence(True)
        assert rig.peer.take_stack()
        await rig.told("offline")
        rig.peer.silence(False)
        online = await rig.told("online", 2)
        assert online.args["dispensed"] == 1
        assert rig.names().index("stack") < len(rig.names()) - 1 - rig.names()[::-1].index("online")

    play("shoe", scenario, needs="stacks")


def test_offline_nothing_is_permitted_and_what_restricts_is_owed(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.silence(True)
        await rig.told("offline")
        with pytest.raises(CommandRefused, match="not online"):
            rig.order("dispense", stacks=1)
        assert rig.order("hold") is False
        rig.peer.silence(False)
        await rig.told("online", 2)
        await rig.told("held")
        assert len(rig.peer.restricted) == 1
        assert rig.peer.ran == []

    play("shoe", scenario, needs="stacks")


def test_a_read_only_shoe_gets_no_command(play):
    async def scenario(rig):
        await rig.told("online")
        with pytest.raises(CommandRefused, match="read_only"):
            rig.order("hold")

    play("shoe", scenario, needs="stacks", read_only=True)


def test_a_jam_is_told_and_cleared(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.jam()
        await rig.told("jam")
        rig.order("dispense", stacks=1)
        fault = await rig.told("fault")
        assert "refused to dispense" in fault.args["what"]
        await rig.peer.drop()
        await rig.told("online", 2)
        await rig.told("jam", 2)  # it still stands
        rig.peer.clear()
        await rig.told("cleared")

    play("shoe", scenario, needs="stacks")
