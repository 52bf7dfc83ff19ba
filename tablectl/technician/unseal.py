"""Opening sealed cards to a technician: who proves to be one, at a closed table, and on record.

The journal is ours meanwhile, so no daemon can open the table. What was shown is recorded when it
is over; where the journal cannot be written nothing is shown.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tablectl import __version__
from tablectl.daemon.clock import BoxClock, synchronised
from tablectl.daemon.config import Config, digest, to_setup
from tablectl.daemon.people import Denied, People, Proof
from tablectl.journal.errors import JournalInUse
from tablectl.journal.files import CURRENT
from tablectl.journal.opening import open_journal
from tablectl.journal.recorder import Recorder
from tablectl.table.inputs import Input, Restart, Unsealed
from tablectl.table.table import CORE_VERSION
from tablectl.table.unsealing import ROLE
from tablectl.technician.listen import CannotListen, daemon_runs

DURABLE_S: Final = 10.0


class NotShown(Exception):
    """Cards stay sealed: not this person, or not at this table now. The answer is no."""


def prove(config: Config, actor: str, ask: Callable[[str], str]) -> Proof:
    """Who wants to see cards. Raises NotShown."""
    try:
        proof = People(config.people, time.monotonic_ns).prove(actor, ask(f"PIN of {actor}: "))
    except Denied as denied:
        raise NotShown(f"{denied}: cards stay sealed") from None
    if ROLE not in proof.roles:
        raise NotShown(f"{actor} has not the role {ROLE}: cards stay sealed")
    return proof


class Unsealing:
    """From the record that cards are shown to the record that they are not any more."""

    def __init__(self, config: Config, device: str, proof: Proof) -> None:
        """Raises NotShown, CannotListen, JournalError."""
        self._device, self._proof, self._clock = device, proof, BoxClock()
        self._recorder = _open(config)
        try:
            setup = to_setup(config)
            at = self._clock.now()
            synced = synchronised()
            self._submit(Restart(at, setup, digest(config), __version__, CORE_VERSION, synced))
            self._submit(self._record())
        except BaseException:
            self._recorder.close()
            raise

    def close(self, shown: int) -> None:
        """It is over. Raises CannotListen where that could not be recorded."""
        try:
            self._submit(self._record(over=True, shown=shown))
        finally:
            closed = self._recorder.close()
        if not closed:
            raise CannotListen(f"the end could not be recorded: {self._recorder.failure}")

    def _record(self, *, over: bool = False, shown: int = 0) -> Unsealed:
        proof = self._proof
        return Unsealed(
            self._clock.now(), self._device, proof.actor, proof.roles, proof.method, over, shown
        )

    def _submit(self, given: Input) -> None:
        receipt = self._recorder.submit(given)
        if not self._recorder.wait_durable(receipt.sequence, DURABLE_S):
            why = self._recorder.failure or "it takes too long"
            raise CannotListen(f"the journal cannot be written ({why}): cards stay sealed")
        if receipt.refusal is not None:
            raise NotShown(f"{receipt.refusal.why}; the refusal is recorded")


def _open(config: Config) -> Recorder:
    data = Path(config.table.data)
    if not (data / CURRENT).exists():
        raise CannotListen(
            f"there is no journal in {data} to record it in: start the daemon once, then stop it"
        )
    with suppress(OSError):
        if data.stat().st_uid != os.geteuid():
            raise CannotListen(
                f"the journal in {data} is another user's, and would be spoilt: "
                "open cards as the daemon's user (sudo -u tablectl tablectl listen …)"
            )
    try:
        return open_journal(data, site=config.table.site, table=config.table.id)
    except JournalInUse as used:
        raise CannotListen(daemon_runs(used)) from None
