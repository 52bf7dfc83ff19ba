"""The contract of a shoe that reads codes: each card once, none invented."""


def test_each_card_is_told_once(play):
    async def scenario(rig):
        await rig.told("online")
        for code in ("0417", "A-9", "k7"):
            rig.peer.scan(code)
        await rig.told("card", 3)
        told = [reading.cards for reading in rig.readings if reading.name == "card"]
        assert told == [("AC",), ("TD",), ("KS",)]
        assert rig.names() == ["online", "gap", "card", "card", "card"]

    play("shoe", scenario, needs="scan")


def test_a_code_of_no_card_is_a_card_that_could_not_be_read(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.scan("9999")
        assert (await rig.told("card")).cards == (None,)
        assert rig.supervisor.counters.frames_unknown == 1

    play("shoe", scenario, needs="scan")


def test_the_same_card_again_at_once_is_dropped_and_counted(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.scan("0417")
        rig.peer.scan("0417")
        rig.peer.scan("k7")
        await rig.told("card", 2)
        assert rig.supervisor.counters.frames_repeated == 1
        assert rig.names() == ["online", "gap", "card", "card"]

    play("shoe", scenario, needs="scan")


def test_the_cover_card_has_its_code(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.scan("CUT")
        await rig.told("cover_card")

    play("shoe", scenario, needs="scan")


def test_each_link_begins_with_a_gap(play):
    """A card that passed while the plug was out was seen by nobody, and has no number."""

    async def scenario(rig):
        await rig.told("gap")
        await rig.peer.drop()
        await rig.told("gap", 2)
        assert rig.names() == ["online", "gap", "offline", "online", "gap"]

    play("shoe", scenario, needs="scan")


def test_a_code_that_the_link_cut_is_no_card_afterwards(play):
    async def scenario(rig):
        await rig.told("online")
        rig.peer.hand("keys", 0x21)  # a 4, and then the plug is pulled
        await rig.until(lambda: rig.supervisor.counters.frames_good >= 4)
        await rig.peer.drop()
        await rig.told("online", 2)
        rig.peer.scan("0417")
        assert (await rig.told("card")).cards == ("AC",)

    play("shoe", scenario, needs="scan")
