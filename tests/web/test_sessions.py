"""/api/session: proved once for a shift, and what a session may not do."""

import re
from typing import Any

import pytest

from tablectl.daemon import people as people_module
from tablectl.daemon.people import People
from tests.web.daemon import BADGE, PINS, Daemon, Reply


def people(daemon: Daemon) -> People:
    found = daemon.front._people
    assert found is not None
    return found


def leave(daemon: Daemon, session: Any) -> Reply:
    return daemon.ask("DELETE", "/api/session", {"session": session})


def types(daemon: Daemon) -> list[str]:
    with daemon.listening() as stream:
        events = stream.upto(daemon.state()["sequence"])
    return [f"{e['type'].removeprefix('tablectl.')} {e['data'].get('actor', '')}" for e in events]


def test_a_session_stands_for_the_credential_until_it_is_ended(daemon: Daemon) -> None:
    on = daemon.sign_on("flo")
    assert (on.status, on.keys) == (200, {"session", "roles", "expires"})
    assert on.body["roles"] == ["floor"]
    assert re.fullmatch(r"session-[\w-]{43}", on.body["session"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", on.body["expires"])
    assert on.headers["cache-control"] == "no-store"
    session = on.body["session"]
    assert daemon.act("flo", "open_table", session).status == 200
    off = leave(daemon, session)
    assert (off.status, off.keys) == (200, {"events"})
    assert daemon.act("flo", "halt_table", session, reason="x").status == 401
    assert leave(daemon, session).status == 401
    told = types(daemon)
    assert "person.logged_on flo" in told
    assert "person.logged_off flo" in told
    assert told.index("person.logged_on flo") < told.index("person.logged_off flo")


def test_the_events_say_who_and_in_which_role_and_never_by_what(daemon: Daemon) -> None:
    session = daemon.sign_on("flo", BADGE).body["session"]
    events = leave(daemon, session).body["events"]
    off = next(e for e in events if e["type"] == "tablectl.person.logged_off")
    assert (off["data"]["actor"], off["data"]["role"]) == ("flo", "floor")
    assert "session" not in off["data"]


def test_a_session_is_its_owners(daemon: Daemon) -> None:
    session = daemon.sign_on("flo").body["session"]
    for other in ("dana", "sue", "nobody"):
        assert daemon.act(other, "halt_table", session, reason="x").status == 401
    assert not daemon.state()["halted"]


def test_a_session_cannot_beget_another(daemon: Daemon) -> None:
    """Else a stolen one would never end."""
    session = daemon.sign_on("flo").body["session"]
    again = daemon.sign_on("flo", session)
    assert (again.status, again.keys) == (401, {"error"})


def test_two_sessions_of_one_person_end_one_by_one(daemon: Daemon) -> None:
    first, second = (daemon.sign_on("dana").body["session"] for _ in range(2))
    assert first != second
    assert leave(daemon, first).status == 200
    assert daemon.act("dana", "log_on", first).status == 401
    assert daemon.act("dana", "log_on", second).status == 200


def test_a_session_ends_by_itself(daemon: Daemon) -> None:
    session = daemon.sign_on("flo").body["session"]
    begun = daemon.desk.now().mono_ns
    people(daemon)._now_ns = lambda: begun + people_module.SESSION_NS - 10**9
    assert daemon.act("flo", "log_on", session).status == 200
    people(daemon)._now_ns = lambda: begun + people_module.SESSION_NS + 10**9
    ended = daemon.act("flo", "log_on", session)
    assert (ended.status, "ended" in ended.body["error"]) == (401, True)
    assert daemon.act("flo", "log_on", session).status == 401
    assert daemon.sign_on("flo").status == 200


def test_a_lock_out_leaves_sessions_alone(daemon: Daemon) -> None:
    """Nobody can take the floor's hand off the table by guessing its PIN."""
    session = daemon.sign_on("flo").body["session"]
    for _ in range(5):
        assert daemon.sign_on("flo", "guess").status == 401
    assert daemon.sign_on("flo").status == 401
    assert daemon.act("flo", "halt_table", session, reason="x").status == 200


def test_wrong_credentials_begin_no_session(daemon: Daemon) -> None:
    for who, credential in (("flo", "wrong"), ("nobody", PINS["flo"]), ("flo", "session-x")):
        reply = daemon.sign_on(who, credential)
        assert (reply.status, reply.keys) == (401, {"error"})
    assert not [told for told in types(daemon) if told.startswith("person.")]


@pytest.mark.parametrize("sent", [{}, {"actor": "flo"}, {"session": "x"}, [], "x"])
def test_a_malformed_sign_on_is_400(steady: Daemon, sent: Any) -> None:
    assert steady.ask("POST", "/api/session", sent).status == 400


@pytest.mark.parametrize(
    "sent", [{}, {"actor": "flo", "credential": "x"}, {"session": 7}, {"session": ""}, []]
)
def test_a_malformed_sign_off_is_400(steady: Daemon, sent: Any) -> None:
    assert steady.ask("DELETE", "/api/session", sent).status == 400


@pytest.mark.parametrize("session", ["session-made-up", "session-\u00e9", "x"])
def test_an_unknown_session_is_401(steady: Daemon, session: str) -> None:
    assert leave(steady, session).status == 401
