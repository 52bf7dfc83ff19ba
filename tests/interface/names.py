"""The interface that other people's programs rely on, as data: every name that is fixed.

Written by hand from the published interface, and from nothing in this program. A name may be added;
whoever takes one away or renames one breaks somebody else's program.
"""

from typing import Any, Final

from tests.interface.shapes import (
    BOOL,
    CENTS,
    CLAUSES,
    HASH,
    INT,
    NUMBER,
    SECOND,
    SENTENCE,
    TEXT,
    Each,
    Keyed,
    Maybe,
)  # fmt: skip

GAMES: Final = ("three_card_poker", "three_card_baccarat", "midi_baccarat")

# ── commands: their arguments and options ──────────────────────────────────
COMMANDS: Final[dict[str, tuple[set[str], set[str]]]] = {
    "run": (set(), {"--config"}),
    "demo": (
        set(),
        {
            "--game",
            "--rounds",
            "--seed",
            "--speed",
            "--faults",
            "--port",
            "--data",
            "--broker",
            "--json",
        },
    ),
    "check": ({"file"}, {"--json"}),
    "settle": (set(), {"--json"}),
    "odds": (set(), {"--game", "--set", "--json"}),
    "replay": ({"journal"}, {"--json"}),
    "verify": ({"journal"}, {"--key", "--anchor", "--json"}),
    "trace": (set(), {"--game", "--json"}),
    "meters": ({"journal"}, {"--json"}),
    "diagram": (set(), {"--game", "--json"}),
    "listen": ({"device"}, {"--config", "--json"}),
    "doctor": (set(), {"--config", "--json"}),
}
LATER: Final = {"round", "simulate", "floor"}  # absent until their time, not stubs

# ── wagers, by game ────────────────────────────────────────────────────────
WAGERS: Final = {
    "three_card_poker": (
        "ante", "play", "pair_plus", "progressive", "six_card_bonus", "five_card_progressive",
    ),
    "three_card_baccarat": ("ante", "three_kings", "tie", "dragon"),
    "midi_baccarat": (
        "player", "banker", "tie", "dragon_bonus_player", "dragon_bonus_banker", "dragon_7",
        "panda_8", "fortune_7", "one_up", "treasure_fortune_7", "golden_8", "heavenly_9",
        "blazing_7s", "cover_all", "any_pair", "any_pair_player", "any_pair_banker", "lucky_nines",
        "lucky_6", "super_6", "jackpot", "royal_9",
    ),
}  # fmt: skip

# ── [rules]: key -> the values that it may have. None: it may be left out, and then is not set ──
ANY: Final = ...
DEALING: Final = ("automated_shoe", "manual_shoe", "hand")
RULES: Final[dict[str, dict[str, Any]]] = {
    "three_card_poker": {
        "jurisdiction": ("MD",),
        "dealing": DEALING,
        "seats": (1, 7),
        "ante_bonus": ("A", "B", "C", "version"),
        "pair_plus": tuple("ABCDE"),
        "pair_plus_condition": (
            "free", "ante_at_least_equal", "ante_at_least_half", "both_compulsory",
        ),
        "six_card_bonus": tuple("ABCDEF"),
        "progressive": tuple("ABC"),
        "five_card_progressive": tuple("ABC"),
        "adjacent_boxes": (1, 2, 7),
        "deck_change_lead_minutes": (3,),
        "idle_minutes": (5,),
    },
    "three_card_baccarat": {
        "jurisdiction": ("MD", "WA"),
        "dealing": DEALING,
        "seats": (1, 6),
        "commission": ("five_percent", "free"),
        "vigorish_rounding": ("up_to_quarter", "nearest_quarter", "none"),
        "three_kings": ("A", "B"),
        "tie": ("A", "B"),
        "dragon": (True, False),
        "dragon_three_face": ("ten", "ten_against_zero"),
        "house_rulings": (True, False),
        "deck_change_lead_minutes": (3,),
        "idle_minutes": (5,),
    },
    "midi_baccarat": {
        "jurisdiction": ("MD",),
        "seats": (1, 9),
        "decks": (6, 7, 8),
        "variant": ("standard", "ez", "fortune_7", "no_commission", "five_treasures"),
        "tie_pays": (8, 9),
        "vigorish_rounding": ("up_to_quarter", "nearest_quarter", "none"),
        "vigorish_collection": ("at_payout", "marked"),
        "dragon_bonus": tuple("ABC"),
        "blazing_7s": ("A", "B"),
        "any_pair": ("nominated_hand", "either_hand"),
        "lucky_nines": tuple("ABCD"),
        "lucky_6": (True, False),
        "super_6": (True, False),
        "jackpot": tuple("ABCDE"),
        "royal_9": tuple("ABC"),
        "royal_9_reading": ("printed_per_seat",),
        "must_hit": tuple("abc"),
        "disclosed_card": ("discard_with_next", "simulated_round"),
        "exposed_due_card": ("set_aside", "simulated_round"),
        "seat_order": ("from_dealers_right", "from_dealers_left"),
        "deck_change_lead_minutes": (3,),
        "idle_minutes": (5,),
    },
}  # fmt: skip
# What else a value needs beside it to be allowed.
BESIDE: Final[dict[tuple[str, str], dict[str, Any]]] = {
    ("three_card_baccarat", "house_rulings"): {"jurisdiction": "WA"},
    ("midi_baccarat", "blazing_7s"): {"variant": "five_treasures"},
    ("midi_baccarat", "royal_9"): {"royal_9_reading": "printed_per_seat"},
    ("midi_baccarat", "royal_9_reading"): {"royal_9": "A"},
    ("midi_baccarat", "must_hit"): {"royal_9": "A", "royal_9_reading": "printed_per_seat"},
}
NEEDED: Final[dict[str, dict[str, Any]]] = {
    "three_card_poker": {"ante_bonus": "A", "pair_plus": "A"},
    "three_card_baccarat": {},
    "midi_baccarat": {},
}
# What holds where the key is absent; None: the wager is not offered, or the house has not chosen.
DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "three_card_poker": {
        "jurisdiction": "MD", "dealing": "automated_shoe", "seats": 7,
        "pair_plus_condition": "free", "six_card_bonus": None, "progressive": None,
        "five_card_progressive": None, "deck_change_lead_minutes": 3, "idle_minutes": 5,
    },
    "three_card_baccarat": {
        "jurisdiction": "MD", "dealing": "automated_shoe", "seats": 6,
        "commission": "five_percent", "vigorish_rounding": "up_to_quarter", "three_kings": None,
        "tie": None, "dragon_three_face": "ten", "deck_change_lead_minutes": 3, "idle_minutes": 5,
    },
    "midi_baccarat": {
        "jurisdiction": "MD", "seats": 9, "decks": 8, "variant": "standard", "tie_pays": 8,
        "vigorish_rounding": "up_to_quarter", "vigorish_collection": "at_payout",
        "dragon_bonus": None, "blazing_7s": None, "any_pair": None, "lucky_nines": None,
        "jackpot": None, "royal_9": None, "royal_9_reading": None, "must_hit": None,
        "disclosed_card": "discard_with_next", "seat_order": "from_dealers_right",
        "deck_change_lead_minutes": 3, "idle_minutes": 5,
    },
}  # fmt: skip

# ── the configuration file: section -> key -> a value that is taken ────────
CONFIG_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "table": ("site", "id", "data", "tracking", "simulated", "training"),
    "meters.NAME": ("reset", "rate", "maximum"),
    "devices.ID": (
        "driver", "url", "read_only", "identity", "minimum_versions", "silence_ms", "ack_ms",
    ),
    "limits.WAGER": ("minimum", "maximum"),
    "mqtt": ("url", "username", "password_file", "ca_file"),
    "http": ("listen", "cert_file", "key_file"),
    "people.NAME": ("name", "roles", "pin_hash", "badge_hash"),
    "keys.NAME": ("public", "commands"),
    "archive": ("unconfirmed_limit",),
}  # fmt: skip
CONFIG_DEFAULTS: Final = {
    ("table", "tracking"): "wagers",
    ("table", "simulated"): False,
    ("table", "training"): False,
    ("http", "listen"): "127.0.0.1:8080",
    ("archive", "unconfirmed_limit"): 10_000,
}
# The example of the interface itself, word for word where it has words.
CONFIG_EXAMPLE: Final = """\
config_version = 1
[table]
site = "harbor"
id = "tcp-12"
data = "/var/lib/tablectl/tcp-12"
tracking = "cards"
simulated = false
training = false
[rules]
game = "midi_baccarat"
[devices.shoe]
driver = "angel_eye"
url = "socket://127.0.0.1:4001"
read_only = true
silence_ms = 5000
ack_ms = 500
[limits]
player = { minimum = 500, maximum = 10000 }
[mqtt]
url = "mqtt://127.0.0.1:1883"
username = "tcp-12"
password_file = "/etc/tablectl/mqtt-password"
[http]
listen = "127.0.0.1:8080"
[people.ana]
name = "Ana"
roles = ["floor"]
pin_hash = "$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAA$BBBBBBBBBBBBBBBBBBBBBB"
[keys.archive]
public = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"
commands = ["confirm", "replay"]
[archive]
unconfirmed_limit = 10000
"""

# ── actions: who may (dealer and floor where nothing else is said), with which arguments ──
_FLOOR: Final = ("floor",)
_STAFF: Final = ("dealer", "floor")
_COMMON: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "open_table": (_FLOOR, ""),
    "receive_decks": (_STAFF, "decks"),
    "inspect_cards": (_STAFF, "deck"),
    "verify_inspection": (_FLOOR, "deck"),
    "spread_cards": (_STAFF, "deck"),
    "player_inspected": (_STAFF, "deck viewed"),
    "wash_cards": (_STAFF, "deck"),
    "shuffle_done": (_STAFF, "deck"),
    "cut_cards": (_STAFF, "deck"),
    "recut": (_FLOOR, "deck reason"),
    "load_shoe": (_STAFF, "deck"),
    "open_bets": (_STAFF, ""),
    "place_wager": (_STAFF, "seat wager amount"),
    "remove_wager": (_STAFF, "seat wager"),
    "no_more_bets": (_STAFF, ""),
    "cancel_lock": (_FLOOR, "reason"),
    "amend_wager": (_FLOOR, "seat wager amount reason"),
    "enter_card": (_STAFF, "place card"),
    "reveal_dealer": (_STAFF, ""),
    "confirm_payment": (_STAFF, "seat"),
    "validate_progressive": (_FLOOR, "seat meter"),
    "clear_round": (_STAFF, ""),
    "report_face_up": (_STAFF, "cards place confirm"),
    "report_exposed": (_STAFF, "place confirm"),
    "report_drawn_in_error": (_STAFF, "confirm"),
    "report_jam": (_STAFF, "device confirm"),
    "void_round": (_FLOOR, "reason"),
    "acknowledge_void": (_FLOOR, ""),
    "remove_deck": (_STAFF, "deck"),
    "change_decks": (_STAFF, ""),
    "mark_out_of_order": (_STAFF, "device"),
    "confirm_out_of_order": (_FLOOR, "device"),
    "return_to_service": (("technician",), "device"),
    "close_table": (_FLOOR, ""),
    "acknowledge_alarm": (("floor", "surveillance"), "id"),
    "log_on": (_STAFF, ""),
    "log_off": (_STAFF, ""),
    "halt_table": (_STAFF, "reason"),
    "resume_table": (_FLOOR, ""),
    "suspend_table": (_STAFF, "reason"),
    "correct_card": (_FLOOR, "draw card"),
    "confirm_clock": (_FLOOR, ""),
    "opening_test": (_STAFF, ""),
}
_METERED: Final = {"correct_meter": (_FLOOR, "meter cents reason")}
_ONE_DECK: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "count_progressive": (_STAFF, "chips"),
    "resolve_count": (_FLOOR, "seat"),
    "count_stub": (_STAFF, "cards"),
    "judge_stub": (_STAFF, "misdealt confirm"),
    "declare_misdeal": (_STAFF, "confirm"),
    "clear_deck_latch": (_FLOOR, "deck"),
    "order_shuffle": (_FLOOR, "deck"),
    "spread_idle": (_STAFF, ""),
    "single_deck": (_FLOOR, ""),
    "move_card": (_FLOOR, "draw to"),
    "dispute": (_FLOOR, "seat reason"),
    "report_late_bet": (_STAFF, "seat wager"),
    "settle_void_seat": (_FLOOR, "seat recovered"),
}
ACTIONS: Final[dict[str, dict[str, tuple[tuple[str, ...], str]]]] = {
    "three_card_poker": {
        **_COMMON,
        **_METERED,
        **_ONE_DECK,
        "play": (_STAFF, "seat"),
        "fold": (_STAFF, "seat"),
        "attest_decision": (_FLOOR, "seat decision"),
        # The floor's choice, never inferred.
        "abandon": (_FLOOR, "seat"),
    },
    "three_card_baccarat": {
        **_COMMON,
        **_ONE_DECK,
        "abandon": (_FLOOR, "seat"),
        "forfeit": (_FLOOR, "seat reason"),
    },
    "midi_baccarat": {
        **_COMMON,
        **_METERED,
        "burn": (_STAFF, ""),
        "cover_card": (_STAFF, ""),
        "offer_cut": (_STAFF, "seat accepted"),
        "hand_cards": (_STAFF, "seat hand"),
        "relinquish": (_STAFF, "seat"),
        "collect_vigorish": (_STAFF, "seat"),
        "write_off_vigorish": (_FLOOR, "seat reason"),
        "begin_simulated_round": (_STAFF, ""),
    },
}
TWO_PEOPLE: Final = {"correct_meter": "technician", "correct_card": "surveillance"}

# ── events ─────────────────────────────────────────────────────────────────
AREAS: Final[dict[str, str]] = {
    "table": "opened closed halted resumed restarted suspended",
    "action": "done refused",
    "person": "logged_on logged_off",
    "duty": "opened done",
    "seat": "asked played folded abandoned",
    "deck": "received inspected spread washed shuffled cut recut loaded removed changed count_due "
    "latched latch_cleared",
    "round": "opened bets_locked dealing dealt deciding revealed settled voided cleared last_hand "
    "lock_cancelled disputed",
    "card": "dealt revealed moved corrected burned unreadable",
    "wager": "placed amended refused accepted collected settled returned forfeited",
    "stub": "counted",
    "progressive": "locked unlocked count_verified count_mismatch contributed hit validated paid "
    "reset corrected",
    "irregularity": "face_up_card drawn_in_error incorrect_number_of_cards dealer_card_exposed "
    "shuffler_jam shoe_jam unauthorised_third_card disclosed_card cards_run_out duplicate_card "
    "impossible_card card_before_lock wager_after_lock wrong_order result_mismatch sequence_gap "
    "stub_incorrect misdeal unreadable_card",
    "device": "online offline fault cleared out_of_order returned swapped refused",
    "vigorish": "marked collected written_off",
    "alarm": "raised acknowledged cleared",
    "config": "loaded",
    "clock": "skewed",
    "journal": "checkpoint segment unsealed",
}

_ROUND: Final = {"round": INT}
_WAGER: Final = {"round": INT, "seat": Maybe(INT), "wager": TEXT, "cents": Maybe(INT)}
_AWARD: Final = {"round": INT, "seat": INT, "meter": Maybe(TEXT), "cents": INT}
_RETURNED: Final = Each({"seat": Maybe(INT), "wager": TEXT, "cents": Maybe(INT)})
EVENT_DATA: Final[dict[str, Any]] = {
    "round.opened": {"round": INT, "kind": {"live", "simulated"}, "deck": TEXT},
    "round.bets_locked": _ROUND,
    "round.dealt": _ROUND,
    "round.cleared": _ROUND,
    "round.last_hand": _ROUND,
    "card.dealt": {
        "round": Maybe(INT), "deck": TEXT, "draw": INT, "place": TEXT, "commitment": Maybe(HASH),
    },
    "card.revealed": {
        "round": Maybe(INT), "draw": INT, "place": TEXT, "card": TEXT, "salt": Maybe(HASH),
    },
    "card.moved": {"round": Maybe(INT), "draw": INT, "from": TEXT, "to": TEXT},
    "card.burned": {"draw": INT, "place": TEXT},
    "round.voided": {"round": INT, "reason": TEXT, "returned": _RETURNED, "duties": Each(TEXT)},
    "stub.counted": {
        "round": Maybe(INT), "cards": Maybe(INT), "expected": INT,
        "result": {"correct", "misdealt", "incorrect"},
    },
    "action.done": {"action": TEXT, "actor": TEXT, "role": TEXT},
    "action.refused": {
        "action": TEXT, "actor": Maybe(TEXT), "role": Maybe(TEXT), "why": TEXT,
        "allowed": Each(TEXT), "count": INT,
    },
    "progressive.hit": _AWARD,
    "progressive.validated": _AWARD,
    "progressive.paid": _AWARD,
    "progressive.reset": _AWARD,
    "journal.checkpoint": {"sequence": INT, "hash": HASH, "key": HASH, "signature": TEXT},
}  # fmt: skip
AREA_DATA: Final[dict[str, Any]] = {
    "irregularity": {
        "round": Maybe(INT), "what": SENTENCE, "evidence": Each(INT), "ruling": TEXT,
    },
    "device": {"device": TEXT, "kind": TEXT, "what": TEXT},
    "wager": _WAGER,
}  # fmt: skip
LINE: Final = {
    "wager": TEXT, "stake": CENTS, "outcome": {"win", "lose", "push", "forfeit"},
    "returned": CENTS, "vigorish": CENTS, "odds": Maybe(TEXT), "clause": TEXT,
}  # fmt: skip
SETTLED_SEAT: Final = {"seat": INT, "returned": CENTS, "lines": Each(LINE)}
RESULT: Final = {"wager": TEXT, "outcome": TEXT, "odds": Maybe(TEXT), "clause": TEXT}
EVENT: Final = {
    "specversion": {"1.0"}, "id": TEXT, "source": TEXT, "type": TEXT, "time": SECOND,
    "subject": TEXT, "sequence": INT, "input": HASH, "prevhash": HASH, "hash": HASH,
    "data": {"clauses": CLAUSES, "inferred": BOOL},
}  # fmt: skip

# ── faults ─────────────────────────────────────────────────────────────────
TABLE_FAULTS: Final = (
    "jam", "misread", "duplicate_card", "missing_card", "wrong_count", "face_up", "overdraw",
    "late_bet", "misdeal", "exposed_dealer_card",
)  # fmt: skip
LINK_FAULTS: Final = (
    "silence", "reboot", "garbage", "split", "repeat", "loss", "disconnect", "swap",
)  # fmt: skip
BOX_FAULTS: Final = ("power_cut", "broker_down", "slow_disk")
FAULTS: Final = (*TABLE_FAULTS, *LINK_FAULTS, *BOX_FAULTS)

# ── what programs read ─────────────────────────────────────────────────────
CARD: Final = {"place": TEXT, "card": Maybe(TEXT), "commitment": Maybe(HASH)}
ALARM: Final = {
    "id": TEXT, "kind": TEXT, "severity": TEXT, "what": TEXT, "since": SECOND, "acknowledged": BOOL,
}  # fmt: skip
STATE: Final = {
    "sequence": INT, "time": SECOND, "phase": TEXT, "locked": BOOL, "halted": BOOL,
    "round": Maybe({"number": INT, "kind": {"live", "simulated"}, "deck": TEXT}),
    "seats": Each(
        {"seat": INT, "wagers": Keyed(Maybe(INT)), "decision": Maybe(TEXT), "cards": Each(CARD)}
    ),
    "prompts": Each({"text": TEXT, "awaits": TEXT, "role": TEXT, "clauses": CLAUSES}),
    "allowed": Each(TEXT),
    "duties": Each({"duty": TEXT, "round": Maybe(INT), "deck": Maybe(TEXT), "clauses": CLAUSES}),
    "decks": Each(
        {"id": TEXT, "back": TEXT, "custody": TEXT, "rounds_since_count": INT,
         "change_due": BOOL, "latched": BOOL}
    ),
    "devices": Keyed({"kind": TEXT, "health": TEXT}),
    "alarms": Each(ALARM),
    "meters": Keyed(INT),
    "unconfirmed": INT,
    "last_hand": BOOL,
}  # fmt: skip
CUSTODY: Final = {"rack", "shuffler", "shoe", "hand", "play", "discard", "removed"}
SETTLED: Final = {
    "id": ANY, "seats": Each(SETTLED_SEAT), "order": Each(INT), "meters": Keyed(CENTS),
}  # fmt: skip
ODDS: Final = Each(
    {
        "game": TEXT, "wager": TEXT, "paytable": TEXT, "decks": INT, "total": INT, "edge": NUMBER,
        "outcomes": Keyed({"count": INT, "pays": NUMBER}),
    }
)  # fmt: skip
CHECK: Final = {
    "valid": BOOL,
    "errors": Each({"file": TEXT, "key": TEXT, "expected": TEXT, "clause": Maybe(TEXT)}),
    "rules": Keyed({"value": ANY, "default": ANY, "clause": Maybe(TEXT)}),
    "wagers": Each({"wager": TEXT, "paytable": Maybe(TEXT), "edge": Maybe(NUMBER)}),
    "digest": Maybe(HASH),
}
VERIFIED: Final = {
    "ok": BOOL, "records": INT, "events": INT, "first": Maybe(INT), "last": Maybe(INT),
    "head": Maybe(HASH), "broken": Maybe({"sequence": Maybe(INT), "what": TEXT}),
}  # fmt: skip
HOMES: Final = (
    "guard", "ruling", "state", "check", "settlement", "action", "furniture", "definition",
)  # fmt: skip
LEVEL: Final = Maybe({"enforced", "prompted", "observed"})
TRACE: Final = Each(
    {
        "clause": TEXT, "home": {*HOMES}, "where": Maybe(TEXT), "tests": Each(TEXT),
        "reason": Maybe(TEXT), "levels": {"cards": LEVEL, "seats": LEVEL, "wagers": LEVEL},
    }
)  # fmt: skip

# ── MQTT: below tablectl/v1/{site}/{table}/; whether it is retained, what it holds ──
STATUS: Final = {"state": {"online", "offline"}, "epoch": INT, "since": SECOND}
METER: Final = {"cents": CENTS, "reset": CENTS, "rate": TEXT}
DEVICE: Final = {
    "kind": TEXT, "health": TEXT, "identity": Keyed(TEXT), "versions": Keyed(TEXT),
    "counters": Keyed(INT),
}  # fmt: skip
NETWORK_COMMANDS: Final = ("replay", "confirm", "acknowledge_alarm", "halt_table")

# ── HTTP ───────────────────────────────────────────────────────────────────
REFUSED: Final = {"refused": SENTENCE, "clauses": CLAUSES, "allowed": Each(TEXT)}
SESSION: Final = {"session": TEXT, "roles": Each(TEXT), "expires": SECOND}
ROUTES: Final = (
    ("GET", "/api/state"), ("GET", "/api/events"), ("POST", "/api/act"), ("POST", "/api/session"),
    ("DELETE", "/api/session"), ("GET", "/metrics"), ("GET", "/healthz"),
)  # fmt: skip
