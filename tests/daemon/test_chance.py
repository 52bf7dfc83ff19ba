"""What the table asks to be drawn: within its bounds, to both ends, never twice the same salt."""

import asyncio
from pathlib import Path

from tablectl.daemon.chance import draw
from tablectl.daemon.clock import BoxClock
from tablectl.daemon.config import digest, load, to_setup
from tablectl.daemon.desk import open_desk
from tablectl.journal.chain import Published
from tablectl.table.inputs import Restart, Stamp
from tablectl.table.must_hit import Wanted
from tablectl.table.state import Trigger
from tablectl.table.table import CORE_VERSION
from tests.daemon.files import ROOT

AT = Stamp(1, 1, "boot")


def test_every_cent_within_the_bounds_can_be_drawn() -> None:
    drawn = [draw(Wanted("must_hit", 101, 104), AT).trigger for _ in range(400)]
    assert {trigger.cents for trigger in drawn} == {101, 102, 103, 104}
    assert len({trigger.salt for trigger in drawn}) == 400
    assert all(len(bytes.fromhex(trigger.salt)) == 32 for trigger in drawn)


def test_the_desk_draws_when_the_table_asks_and_a_restart_keeps_it(tmp_path: Path) -> None:
    shipped = (ROOT / "config/midi-baccarat.toml").read_text()
    file = tmp_path / "table.toml"
    file.write_text(shipped.replace("/var/lib/tablectl/midi-1", str(tmp_path / "data")))
    config, clock, told = load(file), BoxClock(), list[Published]()

    async def start() -> Trigger | None:
        desk = open_desk(config, clock.now, lambda _command: None, told.append)
        desk.submit(lambda at: Restart(at, to_setup(config), digest(config), "0", CORE_VERSION))
        meter = desk.state.meter("must_hit")
        assert meter is not None
        assert desk.close()
        return meter.trigger

    first, again = asyncio.run(start()), asyncio.run(start())
    assert first is not None
    assert first == again
    assert 25_000 < first.cents <= 100_000
    bodies = "".join(event.body for event in told)
    assert bodies.count("tablectl.progressive.sealed") == 1
    assert first.commitment in bodies
    assert first.salt not in bodies
