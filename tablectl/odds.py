"""`tablectl odds`: the exact odds of a game, for people and as JSON.

It shows what games.odds counts and counts nothing itself.
"""

import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, NotRequired, TypedDict

from tablectl.games.odds.catalogue import GAMES, questions
from tablectl.games.odds.report import NOT_COUNTED, Odds, Outcome, Question
from tablectl.games.rules import RulesError

__all__ = ["GAMES", "SettingError", "as_data", "as_json", "counted", "page", "parse_settings"]

_INTEGER: Final = re.compile(r"[0-9]{1,9}")
_LITERALS: Final = {"true": True, "false": False}


class SettingError(ValueError):
    """What was written after --set cannot be used; one sentence says why."""


def parse_settings(game: str, written: Iterable[str]) -> tuple[Question, ...]:
    """The questions that `KEY=VALUE` settings leave open; raises SettingError."""
    settings: dict[str, object] = {}
    for text in written:
        key, equals, value = text.partition("=")
        if not equals or not key:
            example = "write KEY=VALUE, for example pair_plus=D"
            raise SettingError(f"{text!r:.40} is no setting: {example}")
        if key in settings:
            raise SettingError(f"{key:.40} is set twice: set it once")
        settings[key] = int(value) if _INTEGER.fullmatch(value) else _LITERALS.get(value, value)
    try:
        return questions(game, settings)
    except RulesError as error:
        told = (str(fault).removeprefix("rules.") for fault in error.faults)
        raise SettingError("; ".join(told)) from None


def counted(asked: Sequence[Question], *, bar: bool = False) -> list[Odds]:
    """Answer every question; `bar` shows on stderr how far it has come."""
    if not bar:
        return [question.answer() for question in asked]
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    answers = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=len(asked))
        for question in asked:
            name = f"{_words(question.wager)} {question.paytable}"
            progress.update(task, description=name)
            answers.append(question.answer())
            progress.advance(task)
    return answers


class End(TypedDict):
    """One outcome: how often, what is won per unit net of the stake, by which clause."""

    count: int
    pays: float
    clause: str
    award: NotRequired[str]


class Counted(TypedDict):
    """The exact odds of a wager by one paytable; `edge` is the nearest number to `edge_exact`."""

    game: str
    wager: str
    paytable: str
    decks: int
    total: int
    edge: float
    edge_exact: str
    outcomes: dict[str, End]
    notes: list[str]


def as_data(answers: Iterable[Odds]) -> list[Counted]:
    """The answers as JSON has them: edge and pays are the nearest numbers to the exact ones."""
    return [
        {
            "game": odds.game,
            "wager": odds.wager,
            "paytable": odds.paytable,
            "decks": odds.decks,
            "total": odds.total,
            "edge": float(odds.edge),
            "edge_exact": str(odds.edge),
            "outcomes": {end.name: _outcome(end) for end in odds.outcomes},
            "notes": list(odds.notes),
        }
        for odds in answers
    ]


def _outcome(end: Outcome) -> End:
    data: End = {"count": end.count, "pays": _number(end.pays), "clause": end.clause}
    if end.award:
        data["award"] = end.award
    return data


def _number(exact: Fraction) -> int | float:
    return exact.numerator if exact.denominator == 1 else float(exact)


def as_json(answers: Iterable[Odds]) -> str:
    """The answers as a program reads them."""
    return json.dumps(as_data(answers), indent=2) + "\n"


def page(answers: Sequence[Odds], width: int = 80, colour: bool = False) -> str:
    """The answers as a person reads them: each wager's outcomes, then all the edges together."""
    from tablectl.paper import Paper  # noqa: PLC0415  only people need it, and it takes its time

    paper = Paper(width, colour)
    for odds in answers:
        paper.line(_title(odds), "bold")
        paper.table(
            ("outcome", "pays", "deals", "clause"),
            ((_words(end.name), _pays(end), f"{end.count:,}", end.clause) for end in odds.outcomes),
            right=("pays", "deals"),
        )
        for note in odds.notes:
            paper.line(note, "dim")
        paper.line()
    paper.line("House edge", "bold")
    paper.table(
        ("wager", "paytable", "deals", "edge", ""),
        (
            (_words(odds.wager), odds.paytable, f"{odds.total:,}", _percent(odds.edge), _star(odds))
            for odds in answers
        ),
        right=("deals", "edge"),
    )
    if any(map(_star, answers)):
        paper.line(f"* {NOT_COUNTED}", "dim")
    return paper.text


def _title(odds: Odds) -> str:
    decks = f", {odds.decks} decks" if odds.decks > 1 else ""
    return f"{_words(odds.wager)} {odds.paytable}{decks}: edge {_percent(odds.edge)}"


def _star(odds: Odds) -> str:
    return "*" if any(end.award for end in odds.outcomes) else ""


def _words(name: str) -> str:
    return name.replace("_", " ")


def _pays(end: Outcome) -> str:
    return end.award or f"{_number(end.pays):,}"


def _percent(edge: Fraction) -> str:
    return f"{float(edge):.3%}"
