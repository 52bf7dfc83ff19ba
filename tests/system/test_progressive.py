"""Progressives on a whole table: chips on real sensors, the daemon killed (-9) at any moment.

Nothing leaves the shoe while a chip could be laid; what a meter is given lies in the inventory; the
journal alone proves every meter; a hit is paid once, whatever died in between.
"""

import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.outbox.mosquitto import until
from tests.system.chips import CHIP, ChipStage
from tests.system.processes import command, sound


@pytest.mark.timeout(300)
def test_killed_while_chips_lie(tmp_path: Path) -> None:
    kills(tmp_path, 31, 3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(3100, 3108))
def test_killed_forty_times_while_chips_lie(tmp_path: Path, seed: int) -> None:
    faults = "split,loss,repeat,disconnect" if seed % 2 else ""
    kills(tmp_path, seed, 40, faults, "numato" if seed % 3 == 0 else "modbus")


def kills(folder: Path, seed: int, times: int, faults: str = "", protocol: str = "modbus") -> None:
    dice = random.Random(f"chips {seed}")
    with ChipStage(folder, seed, faults, protocol) as stage:
        stage.room.open_gate()
        until(lambda: stage.state()["phase"] == "betting", f"{stage.told}: the first round", 120)
        for number in range(1, times + 1):
            stage.told = f"seed {seed}, kill {number}"
            time.sleep(dice.uniform(0.2, 2.0))
            stage.well()
            stage.room.close_gate()
            stage.daemon.kill()
            stage.daemon.start()
            stage.wait_ready()
            state = stage.state()
            assert state["halted"], stage.told
            assert state["locked"], stage.told
            until(stage.room.restricted, f"{stage.told}: devices are restricted", 30)
            stage.room.open_gate()
        stage.told = f"seed {seed}, after {times} kills"
        stage.play(2, 120)
        stage.room.rest()
        assert stage.daemon.stop() == 0, stage.told
        end(stage)


def end(stage: ChipStage) -> None:
    sound(stage.data, stage.told)
    told: list[dict[str, Any]] = [json.loads(body) for body in stage.stored().values()]
    assert not stage.chip_dealer.open_stacks, (
        f"{stage.told}: {Counter(stage.chip_dealer.open_stacks)}"
    )
    assert of(told, "wager.accepted"), stage.told
    contributed = of(told, "progressive.contributed")
    assert contributed, stage.told
    for data in contributed:
        racked = stage.chip_dealer.inventory[data["round"]]
        assert data["wagered"] == CHIP * len(racked), f"{stage.told}: {data}, {racked}"
    won = Counter((data["round"], data["seat"]) for data in of(told, "progressive.hit"))
    paid = Counter((data["round"], data["seat"]) for data in of(told, "progressive.paid"))
    assert won, stage.told
    assert max(paid.values(), default=0) <= 1, f"{stage.told}: {paid}"
    assert paid.keys() <= won.keys(), stage.told
    failed = [d for d in of(told, "table.halted") if d["cause"] in ("invariant", "exception")]
    assert not failed, f"{stage.told}: {failed}"
    proved = command("meters", str(stage.data), "--json")
    assert proved.returncode == 0, f"{stage.told}: {proved.stderr}"
    [main] = json.loads(proved.stdout)["meters"].values()
    assert main["wagered"] == sum(data["wagered"] for data in contributed), stage.told
    awarded = (d["cents"] for d in of(told, "progressive.paid") if d["meter"] == "main")
    assert main["awarded"] == sum(awarded), stage.told


def of(told: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in told if event["type"] == f"tablectl.{kind}"]
