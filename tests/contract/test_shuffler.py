"""The contract of a shuffler: each cycle told with its count, a jam at once, nothing lost."""


def test_a_cycle_is_told_with_its_count(play):
    async def scenario(rig):
        await rig.told("online")
        for count in (52, 51, None):
            rig.peer.shuffle(count)
        done = await rig.told("shuffle_done", 3)
        assert done.args["count"] is None
        told = [each.args["count"] for each in rig.readings if each.name == "shuffle_done"]
        assert told == [52, 51, None]
        assert rig.names()[1:] == ["shuffle_started", "shuffle_done"] * 3

    play("shuffler", scenario)


def test_each_compartment_has_its_own_count(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.shuffle(52, compartment=1)
        rig.peer.shuffle(51, compartment=2)
        await rig.told("shuffle_done", 2)
        told = [each.args for each in rig.readings[1:]]
        assert [args["compartment"] for args in told] == [1, 1, 2, 2]
        assert [args["count"] for args in (told[1], told[3])] == [52, 51]

    play("shuffler", scenario, needs="two_decks")


def test_a_card_that_is_there_twice_is_told_by_the_different_ones(play):
    async def scenario(rig):
        await rig.told("online")
        for distinct in (52, 51):
            rig.peer.shuffle(52, distinct)
        await rig.told("shuffle_done", 2)
        told = [each.args for each in rig.readings if each.name == "shuffle_done"]
        assert [(args["count"], args["distinct"]) for args in told] == [(52, 52), (52, 51)]

    play("shuffler", scenario, needs="two_decks")


def test_a_jam_is_told_and_cleared(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.jam()
        await rig.told("jam")
        rig.peer.clear()
        await rig.told("cleared")

    play("shuffler", scenario)


def test_a_cycle_that_ended_while_the_link_was_away_is_told_before_online(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.silence(True)
        rig.peer.shuffle(52)
        await rig.told("offline")
        rig.peer.silence(False)
        await rig.told("online", 2)
        assert rig.names() == ["online", "offline", "shuffle_started", "shuffle_done", "online"]

    play("shuffler", scenario)
