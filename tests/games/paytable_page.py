"""Writes docs/regulators/paytables.md: `python -m tests.games.paytable_page`. No test here.

It decides nothing; every number and every clause comes from the packaged TOML.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tablectl.cards import dollars
from tablectl.games import paytables
from tablectl.games.paytables import Commission, DrawRow, GameFigures

_HOUSE = "house procedure"  # where the text is silent
PAGE = Path(__file__).parents[2] / "docs" / "regulators" / "paytables.md"
_HEAD = """# Paytables

Every paytable that the games pay by, row by row with its clause, and every other figure that the
rules print. The page is made from `tablectl/games/paytables/`; a test compares the two.
"""
Cells = tuple[str, ...]


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    poker, midi = paytables.three_card_poker(), paytables.midi_baccarat()
    yield _HEAD
    yield "## Three Card Poker, Maryland"
    yield from _paytables(poker)
    yield from _others(_seats(poker), _poker_terms(poker))
    for state, name in (("MD", "Maryland"), ("WA", "Washington")):
        baccarat = paytables.three_card_baccarat(state)
        yield f"## Three Card Baccarat, {name}"
        yield from _paytables(baccarat)
        yield from _others(_seats(baccarat), _commission(baccarat.commission))
    yield "## Midi Baccarat, Maryland"
    yield from _paytables(midi)
    yield from _third_cards(midi)
    yield from _others(_seats(midi), _commission(midi.commission), _midi_terms(midi))


def _table(columns: Cells, rows: Iterable[Cells]) -> Iterator[str]:
    yield ""
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _paytables(figures: GameFigures) -> Iterator[str]:
    columns = ("wager", "paytable", "hand", "pays", "clause")
    rows = (
        (table.wager, table.letter, (row.hand or "").replace("_", " "), _pays(row), row.clause)
        for table in figures.tables.values()
        for row in table.rows
    )
    return _table(columns, rows)


def _pays(row: paytables.Row) -> str:
    least = "at least " if row.at_least else ""
    commission = ", less commission" if row.vigorish else ""
    return f"{least}{row.odds}{commission}"


def _third_cards(figures: paytables.MidiBaccaratFigures) -> Iterator[str]:
    yield "### Third cards"
    groups: tuple[tuple[str, Iterable[DrawRow]], ...] = (
        ("either", (figures.natural,)),
        ("player", figures.player_draws),
        ("banker, player stood", figures.banker_draws_alone),
        ("banker, player drew", figures.banker_draws),
    )
    columns = ("hand", "points after two cards", "player's third card", "does", "clause")
    rows = (
        (
            hand,
            ", ".join(map(str, row.points)),
            "" if row.third is None else str(row.third),
            "draws" if row.draws else "stays",
            row.clause,
        )
        for hand, drawn in groups
        for row in drawn
    )
    yield from _table(columns, rows)


def _others(*groups: Iterable[Cells]) -> Iterator[str]:
    yield "### Other figures"
    yield from _table(("what", "figure", "clause"), (row for group in groups for row in group))


def _seats(figures: GameFigures) -> Iterator[Cells]:
    yield "seats", f"at most {figures.seats_maximum}", figures.seats_clause or _HOUSE


def _commission(commission: Commission) -> Iterator[Cells]:
    yield "vigorish on what was won", f"{commission.percent} percent", commission.clause
    step = f"{commission.rounding_cents} cents"
    yield "vigorish may be rounded to a multiple of", step, commission.rounding_clause or _HOUSE


def _poker_terms(figures: paytables.ThreeCardPokerFigures) -> Iterator[Cells]:
    stakes = " or ".join(map(dollars, figures.progressive_stakes))
    yield "stake of a progressive wager", stakes, figures.progressive_stakes_clause
    times = figures.compulsory_times
    what = "compulsory ante or pair plus, of the other"
    yield what, f"at most {times.value} times", times.clause
    least = figures.reset_minimum
    yield "reset of every meter", f"at least {dollars(int(least.value))}", least.clause
    for (wager, letter), rate in figures.rate_minimums.items():
        yield f"rate of the meter, {wager} {letter}", f"at least {rate.value:.0%}", rate.clause


def _midi_terms(figures: paytables.MidiBaccaratFigures) -> Iterator[Cells]:
    yield "decks", f"{figures.decks[0]} to {figures.decks[-1]}", figures.decks_clause
    for word, minimums in (
        ("reset", figures.reset_minimums),
        ("maximum", figures.maximum_minimums),
    ):
        for (meter, letter), least in minimums.items():
            sum_ = f"at least {dollars(int(least.value))}"
            yield f"{word} of the meter {meter}, {letter}", sum_, least.clause


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
