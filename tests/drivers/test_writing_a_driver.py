"""docs/integrators/writing-a-driver.md is true: its files are taken out, and keep the contracts."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/integrators/writing-a-driver.md").read_text()


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The page's files as a package that is installed beside tablectl."""
    folder = tmp_path_factory.mktemp("bell")
    found = re.findall(r"```(?:python|toml)\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)
    files = dict(found)
    assert len(found) == len(files) == 6
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    (folder / "acme_bell/__init__.py").touch()
    [vectors] = re.findall(r"```text\n((?:[0-9a-f]+ +\S+\n)+)```", PAGE)
    (folder / "vectors.txt").write_text(vectors)
    # As an installer writes it, from the page's own entry point.
    points = tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]["tablectl.drivers"]
    info = folder / "acme_bell-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-bell\nVersion: 1\n")
    lines = "".join(f"{name} = {place}\n" for name, place in points.items())
    (info / "entry_points.txt").write_text(f"[tablectl.drivers]\n{lines}")
    return folder


def run(package, *command, **environment):
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=110,
        env={**os.environ, "PYTHONPATH": str(package), **environment}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_example_keeps_the_contracts(package):
    said = run(
        package, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "button",
        "tests/contract/test_any_device.py", "tests/contract/test_button.py",
        CONTRACT_PEERS="bell_peer:PEERS",
    )  # fmt: skip
    assert int(re.findall(r"(\d+) passed", said)[0]) == 2 * 9, said  # a pty and TCP


def test_its_vectors_and_its_codec_hold(package):
    said = run(
        package, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={package}",
        f"--config-file={ROOT / 'pyproject.toml'}", str(package / "test_bell.py"),
    )  # fmt: skip
    assert "2 passed" in said


def test_it_is_written_as_we_write(package):
    run(package, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"),
        "--ignore", "INP,S101,SLF,D", str(package))  # fmt: skip
    run(package, "-m", "ruff", "format", "--check", "--config", str(ROOT / "pyproject.toml"),
        str(package))  # fmt: skip


def test_a_configuration_may_name_it(package, tmp_path):
    example = (ROOT / "config/three-card-poker.toml").read_text()
    bell = '[devices.bell]\nkind = "button"\ndriver = "acme_bell"\nurl = "/dev/tablectl/bell"\n'
    file = tmp_path / "table.toml"
    file.write_text(f"{example}\n{bell}options = {{ baud = 4800 }}\n")
    assert "acme_bell" in run(package, "-m", "tablectl.cli", "check", str(file))
