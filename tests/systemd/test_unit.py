"""The unit as systemd's own tools see it, and the pages that speak about it."""

import re
import shutil
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "systemd"
UNIT = FOLDER / "tablectl@.service"
DROP_INS = sorted((FOLDER / "drop-ins").glob("*.conf"))
PAGE = (ROOT / "docs/operators/service.md").read_text()
PACKAGED = "/opt/tablectl/bin/tablectl"
EXPOSURE = 15  # tenths
# Read as a unit, not as a file of our own: a key may stand more than once.
_LINE = re.compile(r"^([A-Z]\w+)=(.*)$", re.MULTILINE)
LINES = _LINE.findall(UNIT.read_text())
KEYS = {key for key, _value in LINES}


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    assert program, "these tests need the Debian package systemd: apt-get install systemd"
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit, but for the place of the program: here it is the one of this environment."""
    program = Path(sys.executable).with_name("tablectl")
    assert program.exists(), "the environment has no tablectl: run make setup"
    text = UNIT.read_text()
    assert text.count(f"ExecStart={PACKAGED} ") == 1
    copy = tmp_path / UNIT.name
    copy.write_text(text.replace(f"ExecStart={PACKAGED} ", f"ExecStart={program} "))
    return copy


def with_drop_in(unit: Path, drop_in: Path) -> None:
    folder = unit.with_name(f"{unit.name}.d")
    folder.mkdir()
    shutil.copy(drop_in, folder)


def test_verify_has_nothing_to_say(unit: Path) -> None:
    said = analyze("verify", unit)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


@pytest.mark.parametrize("drop_in", DROP_INS, ids=lambda path: path.stem)
def test_verify_has_nothing_to_say_with_a_drop_in(unit: Path, drop_in: Path) -> None:
    with_drop_in(unit, drop_in)
    said = analyze("verify", unit)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")


def test_the_exposure_is_low(unit: Path) -> None:
    said = analyze("security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", unit)
    assert said.returncode == 0, said.stdout[-400:] + said.stderr
    assert not said.stderr


def test_a_drop_in_says_where_it_goes_and_changes_the_service_only() -> None:
    assert DROP_INS
    for path in DROP_INS:
        assert f"/etc/systemd/system/tablectl@.service.d/{path.name}" in path.read_text()
        parser = RawConfigParser(strict=True)
        parser.read_string(path.read_text())
        assert parser.sections() == ["Service"], path.name


def test_no_person_and_no_drop_in_is_needed_for_a_restart() -> None:
    said = dict(LINES)
    assert said["Type"] == "notify"
    assert said["Restart"] == "always"
    assert said["WatchdogSec"] == "10s"
    # A bad configuration is 1, wrong usage 2: neither gets better. A mistake of ours is 3.
    assert said["RestartPreventExitStatus"].split() == ["1", "2"]


def test_the_page_explains_every_hardening_line_and_no_other() -> None:
    table = PAGE.partition("## What each line costs")[2].partition("\n## ")[0]
    explained = set(re.findall(r"`(\w+)=?[^`]*`", "\n".join(_first_cells(table))))
    text = UNIT.read_text()
    hardening = _LINE.findall(text[text.index("User=") : text.index("[Install]")])
    assert explained == {key for key, _value in hardening}


def test_every_key_that_the_page_names_stands_in_the_unit() -> None:
    """Named with its value: then it is that value, too."""
    given = {f"{key}={value}" for key, value in LINES}
    named = set(re.findall(r"`([A-Z][A-Za-z]+)=([^`]*)`", PAGE))
    absent = {"ProtectClock", "ProcSubset", "PrivateDevices", "PrivateNetwork"}  # and why
    for key, value in named:
        if key in absent:
            assert key not in KEYS
        elif value:
            drop_ins = "".join(path.read_text() for path in DROP_INS)
            assert f"{key}={value}" in given or f"{key}={value}" in drop_ins, f"{key}={value}"
        else:
            assert key in KEYS, key


def test_the_page_and_the_readme_name_every_file() -> None:
    readme = (FOLDER / "README.md").read_text()
    files = [path for path in FOLDER.rglob("*") if path.is_file() and path.name != "README.md"]
    for path in files:
        name = path.relative_to(FOLDER).as_posix()
        assert f"`{name}`" in readme
        assert f"systemd/{name}" in PAGE


def _first_cells(table: str) -> list[str]:
    return [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
