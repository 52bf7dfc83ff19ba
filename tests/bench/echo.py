"""The baseline of the lock path: a process that reads from one terminal and writes to another.

`python -m tests.bench.echo IN OUT`. It knows nothing and keeps nothing.
"""

import os
import sys
import tty


def main(into: str, out: str) -> None:
    reads = os.open(into, os.O_RDWR | os.O_NOCTTY)
    writes = os.open(out, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(reads)
    tty.setraw(writes)
    os.write(writes, b"\0")  # it is there
    while data := os.read(reads, 4096):
        os.write(writes, data)


if __name__ == "__main__":
    main(*sys.argv[1:])
