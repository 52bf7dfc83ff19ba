"""`meters`: proves every progressive meter to the cent, from the journal's own events alone.

A meter shows base + contributions + seeds - awards + corrections; each of them is an event, and
each event says what the meter shows after it. A contribution is the rate of the wagers that stood
at the lock, an award what was hit, validated by the floor and not paid before, a correction the
work of two people. It knows no game, and reads no state but the one that a later segment begins
with.
"""

import json
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from tablectl.journal.codec import plain_state
from tablectl.journal.proof import Broken, EventRow, RecordRow
from tablectl.journal.report import Report
from tablectl.journal.stakes import Stakes, Wrong
from tablectl.journal.verify import Progress, Visitor, verify
from tablectl.table.must_hit import winner
from tablectl.table.seal import trigger_commitment

_ROOT = "tablectl."
_AREA = "progressive."
# What the totals of the state and of the events must have in common.
_TOTALS = ("cents", "seeded", "awarded", "corrected", "wagered", "hand_paid", "hits")


@dataclass(slots=True)
class Account:
    """One meter, as its events add up; everything in cents."""

    reset: int
    base: int
    rate: str = "0"
    wager: str = ""  # that feeds it
    contributed: Fraction = Fraction(0)
    seeded: int = 0
    awarded: int = 0
    corrected: int = 0
    wagered: int = 0
    hand_paid: int = 0
    hits: int = 0
    maximum: int = 0
    commitment: str | None = None  # of the trigger that waits, where the meter has one
    won: bool = False  # it was hit, and is not paid yet
    shown: int = 0  # what it showed as the last round was settled
    stood: int = 0  # the most that it showed so in the rounds before, without a hit

    @property
    def cents(self) -> int:
        """What the meter must show."""
        whole = int(self.contributed)
        return self.base + whole + self.seeded - self.awarded + self.corrected

    def as_dict(self) -> dict[str, Any]:
        """As `--json` prints it; the fraction of a cent that is carried stands as text."""
        carried = self.contributed - int(self.contributed)
        told = {k: v for k, v in asdict(self).items() if k not in ("won", "shown", "stood")}
        return {"cents": self.cents, **told, "contributed": int(self.contributed)} | {
            "carried": f"{carried.numerator}/{carried.denominator}"
        }


@dataclass(slots=True)
class Ledger(Visitor):
    """Follows the events beside the walk of `verify`."""

    accounts: dict[str, Account] = field(default_factory=dict)
    round: int = 0  # the wins below are of this round
    told: dict[tuple[int, str], int] = field(default_factory=dict)  # seat, wager: cents
    validated: dict[tuple[int, str], int] = field(default_factory=dict)
    paid: set[tuple[int, str]] = field(default_factory=set)
    stakes: Stakes = field(default_factory=Stakes)
    done: dict[str, Any] = field(default_factory=dict)  # what a person did in this record
    follows: bool = False  # whether the beginning is known

    def snapshot(self, record: int, text: str) -> None:
        """Where a later segment begins alone, its state is the base; elsewhere it must agree."""
        state = plain_state(text)
        told = {meter["name"]: meter for meter in state.get("meters", ())}
        if not self.follows:
            self.accounts = {name: _account(meter) for name, meter in told.items()}
            self.stakes.from_state(state)
            self.follows = True
        for name, meter in told.items():
            account = self.accounts.get(name)
            for total in _TOTALS if account is not None else ():
                if getattr(account, total) != meter.get(total, 0):
                    raise Broken(
                        None,
                        f"the state at record {record} has meter {name}'s {total} at "
                        f"{meter.get(total)}, its events add up to {getattr(account, total)}",
                    )

    def record(self, record: RecordRow, events: list[EventRow]) -> None:
        """Every event of a meter and of the wagers that feed it, in order."""
        self.follows = True
        self.done = {}
        for row in events:
            kind, data = row.event["type"].removeprefix(_ROOT), row.event["data"]
            try:
                self._taken(record.number, kind, data)
            except Wrong as wrong:
                raise Broken(row.sequence, str(wrong)) from None
            except (KeyError, TypeError, ValueError) as error:
                what = f"the event of a meter is incomplete: {error!r}"
                raise Broken(row.sequence, what) from None

    def _taken(self, record: int, kind: str, data: dict[str, Any]) -> None:
        if kind == "config.loaded":
            self._terms(data.get("meters", {}))
        elif kind == "action.done":
            self.done = data
        elif kind.startswith(_AREA):
            if kind == "progressive.contributed" and "wager" in data:
                self.stakes.contributed(data)
            take = getattr(self, "_" + kind.removeprefix(_AREA), None)
            if take is not None and not data.get("training"):
                take(data)
        elif kind.startswith(("round.", "wager.")):
            self.stakes.take(record, kind, data)
            fed = {n for n, a in self.accounts.items() if a.wager and a.wager == data.get("wager")}
            if fed:
                self.stakes.ended(kind, data, {n for n in fed if Fraction(self.accounts[n].rate)})

    def _by(self, action: str) -> dict[str, Any]:
        """What a person did just before, in the same record. Raises Wrong."""
        if self.done.get("action") != action:
            raise Wrong(f"nobody did {action} for it")
        return self.done

    def _terms(self, meters: dict[str, Any]) -> None:
        for name, terms in meters.items():
            account = self.accounts.setdefault(name, Account(terms["reset"], terms["reset"]))
            account.reset, account.rate = terms["reset"], terms["rate"]
            account.wager = terms.get("wager", "")
            if account.maximum != terms.get("maximum", 0):
                account.maximum, account.shown, account.stood = terms.get("maximum", 0), 0, 0

    def _contributed(self, data: dict[str, Any]) -> None:
        account, exact = self._of(data), Fraction(data["exact"])
        account.stood = max(account.stood, account.shown)
        if account.commitment and 0 < account.maximum <= account.stood:
            raise Wrong(f"meter {data['meter']} stood at its maximum and was not hit")
        before = int(account.contributed)
        account.contributed += exact
        account.wager = data.get("wager", account.wager)
        account.wagered += data.get("wagered", 0)
        if "wagered" in data and exact != Fraction(account.rate) * data["wagered"]:
            raise Wrong(f"{data['exact']} is not {account.rate} of {data['wagered']} cents")
        if int(account.contributed) - before != data["cents"]:
            raise Wrong(f"{data['cents']} cents were posted; the exact sum gives another figure")
        self._shows(data, data["shows"])
        account.shown = account.cents

    def _sealed(self, data: dict[str, Any]) -> None:
        account = self._of(data)
        if account.commitment is not None:
            raise Wrong("another trigger was sealed before the last one was hit")
        if (data["least"], data["most"]) != (account.reset + 1, account.maximum):
            raise Wrong("the trigger was not drawn between reset and maximum")
        account.commitment, account.won, account.stood = data["commitment"], False, 0

    def _hit(self, data: dict[str, Any]) -> None:
        """A win by the cards is proved by replay; a win by a trigger here, from what is public."""
        self.told[self._won(data)] = data["cents"]
        if "trigger" not in data:
            return
        account, trigger, salt = self._of(data), data["trigger"], data["salt"]
        if account.commitment is None or account.won:
            raise Wrong("the meter was hit, and no sealed trigger waited")
        if trigger_commitment(trigger, salt) != account.commitment:
            raise Wrong("trigger and salt do not open the commitment")
        if not account.cents == data["cents"] >= min(trigger, account.maximum):
            raise Wrong("the meter was hit before it reached its trigger, or not paid whole")
        if data["seat"] != winner(salt, data["round"], data["seats"]):
            raise Wrong(f"seat {data['seat']} is not the one that was drawn")
        if account.stood >= min(trigger, account.maximum):
            raise Wrong("the meter had reached its trigger in an earlier round")
        account.won = True

    def _validated(self, data: dict[str, Any]) -> None:
        won = self._won(data)
        self._by("validate_progressive")
        if self.told.get(won) != data["cents"]:
            raise Wrong(f"seat {data['seat']} was not told a win of {data['cents']}")
        self.validated[won] = data["cents"]

    def _won(self, data: dict[str, Any]) -> tuple[int, str]:
        """A win by its seat and wager, of the round under way."""
        if data["round"] != self.round:
            self.round = data["round"]
            self.told.clear()
            self.validated.clear()
            self.paid.clear()
        return data["seat"], data["wager"]

    def _paid(self, data: dict[str, Any]) -> None:
        if "wager" in data:
            won = self._won(data)
            if won in self.paid:
                raise Wrong(f"seat {data['seat']}'s win in round {data['round']} is paid twice")
            if data.get("by_hand"):
                self._by("settle_by_hand")
            elif won not in self.validated:
                raise Wrong(f"seat {data['seat']}'s win was paid, and nobody validated it")
            elif self.validated[won] != data["cents"]:
                raise Wrong(f"{self.validated[won]} cents were validated, {data['cents']} paid")
            self.paid.add(won)
        if data["meter"] is None:
            return
        account = self._of(data)
        if account.commitment is not None and not account.won:
            raise Wrong(f"meter {data['meter']} was paid, and nothing had hit it")
        account.awarded += data["cents"]
        account.hits += 1
        account.hand_paid += data["cents"] if data.get("by_hand") else 0
        self._shows(data, data.get("shows", account.cents))

    def _reset(self, data: dict[str, Any]) -> None:
        account = self._of(data)
        if data["cents"] != account.reset:
            raise Wrong(f"it started again at {data['cents']}, not at {account.reset}")
        account.seeded += data["cents"] - account.cents
        account.commitment, account.shown = None, 0

    def _void_hit(self, data: dict[str, Any]) -> None:
        """The round of a hit is void: no award, and another trigger is drawn."""
        account = self._of(data)
        if not account.won:
            raise Wrong(f"a hit of meter {data['meter']} is void, and nothing had hit it")
        account.commitment, account.won, account.shown = None, False, 0

    def _corrected(self, data: dict[str, Any]) -> None:
        account, done = self._of(data), self._by("correct_meter")
        if done.get("second") in (None, done["actor"]):
            raise Wrong("it was corrected by one person alone")
        if data["was"] != account.cents or data["cents"] != data["was"] + data["by"]:
            raise Wrong(f"it was corrected from {data['was']}; it showed {account.cents}")
        account.corrected += data["by"]

    def _of(self, data: dict[str, Any]) -> Account:
        account = self.accounts.get(data["meter"])
        if account is None:
            raise Wrong(f"meter {data['meter']!r} was never set up")
        return account

    def _shows(self, data: dict[str, Any], told: int) -> None:
        account = self._of(data)
        if told != account.cents:
            raise Wrong(f"meter {data['meter']} shows {told}; its events add up to {account.cents}")


def _account(meter: dict[str, Any]) -> Account:
    """A meter as the state that a segment begins with has it."""
    part = Fraction(meter["contributed_numerator"], meter["contributed_denominator"])
    later = {name: meter.get(name, 0) for name in ("corrected", "wagered", "hand_paid", "hits")}
    trigger = meter.get("trigger") or {}
    return Account(
        meter["reset"], meter["base"], meter["rate"], contributed=part,
        seeded=meter["seeded"], awarded=meter["awarded"], maximum=meter.get("maximum", 0),
        commitment=trigger.get("commitment"), **later,
    )  # fmt: skip


def prove_meters(path: Path, progress: Progress | None = None) -> tuple[Report, Ledger]:
    """Verify a journal and add its meters up. Raises what `verify` raises."""
    ledger = Ledger()
    return verify(path, progress=progress, visitor=ledger), ledger


def meters_page(ledger: Ledger) -> str:
    """A line a meter, for people."""
    if not ledger.accounts:
        return "this journal keeps no meter"
    lines = []
    for name, one in sorted(ledger.accounts.items()):
        parts = f"base {one.base} + contributions {int(one.contributed)} + seeds {one.seeded}"
        parts += f" - awards {one.awarded} + corrections {one.corrected}"
        lines.append(f"{name}: {one.cents} = {parts} (wagered {one.wagered}, {one.hits} hits)")
    return "\n".join(lines)


def as_json(report: Report, ledger: Ledger) -> str:
    """The answer of `--json`: that of `verify`, and the meters."""
    meters = {name: one.as_dict() for name, one in sorted(ledger.accounts.items())}
    return json.dumps({**report.as_dict(), "meters": meters})
