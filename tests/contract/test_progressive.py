"""The contract of a progressive wagering system: locked in every doubt, opened only by command."""

import asyncio


def test_it_is_locked_when_it_comes_online(play):
    async def scenario(rig):
        online = await rig.told("online")
        assert online.args["locked"] is True
        assert rig.peer.locked

    play("progressive", scenario)


def test_one_that_tells_wagers_seat_by_seat_says_so(play):
    async def scenario(rig):
        online = await rig.told("online")
        assert online.args["accepts"] is True

    play("progressive", scenario, needs="locks_itself")  # a board of sensors shows it by the first


def test_unlock_and_lock_are_answered_every_time(play):
    async def scenario(rig):
        await rig.told("online")
        before = len(rig.peer.restricted)
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
        assert len(rig.peer.restricted) == before + 4

    play("progressive", scenario)


def test_silence_locks_it(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("unlock")
        await rig.told("unlocked")
        rig.peer.silence(True)
        await rig.told("offline")
        if rig.peer.locks_itself:
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
        before = len(rig.peer.restricted)
        rig.peer.silence(True)
        rig.order("lock")
        await rig.told("offline")
        rig.peer.silence(False)
        await rig.told("online", 2)
        await rig.told("locked")
        await rig.until(lambda: len(rig.peer.restricted) > before)
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


# ── chips: for a system that tells each of them ────────────────────────────
def test_chips_are_accepted_and_withdrawn_while_it_is_open(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("unlock")
        await rig.told("unlocked")
        rig.peer.chip(3)
        accepted = await rig.told("accepted")
        assert accepted.args == {"seat": 3, "wager": "progressive", "cents": 500}
        rig.peer.chip(3)
        withdrawn = await rig.told("withdrawn")
        assert withdrawn.args == {"seat": 3, "wager": "progressive"}
        assert rig.names() == ["online", "unlocked", "accepted", "withdrawn"]

    play("progressive", scenario, needs="sensors")


def test_a_chip_after_the_lock_is_late_and_never_accepted(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("unlock")
        await rig.told("unlocked")
        rig.peer.chip(1)
        await rig.told("accepted")
        rig.order("lock")
        await rig.told("locked")
        rig.peer.chip(5)
        late = await rig.told("late")
        assert late.args == {"seat": 5, "wager": "progressive"}
        rig.peer.chip(1)  # the dealer collects
        await asyncio.sleep(0.2)
        assert rig.names() == ["online", "unlocked", "accepted", "locked", "late"]

    play("progressive", scenario, needs="sensors")


def test_a_chip_that_came_while_the_link_was_away_is_late(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("unlock")
        await rig.told("unlocked")
        rig.peer.silence(True)
        await rig.told("offline")
        if rig.peer.locks_itself:
            await rig.until(lambda: rig.peer.locked)
        rig.peer.chip(2)
        rig.peer.silence(False)
        await rig.told("online", 2)
        late = await rig.told("late")
        assert late.args["seat"] == 2
        assert "accepted" not in rig.names()

    play("progressive", scenario, needs="sensors")


def test_its_lamps_are_lit_by_order_and_dark_when_it_comes_back(play):
    async def scenario(rig):
        await rig.told("online")
        rig.order("lamp", seat=4, wager="progressive", on=True)
        await rig.until(lambda: rig.peer.lamps[4])
        assert sum(rig.peer.lamps.values()) == 1
        await rig.peer.drop()
        await rig.told("online", 2)
        assert not any(rig.peer.lamps.values())

    play("progressive", scenario, needs="sensors")
