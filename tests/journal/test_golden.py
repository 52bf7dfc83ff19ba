"""Golden journals: derived events may not change without a new core version."""

import shutil
from pathlib import Path

import pytest

from tablectl.journal.replay import replay
from tablectl.journal.verify import verify
from tablectl.table.table import CORE_VERSION
from tests.journal.golden import FOLDER, folder


def test_this_core_version_has_its_golden_journal() -> None:
    assert folder().is_dir(), (
        f"core version {CORE_VERSION} has no golden journal: run python -m tests.journal.golden"
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("core-*")), ids=lambda path: path.name)
def test_a_golden_journal_verifies_and_replays(path: Path, tmp_path: Path) -> None:
    """It is the same events, or a new core version is due (DESIGN: versions)."""
    copy = tmp_path / path.name
    shutil.copytree(path, copy)
    verified = verify(copy).as_dict()
    assert verified["ok"], verified["broken"]
    replayed = replay(copy).as_dict()
    assert replayed["ok"], (
        f"{replayed['broken']}: the same inputs give other events now; if that is meant, count "
        "CORE_VERSION up and make its golden journal"
    )
    assert replayed["events"] == verified["events"] > 300
