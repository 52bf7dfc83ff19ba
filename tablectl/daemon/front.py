"""The front: what a person or a page may ask of the daemon, whatever carries the question.

Credentials are proved here and go no further. An answer that says "done" is given only when its
record is durable.
"""

import asyncio
import json
import sqlite3
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tablectl.daemon.desk import Desk, NotDurable
from tablectl.daemon.people import Denied, People, Proof
from tablectl.daemon.shapes import Body, Done, NotNow, SessionOpened
from tablectl.journal.chain import Published, rfc3339
from tablectl.journal.errors import JournalError, Unrecordable
from tablectl.journal.reading import StoredEvent, events_after
from tablectl.journal.recorder import Receipt
from tablectl.outbox.shapes import StateView
from tablectl.outbox.shown import Shown
from tablectl.outbox.view import snapshot
from tablectl.table.inputs import Action, Second, Stamp
from tablectl.table.outputs import Refusal
from tablectl.table.state import State

DURABLE_WITHIN_S = 5.0
STATE_WITHIN_S = 1.0
PAGE: Final = 200
TAIL: Final = 1024  # events kept in memory: who keeps up never makes us read the disk
_SAID_MAXIMUM: Final = 300  # letters of a sentence that may repeat what was sent


@dataclass(frozen=True, slots=True)
class Answer:
    """A status in HTTP's numbers, and what to say."""

    status: int
    body: Body


@dataclass(frozen=True, slots=True)
class Credential:
    """Who somebody says to be, and what shall prove it. Never logged, never stored."""

    actor: str
    credential: str

    def __repr__(self) -> str:
        return f"Credential({self.actor!r})"


class Front:
    """One for the daemon. All methods are called on the loop."""

    def __init__(self, desk: Desk, people: People | None) -> None:
        self.desk = desk
        self._people = people
        # argon2 takes its time by design: one at a time, away from the table's loop.
        self._prover = ThreadPoolExecutor(1, thread_name_prefix="prove")
        self._shown = desk.state
        self._waiting = Shown()
        desk.listen(lambda: self._waiting.show(self.desk.state, None))
        self._tail: deque[Published] = deque(maxlen=TAIL)
        self._view: tuple[State, int, StateView] | None = None
        self.unconfirmed = 0
        self.refused = 0
        self.done = 0

    def close(self) -> None:
        """Let go of the proving thread."""
        self._prover.shutdown(wait=False, cancel_futures=True)

    def offer(self, event: Published) -> None:
        """An event has become durable, in order."""
        self._tail.append(event)

    def shown(self) -> State:
        """A late state whose record is durable: the table itself steps ahead of the disk."""
        state, _facts, _fresh = self._waiting.latest(self.desk.recorder.durable)
        if state is not None:
            self._note(state)
        return self._shown

    async def state(self) -> StateView:
        """The table as dashboards see it, as soon as that is durable."""
        now = self.desk.state
        try:
            async with asyncio.timeout(STATE_WITHIN_S):
                await self.desk.durable(now.sequence)
            self._note(now)
        except TimeoutError:
            pass  # the disk is slow: what was durable before is still true
        except NotDurable:
            return self._state_of_failure()
        return self._snapshot(self.shown())

    async def act(
        self,
        who: Credential,
        action: str,
        args: Mapping[str, Any],
        second: Credential | None = None,
    ) -> Answer:
        """Do something at the table, or say why not."""
        if second is not None and second.actor == who.actor:
            return Answer(400, {"error": "second: it must be another person"})
        try:
            proof = await self._prove(who)
            other = await self._prove(second) if second else None
        except Denied as denied:
            return Answer(401, {"error": str(denied)})
        beside = Second(other.actor, other.roles, other.method) if other else None

        def make(at: Stamp) -> Action:
            return Action(at, action, proof.actor, proof.roles, proof.method, dict(args), beside)

        return await self._submitted(make)

    async def sign_on(self, who: Credential) -> Answer:
        """Prove somebody once for a shift; the answer's session stands for the credential."""
        try:
            proof = await self._prove(who)
        except Denied as denied:
            return Answer(401, {"error": str(denied)})
        assert self._people is not None
        if proof.method == "session":  # else a stolen one would never end
            return Answer(401, {"error": "a session begins with a PIN or a badge"})
        answer = await self._submitted(
            lambda at: Action(at, "log_on", proof.actor, proof.roles, proof.method)
        )
        if answer.status != 200:
            return answer
        session = self._people.sign_on(proof)
        now = self.desk.now()
        ends_ns = now.utc_ns + session.ends_ns - now.mono_ns
        expires = rfc3339(ends_ns)
        body: SessionOpened = {
            "session": session.token, "roles": list(proof.roles), "expires": expires,
        }  # fmt: skip
        return Answer(200, body)

    async def sign_off(self, token: str) -> Answer:
        """End a session."""
        proof = self._people.sign_off(token) if self._people else None
        if proof is None:
            return Answer(401, {"error": "no such session"})
        return await self._submitted(
            lambda at: Action(at, "log_off", proof.actor, proof.roles, "session")
        )

    async def events_after(self, sequence: int) -> list[tuple[int, str]]:
        """A page of durable events after a sequence, as published."""
        folder: Path = self.desk.recorder.data
        durable = self.desk.recorder.durable
        if sequence >= durable:
            return []
        if self._tail and self._tail[0].sequence <= sequence + 1:
            first = sequence + 1 - self._tail[0].sequence
            return [(e.sequence, e.body) for e in islice(self._tail, first, first + PAGE)]
        try:
            stored = await asyncio.to_thread(events_after, folder, sequence, PAGE)
            if _gap(sequence, stored):  # the file was changed for a new one under our eyes
                stored = await asyncio.to_thread(events_after, folder, sequence, PAGE)
        except (JournalError, OSError, sqlite3.Error):
            return []
        return [(e.sequence, e.body) for e in stored if e.sequence <= durable]

    # ── parts ──────────────────────────────────────────────────────────────
    def _note(self, state: State) -> None:
        if state.sequence > self._shown.sequence:
            self._shown = state

    def _snapshot(self, state: State) -> StateView:
        """What everybody may see; many ask between two changes."""
        if self._view is None or self._view[0] is not state or self._view[1] != self.unconfirmed:
            view = snapshot(state, unconfirmed=self.unconfirmed)
            self._view = state, self.unconfirmed, view
        return self._view[2]

    def _state_of_failure(self) -> StateView:
        """After a failure: the last that is durable, and over it the halt, which is not. What a
        journal that failed must not keep from people does not speak of a card."""
        now = snapshot(self.desk.state, unconfirmed=self.unconfirmed)
        return {
            **self._snapshot(self.shown()),
            "locked": now["locked"],
            "halted": now["halted"],
            "prompts": now["prompts"],
            "allowed": now["allowed"],
            "alarms": now["alarms"],
        }

    async def _prove(self, who: Credential) -> Proof:
        if self._people is None:
            raise Denied("nobody may act here: the configuration has no [people]")
        if who.credential.startswith("session-"):
            return self._people.prove(who.actor, who.credential)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._prover, self._people.prove, who.actor, who.credential
        )

    async def _submitted(self, make: Any) -> Answer:
        try:
            receipt = self.desk.submit(make)
        except Unrecordable as error:
            said = f"this cannot be recorded: {error}"
            return Answer(400, {"error": said[:_SAID_MAXIMUM]})
        if receipt.refusal is not None:
            self.refused += 1
            return refused(receipt.refusal)
        try:
            async with asyncio.timeout(DURABLE_WITHIN_S):
                await self.desk.durable(receipt.sequence)
        except NotDurable:
            said = "not recorded: the journal does not write; call the floor"
            return Answer(503, {"error": said})
        except TimeoutError:
            said = "not recorded yet: the disk is slow; look at the table before you try again"
            return Answer(503, {"error": said})
        self.done += 1
        return Answer(200, _done(receipt))


def _gap(sequence: int, stored: list[StoredEvent]) -> bool:
    """Whether these do not follow each other, or not `sequence`."""
    return any(e.sequence != n for n, e in enumerate(stored, sequence + 1))


def _done(receipt: Receipt) -> Done:
    body: Done = {"events": [json.loads(event.body) for event in receipt.events]}
    if receipt.ruling is not None:
        body["ruling"] = receipt.ruling.ruling
        body["clauses"] = list(receipt.ruling.clauses)
    return body


def refused(refusal: Refusal) -> Answer:
    """A refusal in HTTP's numbers: malformed, not your role, not now."""
    if refusal.malformed:
        return Answer(400, {"error": refusal.why})
    body: NotNow = {
        "refused": refusal.why,
        "clauses": list(refusal.clauses),
        "allowed": list(refusal.allowed),
    }
    return Answer(403 if refusal.role else 409, body)
