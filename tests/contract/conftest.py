"""Every contract runs against every peer of its kind."""

import asyncio

import pytest

from tests.contract.peers import PEERS as WIRED
from tests.contract.rig import Rig
from tests.contract.usb_peers import HANDS, USB_PEERS

PEERS = USB_PEERS if HANDS else WIRED | USB_PEERS


@pytest.fixture(params=sorted(PEERS))
def play(request, tmp_path):
    """Play a scenario: `play("shoe", scenario)`, where `scenario` is an async function of a rig.

    `needs`: a word of the peer without which the promise cannot be asked of it.
    """
    peer_class = PEERS[request.param]

    def run(kind, scenario, *, needs="", **plan):
        if kind not in peer_class.kinds:
            pytest.skip(f"{request.param} has no {kind}")
        if needs and not getattr(peer_class, needs, None):
            pytest.skip(f"{request.param} has no {needs}")

        async def whole():
            async with Rig(peer_class(kind, tmp_path), kind, **plan) as rig:
                await scenario(rig)

        asyncio.run(whole())

    return run
