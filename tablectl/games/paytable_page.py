"""docs/regulators/paytables.md, made from the packaged figures so that the page cannot drift.

`python -m tablectl.games.paytable_page > docs/regulators/paytables.md` writes it anew. It decides
nothing; every number and every clause comes from the TOML.
"""

import sys
from collections.abc import Iterable, Iterator

from tablectl.cards import dollars
from tablectl.games import paytables
from tablectl.games.paytables import DrawRow, Figure, GameFigures

_HEAD = """# Paytables

Every paytable that the games pay by, row by row with its clause. The page is made from
`tablectl/games/paytables/`; a test compares the two.
"""


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    yield from _game("Three Card Poker, Maryland", paytables.three_card_poker())
    yield from _game("Three Card Baccarat, Maryland", paytables.three_card_baccarat("MD"))
    yield from _game("Three Card Baccarat, Washington", paytables.three_card_baccarat("WA"))
    midi = paytables.midi_baccarat()
    yield from _game("Midi Baccarat, Maryland", midi)
    yield from _third_cards(midi)
    yield from _minimums("Least reset", midi.reset_minimums.items())
    yield from _minimums("Least maximum", midi.maximum_minimums.items())


def _table(*columns: str) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)


def _game(title: str, figures: GameFigures) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield from _table("wager", "paytable", "hand", "pays", "clause")
    for (wager, letter), table in figures.tables.items():
        for row in table.rows:
            commission = ", less commission" if row.vigorish else ""
            cells = (wager, letter, (row.hand or "").replace("_", " "), f"{row.odds}{commission}")
            yield f"| {' | '.join(cells)} | {row.clause} |"
    yield ""


def _third_cards(figures: paytables.MidiBaccaratFigures) -> Iterator[str]:
    yield "### Third cards"
    yield ""
    yield from _table("hand", "points after two cards", "player's third card", "does", "clause")
    groups: tuple[tuple[str, Iterable[DrawRow]], ...] = (
        ("either", (figures.natural,)),
        ("player", figures.player_draws),
        ("banker, player stood", figures.banker_draws_alone),
        ("banker, player drew", figures.banker_draws),
    )
    for hand, rows in groups:
        for row in rows:
            points = ", ".join(map(str, row.points))
            third = "" if row.third is None else str(row.third)
            does = "draws" if row.draws else "stays"
            yield f"| {hand} | {points} | {third} | {does} | {row.clause} |"
    yield ""


def _minimums(title: str, figures: Iterable[tuple[tuple[str, str], Figure]]) -> Iterator[str]:
    yield f"### {title} of the meters"
    yield ""
    yield from _table("meter", "paytable", "at least", "clause")
    for (meter, letter), figure in figures:
        yield f"| {meter} | {letter} | {dollars(int(figure.value))} | {figure.clause} |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(page())
