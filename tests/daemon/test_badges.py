"""Badges read at the table: who is signed on, what is recorded, and that no number ever is."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hwsim.rack import Place, Rack
from tablectl.daemon import badges as module
from tablectl.daemon import people as people_module
from tablectl.daemon.badges import Badges
from tablectl.daemon.people import Denied, LockedOut, People, Proof
from tablectl.hal.kinds import Token
from tablectl.journal.errors import Unrecordable
from tablectl.journal.recorder import Recorder
from tablectl.table.inputs import Action, DeviceEvent, Stamp
from tablectl.table.state import Round, State
from tests.daemon.test_people import SECOND, Clock, Counting, person
from tests.web.daemon import BADGE, KINDS, Daemon, until

STAFF = {
    "ana": person("floor", badge="A-1"),
    "bob": person("dealer", badge="B-1", pin="2222"),
    "cyd": person("dealer", "technician", badge="C-1"),
    "max": person("dealer", pin="3333"),
}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(clock: Clock) -> People:
    return People(STAFF, clock)


# ── whose is it ────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("token", "actor"), [("A-1", "ana"), ("B-1", "bob"), ("C-1", "cyd")])
def test_a_badge_is_its_owner_s(people: People, token: str, actor: str) -> None:
    assert people.prove_badge("reader", token) == Proof(actor, STAFF[actor].roles, "badge")


@pytest.mark.parametrize("token", ["", "2222", "3333", "a-1", "A-1 ", "A-1\0", "\ud800", "é"])
def test_what_is_nobody_s_badge_lets_nobody_in(people: People, token: str) -> None:
    """A PIN is no badge either: there is no name beside it."""
    with pytest.raises(Denied, match="nobody here has this badge"):
        people.prove_badge("reader", token)


def test_who_was_found_once_is_found_at_once(people: People) -> None:
    people.prove_badge("reader", "C-1")
    counting = people._hasher = Counting()  # type: ignore[assignment]
    assert people.prove_badge("reader", "C-1").actor == "cyd"
    assert counting.hashes == []


def test_nothing_that_is_kept_of_a_badge_gives_it_back(people: People) -> None:
    people.prove_badge("reader", "C-1")
    assert "C-1" not in repr(vars(people)["_badges"])
    other = People(STAFF, Clock())
    other.prove_badge("reader", "C-1")
    assert other._badges.keys().isdisjoint(people._badges), "another start, another key"


def test_failures_lock_the_reader_and_nobody_s_name(people: People, clock: Clock) -> None:
    for _ in range(people_module.FAILURES_ALLOWED - 1):
        with pytest.raises(Denied, match="nobody"):
            people.prove_badge("reader", "X")
    with pytest.raises(LockedOut) as first:
        people.prove_badge("reader", "X")
    assert first.value.news
    for token in ("X", "B-1"):
        with pytest.raises(LockedOut) as again:
            people.prove_badge("reader", token)
        assert not again.value.news
    assert people.prove_badge("other", "B-1").actor == "bob"
    assert people.prove("bob", "2222").actor == "bob"
    clock.now_ns += 61 * SECOND
    assert people.prove_badge("reader", "B-1").actor == "bob"


def test_a_search_ends_with_the_daemon(people: People) -> None:
    people.stop_searching()
    with pytest.raises(Denied):
        people.prove_badge("reader", "A-1")


# ── what follows ───────────────────────────────────────────────────────────
@dataclass
class Pit:
    """A table that only notes what reaches it."""

    people: People
    clock: Clock
    state: State

    def __post_init__(self) -> None:
        self.inputs: list[Any] = []
        self.badges = Badges(self.people, self.take, lambda: self.state, self.now)

    def now(self) -> Stamp:
        return Stamp(self.clock.now_ns, self.clock.now_ns, "boot")

    def take(self, make: Any) -> None:
        self.inputs.append(make(self.now()))

    def shown(self, *tokens: str, after_s: float = 5, reader: str = "reader") -> list[Any]:
        """These badges, one after the other; what reached the table."""

        async def show() -> None:
            for token in tokens:
                self.clock.now_ns += int(after_s * SECOND)
                self.badges.read(reader, Token(token))
                await asyncio.gather(*self.badges._at_work.values())

        before = len(self.inputs)
        asyncio.run(show())
        return self.inputs[before:]


def pit(people: People, clock: Clock, **state: Any) -> Pit:
    return Pit(people, clock, State(**state))


def who(inputs: list[Any]) -> list[tuple[str, str, str | None]]:
    return [
        (each.action, each.actor, each.second.actor if each.second else None)
        for each in inputs
        if isinstance(each, Action)
    ]


def test_a_badge_signs_its_owner_on(people: People, clock: Clock) -> None:
    read, done = pit(people, clock).shown("B-1")
    assert isinstance(read, DeviceEvent)
    assert (read.device, read.name) == ("reader", "badge")
    assert read.args == {"outcome": "known", "actor": "bob"}
    assert isinstance(done, Action)
    assert (done.action, done.actor, done.roles) == ("log_on", "bob", ("dealer",))
    assert (done.method, done.args, done.second) == ("badge", {}, None)


def test_the_badge_of_who_deals_signs_off(people: People, clock: Clock) -> None:
    assert who(pit(people, clock, dealer="bob").shown("B-1")) == [("log_off", "bob", None)]
    assert who(pit(people, clock, dealer="cyd").shown("B-1")) == [("log_on", "bob", None)]


def test_the_same_badge_again_at_once_is_the_same_wish(people: People, clock: Clock) -> None:
    it = pit(people, clock)
    assert len(it.shown("B-1", "B-1", "B-1", after_s=1)) == 2
    assert len(it.shown("B-1", after_s=4)) == 2


def test_a_badge_that_nobody_has_is_recorded_and_lets_nobody_in(
    people: People, clock: Clock
) -> None:
    it = pit(people, clock)
    told = [each.args for each in it.shown(*["X"] * 8)]
    unknown, locked = {"outcome": "unknown"}, {"outcome": "locked_out"}
    assert told == [unknown] * 4 + [locked], "once it is locked, nothing more is recorded"
    assert it.shown("B-1") == []


@pytest.mark.parametrize(
    ("first", "after_s", "beside"),
    [("A-1", 10, "ana"), ("A-1", 16, None), ("C-1", 10, None), (None, 10, None)],
)
def test_a_relief_in_a_round_takes_the_floor_s_badge_before(
    people: People, clock: Clock, first: str | None, after_s: float, beside: str | None
) -> None:
    it = pit(people, clock, dealer="eve", round=Round(1, "red"))
    if first:
        it.shown(first)
    assert who(it.shown("B-1", after_s=after_s)) == [("log_on", "bob", beside)]


def test_between_rounds_nobody_stands_beside(people: People, clock: Clock) -> None:
    it = pit(people, clock, dealer="eve")
    assert who(it.shown("A-1", "B-1")) == [("log_on", "ana", None), ("log_on", "bob", None)]


def test_a_badge_at_another_reader_stands_beside_nobody(people: People, clock: Clock) -> None:
    it = pit(people, clock, dealer="eve", round=Round(1, "red"))
    it.shown("A-1", reader="other")
    assert who(it.shown("B-1")) == [("log_on", "bob", None)]


def test_while_one_is_looked_at_another_is_not(people: People, clock: Clock) -> None:
    it = pit(people, clock)
    gate = threading.Event()
    search = people.prove_badge

    def slow(reader: str, token: str) -> Proof:
        gate.wait(10)
        return search(reader, token)

    people.prove_badge = slow  # type: ignore[method-assign]

    async def show() -> None:
        for token in ("B-1", "A-1", "X"):
            it.badges.read("reader", Token(token))
        gate.set()
        await asyncio.gather(*it.badges._at_work.values())

    asyncio.run(show())
    assert who(it.inputs) == [("log_on", "bob", None)]
    assert it.badges.missed == 2


def test_a_daemon_that_ends_lets_nobody_in(people: People, clock: Clock) -> None:
    it = pit(people, clock)
    gate = threading.Event()
    search = people.prove_badge

    def slow(reader: str, token: str) -> Proof:
        gate.wait(10)
        return search(reader, token)

    people.prove_badge = slow  # type: ignore[method-assign]

    async def show() -> None:
        it.badges.read("reader", Token("B-1"))
        await asyncio.sleep(0)
        it.badges.close()
        gate.set()
        await asyncio.sleep(0.05)

    asyncio.run(show())
    assert it.inputs == []


# ── the whole daemon ───────────────────────────────────────────────────────
STRANGE = "badge-of-nobody-5501237"


@dataclass
class WithReader(Daemon):
    """The table of tests/web/daemon.py, with a badge reader."""

    def text(self, urls: Mapping[str, str] | None) -> str:
        assert urls is not None
        lines = ["[devices.reader]", 'kind = "badge_reader"', 'driver = "tablelink"']
        return super().text(urls) + "\n".join([*lines, f'url = "{urls["reader"]}"']) + "\n"


def test_a_badge_signs_on_and_its_number_is_nowhere(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    places = [Place(kind, name) for name, kind in {**KINDS, "reader": "badge_reader"}.items()]
    rack = Rack(places, speed=None, port="tcp")
    with WithReader(tmp_path, rack=rack) as daemon:
        until(lambda: daemon.state()["devices"]["reader"]["health"] == "online", "no reader")
        daemon.call(lambda: rack.table.show_badge(STRANGE))
        until(lambda: daemon.events("tablectl.device.badge"), "the strange badge")
        daemon.call(lambda: rack.table.show_badge(BADGE))
        until(lambda: daemon.events("tablectl.person.logged_on"), "the floor's badge")
        [strange, known] = [e["data"]["what"] for e in daemon.events("tablectl.device.badge")]
        assert strange == "a badge that lets nobody in here"
        assert known == "a badge of flo"
        [on] = daemon.events("tablectl.person.logged_on")
        assert (on["data"]["actor"], on["data"]["role"]) == ("flo", "floor")
        assert daemon.ask("GET", "/metrics").status == 200
        seen = "".join(daemon.seen)
    kept = b"".join(path.read_bytes() for path in daemon.data.rglob("*") if path.is_file())
    printed = "".join(capfd.readouterr())
    for number in (BADGE, STRANGE):
        assert number not in seen + printed
        assert number.encode() not in kept
    assert b'"method":"badge"' in kept


def test_a_journal_cannot_hold_a_badge_s_number(tmp_path: Path) -> None:
    """Whatever a driver or we do wrong: the value that holds it is no JSON."""
    with Daemon(tmp_path) as daemon:
        args = {"token": Token("4711-0815")}
        recorder: Recorder = daemon.desk.recorder
        before = recorder.state.sequence

        def submit() -> str:
            with pytest.raises(Unrecordable) as caught:
                daemon.desk.submit(lambda at: DeviceEvent(at, "button", "badge", args))
            return str(caught.value)

        said = daemon.call(submit)
        assert "4711" not in said
        assert recorder.state.sequence == before


def test_the_times_are_what_the_page_says() -> None:
    page = (Path(__file__).parents[2] / "docs/operators/wagers-and-people.md").read_text()
    assert f"within {module.BESIDE_NS // SECOND} seconds" in page
    assert module.AGAIN_NS == 3 * SECOND
    assert "within three seconds" in page
