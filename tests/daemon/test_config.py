"""What a good configuration becomes: the core's setup, and the digest of it."""

import dataclasses
import hashlib
import json
import tomllib
from pathlib import Path

import pytest

from tablectl.daemon.config import digest, load, read, to_setup
from tablectl.daemon.source import dotted, shown
from tablectl.games.rules import ThreeCardPokerRules, parse_rules
from tablectl.table.inputs import Restart, Stamp
from tablectl.table.setup import DeviceSetup, Limit, MeterSetup, Setup
from tablectl.table.table import CORE_VERSION, Table
from tests.daemon.files import EXAMPLE, ROOT, edited


@pytest.fixture
def configured(tmp_path):
    def made(edits: dict[str, str | None] | None = None):
        file = tmp_path / "table.toml"
        file.write_text(edited(edits or {}))
        return load(file)

    return made


@pytest.mark.parametrize(
    "file", sorted((ROOT / "config").rglob("*.toml")), ids=lambda file: file.name
)
def test_every_shipped_configuration_is_valid_without_a_warning(file: Path):
    reading = read(file)
    assert reading.faults == ()
    assert reading.rules is not None
    assert reading.warnings == ()


def test_the_example_is_shipped():
    assert EXAMPLE.is_file()


def test_the_setup_of_the_example():
    rules = parse_rules(
        {
            "game": "three_card_poker",
            "ante_bonus": "A",
            "pair_plus": "A",
            "six_card_bonus": "A",
            "progressive": "A",
        }
    )
    assert isinstance(rules, ThreeCardPokerRules)
    assert to_setup(load(EXAMPLE)) == Setup(
        site="harbor",
        table="tcp-12",
        rules=rules,
        meters=(MeterSetup("main", 100_000, "0.2"),),
        devices=(
            DeviceSetup("bonus", "progressive"),
            DeviceSetup("button", "button"),
            DeviceSetup("shoe", "shoe"),
            DeviceSetup("shuffler", "shuffler"),
        ),
        limits=(
            Limit("ante", 500, 10_000),
            Limit("pair_plus", 500, 10_000),
            Limit("six_card_bonus", 100, 2_500),
        ),
    )


def test_a_table_starts_with_the_example():
    config = load(EXAMPLE)
    restart = Restart(
        Stamp(1_800_000_000_000_000_000, 1, "boot"),
        to_setup(config),
        digest(config),
        "0.1.0",
        CORE_VERSION,
    )
    assert Table().step(restart).events


def test_the_digest_is_the_hash_of_the_setup_as_sorted_json():
    config = load(EXAMPLE)
    body = json.dumps(
        dataclasses.asdict(to_setup(config)), sort_keys=True, separators=(",", ":")
    ).encode()
    assert digest(config) == hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize(
    "edits",
    [
        {"meters.main.rate": "0.2"},
        {"meters.main.rate": "2e-1"},
        {"rules.seats": "7"},
        {"rules.dealing": '"automated_shoe"'},
        {"table.data": '"/srv/elsewhere"'},
        {"people.ana.name": '"Ana Maria"'},
        {"people": None},
        {"mqtt": None},
        {"http.listen": '"127.0.0.1:9090"'},
        {"devices.shoe.url": '"/dev/ttyS1"'},
        {"devices.bonus.ack_ms": "500"},
        {"limits": "{six_card_bonus = {minimum = 100, maximum = 2500}, "
                   "pair_plus = {minimum = 500, maximum = 10000}, "
                   "ante = {minimum = 500, maximum = 10000}}"},
    ],
)  # fmt: skip
def test_what_the_core_does_not_see_leaves_the_digest_alone(configured, edits):
    assert digest(configured(edits)) == digest(configured())


@pytest.mark.parametrize(
    "edits",
    [
        {"meters.main.rate": "0.21"},
        {"meters.main.reset": "100001"},
        {"rules.seats": "6"},
        {"rules.pair_plus": '"B"'},
        {"table.site": '"hill"'},
        {"table.id": '"tcp-13"'},
        {"table.training": "true"},
        {"table.simulated": "true"},
        {"limits.ante": "{minimum = 1000, maximum = 10000}"},
        {"devices.bonus.ack_ms": "400"},
        {
            "devices.bell.kind": '"button"',
            "devices.bell.driver": '"tablelink"',
            "devices.bell.url": '"pty:/tmp/bell"',
        },
    ],
)
def test_what_the_core_sees_changes_the_digest(configured, edits):
    assert digest(configured(edits)) != digest(configured())


def test_the_lock_waits_for_the_slowest_wagering_device(configured):
    second = {
        "devices.bonus2.kind": '"progressive"',
        "devices.bonus2.driver": '"tablelink"',
        "devices.bonus2.url": '"pty:/tmp/bell"',
    }
    quick = {"devices.bonus.ack_ms": "100"}
    assert to_setup(configured(quick)).lock_ack_ms == 100
    assert to_setup(configured(quick | second)).lock_ack_ms == 500  # bonus2 says nothing: as usual
    assert (
        to_setup(configured(quick | second | {"devices.bonus2.ack_ms": "900"})).lock_ack_ms == 900
    )
    assert to_setup(configured({"devices.shoe.ack_ms": "9000"})).lock_ack_ms == 500


def test_absent_sections_have_their_defaults(configured):
    config = configured({"mqtt": None, "http": None, "archive": None, "keys": None, "people": None})
    assert config.mqtt is None
    assert config.http.listen == "127.0.0.1:8080"
    assert config.archive.unconfirmed_limit == 10_000
    assert config.people == {}
    assert config.table.tracking == "wagers"


def test_beyond_loopback_with_tls_is_allowed(configured):
    tls = {"http.cert_file": '"/etc/c"', "http.key_file": '"/etc/k"'}
    assert configured({"http.listen": '"10.0.0.5:8443"', **tls}).http.host == "10.0.0.5"
    assert configured({"http.listen": '"[::1]:8080"'}).http.host == "::1"
    assert configured({"http.listen": '"localhost:8080"'}).http.host == "localhost"


def test_a_progressive_may_be_limited_to_one_of_its_stakes(configured):
    config = configured({"limits.progressive": "{minimum = 100, maximum = 100}"})
    assert Limit("progressive", 100, 100) in to_setup(config).limits


def test_a_plain_table_needs_no_progressive_device_and_no_meter(configured):
    config = configured({"rules.progressive": None, "meters": None, "devices.bonus": None})
    assert to_setup(config).meters == ()


def test_the_keys_are_written_as_toml_would():
    assert dotted("people", "ana", "roles") == "people.ana.roles"
    assert dotted("people", "a.b") == 'people."a.b"'
    assert dotted("x\x1b") == '"x\\u001b"'
    assert len(dotted("x" * 1000)) < 80
    assert tomllib.loads(f"{dotted('a b')} = 1") == {"a b": 1}


@pytest.mark.parametrize(
    ("value", "expected"),
    [({}, "a table"), ([1], "a list"), ([], "an empty list"), (True, "true"), ("a\n", '"a\\n"')],
)
def test_a_wrong_value_is_shown_as_toml_and_on_one_line(value, expected):
    assert shown(value) == expected
    assert len(shown("x" * 1000)) <= 40
