"""`python -m hwsim`: a rack of simulated devices from the command line, until Ctrl-C.

Exit codes: 0 fine, 2 wrong usage, 3 could not be done.
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Final, NoReturn

from hwsim.faults import KINDS, BadFault, parse_faults
from hwsim.person import HELP, act
from hwsim.physical import NotPossible
from hwsim.rack import BOARDS, MODELS, ONE_OF_EACH, READERS, BadRack, Rack, place
from hwsim.scenario import load, speed

EXIT_USAGE: Final = 2
EXIT_FAILED: Final = 3
LONGEST_LINE: Final = 1000

EPILOG: Final = f"""\
faults: KIND[=VARIANT][/DEVICE][@SECONDS | #NTH | %PERCENT], separated by commas:
jam/shoe#4,silence=3/button@10,loss%5. Without a moment each kind has its own chance.
{fill(", ".join(KINDS), 78, initial_indent="  ", subsequent_indent="  ")}
a scenario: seed, speed, port ("pty" or "tcp"), faults (a list), [devices.NAME] with kind,
  tcp_port and options, such as {{ decks = 8, shoes = 1 }} of a baccarat shoe (0 shoes: for ever),
  {{ compartments = 2, sees = "cards" }} of a shuffler, {{ tells = "progressive" }} of a
  progressive; what speaks tablelink says serial, model, versions and mode (its game) as told
stdin, a line each, is a person at the table:
{fill(HELP, 78, initial_indent="  ", subsequent_indent="  ")}
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"hwsim: {message}; see python -m hwsim --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m hwsim",
        description="Simulated card table devices, on ptys or TCP ports.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--device",
        action="append",
        default=[],
        metavar="KIND[=ID][:PORT]",
        help=f"{', '.join(MODELS)} speak tablelink; {', '.join(READERS)} deal baccarat by "
        f"themselves; {', '.join(BOARDS)} are boards of sensors; may be given again; "
        "without any, one of each that speaks tablelink",
    )
    parser.add_argument("--seed", type=int, default=0, help="makes a run happen again (0)")
    parser.add_argument("--speed", default="1", metavar="X|max", help="of the devices (1)")
    parser.add_argument("--faults", default="", metavar="LIST", help="what goes wrong; see below")
    parser.add_argument("--scenario", type=Path, metavar="FILE", help="a rack as TOML; see below")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--pty", action="store_true", help="on pseudo terminals (the default)")
    where.add_argument("--tcp", action="store_true", help="on free TCP ports of 127.0.0.1")
    parser.add_argument("--dir", type=Path, metavar="DIR", help="where the ptys get their names")
    parser.add_argument("--json", action="store_true", help="print the URLs as one JSON object")
    return parser


def _rack(options: argparse.Namespace) -> Rack:
    """Build what was asked for; raises ValueError with a sentence."""
    if options.scenario:
        if options.device or options.faults:
            raise BadRack("--scenario says which devices and faults there are: leave those out")
        return load(options.scenario, options.dir)
    if options.tcp and options.dir:
        raise BadRack("--dir is for ptys: leave it out with --tcp")
    return Rack(
        [place(text) for text in options.device or ONE_OF_EACH],
        seed=options.seed,
        speed=speed(options.speed),
        faults=parse_faults(options.faults),
        port="tcp" if options.tcp else "pty",
        directory=options.dir,
    )


async def _run(rack: Rack, as_json: bool) -> None:
    loop = asyncio.get_running_loop()
    end = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, end.set)
    async with rack:
        if as_json:
            _say(json.dumps(rack.urls))
        else:
            for name, url in rack.urls.items():
                _say(f"{name} {url}")
        _listen(rack)
        await end.wait()
        with contextlib.suppress(ValueError, OSError):
            loop.remove_reader(0)


def _listen(rack: Rack) -> None:
    """Take lines from stdin as a person's acts; its end changes nothing."""
    loop = asyncio.get_running_loop()
    rest = bytearray()

    def readable() -> None:
        data = os.read(0, LONGEST_LINE)
        if not data:
            loop.remove_reader(0)
        rest.extend(data)
        *lines, last = rest.split(b"\n")
        rest[:] = last[:LONGEST_LINE]
        for line in filter(None, (line.strip() for line in lines)):
            try:
                act(rack.table, line.decode(errors="replace"))
            except NotPossible as error:
                sys.stderr.write(f"hwsim: {error}\n")

    with contextlib.suppress(PermissionError, OSError, ValueError):  # a file cannot be waited for
        loop.add_reader(0, readable)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a rack; the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        rack = _rack(options)
    except (BadRack, BadFault) as error:
        parser.error(str(error))
    try:
        asyncio.run(_run(rack, options.json))
    except OSError as error:
        sys.stderr.write(f"hwsim: a port could not be opened: {error}\n")
        return EXIT_FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
