"""docs/integrators/http.md against the application: routes, figures, and every example is run."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from tablectl.daemon import people
from tablectl.daemon.shapes import Health
from tablectl.web import app
from tests.web.daemon import PINS, Daemon

FOLDER = Path(__file__).parents[2] / "docs/integrators"
PAGE = (FOLDER / "http.md").read_text()
ROUTE = re.compile(r"^\| `([A-Z]+)` \| `(/[\w/]+)` \| .+ \| ([\d ]+) \|$", re.MULTILINE)
STATUS = re.compile(r"^\| (\d{3}) \| ", re.MULTILINE)
EXAMPLES: dict[str, Any] = {
    name: json.loads(text)
    for name, text in re.findall(r"```json (\w+)\n(.*?)\n```", PAGE, re.DOTALL)
}


def commands() -> list[tuple[list[str], int]]:
    """Every curl command of the page, with the status that stands behind it."""
    found = []
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL):
        for line in block.replace("\\\n", " ").strip().splitlines():
            command, _, status = line.rpartition("   # ")
            found.append((shlex.split(command), int(status)))
    return found


def test_the_page_has_every_route_and_no_other(steady: Daemon) -> None:
    well: Health = {"journal": "writes", "halted": False, "sequence": 0, "durable": 0}
    made = app.make_app(steady.front, lambda: (True, well), str, set)
    routes = {
        (method, route.path)
        for route in made.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
    }
    assert {(method, path) for method, path, _answers in ROUTE.findall(PAGE)} == routes


def test_the_page_explains_every_status_that_it_names() -> None:
    named = {status for *_, answers in ROUTE.findall(PAGE) for status in answers.split()}
    assert named | {"500"} == set(STATUS.findall(PAGE))


def test_the_pages_figures_are_the_codes() -> None:
    assert f"at most {app.BODY_MAXIMUM} bytes, nested at most {app.DEPTH_MAXIMUM} deep" in PAGE
    assert f"did not come within {app.BODY_WITHIN_S:.0f} seconds" in PAGE
    assert f"At most {app.STREAMS_MAXIMUM} listeners" in PAGE
    assert f"takes nothing for {app.STALLED_S:.0f} seconds" in PAGE
    assert f"a comment comes every {app.KEEP_ALIVE_S:.0f} seconds" in PAGE
    assert f"After {people.FAILURES_ALLOWED} failures" in PAGE
    assert f"locked out for {people.LOCKED_OUT_NS // 10**9} seconds" in PAGE
    assert f"for {people.SESSION_NS // (3600 * 10**9)} hours" in PAGE
    assert f"At most {people.SESSIONS_MAXIMUM} are open" in PAGE


def test_the_page_names_every_key_of_the_state(steady: Daemon) -> None:
    section = PAGE.partition("## State")[2].partition("\n## ")[0]
    assert not [key for key in steady.state() if f"`{key}`" not in section]


def test_every_command_on_the_page_is_answered_as_it_says(daemon: Daemon) -> None:
    answers: dict[str, Any] = {}
    session = ""
    assert len(commands()) == 8
    for words, status in commands():
        assert words[0] == "curl"
        url = next(word for word in words if word.startswith("http://127.0.0.1:8080/"))
        path = url.removeprefix("http://127.0.0.1:8080")
        if path.startswith("/api/events"):
            with daemon.listening(path.partition("after=")[2]) as stream:
                assert stream.next()["type"] == "tablectl.config.loaded"
            continue
        body = words[words.index("-d") + 1] if "-d" in words else None
        method = words[words.index("-X") + 1] if "-X" in words else "POST" if body else "GET"
        raw = (body or "").replace("PIN", PINS["flo"]).replace("SESSION", session).encode()
        reply = daemon.ask(method, path, raw=raw or None)
        assert reply.status == status, (words, reply.text)
        if (method, path) == ("POST", "/api/session"):
            session = reply.body["session"]
        answers.setdefault(f"{method} {path}", reply)
    halted = [event["type"] for event in answers["POST /api/act"].body["events"]]
    assert [event["type"] for event in EXAMPLES["done"]["events"]] == halted
    assert EXAMPLES["session"].keys() == answers["POST /api/session"].keys
    assert EXAMPLES["session"]["roles"] == ["floor"]
    assert EXAMPLES["health"].keys() == answers["GET /healthz"].keys


def test_a_refusal_is_as_the_page_shows_it(daemon: Daemon) -> None:
    refused = daemon.act("dana", "open_table").body
    assert EXAMPLES["refused"].keys() == refused.keys()
    assert EXAMPLES["refused"]["refused"] == refused["refused"]
    assert EXAMPLES["ruling"].keys() == {"events", "ruling", "clauses"}


@pytest.mark.parametrize("page", ["journal", "tablelink", "drivers", "mqtt", "http"])
def test_the_index_has_every_page(page: str) -> None:
    index = (FOLDER / "README.md").read_text()
    assert f"]({page}.md)" in index
    assert (FOLDER / f"{page}.md").exists()


def test_the_index_has_no_page_too_few() -> None:
    index = (FOLDER / "README.md").read_text()
    assert not [
        p.name for p in FOLDER.glob("*.md") if p.name != "README.md" and p.name not in index
    ]
