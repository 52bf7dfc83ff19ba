"""docs/regulators/paytables.md against the packaged figures."""

import pytest

from tests.games.paytable_page import PAGE, page


def test_the_page_is_what_the_figures_say() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert written == page(), "write it anew: python -m tests.games.paytable_page"


@pytest.mark.parametrize(
    "row",
    [
        "| ante_play |  | wins | 1 to 1 | TCP 12.A |",
        "| pair_plus | D | straight flush | 40 to 1 | TCP 12.D(4)(a) |",
        "| reset of every meter | at least $1,000 | TCP 12.E(3)(b) |",
        "| rate of the meter, progressive A | at least 14% | TCP 12.E(3)(a) |",
        "| rate of the meter, progressive B | at least 20% | TCP 12.E(3)(a) |",
        "| ante | five_percent | wins | 1 to 1, less commission | WA-TCB D7 |",
        "| banker | no_commission | wins with 6 | 1 to 2 | MIDI 12.S |",
        "| tie |  | tie | at least 8 to 1 | MIDI 12.B |",
        "| banker, player drew | 6 | 7 | draws | MIDI 10.E(3)(h)(iv) |",
        "| reset of the meter star, B | at least $25,000 | MIDI 12.L(2)(b) |",
        "| maximum of the meter must_hit, c | at least $200 | MIDI 12.O(2)(c) |",
    ],
)
def test_the_page_has_rows_of_every_kind(row: str) -> None:
    assert f"\n{row}\n" in PAGE.read_text(encoding="utf-8")
