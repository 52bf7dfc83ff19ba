"""Every clause that anything cites is one of the rule texts' own."""

import re
from pathlib import Path

import pytest

from tests.clauses import CLAUSES

ROOT = Path(__file__).resolve().parent.parent
ONE = r"\d+\.[A-Z](?:-[12])?(?:\([0-9a-z-]+\))*"
MARYLAND = re.compile(rf"(?<!-)\b(TCP|TCB|MIDI) ({ONE}(?:(?:, | and | to | or ){ONE})*)")
WASHINGTON = re.compile(r"WA-TCB (?=[RD]\d|[a-z])([\w-]+)")
FILES = sorted(
    path
    for folder, kinds in {"tablectl": ("py", "toml"), "config": ("toml",), "docs": ("md",)}.items()
    for kind in kinds
    for path in (ROOT / folder).rglob(f"*.{kind}")
)


def cited(text: str) -> set[str]:
    """In code and prose alike; "TCP 4.A to 4.C" and "TCP 2.C(2), 10.A(2)" count twice."""
    maryland = {
        f"{text} {one}" for text, many in MARYLAND.findall(text) for one in re.findall(ONE, many)
    }
    return maryland | {f"WA-TCB {name}" for name in WASHINGTON.findall(text)}


def test_all_four_texts_are_listed():
    counted = {
        name: sum(clause.startswith(f"{name} ") for clause in CLAUSES)
        for name in ("TCP", "TCB", "MIDI", "WA-TCB")
    }
    assert counted == {"TCP": 402, "TCB": 198, "MIDI": 486, "WA-TCB": 20}


def test_citations_are_found():
    assert cited("by TCP 2.C(2), 10.A(2) and WA-TCB D10; (TCB 12.B-1(1)(a)(1))") == {
        "TCP 2.C(2)", "TCP 10.A(2)", "WA-TCB D10", "TCB 12.B-1(1)(a)(1)",
    }  # fmt: skip
    assert cited("over TCP 5 s, WA-TCB, and TCP/IP") == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_clause_cited_exists(path):
    found = cited(path.read_text(encoding="utf-8"))
    assert found <= CLAUSES, sorted(found - CLAUSES)
