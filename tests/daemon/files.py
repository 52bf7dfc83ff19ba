"""Configuration files for tests: a small good one, and edits to it, key by key."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "config/three-card-poker.toml"


def argon2(salt: str = "A") -> str:
    return f'"$argon2id$v=19$m=65536,t=3,p=4${salt * 22}${"b" * 43}"'


# Dotted keys and TOML literals: an edit replaces a literal, adds a key, or takes one away (None).
GOOD: dict[str, str] = {
    "config_version": "1",
    "table.site": '"harbor"',
    "table.id": '"tcp-12"',
    "table.data": '"/var/lib/tablectl/tcp-12"',
    "rules.game": '"three_card_poker"',
    "rules.ante_bonus": '"A"',
    "rules.pair_plus": '"A"',
    "rules.six_card_bonus": '"A"',
    "rules.progressive": '"A"',
    "meters.main.reset": "100000",
    "meters.main.rate": "0.20",
    "devices.shuffler.kind": '"shuffler"',
    "devices.shuffler.driver": '"tablelink"',
    "devices.shuffler.url": '"socket://127.0.0.1:4001"',
    "devices.shoe.kind": '"shoe"',
    "devices.shoe.driver": '"tablelink"',
    "devices.shoe.url": '"/dev/serial/by-id/usb-shoe:1.0-port0"',
    "devices.bonus.kind": '"progressive"',
    "devices.bonus.driver": '"tablelink"',
    "devices.bonus.url": '"rfc2217://127.0.0.1:4003?ign_set_control"',
    "limits.ante": "{minimum = 500, maximum = 10000}",
    "limits.pair_plus": "{minimum = 500, maximum = 10000}",
    "limits.six_card_bonus": "{minimum = 100, maximum = 2500}",
    "mqtt.url": '"mqtt://127.0.0.1:1883"',
    "http.listen": '"127.0.0.1:8080"',
    "people.ana.name": '"Ana"',
    "people.ana.roles": '["floor"]',
    "people.ana.pin_hash": argon2(),
    "keys.archive.public": f'"{"0f" * 32}"',
    "keys.archive.commands": '["confirm", "replay"]',
    "archive.unconfirmed_limit": "10000",
}


def edited(edits: dict[str, str | None]) -> str:
    """The good file with edits. An edit of None takes the key away, and what is under it."""
    lines: dict[str, str] = {}
    for key, literal in GOOD.items():
        hidden = any(key == edit or key.startswith(f"{edit}.") for edit in edits)
        if not hidden:
            lines[key] = literal
    lines |= {key: literal for key, literal in edits.items() if literal is not None}
    return "".join(f"{key} = {literal}\n" for key, literal in lines.items())
