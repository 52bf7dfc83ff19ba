"""Many devices at once over real links: a silent or raving one never disturbs its neighbour."""

import asyncio
import random
import statistics

from tablectl.hal.kinds import Command, DevicePlan, Reading
from tablectl.hal.supervisor import Supervisor
from tests.contract.peers import PtyPeer, TcpPeer


async def round_trips(supervisor, answers, count):
    """How long a lock takes, there and back, in ms."""
    loop, took = asyncio.get_running_loop(), []
    for n in range(1, count + 1):
        begun = loop.time()
        supervisor.send(Command("good", "lock", True, "boot", n))
        async with asyncio.timeout(5):
            await answers.get()
        took.append((loop.time() - begun) * 1000)
    return took


def test_a_silent_and_a_raving_device_do_not_disturb_their_neighbour(tmp_path):
    async def scenario():
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        rng = random.Random(seed)
        good, silent = PtyPeer("progressive", tmp_path), TcpPeer("shoe", tmp_path)
        raving = TcpPeer("button", tmp_path)
        answers: asyncio.Queue[Reading] = asyncio.Queue()
        told: list[tuple[str, str]] = []
        ready = asyncio.Event()

        def listen(device, reading):
            told.append((device, reading.name))
            if (device, reading.name) == ("good", "online"):
                ready.set()
            if device == "good" and reading.name == "locked":
                answers.put_nowait(reading)

        supervisors = []
        for name, peer in (("good", good), ("silent", silent), ("raving", raving)):
            await peer.start()
            plan = DevicePlan(name, peer.kind, "tablelink", peer.url)
            supervisors.append(Supervisor(plan, listen))
        silent.silence(True)
        raving.silence(True)
        tasks = [asyncio.create_task(each.run()) for each in supervisors]
        async with asyncio.timeout(5):
            await ready.wait()
        raves = asyncio.create_task(rave(raving, rng))
        took = await round_trips(supervisors[0], answers, 200)
        print(f"median {statistics.median(took):.2f} ms, worst {max(took):.2f} ms")
        raves.cancel()
        assert statistics.median(took) < 20
        assert {name for device, name in told if device == "good"} == {"online", "locked"}
        assert ("silent", "online") not in told
        assert supervisors[2].counters.bytes_in > 10_000
        for each in supervisors:
            each.stop()
        await asyncio.gather(*tasks)
        for peer in (good, silent, raving):
            await peer.stop()

    asyncio.run(scenario())


async def rave(peer, rng):
    while True:
        peer.babble(rng.randbytes(2000))
        await asyncio.sleep(0.002)
