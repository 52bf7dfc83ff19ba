"""The command line: thin. It reads arguments, calls the room that does the work, and exits.

Exit codes: 0 fine, 1 the answer is "no", 2 wrong usage, 3 could not be done, 130 interrupted.
Each command imports what it needs when it runs, so that none waits for another's libraries.
"""

import os
import shutil
import sys
import traceback
from collections.abc import Callable
from json import dumps as to_json
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

from tablectl import __version__

EXIT_FAILED: Final = 3
EXIT_INTERRUPTED: Final = 130

app = typer.Typer(
    name="tablectl",
    help="The controller of a casino card table: its rules, procedure and journal.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: quick, and the same in a pipe
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)

Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Journal = Annotated[
    str, typer.Argument(metavar="JOURNAL", help="A journal's file, or the table's folder.")
]
Key = Annotated[
    str | None,
    typer.Option(metavar="PUB", help="The public key, a PEM file or hex; else journal.pub."),
]
Anchor = Annotated[
    str | None,
    typer.Option(metavar="SEQ:HASH", help="An event that the journal must still hold."),
]


def _version(asked: bool) -> None:
    if asked:
        _print(f"tablectl {__version__}\n")
        raise typer.Exit


@app.callback()
def _tablectl(
    _asked: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The configuration, a TOML file.")],
    json: Json = False,
) -> NoReturn:
    """Judge a configuration; show the rules in force.

    Errors stand on stderr, a line each: the key, what was expected, the clause.
    """
    from tablectl.daemon.check import check as judge  # noqa: PLC0415

    answer = judge(file, as_json=json, width=_width(), colour=_colour())
    for line in answer.stderr:
        _complain(line)
    _print(answer.stdout)
    raise typer.Exit(answer.exit_code)


@app.command()
def settle(_json: Json = False) -> NoReturn:
    """Say what rounds must pay, JSON Lines in and out.

    A line that cannot be settled gets an error for an answer, and the exit code is 1.
    The answer is JSON with or without --json.
    """
    from tablectl.settle import main as settle_all  # noqa: PLC0415

    if sys.stdin is None or sys.stdout is None:
        _complain("tablectl: settle needs a standard input and output: give it pipes or files")
        raise typer.Exit(EXIT_FAILED)
    raise typer.Exit(settle_all(sys.stdin.buffer, sys.stdout.buffer))


@app.command()
def odds(
    game: Annotated[str, typer.Option(metavar="G", help="The game.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Count only this choice of a rule."),
    ] = None,
    json: Json = False,
) -> None:
    """Count the exact house edge of every wager.

    Every paytable of the game, or those that the settings leave.
    """
    from tablectl import odds as exact  # noqa: PLC0415

    if game not in exact.GAMES:
        known = ", ".join(exact.GAMES)
        raise typer.BadParameter(f"{game!r} is not here; known: {known}", param_hint="'--game'")
    try:
        asked = exact.parse_settings(game, settings or ())
    except exact.SettingError as error:
        raise typer.BadParameter(str(error), param_hint="'--set'") from None
    answers = exact.counted(asked, bar=sys.stderr is not None and sys.stderr.isatty())
    _print(exact.as_json(answers) if json else exact.page(answers, _width(), _colour()))


@app.command()
def verify(journal: Journal, key: Key = None, anchor: Anchor = None, json: Json = False) -> None:
    """Check a journal's hash chain and signatures.

    Says where it is broken, and what is.
    """
    from tablectl.journal.commands import verify_command  # noqa: PLC0415

    _of_a_journal(lambda: verify_command(Path(journal), key, anchor, json))


@app.command()
def replay(journal: Journal, key: Key = None, anchor: Anchor = None, json: Json = False) -> None:
    """Rebuild the table from a journal.

    Compares every derived event with the stored one.
    """
    from tablectl.journal.commands import replay_command  # noqa: PLC0415

    _of_a_journal(lambda: replay_command(Path(journal), key, anchor, json))


@app.command()
def meters(journal: Journal, json: Json = False) -> None:
    """Prove every progressive meter to the cent.

    From the journal alone: base, contributions, awards, corrections.
    """
    from tablectl.journal.commands import meters_command  # noqa: PLC0415

    _of_a_journal(lambda: meters_command(Path(journal), json))


def _of_a_journal(work: Callable[[], int]) -> NoReturn:
    from tablectl.journal.errors import JournalError  # noqa: PLC0415

    try:
        code = work()
    except JournalError as error:
        _complain(f"tablectl: {error}")
        code = error.exit_code
    raise typer.Exit(code)


@app.command()
def run(
    config: Annotated[
        str, typer.Option(metavar="FILE", help="The table's configuration, a TOML file.")
    ],
) -> NoReturn:
    """Run the daemon of one table until it is told to stop."""
    from tablectl.daemon.running import run_table  # noqa: PLC0415
    from tablectl.web.app import make_app  # noqa: PLC0415

    raise typer.Exit(run_table(config, make_app))


@app.command()
def doctor(
    config: Annotated[
        str, typer.Option(metavar="FILE", help="The table's configuration, a TOML file.")
    ],
    json: Json = False,
) -> NoReturn:
    """Try devices, broker, clock, disk; say what to mend.

    Sends no device a command. While the daemon runs its devices are left to it.
    """
    from tablectl.technician.answer import doctor as look  # noqa: PLC0415

    terminal = not json and sys.stderr is not None and sys.stderr.isatty()
    answer = look(config, as_json=json, width=_width(), colour=_colour(), terminal=terminal)
    for line in answer.stderr:
        _complain(line)
    _print(answer.stdout)
    raise typer.Exit(answer.exit_code)


@app.command()
def listen(
    device: Annotated[str, typer.Argument(metavar="DEVICE", help="Its name in the file.")],
    config: Annotated[
        str, typer.Option(metavar="FILE", help="The table's configuration, a TOML file.")
    ],
    seconds: Annotated[
        float | None, typer.Option(metavar="N", min=0.1, help="End after so long.")
    ] = None,
    unseal: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Show cards to this technician; asks for the PIN."),
    ] = None,
    json: Json = False,
) -> NoReturn:
    """Print what a device tells, live, its cards sealed.

    Ctrl-C ends it. Not while the daemon runs. Cards are shown at a closed table
    only, to a technician, and that is recorded in the journal.
    """
    from tablectl.technician import answer as technician  # noqa: PLC0415

    try:
        answer = technician.listen(
            config, device, seconds=seconds, actor=unseal, as_json=json, say=_say
        )
    except technician.NoSuchDevice as error:
        raise typer.BadParameter(str(error), param_hint="'DEVICE'") from None
    for line in answer.stderr:
        _complain(line)
    raise typer.Exit(answer.exit_code)


@app.command()
def demo(  # noqa: PLR0913, PLR0917  its options
    game: Annotated[str, typer.Option(metavar="G", help="The game.")] = "three_card_poker",
    rounds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="End after so many rounds.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="S", min=0, help="The same cards and wagers again.")
    ] = None,
    speed: Annotated[
        str, typer.Option(metavar="X|max", help="1 is a pace to watch; max does not wait.")
    ] = "1",
    faults: Annotated[
        str, typer.Option(metavar="LIST", help="What goes wrong, e.g. jam,misread,silence.")
    ] = "",
    port: Annotated[
        int, typer.Option(metavar="HTTP", min=0, max=65535, help="The API's port; 0: a free one.")
    ] = 0,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep the journal here.")] = None,
    broker: Annotated[
        str | None, typer.Option(metavar="URL", help="Use this broker, not the embedded one.")
    ] = None,
    json: Json = False,
) -> NoReturn:
    """Play a whole table on this machine, with simulated devices.

    Ctrl-C ends it. Without a terminal it plays silently and tells the result.
    """
    from tablectl.demo.house import HOUSES  # noqa: PLC0415
    from tablectl.demo.showing import Asked, show  # noqa: PLC0415
    from tablectl.outbox.broker import BadBroker, Broker  # noqa: PLC0415

    if game not in HOUSES:
        known = ", ".join(HOUSES)
        raise typer.BadParameter(f"{game!r} is not here; known: {known}", param_hint="'--game'")
    try:
        if broker is not None:
            Broker.at(broker)
    except BadBroker as error:
        raise typer.BadParameter(str(error), param_hint="'--broker'") from None
    asked = Asked(
        game=game, rounds=rounds, seed=seed, speed=speed, faults=faults, port=port, data=data,
        broker=broker, json=json,
    )  # fmt: skip
    raise typer.Exit(show(asked))


@app.command()
def diagram(
    game: Annotated[
        str, typer.Option(metavar="G", help="The game.", show_default=True)
    ] = "three_card_poker",
    json: Json = False,
) -> None:
    """Draw the procedure as a Mermaid state diagram."""
    from tablectl.daemon.diagram import GAMES, mermaid  # noqa: PLC0415

    if game not in GAMES:
        known = ", ".join(GAMES)
        raise typer.BadParameter(f"{game!r} is not here; known: {known}", param_hint="'--game'")
    drawn = mermaid(game)
    _print(f"{to_json({'game': game, 'mermaid': drawn})}\n" if json else drawn)


@app.command()
def trace(
    game: Annotated[
        str | None, typer.Option(metavar="G", help="One game; else every text.")
    ] = None,
    json: Json = False,
) -> NoReturn:
    """Show where each clause lives, and the tests that prove it.

    The exit code is 1 where a clause has no home.
    """
    from tablectl.trace import homes, report  # noqa: PLC0415

    if game is not None and game not in homes.GAMES:
        known = ", ".join(homes.GAMES)
        raise typer.BadParameter(f"{game!r} is not here; known: {known}", param_hint="'--game'")
    traced = homes.trace(game)
    _print(report.as_json(traced) if json else report.page(traced, _width(), _colour()))
    raise typer.Exit(any(one.home is None for one in traced))


def main() -> None:
    """The entry point: no traceback for a person's mistake, one line on stderr instead."""
    try:
        code = app(standalone_mode=False, prog_name="tablectl")
        _print("")  # what a command left in the buffer leaves here, where its failure is told
    except typer.TyperException as error:
        code = _usage(error)
    except (typer.Abort, KeyboardInterrupt):
        code = EXIT_INTERRUPTED
    except OSError as error:  # "no" is 1; this is "could not look"
        name = f"{error.filename}: " if error.filename else ""
        _complain(f"tablectl: {name}{error.strerror or error}")
        _discard_stdout()
        code = EXIT_FAILED
    except Exception:  # noqa: BLE001  a mistake of ours is no "no" either
        traceback.print_exc()
        _complain("tablectl: this is a mistake in tablectl itself: please report it")
        code = EXIT_FAILED
    sys.exit(code if isinstance(code, int) else 0)


def _usage(error: typer.TyperException) -> int:
    """Tell what was wrong with the arguments. Without any, Typer's message is the help itself."""
    message = error.format_message()
    if len(sys.argv) == 1:
        sys.stderr.write(f"{message}\n")
    else:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "tablectl"
        _complain(f"tablectl: {message.rstrip('.')}. Try: {command} --help")
    return error.exit_code


def _width() -> int:
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 120))


def _colour() -> bool:
    return sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _print(text: str) -> None:
    """Write to stdout. A reader that went away has seen enough, so that is no failure."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode(sys.stdout.encoding, "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _discard_stdout()


def _say(line: str) -> None:
    """A line at once. Raises BrokenPipeError where nobody reads any more."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(f"{line}\n".encode(sys.stdout.encoding, "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _discard_stdout()
        raise


def _discard_stdout() -> None:
    """What is still buffered would fail once more when the interpreter closes stdout."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _complain(line: str) -> None:
    """One line on stderr, whatever characters a file name or a message brings."""
    if sys.stderr is not None:
        shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
        sys.stderr.write(f"{shown}\n")


if __name__ == "__main__":
    main()
