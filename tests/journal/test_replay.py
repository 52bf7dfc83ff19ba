"""`replay` derives every event again and names the first that differs."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal.replay import replay
from tablectl.table.inputs import Action, DeviceEvent
from tests.journal.tampering import copy, execute
from tests.journal.toy import TOY, segmented_journal, small_journal, toy_step


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("good") / "data"
    segmented_journal(data)
    return data


def test_all_of_it(good: Path) -> None:
    report = replay(good, core=TOY).as_dict()
    assert report["ok"]
    assert report["rederived"] == report["records"] > 40


@pytest.mark.parametrize("name", ["journal-1.db", "journal-27.db", "journal.db"])
def test_one_file(good: Path, name: str) -> None:
    report = replay(good / name, core=TOY)
    assert report.ok
    assert report.rederived == report.records


def other(change: Any) -> Any:
    """A core that treats what the shoe tells, or one action, differently."""

    def step(state: Any, given: Any) -> Any:
        outcome = toy_step(state, given)
        if isinstance(given, DeviceEvent) and outcome.events:
            return replace(outcome, events=change(outcome.events))
        return outcome

    return replace(TOY, step=step)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda events: (replace(events[0], data={"x": 1}), *events[1:]), "now gives another"),
        (lambda events: events[:-1], "no longer gives"),
        (
            lambda events: (*events, replace(events[-1], sequence=events[-1].sequence + 1)),
            "events, ",
        ),
        (lambda events: (replace(events[0], data={"x": 0.5}),), "cannot be recorded"),
    ],
)
def test_the_first_difference_is_named(good: Path, change: Any, what: str) -> None:
    report = replay(good, core=other(change))
    assert not report.ok
    assert report.broken is not None
    assert what in report.broken.what
    assert report.broken.sequence is not None
    assert 4 <= report.broken.sequence <= 14


def test_a_hidden_difference_shows_at_the_next_snapshot(good: Path) -> None:
    def step(state: Any, given: Any) -> Any:
        outcome = toy_step(state, given)
        if isinstance(given, Action) and given.action == "say":
            return replace(outcome, state=replace(outcome.state, phase="elsewhere"))
        return outcome

    report = replay(good, core=replace(TOY, step=step))
    assert report.broken is not None
    assert "is not the derived state" in report.broken.what


def test_damage_comes_first(good: Path, tmp_path: Path) -> None:
    data = copy(good, tmp_path / "spoilt")
    execute(data / "journal-1.db", "UPDATE sealed SET card = 'AS'")
    report = replay(data, core=TOY)
    assert report.broken is not None
    assert "commitment" in report.broken.what


def test_counted_refusals_replay(data: Path) -> None:
    small_journal(data)
    assert replay(data, core=TOY).ok
