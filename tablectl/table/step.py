"""One step in the making: the state so far, and what will leave when the step is done.

Handlers change nothing but this; where one raises, the whole step is thrown away and the old state
stands untouched.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tablectl.table import concordance
from tablectl.table.clock import advance
from tablectl.table.inputs import Stamp
from tablectl.table.outputs import Command, Event, Ruling
from tablectl.table.setup import Setup
from tablectl.table.state import Alarm, Deck, Device, Duty, MeterState, Round, State

HOUSE = concordance.HOUSE
_RULE_TEXTS = ("TCP ", "TCB ", "MIDI ", "WA-TCB ")


def split_basis(clauses: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Clauses of the game rules, and whatever else a decision rests on (house, regulations)."""
    cited = tuple(clause for clause in clauses if clause.startswith(_RULE_TEXTS))
    return cited, tuple(clause for clause in clauses if clause not in cited)


def cite(state: State, clauses: Iterable[str]) -> tuple[str, ...]:
    """Clauses as the rule text that the table plays by has them."""
    if state.setup is None:
        return tuple(clauses)
    rules = state.setup.rules
    text = concordance.text_of(rules.game, rules.jurisdiction)
    return concordance.cited_in(text, clauses)


def quoted(text: object) -> str:
    """What somebody sent, short and printable, to be repeated in a sentence."""
    return ascii(str(text)[:40])


class Refused(Exception):
    """An action that may not be done: why, and the clauses that it rests on."""

    def __init__(
        self, why: str, *clauses: str, malformed: bool = False, role: bool = False
    ) -> None:
        super().__init__(why)
        self.why = why
        self.clauses = clauses
        self.malformed = malformed
        self.role = role


@dataclass(slots=True)
class Step:
    """The working copy. `state` is replaced, never changed in place."""

    state: State
    at: Stamp
    events: list[Event] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    ruling: Ruling | None = None

    # ── the state ──────────────────────────────────────────────────────────
    def update(self, **changes: Any) -> None:
        """Replace parts of the state."""
        self.state = replace(self.state, **changes)

    @property
    def setup(self) -> Setup:
        """The setup in force."""
        assert self.state.setup is not None, "the first record of a journal is a Restart"
        return self.state.setup

    @property
    def round(self) -> Round:
        """The round under way."""
        assert self.state.round is not None, f"no round in phase {self.state.phase}"
        return self.state.round

    def update_round(self, **changes: Any) -> None:
        """Replace parts of the round."""
        self.update(round=replace(self.round, **changes))

    def update_deck(self, deck_id: str, **changes: Any) -> Deck:
        """Replace parts of a deck; returns it as it is now."""
        self.update(
            decks=tuple(replace(d, **changes) if d.id == deck_id else d for d in self.state.decks)
        )
        deck = self.state.deck(deck_id)
        assert deck is not None
        return deck

    def update_device(self, device_id: str, **changes: Any) -> Device:
        """Replace parts of a device; returns it as it is now."""
        self.update(
            devices=tuple(
                replace(d, **changes) if d.id == device_id else d for d in self.state.devices
            )
        )
        device = self.state.device(device_id)
        assert device is not None
        return device

    def update_meter(self, name: str, **changes: Any) -> MeterState:
        """Replace parts of a meter; returns it as it is now."""
        self.update(
            meters=tuple(replace(m, **changes) if m.name == name else m for m in self.state.meters)
        )
        meter = self.state.meter(name)
        assert meter is not None
        return meter

    # ── what leaves ────────────────────────────────────────────────────────
    def emit(
        self,
        type_: str,
        data: Mapping[str, Any],
        *clauses: str,
        subject: str | None = None,
        inferred: bool = False,
    ) -> int:
        """Add an event; returns its sequence, which serves as evidence elsewhere."""
        if subject is None:
            number = data.get("round")
            subject = f"round/{number}" if number is not None else "table"
        sequence = self.state.sequence + 1
        self.update(sequence=sequence)
        cited, basis = split_basis(self.cite(clauses))
        body = {**data, "clauses": list(cited), "inferred": inferred}
        if basis:
            body["basis"] = list(basis)
        self.events.append(Event(sequence, type_, subject, self.state.clock.utc_ns, body))
        return sequence

    def cite(self, clauses: Iterable[str]) -> tuple[str, ...]:
        """Clauses as the rule text of this table's game has them."""
        return cite(self.state, clauses)

    def command(self, device: str, name: str, *, restrictive: bool, **args: Any) -> None:
        """Order a device to do something."""
        n = self.state.commands + 1
        self.update(commands=n)
        self.commands.append(
            Command(device, name, restrictive, self.state.clock.boot, n, dict(args))
        )

    # ── duties and alarms ──────────────────────────────────────────────────
    def open_duty(self, duty: str, *clauses: str, deck: str | None = None) -> None:
        """Something must be done before the next round; once is enough."""
        if any(d.duty == duty and d.deck == deck for d in self.state.duties):
            return
        number = self.state.round.number if self.state.round else None
        clauses = self.cite(clauses)
        self.update(duties=(*self.state.duties, Duty(duty, number, deck, clauses)))
        self.emit("duty.opened", {"duty": duty, "round": number, "deck": deck}, *clauses)

    def done_duty(self, duty: str, deck: str | None = None) -> None:
        """It is done, if it was due at all."""
        for due in self.state.duties:
            if due.duty == duty and due.deck == deck:
                self.update(duties=tuple(d for d in self.state.duties if d is not due))
                data = {"duty": duty, "round": due.round, "deck": deck}
                self.emit("duty.done", data, *due.clauses)
                return

    def raise_alarm(
        self,
        kind: str,
        severity: str,
        what: str,
        *clauses: str,
        about: str = "",
        until_seen: bool = False,
    ) -> None:
        """Tell, once, until it is over."""
        if any(a.kind == kind and a.about == about for a in self.state.alarms):
            return
        n = self.state.alarms_raised + 1
        since_ns = self.state.clock.utc_ns
        alarm = Alarm(f"{kind}-{n}", kind, severity, what, since_ns, about, until_seen=until_seen)
        self.update(alarms_raised=n, alarms=(*self.state.alarms, alarm))
        data = {"id": alarm.id, "kind": kind, "severity": severity, "what": what}
        self.emit("alarm.raised", data, *clauses)

    def clear_alarm(self, kind: str, about: str = "") -> None:
        """It is over, if it was raised at all."""
        for alarm in self.state.alarms:
            if alarm.kind == kind and alarm.about == about:
                self.update(alarms=tuple(a for a in self.state.alarms if a is not alarm))
                self.emit("alarm.cleared", {"id": alarm.id, "kind": kind})
                return


def begin(state: State, at: Stamp) -> Step:
    """Start a step: move the clock, and say so, once, where the wall clock was set back."""
    clock, back_ns = advance(state.clock, at)
    step = Step(replace(state, clock=clock), at)
    told = any(alarm.kind == "clock_skewed" for alarm in state.alarms)
    if back_ns and not told:
        step.emit("clock.skewed", {"back_ms": back_ns // 1_000_000})
        what = "The wall clock went back; check the time service of this box."
        step.raise_alarm("clock_skewed", "warning", what)
    elif told and not back_ns:
        step.clear_alarm("clock_skewed")
    return step
