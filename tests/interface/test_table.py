"""A whole table with devices and Mosquitto, as an integrator meets it: topics, commands, HTTP.

One daemon for all: each test looks at it, or adds something that the others do not mind.
"""

import http.client
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
import rfc8785

from tests.interface import names
from tests.interface.run import tablectl
from tests.interface.shapes import misfits
from tests.outbox.mosquitto import Watcher, kept, until
from tests.outbox.signing import STRANGER, UNKNOWN, command, fresh_id, public
from tests.system.stage import Stage
from tests.web.daemon import hashed

ROOT = "tablectl/v1/harbor/demo/"
SEED = 11
MORE = f"""
[archive]
unconfirmed_limit = 20
[keys.floor]
public = "{public(STRANGER)}"
commands = ["acknowledge_alarm", "halt_table"]
[people.sue]
name = "Sue"
roles = ["surveillance"]
pin_hash = "{hashed("pin-of-sue-73519")}"
[people.tess]
name = "Tess"
roles = ["technician"]
badge_hash = "{hashed("badge-of-tess-864")}"
"""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Two rounds were played, and the dealer rests."""
    stage = Stage(tmp_path_factory.mktemp("table"), SEED)
    with stage.daemon.config.open("a") as config:
        config.write(MORE)
    with stage:
        stage.play(2)
        stage.room.rest()
        stage.subscriber.catch_up(max(stage.stored()), stage.told, may_ask=False)
        yield stage


@pytest.fixture(scope="module")
def watcher(stage: Stage) -> Iterator[Watcher]:
    found = Watcher(stage.broker.port, ROOT + "#")
    yield found
    found.close()


# ── as an HTTP client ──────────────────────────────────────────────────────
def ask(
    stage: Stage, method: str, path: str, sent: Any = None, raw: bytes = b"", **headers: str
) -> tuple[int, Any]:
    body = json.dumps(sent).encode() if sent is not None else raw or None
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None:
        named.setdefault("Content-Type", "application/json")
    connection = http.client.HTTPConnection(stage.api.address, timeout=20)
    try:
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    is_json = answer.headers.get_content_type() == "application/json"
    return answer.status, json.loads(text) if is_json else text


def act(stage: Stage, who: str, action: str, **args: Any) -> tuple[int, Any]:
    secrets = {person.name: person.pin for person in stage.staff}
    secrets |= {"sue": "pin-of-sue-73519", "tess": "badge-of-tess-864"}
    sent = {"action": action, "actor": who, "credential": secrets[who], "args": args}
    return ask(stage, "POST", "/api/act", sent)


def stream(stage: Stage, path: str, count: int, **headers: str) -> list[dict[str, str]]:
    connection = http.client.HTTPConnection(stage.api.address, timeout=20)
    try:
        connection.request(
            "GET", path, headers={n.replace("_", "-"): v for n, v in headers.items()}
        )
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        found: list[dict[str, str]] = [{}]
        while len(found) <= count:
            line = answer.readline().decode().rstrip("\n")
            if not line and found[-1]:
                found.append({})
            elif line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                found[-1][name] = value
        return found[:count]
    finally:
        connection.close()


# ── MQTT: what is published ────────────────────────────────────────────────
def test_the_retained_topics_are_what_a_newcomer_needs(stage: Stage) -> None:
    found = {topic.removeprefix(ROOT): body for topic, body in kept(stage.broker.port).items()}
    status = json.loads(found["status"])
    assert not misfits(status, names.STATUS)
    assert status["state"] == "online"
    assert not misfits(json.loads(found["state"]), names.STATE)
    assert not misfits(json.loads(found["meter/main"]), names.METER)
    for device in stage.state()["devices"]:
        assert not misfits(json.loads(found[f"device/{device}"]), names.DEVICE)
    for topic, body in found.items():
        kind, _, name = topic.partition("/")
        assert kind in ("status", "state", "alarm", "meter", "device"), "nothing else is retained"
        if kind == "alarm":
            assert not misfits(json.loads(body), names.ALARM)
            assert json.loads(body)["id"] == name


def test_everything_has_qos_1(stage: Stage) -> None:
    seen: dict[str, int] = {}
    watcher = Watcher(stage.broker.port, ROOT + "#")
    watcher.client.on_message = lambda _c, _d, message: seen.__setitem__(message.topic, message.qos)
    act(stage, "sue", "log_on")
    until(lambda: any("/event/person/logged_on" in topic for topic in seen), "an event comes")
    watcher.close()
    assert set(seen.values()) == {1}


def test_every_event_is_a_cloudevent_on_its_own_topic(stage: Stage) -> None:
    stored = stage.stored()
    topics = [(t, b) for t, b in stage.subscriber.heard if t.startswith(ROOT + "event/")]
    assert topics
    for topic, body in topics:
        event = json.loads(body)
        assert not misfits(event, names.EVENT)
        epoch = event["id"].split("/")[1]
        assert event["id"] == f"demo/{epoch}/{event['sequence']}"
        assert event["source"] == "tablectl/harbor/demo"
        assert topic == f"{ROOT}event/{'/'.join(event['type'].split('.')[1:])}"
        assert event["type"].startswith("tablectl.")
        assert stored[event["sequence"]] == body
    assert min(stored) == 1
    stage.subscriber.agrees({n: b for n, b in stored.items() if n <= stage.subscriber.last}, "")


def test_the_state_is_the_same_on_both_roads(stage: Stage) -> None:
    status, state = ask(stage, "GET", "/api/state")
    assert status == 200
    assert not misfits(state, names.STATE)
    assert {deck["custody"] for deck in state["decks"]} <= names.CUSTODY
    until(lambda: stage.subscriber.latest("state")["sequence"] >= state["sequence"], "it came")
    assert stage.subscriber.latest("state").keys() == state.keys()


# ── MQTT: commands ─────────────────────────────────────────────────────────
def give(watcher: Watcher, name: str, args: Any, **changes: Any) -> Any:
    """Send a command; the answer."""
    payload = command(
        name, args, **{"expires": int(time.time()) + 60, "root": ROOT, "id": fresh_id(), **changes}
    )
    topic = f"{ROOT}reply/{json.loads(payload)['id']}"
    before = len(watcher.heard(topic))
    watcher.send(f"{ROOT}cmd/{name}", payload)
    until(lambda: len(watcher.heard(topic)) > before, f"{name} is answered")
    return json.loads(watcher.heard(topic)[-1].payload)


def refusals(stage: Stage) -> list[dict[str, Any]]:
    events = [json.loads(body) for body in stage.stored().values()]
    return [e["data"] for e in events if e["type"] == "tablectl.action.refused"]


def test_a_replay_sends_the_same_events_again(stage: Stage, watcher: Watcher) -> None:
    name = "replay-" + fresh_id()
    answer = give(watcher, "replay", {"from": 3, "to": 7}, id=name)
    assert (answer["ok"], answer["id"]) == (True, name)
    again = [heard.payload for heard in watcher.heard(f"{ROOT}replay/{name}")]
    assert again == [body for number, body in stage.stored().items() if 3 <= number <= 7]


def test_the_archive_confirms_and_the_distance_shrinks(stage: Stage, watcher: Watcher) -> None:
    alarms = {alarm["kind"] for alarm in stage.state()["alarms"]}
    assert "archive_behind" in alarms  # more than 20 were not confirmed
    last = max(stage.stored())
    hash_ = json.loads(stage.stored()[last])["hash"]
    answer = give(watcher, "confirm", {"sequence": last, "hash": hash_})
    assert answer["ok"] is True
    until(lambda: stage.state()["unconfirmed"] < 20, "the table knows")
    until(
        lambda: "archive_behind" not in {alarm["kind"] for alarm in stage.state()["alarms"]},
        "the alarm ends",
    )


def test_an_alarm_stands_on_its_topic_and_is_acknowledged(stage: Stage, watcher: Watcher) -> None:
    assert act(stage, "sue", "halt_table", reason="look here")[0] == 200
    assert act(stage, "flo", "resume_table")[0] == 200
    assert act(stage, "flo", "suspend_table", reason="a drill")[0] == 200
    [alarm] = [a for a in stage.state()["alarms"] if a["kind"] == "table_suspended"]
    topic = f"{ROOT}alarm/{alarm['id']}"
    until(lambda: watcher.latest(topic), "it is published")
    assert not misfits(json.loads(watcher.latest(topic) or b""), names.ALARM)
    answer = give(watcher, "acknowledge_alarm", {"id": alarm["id"]}, private=STRANGER)
    assert answer["ok"] is True
    assert act(stage, "flo", "resume_table")[0] == 200
    until(lambda: watcher.latest(topic) == b"", "an empty retained message clears it")


def test_a_command_that_cannot_be_believed_is_refused_and_recorded(
    stage: Stage, watcher: Watcher
) -> None:
    now_s = int(time.time())
    changes: dict[str, dict[str, Any]] = {
        "expired": {"expires": now_s - 1},
        "valid for too long": {"expires": now_s + 100_000},
        "not this key's to give": {"private": STRANGER},
        "signed by a stranger": {"private": UNKNOWN},
        "signed for another table": {"root": "tablectl/v1/harbor/other/"},
        "malformed": {"args": {"from": 1}},
        "of no number": {"args": {"from": "1", "to": 2}},
        "backwards": {"args": {"from": 2, "to": 1}},
    }
    told: set[str] = set()
    for why, change in changes.items():
        sent = {"args": {"from": 1, "to": 2}, "expires": now_s + 60, "root": ROOT, **change}
        payload = command("replay", sent.pop("args"), **sent)
        topic = f"{ROOT}reply/{json.loads(payload)['id']}"
        watcher.send(f"{ROOT}cmd/replay", payload)
        until(lambda topic=topic: watcher.latest(topic), f"{why}: it is answered")  # type: ignore[misc]
        answer = json.loads(watcher.latest(topic) or b"")
        assert (answer["ok"], answer["result"]) == (False, {}), why
        told.add(answer["why"])

    def recorded() -> bool:
        found = {data["why"] for data in refusals(stage) if data["action"] == "cmd/replay"}
        return all(any(why.startswith(known) for known in found) for why in told)

    until(recorded, "they are recorded")
    for refusal in refusals(stage):
        assert not misfits(refusal, names.EVENT_DATA["action.refused"])


def test_a_command_is_heeded_once_and_never_unsigned(stage: Stage, watcher: Watcher) -> None:
    name = fresh_id()
    assert give(watcher, "replay", {"from": 1, "to": 1}, id=name)["ok"] is True
    assert give(watcher, "replay", {"from": 1, "to": 1}, id=name)["ok"] is False
    body: Any = {"id": fresh_id(), "actor": "x", "expires": int(time.time()) + 60, "args": {}}
    watcher.send(f"{ROOT}cmd/halt_table", rfc8785.dumps(body))
    until(lambda: watcher.latest(f"{ROOT}reply/{body['id']}"), "an answer")
    assert json.loads(watcher.latest(f"{ROOT}reply/{body['id']}") or b"")["ok"] is False
    assert not stage.state()["halted"]


def test_there_are_four_commands_and_no_more(stage: Stage, watcher: Watcher) -> None:
    for name in ("place_wager", "resume_table", "enter_card", "open_table"):
        assert name not in names.NETWORK_COMMANDS
        answer = give(watcher, name, {})
        assert answer["ok"] is False
    halted = give(watcher, "halt_table", {"reason": "a drill"}, private=STRANGER)
    assert halted["ok"] is True
    assert stage.state()["halted"]
    assert act(stage, "flo", "resume_table")[0] == 200


# ── HTTP ───────────────────────────────────────────────────────────────────
def test_an_action_that_is_done_tells_its_events(stage: Stage) -> None:
    status, body = act(stage, "flo", "log_on")
    assert status == 200
    for event in body["events"]:
        assert not misfits(event, names.EVENT)
        assert stage.stored()[event["sequence"]] == rfc8785.dumps(event)  # durable already


def test_what_is_not_possible_now_is_409(stage: Stage) -> None:
    status, body = act(stage, "flo", "open_table")
    assert status == 409
    assert not misfits(body, names.REFUSED)
    assert body["allowed"]


def test_what_is_not_ones_role_is_403(stage: Stage) -> None:
    for who, action in (("dana", "resume_table"), ("sue", "no_more_bets"), ("tess", "halt_table")):
        status, body = act(stage, who, action)
        assert status == 403, action
        assert not misfits(body, names.REFUSED)


def test_a_wrong_credential_is_401(stage: Stage) -> None:
    for who, credential in (("ana", "0000"), ("nobody", "0000"), ("sue", "session-none")):
        sent = {"action": "halt_table", "actor": who, "credential": credential, "args": {}}
        for path, body in (
            ("/api/act", sent),
            ("/api/session", {"actor": who, "credential": credential}),
        ):
            status, answer = ask(stage, "POST", path, body)
            assert (status, list(answer)) == (401, ["error"])
    assert ask(stage, "DELETE", "/api/session", {"session": "session-none"})[0] == 401
    assert not stage.state()["halted"]


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"{", b"[]", b"null", b'"x"', b'{"action": "halt_table"}', b"\xff",
        b'{"action": "halt_table", "actor": "sue", "credential": 1, "args": {}}',
        b'{"action": "halt_table", "actor": "sue", "credential": "x", "args": []}',
        b'{"action": "halt_table", "actor": "sue", "credential": "x", "colour": 1}',
    ],
)  # fmt: skip
def test_what_is_malformed_is_400(stage: Stage, raw: bytes) -> None:
    status, answer = ask(stage, "POST", "/api/act", raw=raw or b" ")
    assert (status, list(answer)) == (400, ["error"])
    assert ask(stage, "POST", "/api/session", raw=raw or b" ")[0] == 400
    assert ask(stage, "DELETE", "/api/session", raw=raw or b" ")[0] == 400


def test_an_unknown_action_or_argument_is_400(stage: Stage) -> None:
    for action, args in (("dance", {}), ("halt_table", {"colour": 1}), ("play", {"seat": "1"})):
        status, answer = act(stage, "flo", action, **args)
        assert (status, list(answer)) == (400, ["error"]), action
    sent = {"action": "halt_table", "actor": "sue", "credential": "pin-of-sue-73519", "args": {}}
    assert ask(stage, "POST", "/api/act", sent, Content_Type="text/plain")[0] == 400


def test_a_session_stands_for_the_credential_until_it_ends(stage: Stage) -> None:
    who = {"actor": "tess", "credential": "badge-of-tess-864"}
    status, session = ask(stage, "POST", "/api/session", who)
    assert status == 200
    assert not misfits(session, names.SESSION)
    assert session["roles"] == ["technician"]
    sent = {"action": "log_on", "actor": "tess", "credential": session["session"], "args": {}}
    assert ask(stage, "POST", "/api/act", sent)[0] == 200
    assert ask(stage, "POST", "/api/act", {**sent, "actor": "sue"})[0] == 401
    ended = {"session": session["session"]}
    status, body = ask(stage, "DELETE", "/api/session", ended)
    assert (status, body["events"][-1]["type"]) == (200, "tablectl.person.logged_off")
    assert ask(stage, "POST", "/api/act", sent)[0] == 401


def test_two_people_act_together(stage: Stage) -> None:
    args = {"meter": "main", "cents": 123_456, "reason": "display"}
    pins = {person.name: person.pin for person in stage.staff}
    sent = {"action": "correct_meter", "actor": "flo", "credential": pins["flo"], "args": args}
    assert ask(stage, "POST", "/api/act", sent)[0] == 403
    second = {"actor": "tess", "credential": "badge-of-tess-864"}
    status, body = ask(stage, "POST", "/api/act", {**sent, "second": second})
    assert status in (200, 409), body
    wrong = {**second, "credential": "0000"}
    assert ask(stage, "POST", "/api/act", {**sent, "second": wrong})[0] == 401


def test_the_stream_begins_where_it_is_asked_to(stage: Stage) -> None:
    stored = stage.stored()
    for path, headers, first in (
        ("/api/events?after=5", {}, 6),
        ("/api/events", {}, 1),
        ("/api/events?after=2", {"Last_Event_ID": "9"}, 10),  # a browser that comes back
    ):
        found = stream(stage, path, 3, **headers)
        assert [each["id"] for each in found] == [str(first + n) for n in range(3)]
        assert [each["data"].encode() for each in found] == [stored[first + n] for n in range(3)]
    for after in ("-1", "x", "1.5", str(10**9)):
        status, answer = ask(stage, "GET", f"/api/events?after={after}")
        assert (status, list(answer)) == (400, ["error"])


def test_another_host_or_another_sites_page_gets_nothing(stage: Stage) -> None:
    for method, path in names.ROUTES:
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            status, answer = ask(stage, method, path, raw=b"{}", **headers)
            assert (status, list(answer)) == (403, ["error"]), (method, path, headers)


def test_health_figures_and_what_comes_later(stage: Stage) -> None:
    assert ask(stage, "GET", "/healthz")[0] == 200
    status, page = ask(stage, "GET", "/metrics")
    assert status == 200
    assert all(line.startswith(("#", "tablectl_")) for line in page.splitlines())
    assert ask(stage, "GET", "/dealer")[0] == 404
    assert ask(stage, "GET", "/api/act")[0] == 405


# ── the beginning and the end ──────────────────────────────────────────────
def test_a_second_daemon_of_the_same_table_cannot_run(stage: Stage) -> None:
    done = tablectl("run", "--config", stage.daemon.config)
    assert (done.code, done.out) == (3, "")
    assert done.err.count("\n") == 1
    assert "in use" in done.err or "another" in done.err


def test_a_journal_is_verified_while_it_is_written(stage: Stage) -> None:
    assert tablectl("verify", stage.data, "--json").code == 0


def test_a_broker_that_comes_back_empty_is_given_everything_again(stage: Stage) -> None:
    stage.broker.kill()
    stage.broker.start()

    def there() -> bool:
        found = {t.removeprefix(ROOT) for t in kept(stage.broker.port)}
        devices = {f"device/{name}" for name in stage.state()["devices"]}
        return {"status", "state", "meter/main", *devices} <= found

    until(there, "the retained topics are back")


def test_the_will_and_the_goodbye(stage: Stage) -> None:
    def says(word: str) -> bool:
        return json.loads(kept(stage.broker.port).get(ROOT + "status", b"{}")).get("state") == word

    until(lambda: says("online"), "it is there")
    stage.daemon.kill()
    until(lambda: says("offline"), "the broker publishes the will")
    # Somebody leaves a command at the broker: who comes back must not heed it.
    left = Watcher(stage.broker.port, ROOT + "reply/#")
    expires = int(time.time()) + 60
    payload = command("halt_table", {}, expires=expires, root=ROOT, private=STRANGER)
    left.send(ROOT + "cmd/halt_table", payload, retain=True)
    stage.daemon.start()
    until(lambda: says("online"), "it is back")
    until(lambda: left.heard("reply/"), "the command is answered")
    assert "retained" in json.loads(left.heard("reply/")[-1].payload)["why"]
    left.close()
    assert stage.daemon.stop() == 0
    until(lambda: says("offline"), "it says goodbye")
    stage.daemon.start()
    stage.wait_ready()


def test_a_simulator_is_no_device_for_real_money(stage: Stage) -> None:
    assert json.loads(stage.stored()[1])["data"]["simulated"] is True
    text = stage.daemon.config.read_text()
    assert "simulated = true" in text
    real = text.replace("simulated = true", "simulated = false")
    real = real.replace(f'"{stage.data}"', f'"{stage.data}-real"')
    stage.daemon.stop()
    stage.daemon.config.write_text(real)
    stage.daemon.start()

    def refused() -> bool:
        try:
            devices = stage.state()["devices"].values()
        except OSError:
            return False
        return {device["health"] for device in devices} == {"offline"}

    until(refused, "every simulator is refused")
    whats = [a["what"] for a in stage.state()["alarms"] if a["kind"].startswith("device_")]
    assert any("simulator" in what for what in whats)
    stage.daemon.stop()
    stage.daemon.config.write_text(text)
    stage.daemon.start()
    stage.wait_ready()
