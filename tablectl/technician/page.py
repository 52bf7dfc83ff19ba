"""The doctor's report for people: good to look at in 80 columns. It judges nothing."""

from collections.abc import Iterable, Iterator
from typing import Final

from tablectl.paper import Paper, Styled
from tablectl.technician.findings import Examined, Report

_WORDS: Final = {
    "fine": Styled("ok", "green"),
    "note": Styled("note", "yellow"),
    "wrong": Styled("WRONG", "bold red"),
    "unknown": Styled("?", "yellow"),
}
# What is asked for first; the rest stands in --json.
_COUNTED: Final = (
    "frames_good", "frames_bad", "frames_repeated", "frames_lost", "jams", "reads_failed",
)  # fmt: skip
Row = tuple[str | Styled, ...]


def page(report: Report, width: int, colour: bool) -> str:
    """The whole report."""
    paper = Paper(width, colour)
    paper.line(f"table {report.table} at {report.site}", "bold")
    paper.line(report.file, "dim", whole=True)

    def table(title: str, columns: tuple[str, ...], rows: Iterable[Row], nothing: str) -> None:
        paper.line()
        paper.line(title, "bold")
        found = list(rows)
        if found:
            paper.table(columns, found)
        else:
            paper.line(nothing, "dim")

    table("The box", ("", "", ""), _checks(report), "")
    table("Serial ports", ("use this name", "what it is", "device"), _ports(report), "none")
    table("USB devices", ("use this url", "what it is", "device"), _usb(report), "none")
    table("Devices", ("", "", ""), _devices(report.devices), "none is configured")
    paper.line()
    paper.line(*_sum(report))
    return paper.text


def _checks(report: Report) -> Iterator[Row]:
    for one in report.checks:
        yield _WORDS[one.how], one.check, one.found
        if one.do:
            yield "", "", Styled(f"→ {one.do}", "bold")


def _ports(report: Report) -> Iterator[Row]:
    for port in report.ports:
        what = f"{port.what} ({port.path})" if port.what and port.names else port.what
        yield port.name, what, report.users.get(port.path, "")


def _usb(report: Report) -> Iterator[Row]:
    for one in report.usb:
        yield one.url, f"{one.what} (at {one.path})".strip(), report.users.get(one.path, "")


def _devices(devices: Iterable[Examined]) -> Iterator[Row]:
    for one in devices:
        yield _WORDS[one.how], one.device, one.found
        if one.do:
            yield "", "", Styled(f"→ {one.do}", "bold")
        yield "", "", Styled(f"{one.kind} by {one.driver}, {one.url}", "dim")
        for line in _details(one):
            yield "", "", Styled(line, "dim")


def _details(one: Examined) -> Iterator[str]:
    if one.identity:
        who = [f"serial {one.identity['serial'] or 'none'}"]
        who += [one.identity["model"]] if one.identity["model"] else []
        who += ["proved by its key"] if one.identity["proved"] else []
        who += (
            [f"set to the game {one.identity['game_mode']}"] if "game_mode" in one.identity else []
        )
        who += [f"in the USB plug {one.identity['path']}"] if "path" in one.identity else []
        pinned = [f"{name} {value}" for name, value in one.pinned.items()]
        yield ", ".join(who) + (f" (pinned: {', '.join(pinned)})" if pinned else "")
    if one.versions:
        yield "versions " + ", ".join(
            f"{name} {version}" + _floor(one, name) for name, version in one.versions.items()
        )
    if one.round_trip_ms is not None:
        yield f"answers in {one.round_trip_ms} ms"
    if one.counters:
        counted = [f"{one.counters[name]} {name.replace('_', ' ')}" for name in _COUNTED]
        yield ", ".join(counted)


def _floor(one: Examined, name: str) -> str:
    least = one.minimum_versions.get(name)
    return f" (at least {least})" if least else ""


def _sum(report: Report) -> tuple[str, str]:
    wrong, unknown = report.hows.count("wrong"), report.hows.count("unknown")
    if wrong:
        return f"{_things(wrong)} to be mended", "bold red"
    if unknown:
        return f"nothing found wrong; {_things(unknown)} could not be looked at", "yellow"
    return "nothing is wrong", "green"


def _things(count: int) -> str:
    return "one thing" if count == 1 else f"{count} things"
