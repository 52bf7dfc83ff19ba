"""tablelink's reports and conditions in the words of a kind, and commands as tablelink orders.

Cards come out as plain reads: sealing them, with fresh salts, is the daemon's work.
"""

import hashlib
import struct
from collections.abc import Mapping
from typing import Any, Final

from drivers.tablelink import codes
from drivers.tablelink import messages as m
from drivers.tablelink import reports as r
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import DECK, PLACE, Card, Command, Identity, Reading, Token

STACKS_MAXIMUM: Final = 16
AGE_WORTH_TELLING_MS: Final = 1000  # above a few repeats: it was kept while the link was away


def wire_boot(boot: str) -> bytes:
    """The 8 bytes that stand for a boot on the wire: the first of its SHA-256."""
    return hashlib.sha256(boot.encode()).digest()[: m.BOOT]


# ── commands ───────────────────────────────────────────────────────────────
def order(command: Command) -> m.Order:
    """A command as it goes out. Raises CommandRefused where tablelink has no such order."""
    code = codes.COMMANDS.get(command.name)
    if code is None or (code < codes.PERMITS) is not command.restrictive:
        raise CommandRefused(f"tablelink has no order for {command.name!r}")
    if not 0 < command.n < 1 << 32:
        raise CommandRefused(f"command number {command.n} does not fit: 1 to {(1 << 32) - 1}")
    return m.Order(m.CommandId(wire_boot(command.boot), command.n), code, _args(code, command.args))


def _args(code: int, args: Mapping[str, Any]) -> bytes:
    if code == codes.DISPENSE:
        stacks = args.get("stacks")
        if not isinstance(stacks, int) or not 1 <= stacks <= STACKS_MAXIMUM:
            raise CommandRefused(f"dispense takes 1 to {STACKS_MAXIMUM} stacks, not {stacks!r}")
        return bytes((stacks,))
    if code == codes.LAMP:
        return _lamp(args.get("seat"), args.get("wager"), args.get("on"))
    if code == codes.SHOW:
        if args.get("sign") not in codes.SIGNS:
            raise CommandRefused(f"tablelink has no sign {args.get('sign')!r}")
        return bytes((codes.SIGNS.index(args["sign"]),))
    return b""


def _lamp(seat: object, wager: object, on: object) -> bytes:
    if not isinstance(seat, int) or not 1 <= seat <= 0xFF:
        raise CommandRefused(f"there is no lamp at seat {seat!r}")
    fits = isinstance(wager, str) and wager.isascii() and wager.isprintable()
    if not fits or not 1 <= len(str(wager)) <= r.WAGER_MAXIMUM:
        raise CommandRefused(f"there is no lamp for the wager {wager!r}")
    return struct.pack("<BB", seat, bool(on)) + str(wager).encode("ascii")


def shown_by(command: Command) -> tuple[Any, ...]:
    """What a showing command shows on: a newer one for the same takes an older one's place."""
    return (command.name, command.args.get("seat"), command.args.get("wager"))


# ── who it is, how it is ───────────────────────────────────────────────────
def identity(welcome: m.Welcome, proved: bool) -> Identity:
    """Who answered."""
    return Identity(
        kind=codes.KINDS.get(welcome.kind, f"kind {welcome.kind}"),
        serial=welcome.serial,
        model=welcome.model,
        versions=dict(welcome.versions),
        boot=f"{welcome.device_boot:08x}",
        capabilities=frozenset(
            name for bit, name in enumerate(codes.CAPABILITIES) if welcome.capabilities & 1 << bit
        ),
        proved=proved,
        game_mode=welcome.mode,
    )


def fault_name(fault: int, text: str = "") -> str:
    """A fault for people: its name, and what the device adds."""
    name = codes.FAULTS.get(fault, f"fault {fault:02X}")
    return f"{name} ({text})" if text else name


def online(kind: str, state: m.State, capabilities: frozenset[str]) -> list[Reading]:
    """The device told its state: `online`, and the fault that stands, if one does."""
    now = state.condition
    args: dict[str, object] = {}
    # Cards one by one are counted by the session: see session.py.
    if kind == "shoe" and now.dispensed is not None and "tells_cards" not in capabilities:
        args["dispensed"] = now.dispensed
    if kind == "progressive":
        args["locked"] = now.locked
        if "tells_wagers" in capabilities:
            args["accepts"] = True
    if state.permit != m.NEVER:
        args["executed"] = {"boot": state.permit.boot.hex(), "n": state.permit.n}
    told = [Reading("online", args)]
    if now.fault == codes.JAM and kind in ("shoe", "shuffler"):
        told.append(Reading("jam"))
    elif now.fault:
        told.append(Reading("fault", {"what": fault_name(now.fault)}))
    return told


# ── reports ────────────────────────────────────────────────────────────────
def card(byte: int) -> Card | None:
    """A card from its byte; whatever is no card left the shoe and could not be read."""
    return DECK[byte] if byte < len(DECK) else None


def reading(event: m.Event) -> Reading:
    """A report in the words of its kind. Not for a MODE, which is told as an identity."""
    args = _told(event.report)
    if event.age_ms >= AGE_WORTH_TELLING_MS:
        args["age_ms"] = event.age_ms
    match event.report:
        case r.Stack(_, read):
            return Reading("stack", args, tuple(card(byte) for byte in read))
        case r.Drawn():
            return Reading("card", args, (card(event.report.card),))
    return Reading(_NAMES[type(event.report)], args)


def _told(report: r.Report) -> dict[str, object]:
    """The arguments of a reading."""
    match report:
        case r.Fault(fault, text):
            return {"what": fault_name(fault, text)}
        case r.Jam(compartment) | r.ShuffleStarted(compartment):
            return _compartment(compartment)
        case r.ShuffleDone(compartment, count, distinct):
            seen = {} if distinct is None else {"distinct": distinct}
            return {**_compartment(compartment), "count": count, **seen}
        case r.Stack(dispensed):
            return _dispensed(dispensed)
        case r.Drawn():
            return _drawn(report)
        case r.Outcome(winner, pairs):
            told: dict[str, object] = {"winner": codes.WINNERS[winner]}
            told["player_pair"] = bool(pairs & codes.PLAYER_PAIR)
            return {**told, "banker_pair": bool(pairs & codes.BANKER_PAIR)}
        case r.Accepted(seat, cents, wager):
            return {"seat": seat, "wager": wager, "cents": cents}
        case r.Withdrawn(seat, wager) | r.Late(seat, wager):
            return {"seat": seat, "wager": wager}
        case r.Pressed(button):
            return {"button": button}
        case r.Badge(token):
            return {"token": Token(token)}
    return {}


def _compartment(compartment: int) -> dict[str, object]:
    return {"compartment": compartment} if compartment else {}  # 0: there is one only


def _dispensed(count: int | None) -> dict[str, object]:
    return {} if count is None else {"dispensed": count}


def _drawn(report: r.Drawn) -> dict[str, object]:
    """A place that there is not is none: the table then goes by its own plan."""
    hand = codes.HANDS.get(report.hand, "")
    place = hand if hand == "first" else f"{hand}/{report.position}"
    where = {"place": place} if PLACE.fullmatch(place) else {}
    # What is of no mode known here is no card of a game.
    mode = codes.MODES[report.mode] if report.mode < len(codes.MODES) else "outside"
    return {**_dispensed(report.dispensed), **where, "mode": mode}


_NAMES: Final[dict[type[r.Report], str]] = {
    r.Fault: "fault",
    r.Cleared: "cleared",
    r.Jam: "jam",
    r.ShuffleStarted: "shuffle_started",
    r.ShuffleDone: "shuffle_done",
    r.Held: "held",
    r.CoverCard: "cover_card",
    r.Standby: "standby",
    r.Started: "started",
    r.Outcome: "result",
    r.Released: "released",
    r.Locked: "locked",
    r.Unlocked: "unlocked",
    r.Accepted: "accepted",
    r.Withdrawn: "withdrawn",
    r.Late: "late",
    r.Pressed: "pressed",
    r.Badge: "badge",
}


# ── answers ────────────────────────────────────────────────────────────────
def answer(command: Command, result: m.Result) -> Reading | None:
    """What an answer means for the table; a dispense that was taken is told by its stacks."""
    now = result.condition
    if result.outcome in (m.DONE, m.DONE_BEFORE):
        match command.name:
            case "lock" if now.locked:
                return Reading("locked", {"n": command.n})
            case "hold" if now.held:
                return Reading("held")
            case "unlock" if not now.locked:
                return Reading("unlocked")
            case "release" if not now.held:
                return Reading("released")
            case "dispense" | "lamp" | "show":
                return None
        return Reading("fault", {"what": f"it says that {command.name} is done, and it is not"})
    why = {
        m.STALE: "a later order stands against it",
        m.CANNOT: fault_name(now.fault) if now.fault else "it cannot now",
        m.NOT_KNOWN: "it does not know that order",
    }[result.outcome]
    return Reading("fault", {"what": f"it refused to {command.name}: {why}"})
