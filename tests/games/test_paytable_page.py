"""docs/regulators/paytables.md against the packaged figures."""

from pathlib import Path

from tablectl.games.paytable_page import page

DOCS = Path(__file__).parents[2] / "docs/regulators/paytables.md"


def test_the_page_is_what_the_figures_say() -> None:
    written = DOCS.read_text(encoding="utf-8")
    assert written == page(), (
        "run: python -m tablectl.games.paytable_page > docs/regulators/paytables.md"
    )


def test_the_page_has_a_row_of_every_game() -> None:
    written = DOCS.read_text(encoding="utf-8")
    for row in (
        "| pair_plus | D | straight flush | 40 to 1 | TCP 12.D(4)(a) |",
        "| ante | five_percent | wins | 1 to 1, less commission | WA-TCB D7 |",
        "| banker | no_commission | wins with 6 | 1 to 2 | MIDI 12.S |",
        "| banker, player drew | 6 | 7 | draws | MIDI 10.E(3)(h)(iv) |",
        "| star | B | $25,000 | MIDI 12.L(2)(b) |",
    ):
        assert row in written
