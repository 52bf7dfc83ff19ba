"""The machines as data: clauses that exist, guards that can be asked, phases that are reached."""

import re
from pathlib import Path

import pytest

from tablectl.games.paytables import three_card_poker
from tablectl.table.decks import CUSTODY, OPENING, PREPARATION
from tablectl.table.irregularities import RULINGS
from tablectl.table.phases import LOCK, PHASES, POKER, ROUND
from tablectl.table.procedures import PROCEDURES
from tablectl.table.service import HEALTH
from tablectl.table.step import Refused
from tests.clauses import CLAUSES
from tests.table.pit import Pit, fill

ROOT = Path(__file__).resolve().parents[2]
MACHINES = {
    machine.name + "/" + name: machine
    for name, machine in (
        *ROUND.machines.items(), ("lock", LOCK), ("preparation", PREPARATION), ("custody", CUSTODY),
        ("health", HEALTH),
    )
}  # fmt: skip
IRREGULARITIES = {
    "face_up_card", "drawn_in_error", "incorrect_number_of_cards", "dealer_card_exposed",
    "shuffler_jam", "shoe_jam", "unauthorised_third_card", "disclosed_card", "cards_run_out",
    "duplicate_card", "impossible_card", "card_before_lock", "wager_after_lock", "wrong_order",
    "result_mismatch", "sequence_gap", "stub_incorrect", "misdeal", "unreadable_card",
}  # fmt: skip
machines = pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())


# ── clauses ──
def test_the_list_of_clauses_is_the_rule_texts_own():
    assert len(CLAUSES) > 380
    assert {"TCP 2.C(2)", "TCP 7.F(4)(a)", "TCP 11.D(3)(d)(iii)", "TCP 13.G"} <= CLAUSES


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tablectl/table").rglob("*.py")), ids=lambda p: p.name
)
def test_every_clause_cited_in_the_sources_exists(path):
    """In code, docstrings and comments: "TCP 4.A to 4.C" and "TCP 2.C(2), 10.A(2)" count twice."""
    one = r"\d+\.[A-Z](?:\([0-9a-z]+\))*"
    text = path.read_text()
    cited: set[str] = set()
    for found in re.finditer(rf"(TCP|MIDI) ({one}(?:(?:, | and | to | or ){one})*)", text):
        cited.update(f"{found[1]} {clause}" for clause in re.findall(one, found[2]))
    assert cited <= CLAUSES, sorted(cited - CLAUSES)


@machines
def test_every_clause_of_every_row_exists(machine):
    for row in machine.rows:
        for clause in row.clauses:
            assert clause in CLAUSES or clause.startswith(("house procedure", "COMAR ")), row


def test_every_row_of_the_procedure_says_what_it_rests_on():
    for machine in (*ROUND.machines.values(), LOCK, PREPARATION, CUSTODY):
        assert all(row.clauses for row in machine.rows)


def test_every_ruling_has_a_name_that_dashboards_know_and_a_basis():
    assert {row.kind for row in RULINGS.values()} <= IRREGULARITIES
    for row in RULINGS.values():
        assert row.clauses
        assert all(c in CLAUSES or c == "house procedure" for c in row.clauses)
    assert {kind for kind, row in RULINGS.items() if row.void} >= {
        "shoe_jam", "incorrect_number_of_cards",
    }  # fmt: skip
    assert not RULINGS["shuffler_jam"].void  # TCP 13.F


def test_every_clause_that_an_event_cites_exists():
    for phase in PHASES:
        for event in fill(phase).events:
            assert set(event.data["clauses"]) <= CLAUSES, event


def test_what_the_paytables_cite_exists():
    figures = three_card_poker()
    for wager in ("ante_bonus", "pair_plus", "six_card_bonus", "progressive"):
        for letter in figures.letters(wager):
            for row in figures.table(wager, letter).rows:
                assert row.clause in CLAUSES, row


# ── the shape ──
@machines
def test_no_state_can_be_jumped_to(machine):
    """`transitions` would give every state a to_x(): that would bypass the procedure."""
    names = set(machine._machine.events)
    assert names == {row.trigger for row in machine.rows}
    assert not any(name.startswith("to_") for name in names)


@machines
def test_every_source_and_destination_is_a_state(machine):
    for row in machine.rows:
        assert row.source in machine.states
        assert row.dest in (*machine.states, "=")


@machines
def test_every_state_is_reached(machine):
    """HEALTH begins unknown by construction; the others begin with their first state."""
    reached = {machine.states[0]}
    while True:
        more = {r.dest for r in machine.rows if r.source in reached and r.dest != "="} - reached
        if not more:
            break
        reached |= more
    assert reached == set(machine.states)


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_is_reached_by_playing_and_documented(phase):
    assert fill(phase).state.phase == phase
    assert len(PHASES[phase]) > 10


def answer(guard, state):
    """None, or the refusal; anything else that a guard does is an error."""
    try:
        return guard(state)
    except Refused as refused:
        return refused


@pytest.mark.parametrize("phase", PHASES)
def test_every_guard_can_be_asked_wherever_its_row_begins(phase):
    state = fill(phase).state
    for row in POKER.rows:
        if row.source == phase:
            for guard in row.guards:
                assert answer(guard, state) is None or answer(guard, state).clauses


def test_every_action_has_its_rows_and_every_row_its_action():
    assert set(ROUND.machines) == set(PROCEDURES)
    for game, machine in ROUND.machines.items():
        triggers = {row.trigger for row in machine.rows if not row.trigger.startswith("-")}
        assert triggers == set(PROCEDURES[game].actions)
    assert set(OPENING) <= {row.trigger for row in POKER.rows}


@pytest.mark.parametrize("phase", PHASES)
def test_something_is_always_allowed_and_the_prompt_can_be_followed(phase):
    """What a prompt awaits from a person is in the list of what is allowed."""
    outcome = fill(phase).tick(1)
    assert outcome.allowed
    assert outcome.prompts
    for prompt in outcome.prompts:
        assert prompt.text
        assert set(prompt.clauses) <= CLAUSES
        if prompt.awaits in PROCEDURES["three_card_poker"].actions:
            assert prompt.awaits in outcome.allowed


def test_a_prompt_of_a_halted_table_is_to_resume_it():
    pit = Pit().opened()
    outcome = pit.do("halt_table", reason="a drink was spilt")
    assert [(p.awaits, p.role) for p in outcome.prompts] == [("resume_table", "floor")]
