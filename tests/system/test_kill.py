"""kill -9 of the daemon at random moments of a seeded session, and of the broker too.

A subscriber ends with every event of the journal once and unchanged; devices are restricted until
the floor resumes; nothing that permits runs twice.
"""

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from hwsim.tablelink import messages as m
from tests.outbox.mosquitto import until
from tests.system.processes import sound
from tests.system.stage import Executed, Stage

BROKER_DIES = 0.3  # in that share of the kills
FAULTS = "loss,garbage,split,repeat,reboot,disconnect,jam,misread,overdraw"
LONGEST_S = 1.2  # of play between two kills


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("seed", "port"), [(11, "tcp"), (12, "pty")])
def test_killed_ten_times(tmp_path: Path, seed: int, port: str) -> None:
    kills(tmp_path, seed, 10, port)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1010))
def test_killed_fifty_times(tmp_path: Path, seed: int) -> None:
    kills(tmp_path, seed, 50, "pty" if seed % 2 else "tcp", FAULTS if seed % 3 == 0 else "")


def kills(folder: Path, seed: int, times: int, port: str, faults: str = "") -> None:
    dice = random.Random(f"kill {seed}")
    with Stage(folder, seed, faults, port=port) as stage:
        stage.room.open_gate()
        until(lambda: stage.state()["phase"] == "betting", f"{stage.told}: the first round", 120)
        for number in range(1, times + 1):
            stage.told = f"seed {seed} {port}, kill {number}"
            time.sleep(dice.uniform(0, LONGEST_S))
            one_kill(stage, with_broker=dice.random() < BROKER_DIES, dice=dice)
        stage.told = f"seed {seed} {port}, after {times} kills"
        stage.play(1)
        stage.room.rest()
        assert stage.daemon.stop() == 0, stage.told
        end(stage)


def one_kill(stage: Stage, *, with_broker: bool, dice: random.Random) -> None:
    stage.well()
    if with_broker and dice.random() < 0.5:
        stage.broker.kill()  # first, so that the daemon dies while it has nobody to tell
        time.sleep(dice.uniform(0, 0.3))
    stage.room.close_gate()
    stage.daemon.kill()
    permitted = len(stage.room.permitted())
    if with_broker:
        stage.broker.kill()
    sound(stage.data, stage.told)
    if with_broker:
        stage.broker.start()
    stage.daemon.start()
    stage.wait_ready()
    state = stage.state()
    assert state["halted"], f"{stage.told}: nobody has resumed yet"
    assert state["locked"], stage.told
    until(stage.room.restricted, f"{stage.told}: devices are restricted", 30)
    assert len(stage.room.permitted()) == permitted, f"{stage.told}: {stage.room.permitted()[-1]}"
    stage.subscriber.ready()
    stage.subscriber.catch_up(state["sequence"], stage.told, may_ask=with_broker)
    stage.room.open_gate()


def end(stage: Stage) -> None:
    """Nothing is lost, nothing changed, nothing permitted twice."""
    stored = stage.stored()
    sound(stage.data, stage.told)
    stage.subscriber.catch_up(max(stored), stage.told, may_ask=False)
    stage.subscriber.agrees(stored, stage.told)
    never_twice(stage.room.executed, stage.told)


def never_twice(executed: list[Executed], told: str) -> None:
    """Each {boot, n} means one command, and what permits was carried out at most once."""
    meant: dict[tuple[str, str, int], tuple[str, bytes]] = {}
    for one in executed:
        number = (one.device, one.boot, one.n)
        assert meant.setdefault(number, (one.name, one.arguments)) == (one.name, one.arguments), (
            f"{told}: {number} was used for two commands"
        )
    done = Counter(
        (e.device, e.boot, e.n) for e in executed if e.permissive and e.outcome == m.DONE
    )
    assert done, told
    assert max(done.values()) == 1, f"{told}: {done.most_common(1)}"
    orders = [e for e in executed if e.permissive and e.outcome == m.DONE]
    for device in {order.device for order in orders}:
        numbers = [order.n for order in orders if order.device == device]
        assert numbers == sorted(numbers), f"{told}: {device}'s permissions go back"
