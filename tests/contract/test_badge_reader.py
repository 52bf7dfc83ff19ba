"""The contract of a badge reader: each badge once, while somebody listens, and shown nowhere."""

import asyncio

import pytest

from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Token

NUMBER = "0004712938"


def test_each_badge_is_told_once(play):
    async def scenario(rig):
        await rig.told("online")
        for count, number in enumerate((NUMBER, "0815", "A-17 b"), 1):
            rig.peer.badge(number)
            told = await rig.told("badge", count)
            assert told.args["token"] == Token(number)
        assert rig.names() == ["online", "badge", "badge", "badge"]

    play("badge_reader", scenario)


def test_no_badge_is_shown(play, capfd):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.badge(NUMBER)
        told = await rig.told("badge")
        assert "4712" not in f"{told} {told.args} {rig.readings} {vars(rig.supervisor)}"

    play("badge_reader", scenario)
    assert "4712" not in "".join(capfd.readouterr())


def test_a_badge_that_nobody_waited_for_is_not_told_later(play):
    """Whoever it was may have left: a badge lets in at once or not at all."""

    async def scenario(rig):
        await rig.told("online")
        rig.supervisor.stop()
        await rig.task
        await asyncio.sleep(0.3)  # the host's good-bye arrives
        rig.peer.badge(NUMBER)
        async with rig.again():
            await rig.told("online", 2)
            rig.peer.badge("0815")
            await rig.told("badge")
        assert [r.args["token"] for r in rig.readings if r.name == "badge"] == [Token("0815")]

    play("badge_reader", scenario)


def test_it_takes_no_command(play):
    async def scenario(rig):
        await rig.told("online")
        for name, restrictive in (("lock", True), ("show", False), ("unlock", False)):
            with pytest.raises(CommandRefused, match="a badge_reader takes no"):
                rig.supervisor.send(Command("it", name, restrictive, "boot-1", 1))

    play("badge_reader", scenario)
