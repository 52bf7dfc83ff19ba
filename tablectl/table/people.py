"""People at the table: who deals, relief, the opening test, an evacuation. No rule of a game here.

House procedure. One dealer is on the table; in a round another takes over only with the floor.
Surveillance, technicians and auditors sign on without dealing. Nothing that restricts is refused
because of who deals.
"""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.table.lockout import restrict_all, send_lock
from tablectl.table.state import Halt, State
from tablectl.table.step import HOUSE, Refused, Step

# What anybody with the role may do although another deals: sign on, stop, lock.
FREE: Final = ("log_on", "log_off", "halt_table", "suspend_table", "no_more_bets")
_TEST: Final = "opening_test"
# What restricts is not turned away for want of words.
UNTOLD: Final = "no reason was given"


def check_dealer(state: State, action: str, actor: str, role: str) -> None:
    """A dealer's actions are those of the dealer who is on the table. Raises Refused."""
    if role == "dealer" and state.dealer not in (None, actor) and action not in FREE:
        raise Refused(
            f"{state.dealer} deals here: sign on to relieve (log_on; in a round with the floor)",
            HOUSE,
            role=True,
        )


def sign_on(step: Step, _args: Mapping[str, Any]) -> None:
    """Somebody signs on; a dealer takes the table, in a round only with the floor beside."""
    done = step.events[-1].data
    actor, role, before = done["actor"], done["role"], step.state.dealer
    relief = role == "dealer" and before not in (None, actor)
    if relief and step.state.round is not None and "second" not in done:
        raise Refused(
            f"{before} deals this round: a relief in a round takes the floor as second", HOUSE
        )
    data = {"actor": actor, "role": role, "round": done["round"]}
    if role == "dealer":
        step.update(dealer=actor)
        data["relieves"] = before if before != actor else None
    step.emit("person.logged_on", data, HOUSE)


def sign_off(step: Step, _args: Mapping[str, Any]) -> None:
    """Somebody signs off; in a round the dealer stays responsible until relieved."""
    done = step.events[-1].data
    data = {name: done[name] for name in ("actor", "role", "round")}
    if step.state.dealer == done["actor"]:
        data["deals_on"] = step.state.round is not None
        if step.state.round is None:
            step.update(dealer=None)
    step.emit("person.logged_off", data, HOUSE)


# ── opening and closing ────────────────────────────────────────────────────
def opened(step: Step, _args: Mapping[str, Any]) -> None:
    """The table opens; its lamps and its lock are to be tested."""
    step.update(tested=False)
    step.emit("table.opened", {}, HOUSE)


def opening_test(step: Step, args: Mapping[str, Any]) -> None:
    """Somebody looked at the lamps and tried the lock; what failed blocks the first round.

    Whoever reports the test and no failure has found none.
    """
    data = {"lamps": args.get("lamps", True), "lock": args.get("lock", True)}
    step.emit("table.tested", data, HOUSE)
    send_lock(step)
    if all(data.values()):
        step.update(tested=True)
        step.done_duty(_TEST)
        step.clear_alarm(_TEST)
        return
    step.update(tested=False)
    failed = " and ".join(name for name, fine in data.items() if not fine)
    step.open_duty(_TEST, HOUSE)
    step.raise_alarm(_TEST, "critical", f"The opening test failed: {failed}.", HOUSE)


def closed(step: Step, _args: Mapping[str, Any]) -> None:
    """The table closes, with its meters read."""
    step.update(decks=(), gone_decks=(), last_deck=None, single_deck=False, tested=False)
    totals = {
        m.name: {"in": m.wagered, "out": m.awarded, "hand_paid": m.hand_paid, "hits": m.hits}
        for m in step.state.meters
    }
    shown = {m.name: m.cents for m in step.state.meters}
    step.emit("table.closed", {"meters": shown, "totals": totals}, HOUSE)


# ── evacuation ─────────────────────────────────────────────────────────────
def suspend(step: Step, args: Mapping[str, Any]) -> None:
    """Everything locked, everything kept as it lies, everybody told; the floor resumes."""
    number = step.state.round.number if step.state.round else None
    reason = args.get("reason", UNTOLD)
    step.update(halt=Halt("suspended", reason))
    step.emit("table.suspended", {"round": number, "reason": reason}, HOUSE)
    restrict_all(step)
    what = f"The table is suspended: {reason}."
    step.raise_alarm("table_suspended", "critical", what, HOUSE)
