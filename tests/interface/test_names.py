"""The names themselves: commands, options, rules, actions, faults. Whatever runs is next door."""

from typing import Any

import pytest
import typer

from hwsim.faults import KINDS, NOT_HERE
from tablectl.cli import app
from tablectl.demo import stage
from tablectl.games.odds.catalogue import questions
from tablectl.games.rules import ALL_WAGERS, RulesError, parse_rules, rule_notes
from tablectl.table.procedures import procedure
from tablectl.table.setup import Setup
from tablectl.table.spec import Spec
from tablectl.table.state import State
from tests.interface import names


# ── commands ───────────────────────────────────────────────────────────────
def commands() -> Any:
    group = typer.main.get_command(app)
    return group.commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", names.COMMANDS)
def test_a_command_has_its_arguments_and_options(command: str) -> None:
    arguments, options = names.COMMANDS[command]
    params = commands()[command].params
    assert {p.name for p in params if p.param_type_name == "argument"} == arguments
    assert options <= {name for p in params for name in p.opts}


def test_what_comes_later_is_absent() -> None:
    assert not names.LATER & set(commands())


# ── rules ──────────────────────────────────────────────────────────────────
def rules_with(game: str, key: str, value: Any) -> dict[str, Any]:
    return {
        "game": game, **names.NEEDED[game], **names.BESIDE.get((game, key), {}), key: value,
    }  # fmt: skip


VALUES = [
    (game, key, value)
    for game, keys in names.RULES.items()
    for key, values in keys.items()
    for value in values
]


@pytest.mark.parametrize(("game", "key", "value"), VALUES)
def test_a_rule_may_have_the_value(game: str, key: str, value: Any) -> None:
    assert getattr(parse_rules(rules_with(game, key, value)), key) == value


@pytest.mark.parametrize("game", names.GAMES)
def test_what_holds_where_a_key_is_absent(game: str) -> None:
    rules = parse_rules({"game": game, **names.NEEDED[game]})
    for key, value in names.DEFAULTS[game].items():
        assert getattr(rules, key) == value, key
    assert set(names.RULES[game]) | {"game"} <= set(rule_notes(game)) | {"house_rulings"}


def test_washingtons_table_has_seven_seats() -> None:
    rules = parse_rules({"game": "three_card_baccarat", "jurisdiction": "WA"})
    assert (rules.seats, getattr(rules, "house_rulings", None)) == (7, True)


@pytest.mark.parametrize("game", names.GAMES)
@pytest.mark.parametrize("key", ["ante_bonus", "pair_plus"])
def test_what_must_be_there(game: str, key: str) -> None:
    if game != "three_card_poker":
        return
    needed = {name: value for name, value in names.NEEDED[game].items() if name != key}
    with pytest.raises(RulesError):
        parse_rules({"game": game, **needed})


def test_the_wagers_are_the_games_own() -> None:
    assert {wager for game in names.WAGERS.values() for wager in game} == ALL_WAGERS
    for game, wagers in names.WAGERS.items():
        counted = {one.wager for one in questions(game, {})}
        shown = {"ante_play" if w == "ante" else w for w in wagers if w != "play"}
        assert counted == (shown if game == "three_card_poker" else set(wagers))


# ── actions ────────────────────────────────────────────────────────────────
def actions(game: str) -> dict[str, Spec]:
    rules = parse_rules({"game": game, **names.NEEDED[game]})
    state = State(setup=Setup("harbor", "t-1", rules))
    return dict(procedure(state).actions)


WITNESSED = {"log_on", "count_stub"}  # the floor may stand by, and is recorded; nobody need


@pytest.mark.parametrize(
    ("game", "action"), [(game, action) for game in names.GAMES for action in names.ACTIONS[game]]
)
def test_an_action_is_for_its_roles_and_takes_its_arguments(game: str, action: str) -> None:
    roles, arguments = names.ACTIONS[game][action]
    spec = actions(game)[action]
    assert set(roles) <= set(spec.role)
    if roles == ("floor",):
        assert "dealer" not in spec.role
    assert set(arguments.split()) <= set(spec.wanted), f"takes {spec.args}"
    needed = {name for name, (_type, required) in spec.wanted.items() if required}
    assert needed <= set(arguments.split()), f"needs {needed}"
    assert (spec.second or spec.witness) is None or action in {*names.TWO_PEOPLE, *WITNESSED}
    assert spec.second == names.TWO_PEOPLE.get(action)


@pytest.mark.parametrize("game", names.GAMES)
def test_the_floor_may_do_what_the_dealer_may(game: str) -> None:
    assert all("floor" in s.role for s in actions(game).values() if "dealer" in s.role)


# ── faults ─────────────────────────────────────────────────────────────────
def test_every_device_fault_has_its_name() -> None:
    assert set(names.FAULTS) <= KINDS.keys() | NOT_HERE.keys()
    assert set(names.LINK_FAULTS) <= KINDS.keys()


@pytest.mark.parametrize("kind", names.FAULTS)
def test_the_demonstration_takes_every_fault(kind: str) -> None:
    wishes = stage.Wishes("three_card_poker", 1, 0, None, f"{kind}#3", 0, None, None)
    [fault] = stage.faults_of(wishes)
    assert (fault.kind, fault.nth) == (kind, 3)
    stage.rack_of(wishes, [fault])
