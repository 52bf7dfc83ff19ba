"""The house's own rules: a pure core, rooms kept apart, no machine named, docs that are true.

Whoever breaks one of these on purpose changes docs/architecture.md in the same commit.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent

# ---------------------------------------------------------------- the files that we speak of

NOT_SOURCE = {".git", ".venv", "build", "dist", "__pycache__", ".hypothesis"}


@cache
def tree() -> tuple[Path, ...]:
    """Every file of the project: what git knows or would add; in an unpacked archive, all of it."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
        names = {ROOT / name for name in listed.decode().split("\0") if name}
    else:
        names = {
            path
            for path in ROOT.rglob("*")
            if not any(
                part in NOT_SOURCE or part.endswith(("_cache", ".egg-info"))
                for part in path.relative_to(ROOT).parts
            )
        }
    return tuple(sorted(path for path in names if path.is_file()))


def texts() -> Iterator[tuple[str, str]]:
    """Name and content of every text file."""
    for path in tree():
        raw = path.read_bytes()
        if b"\0" not in raw:
            yield str(path.relative_to(ROOT)), raw.decode()


# ---------------------------------------------------------------- a pure core

CORE = ("tablectl/cards.py", "tablectl/games", "tablectl/table")
PAYTABLE_READER = "tablectl/games/paytables.py"
# Modules whose answers depend on their arguments alone. Add one only if that is true of it.
PURE = {
    "__future__", "abc", "bisect", "collections", "contextlib", "copy", "dataclasses", "decimal",
    "enum", "fractions", "functools", "hashlib", "heapq", "hmac", "itertools", "json", "math",
    "numbers", "operator", "re", "string", "struct", "types", "typing",
}  # fmt: skip
ALLOWED_EXTRA = {PAYTABLE_READER: {"importlib", "tomllib"}}
MACHINES = "transitions"  # it imports logging itself: exempt
# hash() and id() differ from run to run, so nothing derived from them may reach an event.
IMPURE_CALLS = {
    "open", "print", "input", "eval", "exec", "compile", "__import__", "breakpoint", "hash", "id",
}  # fmt: skip


def core_modules() -> list[str]:
    names = (str(path.relative_to(ROOT)) for path in tree() if path.suffix == ".py")
    return [name for name in names if name == CORE[0] or name.startswith(CORE[1:])]


def impurities(name: str, source: str) -> list[str]:
    allowed = PURE | {"tablectl"} | ALLOWED_EXTRA.get(name, set())
    if name.startswith("tablectl/table/"):
        allowed = allowed | {MACHINES}
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case ast.Call(func=ast.Name(id=called)) if called in IMPURE_CALLS:
                found.append(f"{name}:{node.lineno} calls {called}()")
                continue
            case _:
                continue
        tops = {module.partition(".")[0] for module in modules}
        found += [f"{name}:{node.lineno} imports {top}" for top in sorted(tops - allowed)]
    return found


def test_the_core_imports_nothing_impure():
    modules = core_modules()
    assert modules, "no core module was found: the test looks in the wrong place"
    found = [line for name in modules for line in impurities(name, (ROOT / name).read_text())]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "import time", "import os.path", "from datetime import datetime", "import random",
        "import secrets", "import io", "from pathlib import Path", "import socket", "import uuid",
        "import logging", "import sqlite3", "import threading", "import asyncio", "import sys",
        "def f():\n    import subprocess", "open('x')", "print(1)", "input()", "hash('x')",
        "import pydantic", "from importlib import resources", "import tomllib",
    ],
)  # fmt: skip
def test_the_purity_check_sees(line):
    assert impurities("tablectl/table/example.py", line)


def test_only_the_table_may_use_machines():
    assert not impurities("tablectl/table/example.py", "from transitions import Machine")
    assert impurities("tablectl/games/example.py", "from transitions import Machine")


# Runs in a process of its own: an audit hook cannot be taken out again. The probe runs twice. The
# first time it may load code and packaged paytables; the second time it must touch nothing at all.
WATCH = r"""
import importlib, os, pkgutil, random, sys, time
from pathlib import Path

package = Path(sys.argv[1])
found, warm, real = [], False, {}
FORBIDDEN = (
    "socket.", "subprocess.", "sqlite3.", "shutil.", "tempfile.", "urllib.", "http.", "ctypes.",
    "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.remove", "os.rename", "os.mkdir",
    "os.rmdir", "os.chmod", "os.putenv", "builtins.input",
)

def watch(event, args):
    if event == "open":
        name, mode, flags = str(args[0]), str(args[1]), args[2]
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        ours = name.endswith(".toml") and package in Path(name).parents
        if warm or writes or not (ours or name.endswith((".py", ".pyc", ".so"))):
            found.append(f"open {name!r} {mode}")
    elif event.startswith(FORBIDDEN) or (warm and event in ("os.listdir", "os.scandir")):
        found.append(f"{event} {args!r}")

def forbid(module, *names):
    for name in names:
        what = f"{module.__name__}.{name}"
        real[what] = getattr(module, name)
        def telling(*args, _what=what, **kwargs):
            found.append(_what + "()")
            return real[_what](*args, **kwargs)
        setattr(module, name, telling)

sys.addaudithook(watch)
sys.path.insert(0, str(package.parent))
for name in ("tablectl.cards", "tablectl.games", "tablectl.table"):
    room = importlib.import_module(name)
    for module in pkgutil.walk_packages(getattr(room, "__path__", ()), name + "."):
        importlib.import_module(module.name)
forbid(time, "time", "time_ns", "monotonic", "monotonic_ns", "sleep")
forbid(time, "perf_counter", "perf_counter_ns")
forbid(random, "random", "randint", "randrange", "choice", "shuffle", "getrandbits")
forbid(os, "urandom", "getenv", "getpid")
probe = compile(sys.argv[2], "probe", "exec")
exec(probe, {"os": os, "time": time})
warm = True
exec(probe, {"os": os, "time": time})
warm = False
print("\n".join(found))
sys.exit(bool(found))
"""

SETTLE = """
import json
from tablectl.settle import settle_lines
seat = {
    "seat": 1, "wagers": {"ante": 1000, "pair_plus": 500}, "cards": ["5H", "6H", "7H"],
    "decision": "play",
}
line = {
    "id": 1, "game": "three_card_poker", "rules": {"ante_bonus": "A", "pair_plus": "A"},
    "dealer": ["QS", "9H", "4D"], "seats": [seat],
}
good, bad = (json.loads(answer) for answer in settle_lines([json.dumps(line), "no JSON"]))
assert good["seats"][0]["returned"] == 27000, good
assert "error" in bad, bad
"""


def watched(probe: str) -> subprocess.CompletedProcess[str]:
    """Import the whole core, run `probe`, report every file, socket or clock that it touched."""
    return subprocess.run(
        [sys.executable, "-B", "-c", WATCH, str(ROOT / "tablectl"), probe],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_settling_a_round_touches_no_file_socket_or_clock():
    result = watched(SETTLE)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    "probe",
    [
        "open('/etc/hostname')",
        "open(os.devnull, 'w')",
        "import socket; socket.socket()",
        "time.time()",
        "time.sleep(0)",
        "os.urandom(1)",
        "os.listdir('.')",
        "import sqlite3; sqlite3.connect(':memory:')",
    ],
)
def test_the_watch_sees(probe):
    result = watched(probe)
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stdout.strip()


# ---------------------------------------------------------------- rooms that keep apart

CORE_ROOMS = {"cards", "games", "table"}
DAEMON_ROOMS = CORE_ROOMS | {"paper", "settle", "hal", "journal", "outbox"}
# Room -> what it may import of tablectl, exactly as docs/architecture.md says. Everybody may
# import the package itself, for its version.
MAY_IMPORT: dict[str, set[str]] = {
    "cards": set(),
    "paper": set(),
    "games": {"cards"},
    "settle": {"cards", "games"},
    "odds": {"games", "paper"},
    "table": {"cards", "games"},
    "hal": {"cards", "table.inputs", "table.outputs"},
    "journal": {"cards", "table"},
    "outbox": {"journal", "table"},
    "daemon": DAEMON_ROOMS,
    "web": {"daemon"},
    "demo": {"cards"},
    "floor": {"outbox", "journal"},
    "trace": {"paper"},
    "technician": {"daemon", "hal", "journal", "outbox", "paper", "table"},
    "cli": DAEMON_ROOMS | {"odds", "daemon", "web", "floor", "demo", "trace", "technician"},
}


def within(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def welcome(importer: str, module: str) -> bool:
    """Whether docs/architecture.md allows this edge."""
    source, _, rest = importer.partition(".")
    top, _, inner = module.partition(".")
    if top not in {"tablectl", "drivers", "hwsim"}:
        return True  # other people's packages: the import contracts judge them
    if source == "hwsim":
        return top != "drivers"
    if source == "drivers":
        family = ".".join(importer.split(".")[:2])
        return within(module, family) or within(module, "tablectl.hal")
    room = rest.partition(".")[0]
    if room == "demo" and top == "hwsim":
        return True  # the demonstration plays with simulated devices
    if top != "tablectl" or (room and room not in MAY_IMPORT):
        return False
    allowed = {room} | MAY_IMPORT.get(room, set())
    return not inner or any(within(inner, one) for one in allowed)


def test_no_room_imports_what_it_may_not():
    graph = grimp.build_graph("tablectl", "drivers", "hwsim", cache_dir=None)
    edges = [
        (importer, module)
        for importer in sorted(graph.modules)
        for module in sorted(graph.find_modules_directly_imported_by(importer))
    ]
    assert edges, "no import was found: the test looks in the wrong place"
    strangers = [
        f"{importer} -> {module}" for importer, module in edges if not welcome(importer, module)
    ]
    assert not strangers, "\n".join(strangers)


@pytest.mark.parametrize(
    ("importer", "module"),
    [
        ("tablectl.cards", "tablectl.games.rules"),
        ("tablectl.games.rules", "tablectl.table.state"),
        ("tablectl.table.step", "tablectl.journal.chain"),
        ("tablectl.hal.kinds", "tablectl.table.state"),
        ("tablectl.journal.chain", "tablectl.outbox"),
        ("tablectl.web.api", "tablectl.table.state"),
        ("tablectl.daemon.loop", "hwsim.shoe"),
        ("tablectl.hal.registry", "drivers.angel_eye"),
        ("tablectl.newroom", "tablectl.cards"),
        ("drivers.angel_eye.driver", "drivers.md3.codec"),
        ("drivers.angel_eye.driver", "tablectl.table.state"),
        ("hwsim.shoe", "drivers.angel_eye.codec"),
    ],
)
def test_the_room_check_sees(importer, module):
    assert not welcome(importer, module)


def test_the_import_contracts_hold():
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


# ---------------------------------------------------------------- a tree that names no machine

# Written in two parts, so that this file does not name them either.
FOREIGN = {
    "a path of somebody's machine": ["/" + "work/", "/" + "root/", "/" + "home/"],
    "a file outside the project": ["../" + "shared"],
    "a package registry": [
        "pypi" + ".org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com",
        "--index" + "-url", "--extra-index" + "-url", "--find" + "-links", "--trusted" + "-host",
    ],
}  # fmt: skip


def foreign(name: str, text: str) -> list[str]:
    return [
        f"{name}:{number} names {what}"
        for number, line in enumerate(text.splitlines(), 1)
        for what, words in FOREIGN.items()
        if any(word in line for word in words)
    ]


def test_no_file_names_a_machine_or_a_registry():
    found = [line for name, text in texts() for line in foreign(name, text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("word", [word for words in FOREIGN.values() for word in words])
def test_the_foreign_word_check_sees(word):
    assert foreign("example", f"first line\nsee {word}x\n")


def test_no_lock_file_that_records_an_index():
    assert not {path.name for path in tree()} & {"uv.lock", "poetry.lock", "Pipfile.lock"}


# ---------------------------------------------------------------- a tree that people can read

LONGEST = 600


def test_no_python_file_is_too_long():
    lines = {name: len(text.splitlines()) for name, text in texts() if name.endswith(".py")}
    assert lines
    assert not {name: count for name, count in lines.items() if count > LONGEST}


# ---------------------------------------------------------------- docs that are true

SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\((?!\w+:|#)([^)#]+)(?:#[^)]*)?\)")
PLACE = re.compile(r"`((?:tablectl|drivers|hwsim|config|systemd|tests|docs|\.ci)/[\w./-]*)`")


def pages() -> dict[Path, str]:
    return {path: path.read_text() for path in tree() if path.suffix == ".md"}


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_every_make_command_in_the_docs_exists():
    asked = {
        (path.name, target)
        for path, text in pages().items()
        for block in SHELL.findall(text)
        for target in re.findall(r"^(?:\$ )?make ([a-z]+)", block, re.MULTILINE)
    }
    assert ("README.md", "test") in asked
    assert {target for _, target in asked} <= make_targets()


def test_the_readme_runs_the_command_that_the_setup_installs():
    commands = "\n".join(SHELL.findall((ROOT / "README.md").read_text()))
    assert ".venv/bin/tablectl settle" in commands
    assert "VENV := .venv\n" in (ROOT / "Makefile").read_text()


def test_every_link_in_the_docs_leads_somewhere():
    dead = [
        f"{path.relative_to(ROOT)}: {target}"
        for path, text in pages().items()
        for target in LINK.findall(text)
        if not (path.parent / target).exists()
    ]
    assert not dead, "\n".join(dead)


def test_every_place_that_the_docs_name_exists():
    """A line that says (later) may name what is not there yet."""
    missing = [
        f"{path.relative_to(ROOT)}: {place}"
        for path, text in pages().items()
        for line in text.splitlines()
        if "(later)" not in line
        for place in PLACE.findall(line)
        if not (ROOT / place).exists()
    ]
    assert not missing, "\n".join(missing)


def test_every_runtime_dependency_has_its_reason():
    record = (ROOT / "docs/decisions/0001-dependencies.md").read_text()
    project = (ROOT / "pyproject.toml").read_text()
    declared = re.findall(r"^dependencies = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL)[0]
    names = re.findall(r'"([\w-]+)', declared)
    assert names
    assert [name for name in names if f"| `{name}` |" not in record] == []
