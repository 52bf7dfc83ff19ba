"""Everything that a configuration is refused for: the key, what was expected, the clause."""

import os
import random

import pytest

from tablectl.daemon.config import ConfigError, load, read, to_setup
from tests.daemon.files import EXAMPLE, argon2, edited

SEED = int(os.environ.get("TABLECTL_SEED", "2026"))

Edits = dict[str, str | None]


@pytest.fixture
def judge(tmp_path):
    def judged(content: str | bytes):
        file = tmp_path / "table.toml"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return read(file)

    return judged


def test_the_good_file_is_good(judge):
    reading = judge(edited({}))
    assert reading.faults == ()
    assert reading.warnings == ()
    assert reading.config is not None


# Each one is a single mistake and must give a single error.
SHAPES: list[tuple[Edits, str, str]] = [
    ({"surprise": "1"}, "surprise", "no such key; a configuration has config_version"),
    ({'"a b"': "1"}, '"a b"', "no such key"),
    ({'"a\\nb"': "1"}, '"a\\nb"', "no such key"),
    ({"config_version": None}, "config_version", "1; the key is missing"),
    ({"config_version": "2"}, "config_version", "the format that this version reads, not 2"),
    ({"config_version": "true"}, "config_version", "not true"),
    ({"config_version": '"1"'}, "config_version", 'not "1"'),
    ({"config_version": "1.0"}, "config_version", "not 1.0"),
    # [table]
    ({"table": None}, "table", "[table] with site, id, data; it is missing"),
    ({"table": "5"}, "table", "a table with site"),
    ({"table.site": None}, "table.site", "the key is missing"),
    ({"table.site": '"har/bor"'}, "table.site", 'not "har/bor"'),
    ({"table.site": '"#"'}, "table.site", "a name of 1 to 32"),
    ({"table.id": "12"}, "table.id", "not 12"),
    ({"table.id": f'"{"x" * 33}"'}, "table.id", "a name of 1 to 32"),
    ({"table.id": '"tcp-12\\n"'}, "table.id", "a name of 1 to 32"),
    ({"table.data": '"data"'}, "table.data", "the absolute path"),
    ({"table.data": '"/a\\u0007"'}, "table.data", "the absolute path"),
    ({"table.tracking": '"everything"'}, "table.tracking", "one of cards, seats, wagers"),
    ({"table.simulated": "1"}, "table.simulated", "true or false, not 1"),
    ({"table.training": '"yes"'}, "table.training", "true or false"),
    ({"table.colour": '"green"'}, "table.colour", "no such key; [table] has site"),
    # [meters]
    ({"devices": "5"}, "devices", "tables [devices.NAME], not 5"),
    ({"meters": "[1]"}, "meters", "tables [meters.NAME], not a list"),
    ({"meters.main.maximum": "5"}, "meters.main.maximum", "no such key"),
    ({"meters.side.reset": "100000", "meters.side.rate": "0.2"}, "meters.side", "no such meter"),
    # [devices]
    ({"devices.shoe.kind": '"lamp"'}, "devices.shoe.kind", "one of shuffler, shoe"),
    ({"devices.bonus.kind": None}, "devices.bonus.kind", "the key is missing"),
    ({"devices.shoe.driver": None}, "devices.shoe.driver", "the key is missing"),
    ({"devices.shoe.driver": '"../evil"'}, "devices.shoe.driver", "a driver's name"),
    ({"devices.shoe.driver": '"tabelink"'}, "devices.shoe.driver", "an installed driver: "),
    ({"devices.shoe.options": "[]"}, "devices.shoe.options", "a table of at most 32"),
    ({"devices.shoe.options.x": "1"}, "devices.shoe.options.x", "no such option"),
    (
        {"devices.shoe.driver": '"angel_eye"', "devices.shoe.options.bcc": '"any"'},
        "devices.shoe.options.bcc",
        'what the BCC of a command covers, one of "example", "specification"',
    ),
    (
        {"devices.shoe.driver": '"angel_eye"', "devices.shoe.options.sequence": '"0120"'},
        "devices.shoe.options.sequence",
        "the characters that number its reports",
    ),
    (
        {"devices.shoe.driver": '"angel_eye"', "devices.shoe.identity.serial": '"1"'},
        "devices.shoe.identity",
        "nothing: this device never says who it is",
    ),
    (
        {"devices.shoe.driver": '"bee_tek"', "devices.shoe.read_only": "false"},
        "devices.shoe.read_only",
        "true: this driver has no commands",
    ),
    (
        {"devices.shuffler.driver": '"bee_tek"'},
        "devices.shuffler.driver",
        "a driver of a shuffler, not of shoe",
    ),
    ({"devices.shoe.url": None}, "devices.shoe.url", "the key is missing"),
    ({"devices.shoe.read_only": '"no"'}, "devices.shoe.read_only", "true or false"),
    ({"devices.shoe.identity": '"x"'}, "devices.shoe.identity", "a table of at most 16"),
    ({"devices.shoe.identity": "{serial = 5}"}, "devices.shoe.identity", "not 5"),
    ({"devices.shoe.minimum_versions": "{a = 4.0}"}, "devices.shoe.minimum_versions", "as texts"),
    ({"devices.shoe.silence_ms": "99"}, "devices.shoe.silence_ms", "from 100 to 600000, not 99"),
    ({"devices.shoe.silence_ms": "600001"}, "devices.shoe.silence_ms", "from 100 to 600000"),
    ({"devices.shoe.ack_ms": "49"}, "devices.shoe.ack_ms", "from 50 to 10000"),
    ({"devices.shoe.ack_ms": "10001"}, "devices.shoe.ack_ms", "from 50 to 10000"),
    ({"devices.shoe.ack_ms": "500.0"}, "devices.shoe.ack_ms", "not 500.0"),
    ({"devices.shoe.baud": "9600"}, "devices.shoe.baud", "no such key; an entry of devices has"),
    (
        {
            '"devices"."front lamp".kind': '"button"',
            '"devices"."front lamp".driver': '"tablelink"',
            '"devices"."front lamp".url': '"pty:/tmp/bell"',
        },
        'devices."front lamp"',
        "a name of 1 to 32",
    ),
    # [limits]
    ({"limits": "5"}, "limits", "tables [limits.NAME]"),
    ({"limits.ante": "500"}, "limits.ante", "a table with minimum, maximum, not 500"),
    ({"limits.ante": "{minimum = 500}"}, "limits.ante.maximum", "the key is missing"),
    ({"limits.ante": "{minimum = 0, maximum = 1}"}, "limits.ante.minimum", "cents from 1"),
    ({"limits.ante": "{minimum = 5.00, maximum = 9}"}, "limits.ante.minimum", "not 5.00"),
    ({"limits.ante": "{minimum = 2, maximum = 1}"}, "limits.ante.minimum", "at most the maximum"),
    ({"limits.dragon": "{minimum = 1, maximum = 2}"}, "limits.dragon", "that this table offers"),
    # [mqtt], [http]
    ({"mqtt": '"x"'}, "mqtt", "a table with url"),
    ({"mqtt": "{}"}, "mqtt.url", "the key is missing"),
    ({"mqtt.url": '"http://127.0.0.1:1883"'}, "mqtt.url", "mqtt://HOST:PORT or mqtts"),
    ({"mqtt.url": '"mqtt://127.0.0.1"'}, "mqtt.url", "mqtt://HOST:PORT or mqtts"),
    ({"mqtt.url": '"mqtt://127.0.0.1:99999"'}, "mqtt.url", "mqtt://HOST:PORT or mqtts"),
    ({"mqtt.url": '"mqtt://ana:pw@broker:1883"'}, "mqtt.url", "without credentials"),
    ({"mqtt.password": '"pw"'}, "mqtt.password", "no password in this file"),
    ({"mqtt.username": '""'}, "mqtt.username", "printable"),
    (
        {"mqtt.username": '"x"', "mqtt.password_file": '"pw"'},
        "mqtt.password_file",
        "the absolute path",
    ),
    ({"mqtt.password_file": '"/etc/pw"'}, "mqtt.username", "since there is a password_file"),
    ({"mqtt.ca_file": '"/etc/ca"'}, "mqtt.url", "mqtts://HOST:PORT, since"),
    ({"http.listen": '"8080"'}, "http.listen", "ADDRESS:PORT"),
    ({"http.listen": '"127.0.0.1:0"'}, "http.listen", "ADDRESS:PORT"),
    ({"http.listen": '"table.example:8080"'}, "http.listen", "ADDRESS:PORT"),
    ({"http.listen": '"127.0.0.1:8080/x"'}, "http.listen", "ADDRESS:PORT"),
    ({"http.listen": '"0.0.0.0:8080"'}, "http.listen", "beyond loopback only with TLS"),
    ({"http.listen": '"[::]:8080"'}, "http.listen", "beyond loopback only with TLS"),
    (
        {"http.listen": '"10.0.0.5:8443"', "http.cert_file": '"/etc/c"'},
        "http.listen",
        "beyond loopback only with TLS",
    ),
    ({"http.hosts": '"table-12"'}, "http.hosts", "a list of at most 16 host names"),
    ({"http.hosts": '["Table-12"]'}, "http.hosts", "in lower case"),
    ({"http.hosts": '["a b"]'}, "http.hosts", "a list of at most 16 host names"),
    ({"http.hosts": '["*"]'}, "http.hosts", "a list of at most 16 host names"),
    ({"http.hosts": '["a", "a"]'}, "http.hosts", "each value once"),
    (
        {
            "http.listen": '"0.0.0.0:8443"',
            "http.cert_file": '"/etc/c"',
            "http.key_file": '"/etc/k"',
        },
        "http.hosts",
        "since it listens on every address",
    ),
    ({"mqtt.away_seconds": "-1"}, "mqtt.away_seconds", "from 0 to 3600"),
    ({"devices.shoe.key_file": '"shoe.key"'}, "devices.shoe.key_file", "the absolute path"),
    ({"http.cert_file": '"/etc/c"'}, "http.key_file", "the other file of the pair"),
    ({"http.key_file": '"/etc/k"'}, "http.cert_file", "the other file of the pair"),
    # [people], [keys], [archive]
    ({"people.ana.name": '""'}, "people.ana.name", "1 to 80 printable"),
    ({"people.ana.name": '"\\u001b[31m"'}, "people.ana.name", "printable"),
    ({"people.ana.roles": "[]"}, "people.ana.roles", "not an empty list"),
    ({"people.ana.roles": '["boss"]'}, "people.ana.roles", 'not "boss"'),
    ({"people.ana.roles": '["floor", "floor"]'}, "people.ana.roles", "each value once"),
    ({"people.ana.roles": '"floor"'}, "people.ana.roles", "a list of dealer"),
    ({"people.ana.pin_hash": '"1234"'}, "people.ana.pin_hash", "never the PIN itself"),
    ({"people.ana.pin_hash": '"$argon2id$"'}, "people.ana.pin_hash", "an argon2 hash"),
    ({"people.ana.pin_hash": '"$2b$12$abc"'}, "people.ana.pin_hash", "an argon2 hash"),
    ({"people.ana.badge_hash": '"0042"'}, "people.ana.badge_hash", "never the badge's number"),
    ({"people.ana.pin_hash": None}, "people.ana", "pin_hash, badge_hash or both"),
    ({"people.ana.pin": '"1234"'}, "people.ana.pin", "no PIN in this file"),
    ({"people.ana.badge": '"42"'}, "people.ana.badge", "no badge number in this file"),
    (
        {"people.ana.badge_hash": argon2()},
        "people.ana.badge_hash",
        "a hash of its own, not people.ana.pin_hash's",
    ),
    ({"keys.archive.public": '"abc"'}, "keys.archive.public", "64 lower-case hex"),
    ({"keys.archive.commands": '["open_table"]'}, "keys.archive.commands", "a list of replay"),
    (
        {"keys.two.public": f'"{"0f" * 32}"', "keys.two.commands": '["replay"]'},
        "keys.two.public",
        "a key of its own",
    ),
    ({"archive.unconfirmed_limit": "0"}, "archive.unconfirmed_limit", "from 1 to"),
    ({"archive.unconfirmed_limit": '"all"'}, "archive.unconfirmed_limit", "from 1 to"),
    # bounds on anything
    ({"archive.unconfirmed_limit": "0x" + "f" * 9000}, "archive.unconfirmed_limit", "64 bits"),
    ({"rules" + ".a" * 3000: "1"}, "rules.a.a.a.a.a.a.a", "levels of nesting"),
]  # fmt: skip


@pytest.mark.parametrize(("edits", "key", "expected"), SHAPES)
def test_a_wrong_shape_is_refused(judge, edits, key, expected):
    reading = judge(edited(edits))
    assert reading.config is None
    assert [fault.key for fault in reading.faults] == [key]
    assert expected in reading.faults[0].expected
    assert "\n" not in reading.faults[0].expected


URLS = [
    "", "shoe", "ttyUSB0", "/tmp/tty", "/dev/", "http://127.0.0.1:1", "socket://127.0.0.1",
    "socket://:4001", "socket://127.0.0.1:0", "socket://127.0.0.1:70000", "socket://a b:1",
    "socket:127.0.0.1:1", "rfc2217://x:1?<>", "usb:1d34:000d", "usb://1d34", "pty:", "loop:",
    "usb://1d34:000d?path=x", "socket://ana:pw@127.0.0.1:4001", "pty:shoe",
    "socket://127.0.0.1:4001?logging=debug", "rfc2217://x:1?logging=debug", "rfc2217://x:1?",
]  # fmt: skip


@pytest.mark.parametrize("url", URLS)
def test_a_link_that_nobody_can_open_is_refused(judge, url):
    reading = judge(edited({"devices.shoe.url": f'"{url}"'}))
    assert [fault.key for fault in reading.faults] == ["devices.shoe.url"]


@pytest.mark.parametrize(
    "url",
    [
        "/dev/ttyS0", "socket://[::1]:4001", "socket://shoe.local:4001", "rfc2217://10.0.0.2:7000",
        "usb://1d34:000d", "usb://1D34:000D?serial=A1-7", "usb://1d34:000d?path=1-2.3",
        "pty:/run/shoe", "rfc2217://port-server:4001?ign_set_control",
    ],
)  # fmt: skip
def test_a_link_of_a_known_sort_is_accepted(judge, url):
    assert judge(edited({"devices.shoe.url": f'"{url}"'})).faults == ()


# What the rules demand: each with its clause.
RULES: list[tuple[Edits, str, str, str | None]] = [
    ({"rules.ante_bonus": '"Z"'}, "rules.ante_bonus", "paytable A", "TCP 12.B"),
    ({"rules.ante_bonus": None}, "rules.ante_bonus", "the key is missing", "TCP 12.B"),
    ({"rules.pair_plus": None}, "rules.pair_plus", "the key is missing", "TCP 12.D"),
    ({"rules.seats": "8"}, "rules.seats", "from 1 to 7", "TCP 2.A"),
    ({"rules.seats": "true"}, "rules.seats", "an integer", "TCP 2.A"),
    ({"rules.pair_plus_condition": '"any"'}, "rules.pair_plus_condition", "one of", "TCP 7.G"),
    ({"rules.surprise": "1"}, "rules.surprise", "no such key", None),
    ({'rules."a.b"': "1"}, 'rules."a.b"', "no such key", None),
    ({"meters.main.reset": "99999"}, "meters.main.reset", "at least 100000", "TCP 12.E(3)(b)"),
    ({"meters.main.reset": '"x"'}, "meters.main.reset", 'not "x"', "TCP 12.E(3)(b)"),
    ({"meters.main.reset": "true"}, "meters.main.reset", "not true", "TCP 12.E(3)(b)"),
    ({"meters.main.reset": None}, "meters.main.reset", "missing", "TCP 12.E(3)(b)"),
    ({"meters.main.reset": "2000000000000"}, "meters.main.reset", "cents from", None),
    ({"meters.main.rate": "0.13"}, "meters.main.rate", "at least 0.14", "TCP 12.E(3)(a)"),
    ({"meters.main.rate": "1.01"}, "meters.main.rate", "at most 1, not 1.01", "TCP 12.E(3)(a)"),
    ({"meters.main.rate": "0"}, "meters.main.rate", "at least 0.14", "TCP 12.E(3)(a)"),
    ({"meters.main.rate": '"0.20"'}, "meters.main.rate", 'not "0.20"', "TCP 12.E(3)(a)"),
    ({"meters.main.rate": "nan"}, "meters.main.rate", "not NaN", "TCP 12.E(3)(a)"),
    ({"meters.main.rate": "1e999999999"}, "meters.main.rate", "a share of", "TCP 12.E(3)(a)"),
    ({"meters.main.rate": "1e99999999999999999999"}, "meters.main.rate", "a sh", "TCP 12.E(3)(a)"),
    ({"meters.main.rate": "0.2000001"}, "meters.main.rate", "6 decimal", None),
    ({"meters.main.rate": None}, "meters.main.rate", "missing", "TCP 12.E(3)(a)"),
    ({"meters": None}, "meters.main", "a meter with reset and rate", "TCP 12.E(1)(a)"),
    ({"meters.main": "5"}, "meters.main", "a table with reset, rate", "TCP 12.E(1)(a)"),
    ({"devices.shoe": None}, "devices", "exactly one device of kind shoe", "TCP 10.A"),
    ({"devices.button.kind": '"shoe"', "devices.button.driver": '"tablelink"',
       "devices.button.url": '"pty:/b"'}, "devices", "from an automated shoe, not 2", "TCP 10.A"),
    ({"devices.shuffler": None}, "devices", "exactly one device of kind shuffler", "TCP 5.A"),
    ({"devices.bonus": None}, "devices", "kind progressive that accepts", "TCP 2.C"),
    ({"limits.play": "{minimum = 1, maximum = 2}"}, "limits.play", "equals the ante", "TCP 11.B"),
    ({"limits.progressive": "{minimum = 101, maximum = 499}"}, "limits.progressive", "$1 or $5",
     "TCP 12.E(5)"),
    ({"rules.five_card_progressive": '"A"'}, "meters.main5",
     "paytable A of five_card_progressive", "TCP 12.G(1)"),
    ({"rules.game": '"snap"'}, "rules.game", "three_card_poker", None),
    ({"rules": None}, "rules", "it is missing", None),
    ({"rules": "7"}, "rules", "not 7", None),
]  # fmt: skip


@pytest.mark.parametrize(("edits", "key", "expected", "clause"), RULES)
def test_what_the_rules_or_this_version_refuse(judge, edits, key, expected, clause):
    reading = judge(edited(edits))
    assert reading.config is None
    assert [fault.key for fault in reading.faults] == [key]
    assert expected in reading.faults[0].expected
    assert reading.faults[0].clause == clause


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"config_version = 1\nname = \"\xff\"\n", "UTF-8 text: line 2"),
        (b"\xff\xfec\x00", "UTF-8 text: line 1"),
        (b"config_version == 1\n", "TOML: "),
        (b"a = 1\na = 2\n", "TOML: "),
        (b"a = " + b"[" * 20_000, "levels of nesting"),
        (b"a = " + b"9" * 20_000, "short numbers"),
        (b"#" * (256 * 1024 + 1), "at most 256 KiB"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_toml_is_refused_as_a_whole(judge, content, expected):
    reading = judge(content)
    assert [fault.key for fault in reading.faults] == [""]
    assert expected in reading.faults[0].expected
    assert "\n" not in reading.faults[0].expected


def test_a_byte_order_mark_does_no_harm(judge):
    assert judge("\ufeff" + edited({})).faults == ()


def test_an_empty_file_misses_everything_that_is_needed(judge):
    keys = [fault.key for fault in judge("").faults]
    assert keys == ["config_version", "table", "rules"]  # which devices, the rules would say


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    assert "none of this name" in read(tmp_path / "no.toml").faults[0].expected
    assert "folder" in read(tmp_path).faults[0].expected


def test_too_many_entries_are_refused(judge):
    many: Edits = {
        f"people.p{i}.{key}": literal
        for i in range(501)
        for key, literal in (("name", '"P"'), ("roles", '["dealer"]'))
    }
    assert [fault.key for fault in judge(edited(many)).faults] == ["people"]


def test_every_mistake_is_told_at_once(judge):
    reading = judge(
        edited(
            {
                "surprise": "1",
                "table.id": "12",
                "table.tracking": '"everything"',
                "rules.seats": "9",
                "rules.dealing": '"thrown"',
                "meters.main.rate": "0.01",
                "devices.shuffler.url": '"x"',
                "limits.ante": "{minimum = 9, maximum = 8}",
                "http.listen": '"0.0.0.0:1"',
                "people.ana.pin_hash": '"1234"',
            }
        )
    )
    assert [fault.key for fault in reading.faults] == [
        "surprise", "table.id", "table.tracking", "rules.dealing", "rules.seats",
        "meters.main.rate", "devices.shuffler.url", "limits.ante.minimum", "http.listen",
        "people.ana.pin_hash",
    ]  # fmt: skip


def test_where_the_wagers_are_unclear_nothing_is_said_about_their_meters(judge):
    reading = judge(edited({"rules.progressive": '"Z"', "meters.main.rate": "0.01"}))
    assert [fault.key for fault in reading.faults] == ["rules.progressive"]


SECRETS: list[Edits] = [
    {"people.ana.pin_hash": '"hunter2"'},
    {"people.ana.badge_hash": '"hunter2"'},
    {"people.ana.pin": '"hunter2"'},
    {"mqtt.password": '"hunter2"'},
    {"mqtt.password_file": '"hunter2"'},
    {"mqtt.url": '"mqtt://x:hunter2@h:1"'},
    {"devices.shoe.url": '"socket://x:hunter2@h:1"'},
    {"keys.archive.public": '"hunter2"'},
    {"devices.shoe.key_file": '"hunter2"'},
    {"mqtt.surprise": '"hunter2"'},
]


@pytest.mark.parametrize("edits", SECRETS)
def test_no_message_repeats_a_secret(judge, edits):
    reading = judge(edited(edits))
    assert reading.faults
    assert "hunter2" not in repr(reading.faults)


def test_no_spoilt_file_is_more_than_refused(judge):
    """The example with random bytes and lines spoilt: a verdict each time, never an exception."""
    rng = random.Random(SEED)
    good = EXAMPLE.read_bytes()
    literals = (b"true", b"-1", b"1e400", b"nan", b'""', b"[]", b"{}", b"1979-05-27", b"'\x07'")
    for number in range(400):
        lines = good.splitlines(keepends=True)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(lines))
            match rng.randrange(4):
                case 0:
                    lines[place] = b""
                case 1:
                    lines[place] += lines[rng.randrange(len(lines))]
                case 2:
                    key, mark, _ = lines[place].partition(b"=")
                    lines[place] = key + mark + rng.choice(literals) + b"\n"
                case 3:
                    spoilt = bytearray(lines[place] or b" ")
                    spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
                    lines[place] = bytes(spoilt)
        reading = judge(b"".join(lines))
        assert (reading.config is None) == bool(reading.faults), f"seed {SEED}, file {number}"
        assert all("\n" not in str(fault) for fault in reading.faults)


def test_load_raises_with_every_fault(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(edited({"table.id": "1", "rules.seats": "0"}))
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert [fault.key for fault in caught.value.faults] == ["table.id", "rules.seats"]
    assert f"{file}: rules.seats: expected an integer from 1 to 7, not 0 (TCP 2.A)" in str(
        caught.value
    )


WARNINGS: list[tuple[Edits, str, str]] = [
    ({"people": None}, "people", "every action but listening is refused"),
    ({"people.ana.roles": '["dealer"]'}, "people", "nobody can open the table"),
    ({"limits": None}, "limits", "no limits for ante, pair_plus, six_card_bonus"),
    ({"devices.bonus.read_only": "true"}, "devices.bonus.read_only", "cannot lock it"),
    ({"rules.progressive": None, "meters": None}, "devices.bonus", "no progressive wager"),
    ({"mqtt.url": '"mqtt://broker:1883"'}, "mqtt.url", "not encrypted"),
    ({"table.simulated": "true"}, "table.simulated", "no table for real wagers"),
    ({"table.training": "true"}, "table.training", "no table for real wagers"),
]


@pytest.mark.parametrize(("edits", "key", "what"), WARNINGS)
def test_what_may_not_be_meant_is_allowed_with_a_warning(judge, edits, key, what):
    reading = judge(edited(edits))
    assert reading.config is not None, reading.faults
    assert [warned.key for warned in reading.warnings] == [key]
    assert what in reading.warnings[0].what


# ── a three-card table that only listens ──
LISTENING: list[tuple[Edits, str | None, str]] = [
    ({}, None, ""),
    ({"meters": None}, None, ""),  # nobody knows who wagers: no meter is needed
    ({"people": None, "devices.shuffler": None}, None, ""),
    ({"devices.shoe": None}, "devices", "that reads the cards, not 0"),
    ({"devices.second.kind": '"shuffler"', "devices.second.driver": '"tablelink"',
      "devices.second.url": '"socket://127.0.0.1:4009"'}, "devices", "at most one device of"),
    ({"rules.dealing": '"hand"', "devices.shuffler": None}, "devices", "exactly one device"),
    ({"rules.dealing": '"manual_shoe"', "devices.shuffler": None}, None, ""),
    ({"rules.dealing": '"manual_shoe"', "devices.shoe.driver": '"bee_tek"'}, None, ""),
    ({"rules.dealing": '"manual_shoe"', "devices.shoe.driver": '"bee_tek"',
      "devices.shuffler": None}, "devices", "bee_tek does not tell where a round ends"),
    ({"rules.dealing": '"manual_shoe"', "devices.shoe.driver": '"angel_eye"'},
     "devices.shoe.driver", "angel_eye is for midi_baccarat"),
    ({"devices.bonus": None}, "devices", "kind progressive that accepts the progressive wager"),
    ({"meters.main.reset": "5"}, "meters.main.reset", "at least 100000"),
]  # fmt: skip


@pytest.mark.parametrize(("edits", "key", "expected"), LISTENING)
def test_what_a_table_that_only_listens_needs(judge, edits, key, expected):
    reading = judge(edited({"table.tracking": '"cards"', **edits}))
    assert [fault.key for fault in reading.faults] == ([key] if key else [])
    if key:
        assert expected in reading.faults[0].expected
    else:
        told = {warned.key for warned in reading.warnings}
        assert not told & {"people", "limits"}
        assert ("meters.main" in told) is ("meters" not in edits)


@pytest.mark.parametrize("tracking", ["cards", "seats", "wagers"])
def test_a_progressive_without_an_accepting_device_is_refused_at_every_level(judge, tracking):
    edits: Edits = {"table.tracking": f'"{tracking}"', "devices.bonus": None}
    [fault] = judge(edited(edits)).faults
    assert (fault.key, fault.clause) == ("devices", "TCP 2.C")


def test_no_meter_is_kept_where_nobody_knows_who_wagers(judge):
    reading = judge(edited({"table.tracking": '"cards"'}))
    assert reading.config is not None
    assert to_setup(reading.config).meters == ()
