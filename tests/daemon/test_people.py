"""Who it is: argon2, the lock-out, sessions, and that no name costs less time than another."""

from typing import Any

import pytest
from argon2 import PasswordHasher, extract_parameters

from tablectl.daemon import people as module
from tablectl.daemon.front import Credential
from tablectl.daemon.people import Denied, People, Proof
from tablectl.daemon.sections import PersonSection

CHEAP = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
SECOND = 1_000_000_000


def person(*roles: str, pin: str | None = None, badge: str | None = None) -> PersonSection:
    hashes = {
        key: CHEAP.hash(secret)
        for key, secret in (("pin_hash", pin), ("badge_hash", badge))
        if secret is not None
    }
    return PersonSection.model_validate({"name": "X", "roles": list(roles), **hashes})


PEOPLE = {
    "ana": person("floor", "technician", pin="1111", badge="B-1"),
    "bob": person("dealer", pin="2222"),
    "eve": person("surveillance", badge="B-3"),
    "max": person("dealer"),  # no credential at all
}


class Clock:
    now_ns = 5 * SECOND

    def __call__(self) -> int:
        return self.now_ns


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(clock: Clock) -> People:
    return People(PEOPLE, clock)


def denied(people: People, actor: str, credential: str) -> str:
    with pytest.raises(Denied) as caught:
        people.prove(actor, credential)
    said = str(caught.value)
    assert credential not in said
    assert actor not in said
    return said


# ── credentials ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("actor", "credential", "roles", "method"),
    [
        ("ana", "1111", ("floor", "technician"), "pin"),
        ("ana", "B-1", ("floor", "technician"), "badge"),
        ("bob", "2222", ("dealer",), "pin"),
        ("eve", "B-3", ("surveillance",), "badge"),
    ],
)
def test_a_right_credential_proves_its_owner(
    people: People, actor: str, credential: str, roles: tuple[str, ...], method: str
) -> None:
    assert people.prove(actor, credential) == Proof(actor, roles, method)


@pytest.mark.parametrize(
    ("actor", "credential"),
    [
        ("ana", "2222"),
        ("ana", ""),
        ("ana", "1111 "),
        ("ANA", "1111"),
        ("bob", "B-1"),
        ("max", ""),
        ("nobody", "1111"),
        ("", ""),
        ("ana", "\ud800"),
        ("ana", "1111\0"),
        pytest.param("ana", CHEAP.hash("1111"), id="ana-the hash itself"),
    ],
)
def test_a_wrong_one_proves_nobody(people: People, actor: str, credential: str) -> None:
    with pytest.raises(Denied, match=r"^the name or the credential is wrong$"):
        people.prove(actor, credential)


class Counting:
    """Stands for the hasher: which hashes were worked on."""

    def __init__(self) -> None:
        self.hashes: list[str] = []

    def verify(self, hashed: str, credential: str) -> bool:
        self.hashes.append(hashed)
        return CHEAP.verify(hashed, credential)


@pytest.mark.parametrize("actor", ["ana", "bob", "eve", "max", "nobody"])
def test_every_name_takes_as_long_as_any_other(people: People, actor: str) -> None:
    counting = Counting()
    people._hasher = counting  # type: ignore[assignment]
    denied(people, actor, "0000")
    assert len(counting.hashes) == 2
    costs = {repr(extract_parameters(hashed)) for hashed in counting.hashes}
    assert costs == {repr(extract_parameters(CHEAP.hash("x")))}


def test_a_damaged_hash_lets_nobody_in(clock: Clock) -> None:
    broken = PEOPLE["bob"].model_copy(update={"pin_hash": "$argon2id$v=19$m=64,t=1,p=1$A$B"})
    assert "wrong" in denied(People({"bob": broken}, clock), "bob", "2222")


# ── the lock-out ───────────────────────────────────────────────────────────


@pytest.mark.parametrize("actor", ["bob", "nobody"])
def test_failures_lock_out_known_and_unknown_alike(
    people: People, clock: Clock, actor: str
) -> None:
    """Else the answer would tell who works here."""
    for _ in range(module.FAILURES_ALLOWED):
        assert "wrong" in denied(people, actor, "0000")
    assert "wait 60 s" in denied(people, actor, "2222")
    clock.now_ns += 59 * SECOND
    assert "wait 1 s" in denied(people, actor, "2222")
    clock.now_ns += 1 * SECOND
    if actor == "bob":
        assert people.prove("bob", "2222").actor == "bob"
    else:
        assert "wrong" in denied(people, actor, "2222")


def test_who_is_locked_out_costs_no_hash(people: People) -> None:
    for _ in range(module.FAILURES_ALLOWED):
        denied(people, "bob", "0000")
    counting = Counting()
    people._hasher = counting  # type: ignore[assignment]
    denied(people, "bob", "2222")
    assert counting.hashes == []


def test_a_right_credential_forgets_the_failures(people: People) -> None:
    for _ in range(3):
        for _ in range(module.FAILURES_ALLOWED - 1):
            denied(people, "bob", "0000")
        assert people.prove("bob", "2222").actor == "bob"


def test_one_persons_failures_are_not_anothers(people: People) -> None:
    for _ in range(module.FAILURES_ALLOWED):
        denied(people, "bob", "0000")
    assert people.prove("ana", "1111").actor == "ana"


def test_made_up_names_are_bounded_and_wipe_out_no_lock(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STRANGERS_MAXIMUM", 10)
    for _ in range(module.FAILURES_ALLOWED):
        denied(people, "bob", "0000")
    for n in range(50):
        denied(people, f"stranger-{n}", "0000")
    assert len(people._strangers) == 10
    assert "wait" in denied(people, "bob", "2222")


def test_a_lock_out_is_logged_without_what_was_typed(
    people: People, capsys: pytest.CaptureFixture[str]
) -> None:
    for actor in ("bob", "4711-a-pin-as-a-name"):
        for _ in range(module.FAILURES_ALLOWED):
            denied(people, actor, "0815-guess")
    logged = "".join(capsys.readouterr())
    assert logged.count("locked_out") == 2
    assert "bob" in logged
    assert "4711" not in logged
    assert "0815" not in logged


# ── sessions ───────────────────────────────────────────────────────────────


def test_a_session_is_a_proof_until_it_ends(people: People, clock: Clock) -> None:
    session = people.sign_on(people.prove("ana", "B-1"))
    assert people.prove("ana", session.token) == Proof("ana", ("floor", "technician"), "session")
    clock.now_ns = session.ends_ns - 1
    assert people.prove("ana", session.token).actor == "ana"
    clock.now_ns = session.ends_ns
    assert "ended" in denied(people, "ana", session.token)
    assert "no such session" in denied(people, "ana", session.token)


def test_signing_off_ends_it_once(people: People) -> None:
    session = people.sign_on(people.prove("bob", "2222"))
    assert people.sign_off(session.token) == Proof("bob", ("dealer",), "pin")
    assert people.sign_off(session.token) is None
    denied(people, "bob", session.token)


@pytest.mark.parametrize("token", ["session-", "session-x", "session-\u00e9", "session-\ud800"])
def test_a_made_up_session_is_none_and_is_not_hashed(people: People, token: str) -> None:
    people.sign_on(people.prove("bob", "2222"))
    people._hasher = Counting()  # type: ignore[assignment]
    with pytest.raises(Denied, match="no such session"):
        people.prove("bob", token)
    assert people.sign_off(token) is None


def test_another_persons_session_is_none(people: People) -> None:
    session = people.sign_on(people.prove("bob", "2222"))
    denied(people, "ana", session.token)
    assert people.prove("bob", session.token).actor == "bob"


def test_sessions_are_bounded_and_the_oldest_goes(people: People) -> None:
    proof = people.prove("bob", "2222")
    tokens = [people.sign_on(proof).token for _ in range(module.SESSIONS_MAXIMUM + 3)]
    assert len(set(tokens)) == len(tokens)
    for gone in tokens[:3]:
        denied(people, "bob", gone)
    assert people.prove("bob", tokens[3]).actor == "bob"
    assert people.prove("bob", tokens[-1]).actor == "bob"


def test_wrong_sessions_lock_nobody_out(people: People) -> None:
    """A page with an old session must not take its owner's PIN away."""
    for _ in range(3 * module.FAILURES_ALLOWED):
        denied(people, "bob", "session-old")
    assert people.prove("bob", "2222").actor == "bob"


def test_nothing_shows_a_credential(people: People) -> None:
    session: Any = people.sign_on(people.prove("bob", "2222"))
    assert "2222" not in repr(Credential("bob", "2222"))
    assert "2222" not in repr(session)
    assert session.token not in repr(session)
