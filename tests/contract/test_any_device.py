"""What every device's driver must do, whatever its kind: come online, be lost, come back."""

import asyncio
import random

import pytest

from tablectl.hal.kinds import Command

pytestmark = pytest.mark.parametrize(
    "kind", ["shuffler", "shoe", "progressive", "button", "indicator", "badge_reader"]
)


def test_it_comes_online_and_says_who_it_is(play, kind):
    async def scenario(rig):
        await rig.told("online")
        status = rig.supervisor.status
        assert (status.state, status.what, status.refused) == ("online", "", False)
        assert status.identity.kind == kind
        assert status.identity.serial == rig.peer.serial
        assert [name for name in rig.names() if name != "gap"] == ["online"]
        assert rig.supervisor.counters.frames_good >= 2
        assert rig.supervisor.counters.bytes_in > 0 < rig.supervisor.counters.bytes_out

    play(kind, scenario)


def test_a_broken_link_is_told_and_mended(play, kind):
    async def scenario(rig):
        await rig.told("online")
        await rig.peer.drop()
        offline = await rig.told("offline")
        assert offline.args["what"]
        await rig.told("online", 2)
        assert rig.supervisor.counters.reconnects == 1
        assert rig.names().count("offline") == 1

    play(kind, scenario)


def test_silence_is_told(play, kind):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.silence(True)
        offline = await rig.told("offline")
        assert "silent" in offline.args["what"]
        rig.peer.silence(False)
        await rig.told("online", 2)

    play(kind, scenario)


def test_a_restart_of_the_device_is_told(play, kind):
    async def scenario(rig):
        await rig.told("online")
        boot = rig.supervisor.status.identity.boot
        rig.peer.reboot()
        await rig.told("offline")
        await rig.told("online", 2)
        assert not rig.peer.remembers or rig.supervisor.status.identity.boot != boot

    play(kind, scenario)


def test_garbage_is_counted_and_moves_nothing(play, kind):
    async def scenario(rig):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        rng = random.Random(seed)
        await rig.told("online")
        for _ in range(20):
            rig.peer.babble(rng.randbytes(60) + b"\0")
        counters = rig.supervisor.counters
        await rig.until(lambda: counters.frames_bad + counters.frames_unknown >= 20)
        await asyncio.sleep(0.05)
        assert [name for name in rig.names() if name != "gap"] == ["online"]

    play(kind, scenario, needs="babble")


def test_a_device_with_another_serial_number_is_refused(play, kind):
    async def scenario(rig):
        offline = await rig.told("offline")
        assert "should have serial X-9" in offline.args["what"]
        assert rig.peer.serial in offline.args["what"]
        assert rig.supervisor.status.refused
        assert rig.names() == ["offline"]

    play(kind, scenario, identity={"serial": "X-9"})


def test_a_version_that_is_too_old_is_refused(play, kind):
    async def scenario(rig):
        offline = await rig.told("offline")
        assert "at least 9.0 is required" in offline.args["what"]

    play(kind, scenario, minimum_versions={"Main": "9.0"})


def test_it_takes_only_the_commands_of_its_kind(play, kind):
    async def scenario(rig):
        await rig.told("online")
        for restrictive in (True, False):
            with pytest.raises(Exception, match=f"a {kind} takes no"):
                rig.supervisor.send(Command("it", "explode", restrictive, "boot-1", 1))

    play(kind, scenario)
