"""Every contract runs against every peer of its kind.

`CONTRACT_PEERS=module:NAME` in the environment puts the peers of a driver from elsewhere in their
place: see docs/integrators/writing-a-driver.md.
"""

import asyncio
import os
from importlib import import_module
from typing import Any

import pytest

from tests.contract.boards import BOARDS
from tests.contract.peers import PEERS as WIRED
from tests.contract.rig import Rig
from tests.contract.simulated import SIMULATED
from tests.contract.usb_peers import HANDS, USB_PEERS

THEIRS = os.environ.get("CONTRACT_PEERS", "")
EVERY: dict[str, Any] = {**USB_PEERS} if HANDS else {**WIRED, **SIMULATED, **BOARDS, **USB_PEERS}
if THEIRS:
    module, _, name = THEIRS.partition(":")
    EVERY = getattr(import_module(module), name)


@pytest.fixture(params=sorted(EVERY))
def play(request, tmp_path):
    """Play a scenario: `play("shoe", scenario)`, where `scenario` is an async function of a rig.

    `needs`: a word of the peer without which the promise cannot be asked of it. A kind of ""
    is the peer's first.
    """
    peer_class = EVERY[request.param]

    def run(kind, scenario, *, needs="", **plan):
        kind = kind or min(peer_class.kinds)
        if kind not in peer_class.kinds:
            pytest.skip(f"{request.param} has no {kind}")
        if needs and not getattr(peer_class, needs, None):
            pytest.skip(f"{request.param} has no {needs}")

        async def whole():
            async with Rig(peer_class(kind, tmp_path), kind, **plan) as rig:
                await scenario(rig)

        asyncio.run(whole())

    return run
