"""Who it is: credentials proved at the edge, sessions, and a lock-out after failures.

A credential goes no further than this module; what leaves is actor, roles and method.
"""

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import structlog
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import Argon2Error

from tablectl.daemon.sections import PersonSection

log = structlog.get_logger("tablectl.people")

FAILURES_ALLOWED: Final = 5
LOCKED_OUT_NS: Final = 60 * 1_000_000_000
SESSION_NS: Final = 12 * 3600 * 1_000_000_000  # a long shift
SESSIONS_MAXIMUM: Final = 100
STRANGERS_MAXIMUM: Final = 1000  # unknown names whose failures are remembered
_PREFIX: Final = "session-"


class Denied(Exception):
    """The credential proves nobody; one sentence that tells no more than it must."""


class LockedOut(Denied):
    """Too many failures; `news`: this one was the last that counted."""

    def __init__(self, what: str, *, news: bool) -> None:
        super().__init__(what)
        self.news = news


@dataclass(frozen=True, slots=True)
class Proof:
    """Somebody, proved."""

    actor: str
    roles: tuple[str, ...]
    method: str  # pin, badge, session


@dataclass(slots=True)
class _Failures:
    count: int = 0
    until_ns: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """A sign-on; its token stands for the credential until it ends."""

    token: str = field(repr=False)
    proof: Proof
    ends_ns: int


class People:
    """The people of a table. argon2 is slow on purpose: call `prove` off the table's loop."""

    def __init__(self, people: Mapping[str, PersonSection], now_ns: Callable[[], int]) -> None:
        self._people = dict(people)
        self._now_ns = now_ns
        self._hasher = PasswordHasher()
        self._nobody = self._nobodys_hash()
        self._failures: dict[str, _Failures] = {}
        # Apart from the others: whoever makes up names must not make us forget a known one's.
        self._strangers: OrderedDict[str, _Failures] = OrderedDict()
        # Badges name nobody: each is tried on all. Whoever was found once is found at once by a
        # digest under a key that no other process has and no disk.
        self._badge_key = secrets.token_bytes(32)
        self._badges: dict[bytes, str] = {}
        self._readers: dict[str, _Failures] = {}
        self._searching = True
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def prove(self, actor: str, credential: str) -> Proof:
        """Who is it? Raises Denied. A PIN, a badge's number, or a session's token."""
        if credential.startswith(_PREFIX):
            return self._by_session(actor, credential)
        now_ns = self._now_ns()
        known = self._failures if actor in self._people else self._strangers
        failures = known.get(actor)
        if failures is not None and now_ns < failures.until_ns:
            wait_s = -((now_ns - failures.until_ns) // 1_000_000_000)  # rounded up
            raise Denied(f"too many failures: wait {wait_s} s, then try again")
        person = self._people.get(actor)
        pin, badge = (person.pin_hash, person.badge_hash) if person else (None, None)
        # An unknown name, or one without a badge, costs as much time as any other.
        for method, hashed in (("pin", pin), ("badge", badge)):
            if self._matches(hashed or self._nobody, credential) and person and hashed:
                known.pop(actor, None)
                return Proof(actor, person.roles, method)
        self._failed(actor, now_ns)
        raise Denied("the name or the credential is wrong")

    def prove_badge(self, reader: str, token: str) -> Proof:
        """Whose badge was held against a reader? Raises Denied, LockedOut after too many.

        It may take as long as there are badges: call it off the table's loop, and off the thread
        that proves PINs. One reader's failures lock that reader, nobody's name.
        """
        now_ns = self._now_ns()
        failures = self._readers.setdefault(reader, _Failures())
        if now_ns < failures.until_ns:
            raise LockedOut("too many badges that let nobody in", news=False)
        digest = hmac.digest(self._badge_key, token.encode(errors="replace"), "sha256")
        actor = self._badges.get(digest) or self._search(token)
        if actor is not None:
            self._badges[digest] = actor
            failures.count = 0
            return Proof(actor, self._people[actor].roles, "badge")
        failures.count += 1
        if failures.count >= FAILURES_ALLOWED:
            failures.count, failures.until_ns = 0, now_ns + LOCKED_OUT_NS
            log.warning("badge_reader_locked_out", reader=reader)
            raise LockedOut("too many badges that let nobody in", news=True)
        raise Denied("nobody here has this badge")

    def stop_searching(self) -> None:
        """The daemon ends: a search that is under way finds nobody any more."""
        self._searching = False

    def _search(self, token: str) -> str | None:
        for actor, person in self._people.items():
            if not self._searching:
                return None
            if person.badge_hash is not None and self._matches(person.badge_hash, token):
                return actor
        return None

    def sign_on(self, proof: Proof) -> Session:
        """A session for somebody proved; the oldest ends where there are too many."""
        while len(self._sessions) >= SESSIONS_MAXIMUM:
            self._sessions.popitem(last=False)
        token = _PREFIX + secrets.token_urlsafe(32)
        session = Session(token, proof, self._now_ns() + SESSION_NS)
        self._sessions[token] = session
        return session

    def sign_off(self, token: str) -> Proof | None:
        """End a session; who it was, None where there was none."""
        session = self._sessions.pop(token, None)
        return session.proof if session else None

    def _by_session(self, actor: str, token: str) -> Proof:
        session = self._sessions.get(token)
        if session is None or session.proof.actor != actor:
            raise Denied("no such session: sign on again")
        if self._now_ns() >= session.ends_ns:
            self._sessions.pop(session.token, None)
            raise Denied("the session has ended: sign on again")
        return Proof(actor, session.proof.roles, "session")

    def _nobodys_hash(self) -> str:
        """One that takes as long to try as the people's own."""
        hashes = (h for p in self._people.values() for h in (p.pin_hash, p.badge_hash) if h)
        secret = secrets.token_hex(8)
        try:
            return PasswordHasher.from_parameters(extract_parameters(next(hashes))).hash(secret)
        except (StopIteration, Argon2Error, ValueError):  # nobody has one, or it is damaged
            return self._hasher.hash(secret)

    def _matches(self, hashed: str, credential: str) -> bool:
        try:
            return self._hasher.verify(hashed, credential)
        except (Argon2Error, ValueError):  # ValueError: no hash, or a text that is no Unicode
            return False

    def _failed(self, actor: str, now_ns: int) -> None:
        known = actor in self._people
        failures = (self._failures if known else self._strangers).setdefault(actor, _Failures())
        failures.count += 1
        if failures.count >= FAILURES_ALLOWED:
            failures.count, failures.until_ns = 0, now_ns + LOCKED_OUT_NS
            # A made-up name is not repeated: it may be a credential in the wrong field.
            log.warning("locked_out", actor=actor if known else None)
        while len(self._strangers) > STRANGERS_MAXIMUM:
            self._strangers.popitem(last=False)
