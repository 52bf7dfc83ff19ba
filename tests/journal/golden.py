"""Makes the golden journal of this core version: `python -m tests.journal.golden`.

Run it once for a new CORE_VERSION, and commit what it makes; the older ones stay as they are.
"""

import random
import shutil
import sys
import tempfile
from pathlib import Path

from tablectl.journal.opening import open_journal
from tablectl.journal.wiring import Seams
from tablectl.table.table import CORE_VERSION
from tests.table.sessions import Session

FOLDER = Path(__file__).parent / "golden"


def folder(version: int = CORE_VERSION) -> Path:
    """Where the golden journal of a core version stands."""
    return FOLDER / f"core-{version}"


def make(target: Path, seed: int = 50, steps: int = 350) -> None:
    """Play a seeded session, with trouble of every kind, into a journal."""
    session = Session(random.Random(seed)).run(steps)
    draws = random.Random(seed)
    setup = session.pit.setup
    with tempfile.TemporaryDirectory() as data:
        seams = Seams(draw=draws.randbytes, now_s=lambda: 1_800_000_000)
        recorder = open_journal(Path(data), site=setup.site, table=setup.table, seams=seams)
        for input_ in session.pit.inputs:
            recorder.submit(input_)
        if not recorder.close():
            sys.exit("the golden journal could not be written")
        target.mkdir(parents=True)
        for made in sorted(Path(data).glob("journal*")):
            if made.suffix in (".db", ".pub"):
                shutil.copy(made, target / made.name)


if __name__ == "__main__":
    if folder().exists():
        sys.exit(f"{folder()} is there already: a golden journal is made once and never again")
    make(folder())
