"""Badges read at the table: whose is it, and what follows. The number goes no further than this.

A badge signs its owner on; the badge of the dealer who deals signs off. In a round a relief takes
the floor: the floor's badge first, then the new dealer's. What reaches the table is who it was.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import structlog

from tablectl.daemon.people import Denied, LockedOut, People, Proof
from tablectl.hal.kinds import Token
from tablectl.journal.errors import Unrecordable
from tablectl.table.inputs import Action, DeviceEvent, Input, Second, Stamp
from tablectl.table.state import State

log = structlog.get_logger("tablectl.badges")
NS: Final = 1_000_000_000
AGAIN_NS: Final = 3 * NS  # the same badge so soon is the same wish
BESIDE_NS: Final = 15 * NS  # so long a floorperson's badge stands beside the next one


@dataclass(frozen=True, slots=True)
class _Seen:
    """The last badge that was proved at a reader."""

    proof: Proof
    at_ns: int


class Badges:
    """One for the daemon. `read` is called on the loop; the proving has a thread of its own."""

    def __init__(
        self,
        people: People,
        submit: Callable[[Callable[[Stamp], Input]], object],
        state: Callable[[], State],
        now: Callable[[], Stamp],
    ) -> None:
        self._people = people
        self._submit = submit
        self._state = state
        self._now = now
        # Not the thread that proves PINs: a search among many badges must not keep a halt waiting.
        self._prover = ThreadPoolExecutor(1, thread_name_prefix="badge")
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._seen: dict[str, _Seen] = {}
        self.missed = 0  # read while another one was looked at

    def read(self, reader: str, token: Token) -> None:
        """A badge was held against a reader; while one is looked at, another is not."""
        if reader in self._at_work:
            self.missed += 1
            return
        task = asyncio.get_running_loop().create_task(self._let_in(reader, token))
        self._at_work[reader] = task
        task.add_done_callback(lambda _: self._at_work.pop(reader, None))

    def close(self) -> None:
        """Nobody is let in any more."""
        for task in self._at_work.values():
            task.cancel()
        self._people.stop_searching()
        self._prover.shutdown(wait=False, cancel_futures=True)

    # ── one badge ──────────────────────────────────────────────────────────
    async def _let_in(self, reader: str, token: Token) -> None:
        loop = asyncio.get_running_loop()
        try:
            search = self._people.prove_badge
            proof = await loop.run_in_executor(self._prover, search, reader, token.text)
        except Denied as denied:
            outcome = "locked_out" if isinstance(denied, LockedOut) else "unknown"
            if not isinstance(denied, LockedOut) or denied.news:
                self._record(lambda at: DeviceEvent(at, reader, "badge", {"outcome": outcome}))
            return
        now_ns = self._now().mono_ns
        before = self._seen.get(reader)
        self._seen[reader] = _Seen(proof, now_ns)
        if before and before.proof.actor == proof.actor and now_ns - before.at_ns < AGAIN_NS:
            return
        told = {"outcome": "known", "actor": proof.actor}
        self._record(lambda at: DeviceEvent(at, reader, "badge", told))
        beside = self._beside(before, proof, now_ns)
        action = "log_off" if self._state().dealer == proof.actor else "log_on"
        who = (proof.actor, proof.roles, proof.method)
        self._record(lambda at: Action(at, action, *who, second=beside))

    def _beside(self, before: _Seen | None, proof: Proof, now_ns: int) -> Second | None:
        """Who stands by: the floor, for a relief in the middle of a round."""
        state = self._state()
        relief = state.round is not None and state.dealer not in (None, proof.actor)
        if not relief or before is None or now_ns - before.at_ns > BESIDE_NS:
            return None
        other = before.proof
        if other.actor == proof.actor or "floor" not in other.roles:
            return None
        return Second(other.actor, other.roles, other.method)

    def _record(self, make: Callable[[Stamp], Input]) -> None:
        try:
            self._submit(make)
        except Unrecordable as error:  # a mistake of ours; no value is in it
            log.error("badge_not_recorded", what=type(error).__name__)
