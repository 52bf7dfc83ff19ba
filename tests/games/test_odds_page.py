"""The regulators' page of odds may not drift from what is counted."""

from tests.games.odds_page import PAGE, written


def test_the_page_says_what_is_counted():
    page = PAGE.read_text()
    assert written(page) == page, "write it anew: python -m tests.games.odds_page"
