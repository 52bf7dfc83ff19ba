"""A pytest plugin: one guard or ruling is switched off while its module is loaded.

`TABLECTL_MUTANT` names it, as JSON of a Mutant; which tests failed is written to its `report`.
test_mutations.py runs it in a process of its own (`-p tests.trace.mutant`); nobody else loads it.
"""

import ast
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

VARIABLE = "TABLECTL_MUTANT"


@dataclass(frozen=True)
class Mutant:
    """What is switched off: a function's refusals (those that cite `clause`, if any do), or the
    whole function where it refuses nothing; a machine's row, which then holds everywhere; a row
    of rulings, which then orders nothing."""

    module: str
    name: str
    row: str | None
    refusals: tuple[int, ...]
    """The function's refusals by their order; none: all that it does."""

    def to_json(self, report: Path) -> str:
        return json.dumps({**asdict(self), "report": str(report)})


def function(source: str, name: str) -> ast.FunctionDef | None:
    """The function of that name at the top of a module."""
    body = ast.parse(source).body
    return next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def refusals(node: ast.AST) -> list[ast.Raise]:
    """Every `raise Refused(...)` in a function, in the order of the source."""
    return [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Raise)
        and isinstance(each.exc, ast.Call)
        and isinstance(each.exc.func, ast.Name)
        and each.exc.func.id == "Refused"
    ]


class _Silenced(ast.NodeTransformer):
    """The module with a function's refusals replaced by `pass`, or its body by `return None`."""

    def __init__(self, name: str, chosen: Sequence[int]) -> None:
        self.name, self.chosen = name, chosen

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name != self.name:
            return node
        if not self.chosen:
            node.body = [ast.copy_location(ast.Return(ast.Constant(None)), node.body[0])]
            return ast.fix_missing_locations(node)
        told = refusals(node)
        gone = {id(told[at]) for at in self.chosen}

        class Quiet(ast.NodeTransformer):
            def visit_Raise(self, each: ast.Raise) -> ast.AST:
                return ast.copy_location(ast.Pass(), each) if id(each) in gone else each

        return ast.fix_missing_locations(Quiet().visit(node))


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, mutant: Mutant) -> None:
        super().__init__(fullname, path)
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  a loader is for one module
        """From the source, past any cache: a mutant must leave no bytecode behind."""
        tree = ast.parse(Path(self.path).read_text(encoding="utf-8"))
        if self.mutant.row is None:
            tree = _Silenced(self.mutant.name, self.mutant.refusals).visit(tree)
        return compile(tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if self.mutant.row is not None:
            _loosen(getattr(module, self.mutant.name), self.mutant.row)
        _done.append(self.mutant.name)


def _loosen(place: Any, row: str) -> None:
    """A ruling orders nothing; a trigger can be fired anywhere, past its guards."""
    if isinstance(place, dict):
        *above, row = row.split("/")
        for name in above:
            place = place[name]
        old = place[row]
        place[row] = type(old)(old.kind, old.clauses, old.ruling)
        return
    old = next(each for each in place.rows if each.trigger == row)
    others = tuple(each for each in place.rows if each.trigger != row)
    place.rows = (*others, *(type(old)(row, s, old.dest, old.clauses) for s in place.states))
    place._index = {(each.trigger, each.source): each for each in place.rows}
    place.__dict__.pop("_machine", None)


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.mutant.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(fullname, spec.origin, self.mutant)
        return spec


_done: list[str] = []
_failed: set[str] = set()
_report: Path | None = None


def pytest_configure() -> None:
    global _report  # noqa: PLW0603  a plugin is a module
    told = json.loads(os.environ[VARIABLE])
    _report = Path(told.pop("report"))
    mutant = Mutant(**{**told, "refusals": tuple(told["refusals"])})
    assert mutant.module not in sys.modules, "loaded before it could be changed"
    sys.meta_path.insert(0, _Finder(mutant))


def pytest_runtest_logreport(report: Any) -> None:
    if report.failed:
        _failed.add(report.nodeid.partition("[")[0])


def pytest_sessionfinish() -> None:
    assert _report is not None
    _report.write_text(json.dumps({"changed": bool(_done), "failed": sorted(_failed)}))
