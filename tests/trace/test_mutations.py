"""Each guard and ruling of the trace is switched off, one at a time: its tests must notice.

Part of `make soak`. A part of it: `pytest -m soak tests/trace -k discard_rack`.
"""

import ast
import json
import os
import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import pytest

from tablectl.table.concordance import cited_in
from tablectl.trace.homes import Home, covering, trace
from tests.trace.mutant import VARIABLE, Mutant, function, refusals
from tests.trace.named import ROOT

SECONDS = 900


def cites(refusal: ast.Raise, clause: str) -> bool:
    """Whether a refusal cites it, by its name or as the poker text numbers it."""
    text = clause.rpartition(" ")[0]
    words = [str(n.value) for n in ast.walk(refusal) if isinstance(n, ast.Constant)]
    return clause in words or clause in cited_in(text, [w for w in words if w.startswith("TCP ")])


def mutant_of(clause: str, home: Home) -> Mutant | None:
    """What must be switched off so that the clause holds no longer; None where it is not there."""
    assert home.where is not None
    module, _, name = home.where.partition(":")
    chosen: tuple[int, ...] = ()
    if home.row is None:
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        node = function(Path(spec.origin).read_text(encoding="utf-8"), name)
        if node is None:
            return None
        told = refusals(node) if home.home == "guard" else []  # a ruling is what it does
        text, _, own = clause.rpartition(" ")
        for above in covering(own):  # those that cite the clause, or the closest above it; or all
            cited = f"{text} {above}"
            chosen = chosen or tuple(n for n, each in enumerate(told) if cites(each, cited))
        chosen = chosen or tuple(range(len(told)))
    return Mutant(module, name, home.row, chosen)


def mutants() -> dict[Mutant, dict[str, tuple[str, ...]]]:
    """Every mutant, with the tests of each clause that it breaks."""
    found: dict[Mutant, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for one in trace():
        if one.home is not None and one.home.home in ("guard", "ruling"):
            mutant = mutant_of(one.clause, one.home)
            if mutant is not None:
                found[mutant][one.clause] = one.home.tests
    return found


MUTANTS = mutants()


def label(mutant: Mutant) -> str:
    which = mutant.row or "+".join(map(str, mutant.refusals)) or "all"
    return f"{mutant.module.removeprefix('tablectl.')}:{mutant.name}:{which}"


@pytest.mark.soak
@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("mutant", MUTANTS, ids=label)
def test_a_test_of_every_clause_notices(mutant, tmp_path):
    proved = MUTANTS[mutant]
    tests = sorted({test for named in proved.values() for test in named})
    report = tmp_path / "report.json"
    print(f"{label(mutant)}: {len(proved)} clauses, {len(tests)} tests", flush=True)
    first = ["-x"] if len(set(proved.values())) == 1 else []  # one failure is enough for them all
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider",
         "-p", "tests.trace.mutant", *first, *tests],
        cwd=ROOT,
        env={**os.environ, VARIABLE: mutant.to_json(report)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )  # fmt: skip
    assert run.returncode in (0, 1), f"the tests could not be run:\n{run.stdout}{run.stderr}"
    told = json.loads(report.read_text())
    assert told["changed"], "no test loads the module"
    unnoticed = {
        clause: named for clause, named in proved.items() if not set(named) & set(told["failed"])
    }
    assert not unnoticed, "switched off, and no test fails"


def test_every_guard_and_ruling_can_be_switched_off():
    """In `make test`, where the mutants do not run: they can at least be made."""
    clauses = {clause for proved in MUTANTS.values() for clause in proved}
    strong = {one.clause for one in trace() if one.home and one.home.home in ("guard", "ruling")}
    assert clauses == strong
    assert strong
