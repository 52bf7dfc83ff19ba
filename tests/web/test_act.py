"""POST /api/act: every answer, and that "done" is said only of what is durable."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tablectl.daemon import front
from tablectl.table.inputs import Action, Stamp
from tests.web.daemon import BADGE, PINS, Daemon, Reply, until
from tests.web.gate import Gate

FLO = {"actor": "flo", "credential": PINS["flo"]}
SUE = {"actor": "sue", "credential": PINS["sue"]}
GOOD: dict[str, Any] = {"action": "halt_table", **FLO, "args": {"reason": "a test"}}


def post(daemon: Daemon, sent: Any, **headers: str) -> Reply:
    return daemon.ask("POST", "/api/act", sent, headers)


def edited(**edits: Any) -> dict[str, Any]:
    return {key: value for key, value in (GOOD | edits).items() if value is not ...}


# ── done ───────────────────────────────────────────────────────────────────


def test_what_is_done_answers_with_its_events(daemon: Daemon) -> None:
    reply = post(daemon, GOOD)
    assert (reply.status, reply.keys) == (200, {"events"})
    done, halted = reply.body["events"][:2]
    assert (done["type"], halted["type"]) == ("tablectl.action.done", "tablectl.table.halted")
    assert done["data"]["actor"] == "flo"
    assert done["data"]["role"] == "floor"
    assert halted["sequence"] == done["sequence"] + 1
    assert halted["prevhash"] == done["hash"]
    assert daemon.state()["halted"]


def test_a_badge_is_as_good_as_a_pin(daemon: Daemon) -> None:
    assert post(daemon, edited(credential=BADGE)).status == 200


def test_args_may_be_left_out(daemon: Daemon) -> None:
    assert post(daemon, {"action": "log_on", **FLO}).status == 200


def test_the_content_type_may_have_capitals_and_a_charset(daemon: Daemon) -> None:
    kind = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert daemon.ask("POST", "/api/act", GOOD, kind).status == 200


# ── durable ────────────────────────────────────────────────────────────────


def test_nothing_is_told_before_it_is_durable(
    daemon: Daemon, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front, "STATE_WITHIN_S", 0.1)
    until(lambda: len(daemon.state()["alarms"]) == 4, "the devices are missed")
    until(lambda: daemon.state()["sequence"] == daemon.desk.state.sequence, "it is quiet")
    before = daemon.state()
    gate.shut()
    with ThreadPoolExecutor(1) as pool, daemon.listening(before["sequence"]) as stream:
        waiting = pool.submit(post, daemon, GOOD)
        until(lambda: daemon.desk.state.halt is not None, "the table has stepped")
        assert daemon.state() == before  # a page that permits nothing learns nothing either
        assert "tablectl_halted 1" in daemon.ask("GET", "/metrics").text  # but a halt is at once
        assert not waiting.done()
        gate.open()
        assert waiting.result(10).status == 200
        assert stream.next()["sequence"] == before["sequence"] + 1
        assert daemon.state()["halted"]


def test_the_state_is_never_older_than_what_was_answered(daemon: Daemon) -> None:
    """Whatever else reaches the table in between: here, refusals of somebody else."""
    with ThreadPoolExecutor(2) as pool:
        stop = threading.Event()

        def noise() -> None:
            for n in range(10_000):
                if stop.is_set():
                    return
                daemon.call(partial(daemon.desk.submit, partial(odd, str(n))))

        noisy = pool.submit(noise)
        for turn in range(60):
            action, args = ("resume_table", {}) if turn % 2 else ("halt_table", {"reason": "x"})
            reply = daemon.act("flo", action, **args)
            assert reply.status == 200
            state = daemon.state()
            assert state["halted"] is (turn % 2 == 0)
            assert state["sequence"] >= reply.body["events"][-1]["sequence"]
        stop.set()
        noisy.result(10)


def odd(name: str, at: Stamp) -> Action:
    return Action(at, name, "sue", ("surveillance",))


def test_a_slow_disk_says_that_nobody_knows_yet(
    daemon: Daemon, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front, "DURABLE_WITHIN_S", 0.1)
    gate.shut()
    reply = post(daemon, GOOD)
    assert (reply.status, reply.keys) == (503, {"error"})
    assert "look at the table" in reply.body["error"]
    assert not daemon.state()["halted"]
    gate.open()
    until(lambda: daemon.state()["halted"], "it became durable after all")


def test_a_broken_disk_halts_the_table_and_says_so(daemon: Daemon, gate: Gate) -> None:
    assert daemon.act("flo", "open_table").status == 200
    before = daemon.state()
    gate.destroy()
    reply = daemon.act("dana", "log_on")
    assert (reply.status, reply.keys) == (503, {"error"})
    assert "not recorded" in reply.body["error"]
    after = daemon.state()
    assert after["halted"]
    assert "table_halted" in {alarm["kind"] for alarm in after["alarms"]}
    assert after["prompts"][0]["awaits"] == "resume_table"
    for untouched in ("sequence", "phase", "round", "seats", "decks", "meters"):
        assert after[untouched] == before[untouched]
    assert daemon.act("flo", "resume_table").status == 503
    assert daemon.sign_on("flo").status == 503
    assert daemon.act("flo", "halt_table", reason="again").status in (409, 503)


# ── malformed ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ([], "the object"),
        ("text", "the object"),
        (None, "valid JSON"),
        (edited(actor=...), "actor"),
        (edited(credential=...), "credential"),
        (edited(action=...), "action"),
        (edited(actor=""), "actor"),
        (edited(actor=7), "actor"),
        (edited(actor="a" * 65), "actor"),
        (edited(credential="c" * 257), "credential"),
        (edited(credential=7351), "credential"),
        (edited(action="a" * 65), "action"),
        (edited(args=[]), "args"),
        (edited(args=None), "args"),
        (edited(roles=["floor"]), "unknown key"),
        (edited(second="sue"), "second"),
        (edited(second={"actor": "sue"}), "second.credential"),
        (edited(second={**SUE, "roles": []}), "unknown key"),
        (edited(second=FLO), "another person"),
        (edited(action="no_such_thing"), "no action"),
        (edited(action="a\nb\x1b[31m"), "no action"),
        (edited(action="void_round", args={}), "needs 'reason'"),
        (edited(args={"reason": 7}), "'reason' must be"),
        (edited(args={"reason": ""}), "'reason'"),
        (edited(args={"reason": "r" * 201}), "'reason'"),
        (edited(args={"reason": "a\x00b"}), "'reason'"),
        (edited(args={"reason": "x", "more": 1}), "takes no 'more'"),
        (edited(args={"reason": 1.5}), "cannot be recorded"),
        (edited(args={"reason": 2**53}), "beyond"),
        (edited(args={"reason": [[[[[[[[[[]]]]]]]]]]}), "levels"),
    ],
)
def test_what_makes_no_sense_is_400_with_one_sentence(steady: Daemon, sent: Any, told: str) -> None:
    raw = b"" if sent is None else json.dumps(sent).encode()
    reply = steady.ask("POST", "/api/act", raw=raw)
    assert (reply.status, reply.keys) == (400, {"error"}), reply.text
    assert told in reply.body["error"]
    assert reply.body["error"].isprintable()
    assert len(reply.body["error"]) <= 300
    assert not steady.state()["halted"]


@pytest.mark.parametrize(
    "raw",
    [
        b"{", b"\xff\xfe\xfd", b"{}{}", b'{"a":1,}', b"nul", b"[" * 60_000, b'"\\ud800"',
        b'{"\\ud800": 1}', b'{"actor": "\\udc00", "credential": "x", "action": "y"}',
        b'{"actor": "flo", "credential": "\\ud800", "action": "y"}',
        b'{"actor": "flo", "credential": "PIN", "action": "\\ud800"}',
        b'{"actor": "flo", "credential": "PIN", "action": "y", "args": {"\\ud800": 1}}',
        b'{"actor": "flo", "credential": "PIN", "action": "y", "args": {"a": "\\udfff"}}',
        b'{"actor": "flo", "credential": "PIN", "action": "y", "args": {"a": NaN}}',
        b'{"actor": "flo", "credential": "PIN", "action": "y", "args": {"a": -Infinity}}',
        b'{"actor": "flo", "credential": "PIN", "action": "y", "args": {"a": 1e400}}',
        b'{"actor": "flo", "credential": "PIN", "action": "y", "args": {"a": %s}}' % (b"9" * 5000),
        b'{"actor": "flo", "credential": "PIN", "action": "y", "args": {"a": %s}}' % (b"9" * 4000),
        b'{"actor": "flo", "credential": "PIN", "action": "y", "args": {"a": %s}}'
        % (b"[" * 900 + b"]" * 900),
    ],
)  # fmt: skip
def test_bytes_that_are_no_request_are_400(steady: Daemon, raw: bytes) -> None:
    reply = steady.ask("POST", "/api/act", raw=raw.replace(b"PIN", PINS["flo"].encode()))
    assert (reply.status, reply.keys) == (400, {"error"}), reply.text
    assert len(reply.text) < 400


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"]
)
def test_only_json_is_taken(steady: Daemon, kind: str) -> None:
    """What another site's form could send without asking first is none of these."""
    assert post(steady, GOOD, **{"Content-Type": kind}).status == 400
    assert not steady.state()["halted"]


@pytest.mark.parametrize("size", [65_537, 5_000_000])
def test_a_body_has_a_limit(steady: Daemon, size: int) -> None:
    reply = steady.ask("POST", "/api/act", raw=b" " * size)
    assert (reply.status, reply.body) == (400, {"error": "a request has at most 65536 bytes"})


def test_a_made_up_key_is_not_repeated(steady: Daemon) -> None:
    """It may be a credential in the wrong place."""
    assert "4711-secret" not in post(steady, {**GOOD, "4711-secret": 1}).text


# ── who ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "who",
    [
        {"actor": "flo", "credential": "wrong"},
        {"actor": "flo", "credential": PINS["dana"]},
        {"actor": "nobody", "credential": PINS["flo"]},
        {"actor": "FLO", "credential": PINS["flo"]},
        {"actor": "flo", "credential": "session-made-up"},
        {"actor": "flo", "credential": "session-\u00e9"},
        {"actor": "flo", "credential": " " + PINS["flo"]},
    ],
)
def test_a_wrong_credential_is_401(daemon: Daemon, who: dict[str, str]) -> None:
    assert daemon.sign_on("sue").status == 200  # with a session open, a wrong one is compared
    done = daemon.front.done
    reply = post(daemon, GOOD | who)
    assert (reply.status, reply.keys) == (401, {"error"})
    assert daemon.front.done == done
    assert not daemon.state()["halted"]


def test_too_many_failures_lock_out_whoever_it_is(daemon: Daemon) -> None:
    for name in ("flo", "made-up"):
        for _ in range(5):
            wrong = post(daemon, edited(actor=name, credential="wrong"))
            assert (wrong.status, "wait" in wrong.text) == (401, False)
        locked = post(daemon, edited(actor=name))
        assert (locked.status, "wait 60 s" in locked.text) == (401, True)
    assert daemon.act("sue", "log_on").status == 200  # nobody else is
    later = daemon.desk.now().mono_ns + 61 * 10**9
    people = daemon.front._people
    assert people is not None
    people._now_ns = lambda: later
    assert post(daemon, GOOD).status == 200


def test_a_role_that_may_not_is_403(daemon: Daemon) -> None:
    reply = daemon.act("dana", "open_table")
    assert (reply.status, reply.keys) == (403, {"refused", "clauses", "allowed"})
    assert "floor" in reply.body["refused"]
    assert daemon.act("tess", "halt_table", reason="x").status == 403
    assert daemon.state()["phase"] == "closed"


def test_not_now_is_409_with_why_and_what_else(daemon: Daemon) -> None:
    assert daemon.act("flo", "open_table").status == 200
    reply = daemon.act("dana", "open_bets")
    assert (reply.status, reply.keys) == (409, {"refused", "clauses", "allowed"})
    assert reply.body["refused"]
    assert all(isinstance(clause, str) for clause in reply.body["clauses"])
    assert reply.body["allowed"] == daemon.state()["allowed"]
    assert "receive_decks" in reply.body["allowed"]


def test_a_refusal_cites_its_clause(daemon: Daemon) -> None:
    daemon.act("flo", "open_table")
    deck = {"id": "red-1", "back": "red"}
    assert daemon.act("dana", "receive_decks", decks=[deck]).status == 200
    reply = daemon.act("flo", "verify_inspection")
    assert reply.status == 409
    assert any(clause.startswith("TCP ") for clause in reply.body["clauses"]), reply.text


def test_without_people_nobody_acts_and_everybody_may_read(tmp_path: Path) -> None:
    with Daemon(tmp_path, people=False) as daemon:
        for reply in (post(daemon, GOOD), daemon.sign_on("flo")):
            assert reply.status == 401
            assert "no [people]" in reply.body["error"]
        assert daemon.ask("DELETE", "/api/session", {"session": "session-x"}).status == 401
        assert daemon.state()["phase"] == "closed"


# ── two people ─────────────────────────────────────────────────────────────


def test_a_second_person_is_proved_too(daemon: Daemon) -> None:
    wrong = post(daemon, edited(second={"actor": "sue", "credential": PINS["flo"]}))
    assert wrong.status == 401
    assert not daemon.state()["halted"]
    assert post(daemon, edited(second=SUE)).status == 200


def test_a_second_person_may_use_a_session(daemon: Daemon) -> None:
    session = daemon.sign_on("sue").body["session"]
    wrong = post(daemon, edited(second={"actor": "tess", "credential": session}))
    assert wrong.status == 401
    right = post(daemon, edited(second={"actor": "sue", "credential": session}))
    assert right.status == 200
