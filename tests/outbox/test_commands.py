"""Commands: every way to be refused, each with its sentence; and what the four good ones do."""

import json
from pathlib import Path
from typing import Any

import pytest

from tablectl.journal.canonical import canonical_bytes
from tablectl.outbox.commands import (
    LIFE_MAXIMUM_S,
    PAYLOAD_MAXIMUM,
    Judge,
    Key,
    Order,
    Rejected,
    Seen,
    as_action,
    signed_bytes,
)
from tablectl.outbox.reports import (
    ORDERS_MAXIMUM,
    CommandRefused,
    ConfirmationDiffers,
    Ordered,
)
from tablectl.table.inputs import Stamp
from tests.outbox.fakes import ROOT, FakeSource, Rig, chained, state
from tests.outbox.signing import ALL, KEY, PRIVATE, STRANGER, UNKNOWN, Signer, command, public, sign

NOW_S = 1_800_000_000
HALT = {"reason": "a fight at seat 3"}
TOPIC = f"{ROOT}cmd/halt_table"
READER = Key("reader", public(STRANGER), frozenset({"replay"}))


def judge(
    payload: bytes, name: str = "halt_table", *, retained: bool = False, keys: Any = (KEY, READER)
) -> Order | Rejected:
    topic = f"{ROOT}cmd/{name}"
    now_ns = NOW_S * 10**9
    return Judge(keys).judge(name, topic, payload, retained=retained, now_ns=now_ns)


def halt(**changes: Any) -> bytes:
    args = changes.pop("args", HALT)
    return command("halt_table", args, **{"expires": NOW_S + 60, "id": "h-1", **changes})


def altered(**changes: Any) -> bytes:
    """A good command, changed after it was signed."""
    return json.dumps({**json.loads(halt()), **changes}).encode()


def without(name: str) -> bytes:
    body = json.loads(halt())
    del body[name]
    return json.dumps(body).encode()


def test_a_good_command_is_heeded() -> None:
    order = judge(halt())
    assert order == Order("halt_table", "h-1", "archive", "tess", NOW_S + 60, HALT)


@pytest.mark.parametrize("expires", ["2027-01-15T08:01:00Z", "2027-01-15T08:01:00.999999999Z"])
def test_expires_may_be_a_time_in_words(expires: str) -> None:
    order = judge(halt(expires=expires))
    assert isinstance(order, Order)
    assert order.expires_s == NOW_S + 60


def test_an_action_names_key_and_actor_and_no_credential() -> None:
    order = judge(halt())
    assert isinstance(order, Order)
    action = as_action(order, Stamp(1, 2, "boot"))
    assert (action.action, action.actor, action.method) == (
        "halt_table",
        "archive/tess",
        "mqtt-key",
    )
    assert action.roles == ("surveillance",)
    assert action.args == HALT


REFUSED = {
    "empty": (b"", None, "not JSON"),
    "not JSON": (b"{", None, "not JSON"),
    "not UTF-8": (b'{"id":"\xff"}', None, "not JSON"),
    "deep": (b'{"id":' + b"[" * 4000, None, "not JSON"),
    "not an object": (b"[1]", None, "not a JSON object"),
    "a key twice": (b'{"id":"a","id":"b"}', None, "twice"),
    "a number like NaN": (b'{"id":"h-1","signature":NaN}', "h-1", "nothing else"),
    "oversized": (halt(actor="x" * PAYLOAD_MAXIMUM), None, "at most 4096 bytes"),
    "unsigned": (without("signature"), "h-1", "not signed"),
    "no expiry": (without("expires"), "h-1", "must have id, actor, expires, args, signature"),
    "no id": (without("id"), None, "nothing else"),
    "an extra key": (altered(also=1), "h-1", "nothing else"),
    "an id with a slash": (halt(id="a/b"), None, "its id"),
    "an id with a wildcard": (halt(id="#"), None, "its id"),
    "an id that is too long": (halt(id="a" * 65), None, "its id"),
    "an id that is no text": (halt(id=7), None, "its id"),
    "an actor with a line break": (halt(actor="a\nb"), "h-1", "actor"),
    "no actor": (halt(actor=""), "h-1", "actor"),
    "signature in capitals": (altered(signature="AB" * 64), "h-1", "128 lower-case hex"),
    "signature too short": (altered(signature="ab"), "h-1", "128 lower-case hex"),
    "signature of something else": (altered(signature="ab" * 64), "h-1", "not signed by a key"),
    "changed afterwards": (altered(args={"reason": "another"}), "h-1", "not signed by a key"),
    "another id": (altered(id="h-2"), "h-2", "not signed by a key"),
    "a number that is no integer": (altered(args={"x": 0.5}), "h-1", "no canonical form"),
    "a wrong key": (
        command("halt_table", HALT, expires=NOW_S + 60, id="h-1",
                private=UNKNOWN),
        "h-1", "not signed by a key",
    ),
    "a key that may not": (halt(private=STRANGER), "h-1", "key reader may not give halt_table"),
    "for another table": (halt(root="tablectl/v1/harbor/tcp-13/"), "h-1", "not signed by a key"),
    "for another command": (
        command("replay", HALT, expires=NOW_S + 60, id="h-1"), "h-1", "not signed by a key"
    ),
    "expired": (halt(expires=NOW_S), "h-1", "it has expired"),
    "expired in words": (halt(expires="2027-01-15T07:59:59Z"), "h-1", "it has expired"),
    "too far ahead": (halt(expires=NOW_S + LIFE_MAXIMUM_S + 1), "h-1", "at most 3600 s ahead"),
    "no time": (halt(expires="soon"), "h-1", "expires must be a time"),
    "no such day": (halt(expires="2027-02-30T08:00:00Z"), "h-1", "expires must be a time"),
    "another zone": (halt(expires="2027-01-15T09:01:00+01:00"), "h-1", "expires must be a time"),
    "a flag as time": (halt(expires=True), "h-1", "expires must be a time"),
    "args that are a list": (halt(args=[]), "h-1", "args must be an object"),
    "an unknown argument": (halt(args={"why": "x"}), "h-1", "halt_table takes reason"),
    "an endless reason": (halt(args={"reason": "x" * 201}), "h-1", "halt_table takes reason"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_a_bad_command_is_refused_with_a_sentence(kind: str) -> None:
    payload, command_id, why = REFUSED[kind]
    verdict = judge(payload)
    assert isinstance(verdict, Rejected)
    assert why in verdict.why
    assert verdict.id == command_id


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("replay", {}, "two sequences"),
        ("replay", {"from": 0, "to": 5}, "two sequences"),
        ("replay", {"from": True, "to": 5}, "two sequences"),
        ("replay", {"from": 6, "to": 5}, "lies behind"),
        ("replay", {"from": 1, "to": 5, "topic": "x"}, "two sequences"),
        ("confirm", {"sequence": 1}, "takes sequence and hash"),
        ("confirm", {"sequence": "1", "hash": "ab" * 32}, "integers"),
        ("confirm", {"sequence": 1, "hash": "AB" * 32}, "64 lower-case hex"),
        ("confirm", {"sequence": 1, "hash": "ab" * 32, "epoch": "x"}, "integers"),
        ("acknowledge_alarm", {}, "takes id"),
        ("acknowledge_alarm", {"id": 7}, "takes id"),
        ("open_table", {}, "there is no command of this name"),
        ("resume_table", {}, "there is no command"),
        ("enter_card", {"place": "dealer/1", "card": "AS"}, "there is no command"),
    ],
)
def test_arguments_and_names_are_checked(name: str, args: Any, why: str) -> None:
    verdict = judge(command(name, args, expires=NOW_S + 60), name)
    assert isinstance(verdict, Rejected)
    assert why in verdict.why


def test_a_retained_command_is_refused() -> None:
    verdict = judge(halt(), retained=True)
    assert isinstance(verdict, Rejected)
    assert (verdict.id, "retained" in verdict.why) == ("h-1", True)


def test_without_keys_everything_is_refused() -> None:
    assert isinstance(judge(halt(), keys=()), Rejected)


def test_a_halt_needs_no_words() -> None:
    order = judge(halt(args={}))
    assert isinstance(order, Order)
    assert order.args == {"reason": "no reason was given"}


def test_the_order_of_keys_and_spaces_do_not_matter() -> None:
    body = json.loads(halt())
    shuffled = json.dumps(dict(reversed(body.items())), indent=3).encode()
    assert isinstance(judge(shuffled), Order)


def test_what_is_signed_is_what_the_book_says() -> None:
    body = {"id": "a", "args": {"ö": 1, "a": [True, None]}, "signature": "x"}
    assert signed_bytes("t/ö", body) == "t/ö".encode() + b"\x00" + canonical_bytes(
        {"args": {"a": [True, None], "ö": 1}, "id": "a"}
    )


# ── ids ──
def test_an_id_is_heeded_once_even_after_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path, keys=[KEY])
    rig.shown.show(state(), None)
    rig.connect()
    payload = command("halt_table", HALT, expires=rig.now_ns // 10**9 + 60, id="h-9")
    rig.came("cmd/halt_table", payload)
    rig.came("cmd/halt_table", payload)
    assert len(rig.reports(Ordered)) == 1
    again = Rig(tmp_path, keys=[KEY])
    again.shown.show(state(), None)
    again.connect()
    again.came("cmd/halt_table", payload)
    refused = again.reports(CommandRefused)
    assert [(r.id, r.key) for r in refused] == [("h-9", "archive")]
    assert "used before" in refused[0].why
    again.now += 61
    again.came("cmd/halt_table", payload)
    assert "expired" in again.reports(CommandRefused)[0].why


def test_two_keys_may_use_one_id() -> None:
    verdicts = Judge([KEY, Key("second", public(STRANGER), ALL)])
    for private in (PRIVATE, STRANGER):
        payload = halt(private=private)
        got = verdicts.judge("halt_table", TOPIC, payload, retained=False, now_ns=NOW_S * 10**9)
        assert isinstance(got, Order)


def test_the_memory_of_ids_is_bounded_and_never_keeps_a_halt_out() -> None:
    judged = Judge([KEY], Seen(size=3))

    def give(name: str, args: Any, now_s: int = NOW_S, life_s: int = 60) -> Order | Rejected:
        payload = command(name, args, expires=now_s + life_s)
        topic = f"{ROOT}cmd/{name}"
        return judged.judge(name, topic, payload, retained=False, now_ns=now_s * 10**9)

    asked = {"from": 1, "to": 2}
    assert all(isinstance(give("replay", asked), Order) for _ in range(3))
    full = give("replay", asked)
    assert isinstance(full, Rejected)
    assert "try again later" in full.why
    assert isinstance(give("halt_table", HALT), Order)
    assert isinstance(give("replay", asked, NOW_S + 61), Order), "what expired makes room"


# ── in the engine ──
def rigged(tmp_path: Path, count: int = 50, **more: Any) -> tuple[Rig, Signer]:
    rig = Rig(tmp_path, FakeSource(chained(count)), keys=[KEY], **more)
    rig.shown.show(state(), None)
    rig.connect()
    rig.work()
    rig.settle()
    rig.mailbox.take()
    return rig, Signer(rig)


def test_refusals_are_answered_and_counted(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path)
    for n in range(40):
        rig.came("cmd/halt_table", json.dumps({"id": f"x-{n}"}).encode())
    assert signer.answer("x-7") == {
        "id": "x-7", "command": "halt_table", "ok": False, "why": "it is not signed", "result": {}
    }  # fmt: skip
    assert rig.reports(CommandRefused) == [
        CommandRefused("halt_table", "x-39", None, "it is not signed", 40)
    ]
    for n in range(200):
        rig.came(f"cmd/nonsense{n}", b"{}")
    told = rig.reports(CommandRefused)
    assert [(r.name, r.count) for r in told] == [("unknown", 200)]


def test_a_flood_of_refusals_is_no_flood_of_pokes(tmp_path: Path) -> None:
    rig, _ = rigged(tmp_path)
    rig.pokes = 0
    told = 0
    for _ in range(100):
        for _ in range(10):
            rig.came("cmd/halt_table", b"{}")
        wake = rig.work(0.03)
        if rig.pokes > told:
            told = rig.pokes
            rig.mailbox.take()
        else:
            assert wake is not None, "it comes back to tell the rest"
    assert 3 <= told <= 5, "three seconds of flood"
    rig.came("cmd/halt_table", command("halt_table", HALT, expires=rig.now_ns // 10**9 + 60))
    assert rig.pokes == told + 1, "an order is told at once"


def test_an_expired_command_is_told_what_time_it_is_here(tmp_path: Path) -> None:
    _, signer = rigged(tmp_path)
    command_id = signer.give("halt_table", HALT, expires=NOW_S)
    assert "here it is 2027-01-15T08:" in signer.answer(command_id)["why"]


def test_orders_wait_in_a_bounded_line_and_halts_have_room(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path)
    ids = [signer.give("acknowledge_alarm", {"id": "a-1"}) for _ in range(ORDERS_MAXIMUM + 1)]
    assert "try again later" in signer.answer(ids[-1])["why"]
    signer.give("halt_table", HALT)
    orders = [report.order for report in rig.reports(Ordered)]
    assert [order.name for order in orders] == ["acknowledge_alarm"] * 32 + ["halt_table"]


def test_a_confirmation_moves_the_mark_and_never_back(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path)
    events = rig.source.events
    first = signer.give("confirm", {"sequence": 30, "hash": events[29].hash})
    assert signer.answer(first)["result"] == {"confirmed": 30, "unconfirmed": 20}
    epoch = {"epoch": 1_800_000_000}
    older = signer.give("confirm", {"sequence": 10, "hash": events[9].hash} | epoch)
    assert signer.answer(older)["result"] == {"confirmed": 30, "unconfirmed": 20}
    assert rig.reports(ConfirmationDiffers) == []


@pytest.mark.parametrize("sequence", [7, 51])
def test_a_confirmation_that_differs_is_told_at_once(tmp_path: Path, sequence: int) -> None:
    """51 does not exist: an archive that has more than the journal means a journal that was cut."""
    rig, signer = rigged(tmp_path)
    command_id = signer.give("confirm", {"sequence": sequence, "hash": "ab" * 32})
    report = rig.reports(ConfirmationDiffers)[0]
    assert (report.sequence, report.theirs) == (sequence, "ab" * 32)
    assert report.ours == (rig.source.events[6].hash if sequence == 7 else None)
    answer = signer.answer(command_id)
    assert answer["ok"] is False
    assert answer["why"] == report.what
    assert rig.engine.confirmed == 0


def test_a_confirmation_of_another_epoch_is_refused_and_harmless(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path)
    args = {"sequence": 7, "hash": "ab" * 32, "epoch": 1_700_000_000}
    assert "epoch is 1800000000" in signer.answer(signer.give("confirm", args))["why"]
    assert rig.reports(ConfirmationDiffers) == []


def test_what_left_the_box_cannot_be_compared(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path)
    rig.source.first = 41
    args = {"sequence": 7, "hash": "ab" * 32}
    assert "begins with event 41" in signer.answer(signer.give("confirm", args))["why"]
    assert rig.reports(ConfirmationDiffers) == []


def replayed(rig: Rig, command_id: str) -> list[int]:
    return [json.loads(body)["sequence"] for body in rig.link.of(f"replay/{command_id}")]


def test_a_replay_sends_the_same_bytes_no_faster_than_allowed(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path, 300, replay_per_s=100)
    command_id = signer.give("replay", {"from": 11, "to": 1000})
    seconds = 0.0
    while not rig.link.of(f"reply/{command_id}"):
        rig.work(0.01)
        seconds += 0.01
        rig.ack_all()
    assert replayed(rig, command_id) == list(range(11, 301))
    assert rig.link.of(f"replay/{command_id}") == [e.body.encode() for e in rig.source.events[10:]]
    assert signer.answer(command_id)["result"] == {
        "from": 11, "to": 300, "events": 290, "asked": 1000
    }  # fmt: skip
    assert 2.7 <= seconds <= 3.5
    assert rig.engine.acknowledged == 300, "the watermark has nothing to do with it"


def test_a_replay_goes_on_after_a_lost_connection(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path, 100)
    command_id = signer.give("replay", {"from": 1, "to": 100})
    rig.work()
    rig.work(1)
    for token, message in rig.link.sent[:-5]:
        if "/replay/" in message.topic:
            rig.engine.acked(token)
    before = replayed(rig, command_id)
    rig.engine.lost()
    rig.connect()
    rig.settle()
    after = replayed(rig, command_id)
    assert after[0] == before[-5]
    assert after == list(range(after[0], 101))
    assert signer.answer(command_id)["result"]["events"] == 100


def test_replays_are_bounded(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path, 50, replay_maximum=20)
    assert (
        "ends with event 50" in signer.answer(signer.give("replay", {"from": 51, "to": 60}))["why"]
    )
    ids = [signer.give("replay", {"from": 1, "to": 50}) for _ in range(5)]
    assert "wait already" in signer.answer(ids[4])["why"]
    rig.settle()
    for command_id in ids[:4]:
        assert replayed(rig, command_id) == list(range(1, 21))
        assert signer.answer(command_id)["result"]["to"] == 20


def test_live_events_go_on_during_a_replay(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path, 500, replay_per_s=100)
    signer.give("replay", {"from": 1, "to": 500})
    rig.work(0.1)
    rig.add(100)
    for _ in range(20):
        rig.work(0.01)
        rig.ack_all()
    assert rig.engine.acknowledged == 600


def test_answers_survive_a_lost_connection(tmp_path: Path) -> None:
    rig, signer = rigged(tmp_path)
    first = signer.give("halt_table", {"x": 1})
    rig.work()
    rig.engine.lost()
    second = signer.give("halt_table", {"x": 1})
    rig.connect()
    rig.work()
    said = [topic for topic in rig.link.topics() if topic.startswith("reply/")]
    assert said == [f"reply/{first}", f"reply/{second}"]


def test_a_signature_covers_the_topic(tmp_path: Path) -> None:
    """A command that somebody heard on another table does nothing here."""
    rig, _ = rigged(tmp_path)
    body = {"id": "x", "actor": "tess", "expires": rig.now_ns // 10**9 + 60, "args": HALT}
    signed = sign("tablectl/v1/harbor/tcp-13/cmd/halt_table", body)
    rig.came("cmd/halt_table", json.dumps(signed).encode())
    assert rig.reports(Ordered) == []
