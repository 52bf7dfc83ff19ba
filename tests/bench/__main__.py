"""`python -m tests.bench [TOPIC...]`: a table, build/bench.json, and 1 where a bar does not hold.

Not held bars are named. With topics given only those are measured, and no file is written.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Final

from rich.console import Console

from tests.bench import (
    durability,
    durable_path,
    lock_path,
    restart,
    settle_command,
    settlement,
    steps,
)
from tests.bench.measure import BUILD, SEED, Tell, Topic
from tests.bench.show import print_table, progress

TOPICS: Final[dict[str, Callable[[Tell], Topic]]] = {
    "settlement": settlement.measure,
    "settle": settle_command.measure,
    "restart": restart.measure,
    "steps": steps.measure,
    "journal": durability.measure,
    "lock_path": lock_path.measure,
    "durable_path": durable_path.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=", ".join(TOPICS))
    asked = parser.parse_args().topics
    unknown = [name for name in asked if name not in TOPICS]
    if unknown:
        parser.error(f"no such topic: {', '.join(unknown)}; there are {', '.join(TOPICS)}")
    BUILD.mkdir(exist_ok=True)
    began = time.monotonic()
    measured: dict[str, Topic] = {}
    for name in asked or TOPICS:
        with progress(name) as tell:
            measured[name] = TOPICS[name](tell)
    console = Console()
    print_table(console, measured)
    took = f"{time.monotonic() - began:.0f} s"
    console.print("best: processor time; median: wall time", highlight=False, style="dim")
    console.print(f"\nseed {SEED} (TABLECTL_SEED), {took}", highlight=False)
    rows = [(name, row) for name, topic in measured.items() for row in topic.rows]
    if not asked:
        path = BUILD / "bench.json"
        path.write_text(json.dumps([row.as_json(name) for name, row in rows], indent=2) + "\n")
        console.print(f"written to {path.relative_to(BUILD.parent)}", highlight=False)
    missed = [(name, row) for name, row in rows if row.holds is False]
    for name, row in missed:
        console.print(f"does not hold: {name}: {row.path}: {row.ratio:.2f}, not {row.bar}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
