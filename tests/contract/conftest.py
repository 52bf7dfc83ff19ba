"""Every contract runs against every peer of its kind."""

import asyncio
from typing import Any

import pytest

from tests.contract.peers import PEERS
from tests.contract.rig import Rig
from tests.contract.simulated import SIMULATED

EVERY: dict[str, Any] = {**PEERS, **SIMULATED}


@pytest.fixture(params=sorted(EVERY))
def play(request, tmp_path):
    """Play a scenario: `play("shoe", scenario)`, where `scenario` is an async function of a rig."""
    peer_class = EVERY[request.param]

    def run(kind, scenario, **plan):
        if kind not in peer_class.kinds:
            pytest.skip(f"{request.param} has no {kind}")

        async def whole():
            async with Rig(peer_class(kind, tmp_path), kind, **plan) as rig:
                await scenario(rig)

        asyncio.run(whole())

    return run
