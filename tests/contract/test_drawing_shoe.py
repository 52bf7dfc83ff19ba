"""The contract of a shoe that tells cards one by one and may be held: tablelink's card shoe.

Shoes of other makers, which are only listened to, have theirs in test_reading_shoe.py.
"""

import asyncio
from typing import Any

import pytest

from tests.contract.device import ONE_BY_ONE
from tests.contract.peers import PtyPeer, TableLinkPeer, TcpPeer
from tests.contract.rig import Rig
from tests.contract.simulated import SimulatedPeer, SimulatedTcpPeer

READ = ("AC", "TD", "KS")
BYTES = (0x00, 0x16, 0x33)


class Scripted(TableLinkPeer):
    """Hands of the scripted device."""

    def __init__(self, kind, place):
        super().__init__(kind, place, capabilities=ONE_BY_ONE)
        self.out = 0

    def draw(self, seat, position, *, told=True):
        if self.device.held:
            return False
        card = BYTES[self.out % 3]
        self.out += 1
        if told:
            return self.device.draw(seat, position, card)
        self.device.dispensed += 1
        return True


class Simulated:
    """Hands of hwsim's."""

    place_kind = "card_shoe"
    device: Any
    table: Any

    def draw(self, seat, position, *, told=True):
        if self.device.held:
            return False
        if told:
            self.table.draw(f"seat/{seat}/{position}")
        else:
            self.device.dispensed += 1
            del self.device.deck.cards[0]
        return True


class ScriptedPty(Scripted, PtyPeer): ...


class ScriptedTcp(Scripted, TcpPeer): ...


class SimulatedPty(Simulated, SimulatedPeer): ...


class SimulatedTcp(Simulated, SimulatedTcpPeer): ...


@pytest.fixture(params=[ScriptedPty, ScriptedTcp, SimulatedPty, SimulatedTcp])
def play(request, tmp_path):
    def run(scenario):
        async def whole():
            async with Rig(request.param("shoe", tmp_path), "shoe") as rig:
                await scenario(rig)

        asyncio.run(whole())

    return run


async def released(rig):
    await rig.told("online")
    rig.order("release")
    await rig.told("released", rig.names().count("online"))


def test_it_holds_until_it_is_released_and_again_when_it_is_told(play):
    async def scenario(rig):
        online = await rig.told("online")
        assert "dispensed" not in online.args
        assert not rig.peer.draw(1, 1)
        rig.order("release")
        await rig.told("released")
        assert rig.peer.draw(1, 1)
        await rig.told("card")
        rig.order("hold")
        await rig.told("held")
        assert not rig.peer.draw(2, 1)
        rig.order("dispense", stacks=1)
        refused = await rig.told("fault")
        assert refused.args["what"] == "it refused to dispense: it does not know that order"

    play(scenario)


def test_each_card_is_told_once_with_its_place(play):
    async def scenario(rig):
        await released(rig)
        for seat in (1, 2, 3):
            assert rig.peer.draw(seat, 1)
            await rig.told("card", seat)
        cards = [reading for reading in rig.readings if reading.name == "card"]
        assert tuple(card for reading in cards for card in reading.cards) == READ
        assert [reading.args for reading in cards] == [
            {"dispensed": seat, "place": f"seat/{seat}/1", "mode": "game"} for seat in (1, 2, 3)
        ]

    play(scenario)


def test_a_lost_link_holds_it_and_what_was_drawn_is_told(play):
    async def scenario(rig):
        await released(rig)
        rig.peer.silence(True)
        assert rig.peer.draw(1, 1)
        await rig.told("offline")
        await rig.until(lambda: rig.peer.held)
        rig.peer.silence(False)
        await rig.told("online", 2)
        names = rig.names()
        assert names.index("card") < len(names) - 1 - names[::-1].index("online")
        assert "gap" not in names

    play(scenario)


def test_a_card_that_nobody_told_is_a_gap(play):
    async def scenario(rig):
        await released(rig)
        assert rig.peer.draw(1, 1)
        await rig.told("card")
        assert rig.peer.draw(2, 1, told=False)
        assert rig.peer.draw(3, 1)
        await rig.told("card", 2)
        assert rig.names()[-3:] == ["card", "gap", "card"]
        assert "1 cards left it untold" in rig.readings[-2].args["what"]

    play(scenario)
