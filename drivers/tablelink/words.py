"""tablelink's reports and conditions in the words of a kind, and commands as tablelink orders.

Cards come out as plain reads: sealing them, with fresh salts, is the daemon's work.
"""

import hashlib
from typing import Final

from drivers.tablelink import messages as m
from drivers.tablelink import reports as r
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import DECK, Card, Command, Identity, Reading

KINDS: Final = {1: "shuffler", 2: "shoe", 3: "progressive", 4: "button"}
CAPABILITIES: Final = (
    "counts_cards", "reads_cards", "two_decks", "takes_lock", "takes_hold", "remembers_commands",
)  # fmt: skip
JAM: Final = 0x01
FAULTS: Final = {
    JAM: "jam",
    0x02: "cover open",
    0x03: "no cards",
    0x04: "misfeed",
    0x05: "count failed",
    0x06: "sensor dirty",
    0x07: "motor",
    0x08: "internal error",
    0x09: "self-test failed",
    0x0A: "wrong game mode",
    0x0B: "memory lost",
}
CODES: Final = {"lock": m.LOCK, "hold": m.HOLD, "unlock": m.UNLOCK, "dispense": m.DISPENSE}
STACKS_MAXIMUM: Final = 16
AGE_WORTH_TELLING_MS: Final = 1000  # above a few repeats: it was kept while the link was away


def wire_boot(boot: str) -> bytes:
    """The 8 bytes that stand for a boot on the wire: the first of its SHA-256."""
    return hashlib.sha256(boot.encode()).digest()[: m.BOOT]


def order(command: Command) -> m.Order:
    """A command as it goes out. Raises CommandRefused where tablelink has no such order."""
    code = CODES.get(command.name)
    if code is None or bool(code & 0x80) is command.restrictive:
        raise CommandRefused(f"tablelink has no order for {command.name!r}")
    if not 0 < command.n < 1 << 32:
        raise CommandRefused(f"command number {command.n} does not fit: 1 to {(1 << 32) - 1}")
    args = b""
    if code == m.DISPENSE:
        stacks = command.args.get("stacks")
        if not isinstance(stacks, int) or not 1 <= stacks <= STACKS_MAXIMUM:
            raise CommandRefused(f"dispense takes 1 to {STACKS_MAXIMUM} stacks, not {stacks!r}")
        args = bytes((stacks,))
    return m.Order(m.CommandId(wire_boot(command.boot), command.n), code, args)


def identity(welcome: m.Welcome, proved: bool) -> Identity:
    """Who answered."""
    return Identity(
        kind=KINDS.get(welcome.kind, f"kind {welcome.kind}"),
        serial=welcome.serial,
        model=welcome.model,
        versions=dict(welcome.versions),
        boot=f"{welcome.device_boot:08x}",
        capabilities=frozenset(
            name for bit, name in enumerate(CAPABILITIES) if welcome.capabilities & 1 << bit
        ),
        proved=proved,
    )


def fault_name(fault: int, text: str = "") -> str:
    """A fault for people: its name, and what the device adds."""
    name = FAULTS.get(fault, f"fault {fault:02X}")
    return f"{name} ({text})" if text else name


def card(byte: int) -> Card | None:
    """A card from its byte; whatever is no card left the shoe and could not be read."""
    return DECK[byte] if byte < len(DECK) else None


def reading(event: m.Event) -> Reading | None:
    """A report in the words of its kind; None where this version does not know it."""
    args: dict[str, object] = {}
    if event.age_ms >= AGE_WORTH_TELLING_MS:
        args["age_ms"] = event.age_ms
    cards: tuple[Card | None, ...] = ()
    report = event.report
    match report:
        case r.Fault(fault, text):
            args["what"] = fault_name(fault, text)
        case r.Jam(compartment) | r.ShuffleStarted(compartment):
            _compartment(args, compartment)
        case r.ShuffleDone(compartment, count):
            _compartment(args, compartment)
            args["count"] = count
        case r.Stack(dispensed, read):
            if dispensed is not None:
                args["dispensed"] = dispensed
            cards = tuple(card(byte) for byte in read)
        case r.Pressed(button):
            args["button"] = button
        case r.Strange():
            return None
        case _:
            pass
    return Reading(_NAMES[type(report)], args, cards)


_NAMES: Final[dict[type[r.Report], str]] = {
    r.Fault: "fault",
    r.Cleared: "cleared",
    r.Jam: "jam",
    r.ShuffleStarted: "shuffle_started",
    r.ShuffleDone: "shuffle_done",
    r.Stack: "stack",
    r.Held: "held",
    r.Locked: "locked",
    r.Unlocked: "unlocked",
    r.Pressed: "pressed",
}


def _compartment(args: dict[str, object], compartment: int) -> None:
    if compartment:  # 0: there is one only
        args["compartment"] = compartment


def online(kind: str, state: m.State) -> list[Reading]:
    """The device told its state: `online`, and the fault that stands, if one does."""
    now = state.condition
    args: dict[str, object] = {}
    if kind == "shoe" and now.dispensed is not None:
        args["dispensed"] = now.dispensed
    if kind == "progressive":
        args["locked"] = now.locked
    if state.permit != m.NEVER:
        args["executed"] = {"boot": state.permit.boot.hex(), "n": state.permit.n}
    told = [Reading("online", args)]
    if now.fault == JAM and kind in ("shoe", "shuffler"):
        told.append(Reading("jam"))
    elif now.fault:
        told.append(Reading("fault", {"what": fault_name(now.fault)}))
    return told


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
            case "dispense":
                return None
        return Reading("fault", {"what": f"it says that {command.name} is done, and it is not"})
    why = {
        m.STALE: "a later order stands against it",
        m.CANNOT: fault_name(now.fault) if now.fault else "it cannot now",
        m.NOT_KNOWN: "it does not know that order",
    }[result.outcome]
    return Reading("fault", {"what": f"it refused to {command.name}: {why}"})
