"""Writes the tables of docs/regulators/odds.md: `python -m tests.games.odds_page`. No test here."""

from collections.abc import Iterator
from pathlib import Path

from tablectl.games.odds.report import Odds
from tests.games.odds import answers, percent

PAGE = Path(__file__).parents[2] / "docs" / "regulators" / "odds.md"
GAMES = ("three_card_poker", "three_card_baccarat", "midi_baccarat")
_DECKS = (6, 7, 8)


def table(game: str) -> str:
    """The edges of a game as a Markdown table."""
    return "".join(f"{line}\n" for line in _lines(game))


def _lines(game: str) -> Iterator[str]:
    if game != "midi_baccarat":
        yield "| wager | paytable | deals | house edge |"
        yield "|---|---|--:|--:|"
        for (wager, paytable), odds in answers(game).items():
            yield f"| `{wager}` | {paytable} | {odds.total:,} | {percent(odds)}%{_mark(odds)} |"
        return
    yield "| wager | paytable | " + " | ".join(f"{decks} decks" for decks in _DECKS) + " |"
    yield "|---|---|" + "--:|" * len(_DECKS)
    for wager, paytable in answers(game):
        shoes = [answers(game, decks=decks)[wager, paytable] for decks in _DECKS]
        edges = " | ".join(f"{percent(odds)}%{_mark(odds)}" for odds in shoes)
        yield f"| `{wager}` | {paytable} | {edges} |"


def _mark(odds: Odds) -> str:
    return "*" if any(end.award for end in odds.outcomes) else ""


def written(page: str) -> str:
    """The page with its tables made anew; what stands around them is left alone."""
    for game in GAMES:
        before, _, rest = page.partition(f"<!-- {game} -->\n")
        _, _, after = rest.partition(f"<!-- /{game} -->")
        assert after, f"{PAGE.name} has no place for {game}"
        page = f"{before}<!-- {game} -->\n{table(game)}<!-- /{game} -->{after}"
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
