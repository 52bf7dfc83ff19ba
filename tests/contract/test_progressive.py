"""The contract of a progressive wagering system: locked in every doubt, opened only by command."""


def test_it_is_locked_when_it_comes_online(play):
    async def scenario(rig):
        online = await rig.told("online")
        assert online.args["locked"] is True
        assert rig.peer.locked

    play("progressive", scenario)


def test_unlock_and_lock_are_answered_every_time(play):
    async def scenario(rig):
        await rig.told("online")
        for round_ in range(1, 4):
            rig.order("unlock")
            await rig.told("unlocked", round_)
            assert not rig.peer.locked
            rig.order("lock")
            await rig.told("locked", round_)
            assert rig.peer.locked
        rig.order("lock")
        await rig.told("locked", 4)
        assert len(rig.peer.ran) == 3
        assert len(rig.peer.restricted) == 4

    play("progressive", scenario)


def test_silence_locks_it(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("unlock")
        await rig.told("unlocked")
        rig.peer.silence(True)
        await rig.told("offline")
        await rig.until(lambda: rig.peer.locked)
        rig.peer.silence(False)
        online = await rig.told("online", 2)
        assert online.args["locked"] is True
        assert rig.peer.locked

    play("progressive", scenario)


def test_a_lock_that_was_under_way_when_the_link_broke_is_sent_again(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("unlock")
        await rig.told("unlocked")
        rig.peer.silence(True)
        rig.order("lock")
        await rig.told("offline")
        rig.peer.silence(False)
        await rig.told("online", 2)
        await rig.until(lambda: len(rig.peer.restricted) >= 1)
        assert rig.peer.locked
        assert len(set(rig.peer.ran)) == len(rig.peer.ran) == 1

    play("progressive", scenario)


def test_lock_overtakes_unlock(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("unlock")
        rig.order("lock")
        await rig.told("locked")
        await rig.until(lambda: rig.peer.locked)
        assert "unlocked" not in rig.names()

    play("progressive", scenario)
