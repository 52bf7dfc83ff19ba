"""What a device must be beside its kind: its versions, its plug, the game that it is set to.

Who compares is the same for every kind, so each driver is asked with one of its own.
"""

ANY = ""


def test_another_version_than_the_pinned_one_is_refused(play):
    async def scenario(rig):
        offline = await rig.told("offline")
        assert "9.0 is pinned" in offline.args["what"]
        assert offline.args["refused"] == "version"

    play(ANY, scenario, versions={"Main": "9.0"})


def test_a_device_in_another_plug_is_refused(play):
    async def scenario(rig):
        offline = await rig.told("offline")
        assert "should be in the USB plug 9-9.9" in offline.args["what"]
        assert offline.args["refused"] == "path"

    play(ANY, scenario, identity={"path": "9-9.9"})


def test_a_device_that_is_set_to_no_game_or_another_one_is_refused(play):
    async def scenario(rig):
        offline = await rig.told("offline")
        assert "should be set to the game Three Card Baccarat, but none" in offline.args["what"]
        assert offline.args["refused"] == "game_mode"

    play(ANY, scenario, identity={"game_mode": "Three Card Baccarat"})


def test_a_device_that_is_set_to_another_game_while_it_serves_is_refused(play):
    async def scenario(rig):
        rig.peer.set_mode("Three Card Baccarat")
        await rig.told("online")
        rig.peer.set_mode("Three Card Poker")
        offline = await rig.told("offline")
        while "refused" not in offline.args:  # it was asked before its mode was set
            offline = await rig.told("offline", rig.names().count("offline") + 1)
        assert "but Three Card Poker answers: set it" in offline.args["what"]
        assert rig.supervisor.status.identity.game_mode == "Three Card Poker"
        assert rig.names()[-1] == "offline"

    play(ANY, scenario, needs="set_mode", identity={"game_mode": "Three Card Baccarat"})
