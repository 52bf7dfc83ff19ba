"""The contract of a lock-out button: every press is told, once.

Where it has a memory, one that the link missed is told, too.
"""


def test_every_press_is_told_once(play):
    async def scenario(rig):
        await rig.told("online")
        for count in range(1, 6):
            rig.peer.press()
            await rig.told("pressed", count)
        assert rig.names() == ["online"] + ["pressed"] * 5

    play("button", scenario)


def test_a_press_that_the_link_missed_is_told(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.silence(True)
        rig.peer.press()
        await rig.told("offline")
        rig.peer.silence(False)
        await rig.told("online", 2)
        assert rig.names() == ["online", "offline", "pressed", "online"]

    play("button", scenario, needs="remembers")
