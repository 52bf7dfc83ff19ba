"""The outbox's logic without a network: what to send next over a link, and what its news mean.

One thread owns an Engine. It is told of connections, acknowledgements and messages, and `work`
sends what may be sent: retained topics, answers, events in order, replays.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, Literal

from tablectl.journal.chain import Identity
from tablectl.journal.errors import Unrecordable
from tablectl.outbox import payloads
from tablectl.outbox.commands import ACTIONS, COMMANDS, Judge, Key, Order, Rejected, Seen
from tablectl.outbox.link import Bounds, Link
from tablectl.outbox.replays import Replays
from tablectl.outbox.reports import (
    ArchiveBehind,
    ArchiveCaughtUp,
    CommandRefused,
    ConfirmationDiffers,
    JournalDiffers,
    Mailbox,
    Ordered,
    Trouble,
)
from tablectl.outbox.retained import Retained
from tablectl.outbox.shown import Shown
from tablectl.outbox.stream import Feed, Gone, Reader, Unreadable
from tablectl.outbox.topics import Message, Topics
from tablectl.outbox.watermark import Mark, Memory, Remembered, Window

_UNREADABLE_TOLD: Final = 5  # attempts in a row: a segment that is being closed is no news


class Engine:
    """See the module. `feed`, `shown` and `mailbox` are shared with the owner's thread."""

    def __init__(
        self,
        identity: Identity,
        feed: Feed,
        shown: Shown,
        memory: Memory,
        mailbox: Mailbox,
        *,
        keys: Iterable[Key] = (),
        unconfirmed_limit: int,
        bounds: Bounds,
    ) -> None:
        self.topics = Topics(identity.site, identity.table)
        self._identity = identity
        self._feed = feed
        self._shown = shown
        self._memory = memory
        self._mailbox = mailbox
        self._bounds = bounds
        keys = tuple(keys)
        # Nobody can confirm: then nobody is behind.
        self._limit = unconfirmed_limit if any("confirm" in k.commands for k in keys) else None
        self._judge = Judge(keys)
        self._retained = Retained(self.topics.status)
        self._replays = Replays(self.topics, feed, bounds)
        self._reader = Reader(feed)
        self._window = Window(0, bounds.window)
        self._hashes: dict[int, str] = {}  # of the events in flight
        self._mark = Mark()  # where the window's watermark is
        self._remembered = self._saved = Remembered()
        self._link: Link | None = None
        self._replies: deque[Message] = deque()
        self._replying: dict[int, Message] = {}
        self._view_stale = False
        self._view_at = 0.0
        self._save_at = 0.0
        self._sweep_at: float | None = None
        self._retry_at = 0.0
        self._unreadable = 0
        self._status_doubted_at = 0.0
        self._tell_at = 0.0
        self._late: bool | None = None

    # ── how things stand ───────────────────────────────────────────────────
    @property
    def acknowledged(self) -> int:
        """The last sequence that the broker has, with everything before it."""
        return self._window.acknowledged

    @property
    def backlog(self) -> int:
        """How many durable events the broker does not have."""
        return max(0, self._feed.durable - self._window.acknowledged)

    @property
    def confirmed(self) -> int:
        """The last sequence that the archive confirmed."""
        return self._remembered.confirmed.sequence

    @property
    def unconfirmed(self) -> int:
        """How many durable events the archive has not confirmed."""
        return max(0, self._feed.durable - self.confirmed)

    @property
    def settled(self) -> bool:
        """Whether all that there is to say has been said and acknowledged."""
        quiet = not self._replies and not self._replying
        return not self.backlog and quiet and self._retained.settled

    # ── news ───────────────────────────────────────────────────────────────
    def start(self, now_ns: int) -> None:
        """Remember how far things were, if this is still the same journal."""
        remembered, what = self._memory.load()
        if what:
            self._mailbox.put(Trouble(what))
        self._remembered = self._saved = replace(
            remembered,
            acknowledged=self._fitting(remembered.acknowledged, "broker"),
            confirmed=self._fitting(remembered.confirmed, "archive"),
        )
        self._mark = self._remembered.acknowledged
        self._window = Window(self._mark.sequence, self._bounds.window)
        lasting = {k: end for k, end in remembered.seen.items() if end >= now_ns // 10**9}
        self._judge.seen = Seen(lasting)

    def _fitting(self, mark: Mark, whose: str) -> Mark:
        """The place, if the journal has it so; the beginning otherwise."""
        if not mark.sequence:
            return mark
        try:
            event = self._feed.one(mark.sequence)
        except (Gone, Unreadable):
            return mark
        if event is not None and event.hash == mark.hash:
            return mark
        what = (
            f"the journal does not hold event {mark.sequence} as the {whose} got it: it was cut or "
            "changed; every event is sent again, compare them with the archive"
        )
        self._mailbox.put(JournalDiffers(what))
        return Mark()

    def connected(self, link: Link, now: float, now_ns: int, trouble: str | None) -> None:
        """A broker took us in: listen, say that we are here, and take nothing for granted."""
        self.lost()
        self._link = link
        self._retained.connected()
        self.say_online(now_ns, trouble)
        self._view_at = 0.0
        self._refresh(now)
        link.subscribe((self.topics.commands, self.topics.status, *self.topics.lists))
        self._sweep_at = now + self._bounds.sweep_s

    def lost(self) -> None:
        """The connection is gone: what was not acknowledged goes out again, in order."""
        self._link = None
        self._sweep_at = None
        self._window.lost()
        self._hashes.clear()
        self._replays.lost()
        self._replies.extendleft(reversed(self._replying.values()))
        self._replying.clear()

    def say_online(self, now_ns: int, trouble: str | None) -> None:
        """The status as long as the connection lasts."""
        self._retained.want_status(self.status("online", now_ns, trouble))

    def say_offline(self, now_ns: int) -> None:
        """The status before an orderly end."""
        self._retained.want_status(self.status("offline", now_ns))

    def status(
        self, state: Literal["online", "offline"], now_ns: int, trouble: str | None = None
    ) -> bytes:
        """A status message: our own word, or the will."""
        return payloads.status(state, epoch=self._identity.epoch, since_ns=now_ns, trouble=trouble)

    def acked(self, token: int) -> None:
        """The broker acknowledged message `token` of this connection."""
        if token in self._window:
            before = self._window.acknowledged
            self._window.acked(token)
            for sequence in range(before + 1, self._window.acknowledged + 1):
                self._mark = Mark(sequence, self._hashes.pop(sequence))
            return
        self._retained.acked(token)
        self._replying.pop(token, None)
        self._replays.acked(token)

    def received(
        self, topic: str, payload: bytes, *, retained: bool, now: float, now_ns: int
    ) -> None:
        """A message came: a command, or what the broker keeps under our name."""
        name = self.topics.command_name(topic)
        if name is not None:
            self._command(name, topic, payload, retained=retained, now_ns=now_ns)
        elif topic == self.topics.status:
            # An old connection's will may come after our own word; heal it, but never in a storm.
            strange = not retained and not self._retained.says(topic, payload)
            if strange and now - self._status_doubted_at >= 1.0:
                self._retained.doubted(topic)
                self._status_doubted_at = now
        elif retained and payload and self.topics.is_listed(topic):
            self._retained.found(topic)

    def answer(self, command_id: str, command: str, why: str | None, result: Any) -> None:
        """Queue the answer to a command."""
        if len(self._replies) >= self._bounds.replies:
            self._replies.popleft()
            self._mailbox.put(Trouble("answers to commands were dropped: too many wait"))
        try:
            payload = payloads.reply(command_id, command, why=why, result=result)
        except Unrecordable as error:
            payload = payloads.reply(command_id, command, why=f"the answer is unfit: {error}")
        self._replies.append(Message(self.topics.reply(command_id), payload))

    # ── commands ───────────────────────────────────────────────────────────
    def _command(
        self, name: str, topic: str, payload: bytes, *, retained: bool, now_ns: int
    ) -> None:
        verdict = self._judge.judge(name, topic, payload, retained=retained, now_ns=now_ns)
        if isinstance(verdict, Rejected):
            self._refuse(verdict)
        elif verdict.name in ACTIONS:
            self._save(now_ns)  # before it is done: a restart must not make it new again
            if not self._mailbox.put(Ordered(verdict)):
                self._turn_down(verdict, "too many commands wait: try again later")
        elif verdict.name == "confirm":
            self._confirm(verdict)
        elif why := self._replays.ask(verdict):
            self._turn_down(verdict, why)

    def _refuse(self, rejected: Rejected) -> None:
        # A made-up name is not repeated: whoever invents them must not fill the journal.
        name = rejected.name if rejected.name in COMMANDS else "unknown"
        report = CommandRefused(name, rejected.id, rejected.key, rejected.why)
        self._mailbox.put(report)
        if rejected.id is not None:
            self.answer(rejected.id, rejected.name, rejected.why + rejected.more, None)

    def _turn_down(self, order: Order, why: str) -> None:
        self._refuse(Rejected(order.name, order.id, why, key=order.key))

    def _confirm(self, order: Order) -> None:
        """Compare what the archive has with the journal."""
        sequence, theirs = order.args["sequence"], order.args["hash"]
        if order.args.get("epoch", self._identity.epoch) != self._identity.epoch:
            self._turn_down(order, f"this journal's epoch is {self._identity.epoch}")
            return
        try:
            event = self._feed.one(sequence)
        except Unreadable:
            self._turn_down(order, "the journal cannot be read just now: confirm again")
            return
        except Gone as gone:
            if sequence > self.confirmed:
                self._turn_down(order, str(gone))
            else:
                self._accept(order)
            return
        if event is None or event.hash != theirs:
            ours = event.hash if event else None
            report = ConfirmationDiffers(order, sequence, theirs, ours)
            self._mailbox.put(report)
            self.answer(order.id, order.name, report.what, {"sequence": sequence, "hash": ours})
            return
        if sequence > self.confirmed:
            self._remembered = replace(self._remembered, confirmed=Mark(sequence, theirs))
            self._view_stale = True
        self._accept(order)

    def _accept(self, order: Order) -> None:
        result = {"confirmed": self.confirmed, "unconfirmed": self.unconfirmed}
        self.answer(order.id, order.name, None, result)

    # ── work ───────────────────────────────────────────────────────────────
    def work(self, now: float, now_ns: int) -> float | None:
        """Send what may be sent; when to call again if nothing happens. Raises LinkLost."""
        self._tell_archive()
        if now >= self._tell_at and self._mailbox.untold:
            self._mailbox.tell()
            self._tell_at = now + self._bounds.tell_interval_s
        if now >= self._save_at and self._unsaved:
            self._save(now_ns)
            self._save_at = now + self._bounds.save_interval_s
        self._refresh(now)
        if self._link is not None:
            self._send(self._link, now)
        return self._next_at(now)

    def _send(self, link: Link, now: float) -> None:
        for message in self._retained.due():
            self._retained.sent(message, link.publish(message))
        if now >= self._retry_at:
            self._send_events(link, now)
        if finished := self._replays.send(link, now):
            order = finished.order
            self.answer(order.id, order.name, finished.why, finished.result)
        while self._replies and len(self._replying) < self._bounds.window:
            token = link.publish(self._replies[0])
            self._replying[token] = self._replies.popleft()
        if self._sweep_at is not None and now >= self._sweep_at:
            link.unsubscribe(self.topics.lists)
            self._sweep_at = None

    def _send_events(self, link: Link, now: float) -> None:
        """Fill the window with the events that follow, if they are durable."""
        try:
            while self._window.room:
                event = self._reader.get(self._window.following)
                if event is None:
                    return
                message = Message(self.topics.event(event.type), event.body.encode())
                token = link.publish(message)
                self._hashes[event.sequence] = event.hash
                self._window.sent(token)
                self._unreadable = 0
        except Gone as gone:
            first = self._window.following
            what = f"events {first} to {gone.oldest - 1} are no longer on this box: not sent"
            self._mailbox.put(Trouble(what))
            self._window.skip(gone.oldest - 1)
            self._send_events(link, now)
        except Unreadable as error:
            self._unreadable += 1
            self._retry_at = now + self._bounds.retry_s
            if self._unreadable == _UNREADABLE_TOLD:
                self._mailbox.put(Trouble(f"{error}; events wait until it can"))

    def _refresh(self, now: float) -> None:
        """Make the retained topics say what the latest durable state says, not too often."""
        if now < self._view_at:
            return
        state, facts, fresh = self._shown.latest(self._feed.durable)
        if state is None or not (fresh or self._view_stale):
            return
        self._view_at = now + self._bounds.view_interval_s
        self._view_stale = False
        unconfirmed = max(0, state.sequence - self.confirmed)
        try:
            topics, left_out = payloads.retained(self.topics, state, facts, unconfirmed=unconfirmed)
        except Unrecordable as error:
            self._mailbox.put(Trouble(f"the state cannot be published: {error}"))
            return
        for what in left_out:
            self._mailbox.put(Trouble(what))
        self._retained.want(topics)

    def _tell_archive(self) -> None:
        """Say when the archive falls behind, and when it has caught up by half."""
        if self._limit is None:
            return
        limit = self._limit // 2 if self._late else self._limit
        late = self.unconfirmed > limit
        if late != self._late:
            self._late = late
            behind = ArchiveBehind(self.unconfirmed, self._limit)
            self._mailbox.put(behind if late else ArchiveCaughtUp(self.unconfirmed))

    def _save(self, now_ns: int) -> None:
        lasting = self._judge.seen.lasting(now_ns // 10**9)
        self._remembered = replace(self._remembered, acknowledged=self._mark, seen=lasting)
        try:
            self._memory.save(self._remembered)
        except OSError as error:
            self._mailbox.put(Trouble(f"the outbox's memory cannot be written: {error.strerror}"))
        self._saved = self._remembered

    def save(self, now_ns: int) -> None:
        """Write down how far things are, if it is not yet written."""
        if self._unsaved:
            self._save(now_ns)

    @property
    def _unsaved(self) -> bool:
        return self._mark != self._saved.acknowledged or self._remembered != self._saved

    def _next_at(self, now: float) -> float | None:
        """The moment when there is something to do that nobody will tell us of."""
        wishes: list[float | None] = [
            self._tell_at if self._mailbox.untold else None,
            self._save_at if self._unsaved else None,
            self._view_at if now < self._view_at or self._view_stale else None,
        ]
        if self._link is not None:
            wishes += [self._sweep_at, self._replays.next_at(now)]
            wishes.append(self._retry_at if self._unreadable else None)
        return min((wish for wish in wishes if wish is not None), default=None)
