"""Sealed cards are shown at a table that nobody can play at, to a technician, and on record."""

import pytest

from tablectl.table.inputs import Unsealed
from tests.table.pit import Pit, setup


def real(**changes):
    """A table for real wagers."""
    made = setup(**changes)
    object.__setattr__(made, "simulated", False)
    return made


def started():
    """A closed table."""
    pit = Pit(setup=real())
    pit.start()
    return pit


def unseal(pit, roles=("technician",), **more):
    return pit.feed(Unsealed(pit.at(), "shoe", "tess", roles, **more))


def test_at_a_closed_table_it_is_recorded_with_its_end():
    pit = started()
    before = pit.state
    outcome = unseal(pit)
    [event] = outcome.events
    assert (event.type, event.subject) == ("journal.unsealed", "table")
    assert {k: event.data[k] for k in ("device", "actor", "role", "method", "over", "cards")} == {
        "device": "shoe", "actor": "tess", "role": "technician", "method": "pin", "over": False,
        "cards": 0,
    }  # fmt: skip
    [event] = unseal(pit, over=True, shown=17).events
    assert (event.data["over"], event.data["cards"]) == (True, 17)
    assert pit.state.phase == before.phase
    assert outcome.commands == ()


@pytest.mark.parametrize("roles", [(), ("dealer",), ("floor", "surveillance")])
def test_nobody_else_sees_a_sealed_card(roles):
    pit = started()
    outcome = unseal(pit, roles)
    assert [event.type for event in outcome.events] == ["action.refused"]
    assert outcome.refusal is not None
    assert "technician only" in outcome.refusal.why


def test_at_an_open_table_it_is_refused_and_the_refusal_recorded():
    pit = Pit(setup=real()).opened()
    outcome = unseal(pit)
    [event] = outcome.events
    assert (event.type, event.data["action"]) == ("action.refused", "unsealed")
    assert "the floor closes it first" in event.data["why"]


@pytest.mark.parametrize("word", ["simulated", "training"])
def test_where_no_real_wager_is_made_it_is_allowed_at_any_time(word):
    made = real()
    object.__setattr__(made, word, True)
    pit = Pit(setup=made).opened()
    assert [event.type for event in unseal(pit).events] == ["journal.unsealed"]


def test_its_end_is_recorded_whatever_has_happened_since():
    pit = Pit(setup=real()).opened()
    assert [e.type for e in unseal(pit, over=True, shown=1).events] == ["journal.unsealed"]
