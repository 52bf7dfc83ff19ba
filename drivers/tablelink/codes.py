"""The numbers of docs/integrators/tablelink.md, section 3, beside the names that they have here."""

from collections.abc import Mapping
from typing import Final

KINDS: Final = {
    1: "shuffler", 2: "shoe", 3: "progressive", 4: "button", 5: "indicator", 6: "badge_reader",
}  # fmt: skip
CAPABILITIES: Final = (
    "counts_cards", "reads_cards", "two_decks", "takes_lock", "takes_hold", "remembers_commands",
    "recognises_cards", "tells_wagers", "tells_cards", "takes_release",
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

# ── commands ───────────────────────────────────────────────────────────────
LOCK, HOLD, UNLOCK, DISPENSE, RELEASE, LAMP, SHOW = 0x01, 0x02, 0x81, 0x82, 0x83, 0xC1, 0xC2
COMMANDS: Final[Mapping[str, int]] = {
    "lock": LOCK, "hold": HOLD, "unlock": UNLOCK, "dispense": DISPENSE, "release": RELEASE,
    "lamp": LAMP, "show": SHOW,
}  # fmt: skip
PERMITS: Final = 0x80  # from here on a code permits; below it restricts
SHOWS: Final = 0xC0  # from here on it shows something, and permits nothing
SIGNS: Final = (
    "off", "open", "no_more_bets", "attention", "winner", "halted", "out_of_order",
)  # fmt: skip

# ── cards one by one ───────────────────────────────────────────────────────
HANDS: Final = {
    0xE0: "dealer", 0xE1: "community", 0xE2: "player", 0xE3: "banker", 0xE4: "first", 0xE5: "burn",
    **{seat: f"seat/{seat}" for seat in range(1, 10)},
}  # fmt: skip
MODES: Final = ("game", "burn", "outside")
WINNERS: Final = {1: "player", 2: "banker", 3: "tie", 4: "forced"}
PLAYER_PAIR, BANKER_PAIR = 0x01, 0x02
