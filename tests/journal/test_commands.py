"""`verify` and `replay` as people and scripts call them: sentences, JSON, exit codes."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal import commands
from tablectl.journal.commands import replay_command, verify_command
from tests.journal.tampering import copy, execute
from tests.journal.test_real_core import record, two_rounds  # the real core is what `replay` uses


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("good") / "data"
    record(data, two_rounds(4), random.Random(0))
    return data


@pytest.mark.parametrize("command", [verify_command, replay_command])
def test_sound(good: Path, capsys: pytest.CaptureFixture[str], command: Any) -> None:
    assert command(good, None, None, json_out=False) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "records" in out
    assert str(good / "journal.pub") in out
    assert command(good / "journal.db", None, None, json_out=True) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["ok"] is True
    assert found["broken"] is None
    assert {"ok", "records", "events", "first", "last", "head", "broken"} <= found.keys()
    assert err == ""


@pytest.mark.parametrize("command", [verify_command, replay_command])
def test_broken(
    good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: Any
) -> None:
    data = copy(good, tmp_path / "spoilt")
    execute(data / "journal.db", "UPDATE records SET input = replace(input, 'floor', 'flaor')")
    assert command(data, None, None, json_out=True) == 1
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert found["ok"] is False
    assert found["broken"]["sequence"] > 1
    assert err.count("\n") == 1
    assert "broken at sequence" in err


def test_exit_codes(good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify_command(tmp_path / "missing.db", None, None, json_out=False) == 1
    assert "no such journal" in capsys.readouterr().err
    assert verify_command(good, None, "17", json_out=False) == 2
    assert "SEQUENCE:HASH" in capsys.readouterr().err
    assert verify_command(good, "nothing.pem", None, json_out=False) == 1
    assert "no such key file" in capsys.readouterr().err
    assert verify_command(good, "zz" * 32, None, json_out=False) == 1
    assert verify_command(good, str(good / "journal.pub"), None, json_out=False) == 0
    assert verify_command(good, None, f"1:{'a' * 64}", json_out=False) == 1
    assert "rewritten" in capsys.readouterr().err


def test_what_cannot_be_read(
    good: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def denied(*_args: object) -> None:
        raise PermissionError(13, "Permission denied", str(good))

    monkeypatch.setattr(commands, "verify", denied)
    assert verify_command(good, None, None, json_out=False) == 3
    assert "Permission denied" in capsys.readouterr().err


def test_a_bar_on_a_terminal(
    good: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert verify_command(good, None, None, json_out=True) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["ok"]
    assert "verified" in err
