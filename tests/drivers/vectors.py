"""The byte vectors that stand in docs/integrators, read from the pages themselves."""

import re
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "docs/integrators"


def block(name, page="tablelink"):
    """The lines of a fenced block of a page."""
    text = (PAGES / f"{page}.md").read_text()
    found = re.search(rf"^```{name}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found, f"the page {page} has no block {name}"
    return found[1].splitlines()


def frames(name, page):
    """The `bytes # meaning` lines of a block, as meaning -> bytes."""
    lines = (line.partition("#") for line in block(name, page))
    return {meaning.strip(): bytes.fromhex(data) for data, _, meaning in lines}


def vectors():
    """Name -> (frame bytes with CRC, wire bytes)."""
    found, lines = {}, block("vectors")
    for name, frame, wire in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        if name == "LONGEST":
            head, _, tail = frame.removeprefix("  frame ").partition(" (55 x 240) ")
            raw = bytes.fromhex(head) + b"\x55" * 240 + bytes.fromhex(tail)
            shown = bytes.fromhex(wire.removeprefix("  wire  ").partition(" ...")[0])
            stuffed = shown[:1] + raw + b"\0"  # no zero in it: the code counts all of them
            assert shown == stuffed[: len(shown)]
            found[name] = (raw, stuffed)
        else:
            found[name] = (
                bytes.fromhex(frame.removeprefix("  frame ")),
                bytes.fromhex(wire.removeprefix("  wire  ")),
            )
    return found


def pairs(name):
    """The `data -> result` lines of a block."""
    for line in block(name):
        left, _, right = line.partition(" -> ")
        yield bytes.fromhex("" if left.startswith("(") else left), right


def damage():
    """The wire bytes that must count as one bad frame each."""
    return [bytes.fromhex(line.partition("#")[0]) for line in block("bad")]
