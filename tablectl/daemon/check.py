"""`tablectl check`: what a configuration file says, for people and as JSON.

It shows what config.py found and judges nothing itself. No secret is in what it prints: of a
person only name, roles and kind of credential.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tablectl.cards import dollars
from tablectl.daemon.config import Config, Reading, digest, read
from tablectl.daemon.shapes import Checked
from tablectl.games.odds.catalogue import edge
from tablectl.games.odds.report import NOT_COUNTED
from tablectl.games.rules import GameRules, rules_in_force


@dataclass(frozen=True, slots=True)
class Answer:
    """What the command prints, and how it ends."""

    stdout: str
    stderr: tuple[str, ...]
    exit_code: int


def check(file: str, *, as_json: bool, width: int = 80, colour: bool = False) -> Answer:
    """Judge a file. Raises OSError where a file that is there cannot be read."""
    reading = read(file)
    code = 0 if reading.config is not None else 1
    if as_json:
        return Answer(json.dumps(as_data(reading), indent=2) + "\n", (), code)
    if reading.config is None:
        wrong = tuple(f"{reading.file}: {fault}" for fault in reading.faults)
        return Answer("", wrong, code)
    return Answer(_page(reading, reading.config, width, colour), (), code)


def as_data(reading: Reading) -> Checked:
    """The answer as JSON. The rules are there as soon as they are right, whatever else is not."""
    rules = reading.rules
    shown = rules_in_force(rules) if rules else {}
    return {
        "valid": reading.config is not None,
        "errors": [
            {
                "file": reading.file,
                "key": fault.key,
                "expected": fault.expected,
                "clause": fault.clause,
            }
            for fault in reading.faults
        ],
        "warnings": [
            {"file": reading.file, "key": warned.key, "what": warned.what}
            for warned in reading.warnings
        ],
        "rules": {
            key: {"value": rule.value, "default": rule.default, "clause": rule.clause}
            for key, rule in shown.items()
        },
        "wagers": [
            {"wager": wager, "paytable": paytable, "edge": None if cost is None else float(cost)}
            for wager, paytable, cost in (wagers(rules) if rules else ())
        ],
        "digest": digest(reading.config) if reading.config else None,
    }


def wagers(rules: GameRules) -> Iterable[tuple[str, str | None, Fraction | None]]:
    """Each wager offered with its paytable and its exact edge; a play's is in its ante's."""
    return ((wager, rules.paytable(wager), cost) for wager, cost in edge(rules).items())


def _page(reading: Reading, config: Config, width: int, colour: bool) -> str:
    from tablectl.paper import Paper  # noqa: PLC0415  only people need it, and it takes its time

    paper = Paper(width, colour)

    def table(title: str, columns: str, rows: Iterable[tuple[str, ...]]) -> None:
        paper.line()
        paper.line(title, "bold")
        paper.table(columns.split(", "), rows)

    paper.line(f"{reading.file}: valid", "green", whole=True)
    paper.line(f"table {config.table.id} at {config.table.site}")
    paper.line(f"digest {digest(config)}")
    table("Rules", "rule, value, default?, clause", _rules(config))
    table(
        "Wagers",
        "wager, paytable, edge, minimum, maximum",
        (
            (wager, paytable or "-", _percent(cost), *_limits(config, wager))
            for wager, paytable, cost in wagers(config.rules)
        ),
    )
    paper.line(f"edge: exact, per unit wagered; {NOT_COUNTED}", "dim")
    if config.meters:
        table(
            "Meters",
            "meter, resets to, rate, hit by",
            (
                (
                    name,
                    dollars(meter.reset),
                    f"{meter.rate} of each wager",
                    dollars(meter.maximum) if meter.maximum else "-",
                )
                for name, meter in config.meters.items()
            ),
        )
    table(
        "Devices",
        "device, kind, driver, link, ",
        (
            (name, one.kind, one.driver, one.url, "read only" if one.read_only else "")
            for name, one in config.devices.items()
        ),
    )
    if config.people:
        table(
            "People",
            "person, name, roles, proved by",
            (
                (name, one.name, ", ".join(one.roles), _proof(one.pin_hash, one.badge_hash))
                for name, one in config.people.items()
            ),
        )
    if reading.warnings:
        table("Warnings", "key, what", ((one.key, one.what) for one in reading.warnings))
    return paper.text


def _rules(config: Config) -> Iterable[tuple[str, ...]]:
    for key, rule in rules_in_force(config.rules).items():
        value = "not offered" if rule.value is None else _written(rule.value)
        default = "" if rule.default is None else _written(rule.default)
        yield key, value, "yes" if value == default else default, rule.clause or ""


def _written(value: str | int) -> str:
    """A rule's value as the file writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _percent(cost: Fraction | None) -> str:
    return "-" if cost is None else f"{float(cost):.3%}"


def _limits(config: Config, wager: str) -> tuple[str, str]:
    limit = config.limits.get("ante" if wager == "play" else wager)
    return (dollars(limit.minimum), dollars(limit.maximum)) if limit else ("-", "-")


def _proof(pin: str | None, badge: str | None) -> str:
    return ", ".join(word for word, proof in (("PIN", pin), ("badge", badge)) if proof)
