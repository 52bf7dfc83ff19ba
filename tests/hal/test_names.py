"""Drivers by name, devices by identity, commands by kind: every refusal says what to do."""

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from itertools import pairwise
from typing import ClassVar, cast

import pytest

from tablectl.hal import errors, registry
from tablectl.hal.errors import BrokenDriver, CommandRefused, UnknownDriver
from tablectl.hal.identity import PINS, refusal, version_key
from tablectl.hal.kinds import (
    DECK,
    KINDS,
    REFUSED_FOR,
    Command,
    Counters,
    DevicePlan,
    Identity,
    Line,
    Reading,
    Token,
    check_command,
    check_reading,
)
from tablectl.hal.options import one_of, whole
from tablectl.hal.usb_plug import last_plug, plug_of

CARD = DECK[0]
PLAN = DevicePlan("shoe", "shoe", "tablelink", "/dev/x")


# ── registry ───────────────────────────────────────────────────────────────
def test_tablelink_is_found_by_name():
    driver = registry.make(PLAN, Counters(), os.urandom)
    assert "shoe" in driver.kinds
    assert driver.line.baud == 115_200


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownDriver, match=r"no driver 'tabelink'; installed are: .*tablelink"):
        registry.load("tabelink")


def test_nothing_is_loaded_before_it_is_asked_for():
    code = (
        "import sys; from tablectl.hal import registry; registry.known();"
        "assert not [n for n in sys.modules if n.startswith('drivers')];"
        "registry.load('tablelink'); assert 'drivers.tablelink.driver' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


@pytest.mark.parametrize("value", ["no.such.module:X", "json:dumps", "json:nothing"])
def test_a_driver_that_is_none_is_refused(monkeypatch, value):
    point = EntryPoint("odd", value, registry.GROUP)
    monkeypatch.setattr(registry, "known", lambda: {"odd": point})
    with pytest.raises(BrokenDriver, match="odd"):
        registry.load("odd")


def test_a_driver_for_another_kind_is_refused():
    plan = DevicePlan("lamp", "button", "signal_light", "usb://0fc5:b080")
    with pytest.raises(BrokenDriver, match="the kind of lamp is button"):
        registry.make(plan, Counters(), os.urandom)


class Odd:
    kinds = frozenset({"shoe"})
    speaks = "when_allowed"
    options: ClassVar = {
        "baud": whole("the line's speed", 300, 9600, 4800),
        "sum": one_of("its check", "example", "printed"),
    }
    line = Line()

    def __init__(self, plan, *_rest):
        self.plan = plan


@pytest.fixture
def odd(monkeypatch):
    point = EntryPoint("odd", f"{__name__}:Odd", registry.GROUP)
    monkeypatch.setattr(registry, "known", lambda: {"odd": point})
    monkeypatch.setattr(EntryPoint, "load", lambda _: Odd)


def test_a_driver_finds_every_option_that_it_has(odd):
    plan = DevicePlan("shoe", "shoe", "odd", "/dev/x", options={"baud": 9600})
    made = registry.make(plan, Counters(), os.urandom)
    assert cast("Odd", made).plan.options == {"baud": 9600, "sum": "example"}
    assert registry.family("odd").speaks == "when_allowed"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"speed": 1}, "'speed' of shoe: expected no such option; the driver has baud, sum"),
        ({"baud": 299}, "expected the line's speed, an integer from 300 to 9600"),
        ({"baud": True}, "an integer from 300"),
        ({"sum": "other"}, 'expected its check, one of "example", "printed"'),
        ({"sum": ["example"]}, "one of"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(odd, options, why):
    plan = DevicePlan("shoe", "shoe", "odd", "/dev/x", options=options)
    with pytest.raises(BrokenDriver, match=why):
        registry.make(plan, Counters(), os.urandom)


def test_tablelink_has_no_options():
    plan = DevicePlan("shoe", "shoe", "tablelink", "/dev/x", options={"baud": 1})
    with pytest.raises(BrokenDriver, match="no such option; the driver has none"):
        registry.make(plan, Counters(), os.urandom)


# ── identity ───────────────────────────────────────────────────────────────
def who(**changes):
    told = {"kind": "shoe", "serial": "SH-1", "versions": {"CardRec": "4.0.018"}, **changes}
    return Identity(**told)


def test_versions_in_the_order_that_people_read():
    ordered = ["3.9", "4.0.2", "4.0.018", "4.1b", "4.1", "4.1.1", "4.10"]
    assert all(version_key(low) < version_key(high) for low, high in pairwise(ordered))
    assert version_key("4.0.018") == version_key("4.0.18") == version_key("4-0-18")
    assert version_key("4") == version_key("4.0.0")
    assert version_key("") < version_key("0.1")


def pinned(**plan):
    return DevicePlan("shoe", "shoe", "tablelink", "/dev/x", **plan)


@pytest.mark.parametrize(
    ("plan", "changes"),
    [
        (pinned(), {}),
        (pinned(identity={"serial": "SH-1"}), {}),
        (pinned(identity={"path": "1-2.3"}), {"path": "1-2.3"}),
        (pinned(identity={"game_mode": "TCB"}), {"game_mode": "TCB"}),
        (pinned(versions={"CardRec": "4.0.18"}), {}),
        (pinned(minimum_versions={"CardRec": "4.0.18"}), {}),
    ],
)
def test_who_may_serve(plan, changes):
    assert refusal(plan, who(**changes)) is None


@pytest.mark.parametrize(
    ("plan", "changes", "reason", "why"),
    [
        (pinned(), {"kind": "shuffler"}, "kind", "a shuffler answers at its port"),
        (
            pinned(identity={"serial": "SH-2"}), {}, "serial",
            "should have serial SH-2, but SH-1 answers: connect the right device",
        ),
        (pinned(identity={"model": "Q"}), {}, "model", "should have model Q, but none answers"),
        (
            pinned(identity={"path": "1-2"}), {"path": "1-3"}, "path",
            "should be in the USB plug 1-2, but 1-3 answers: put it back there",
        ),
        (
            pinned(identity={"game_mode": "TCB"}), {"game_mode": "TCP"}, "game_mode",
            "should be set to the game TCB, but TCP answers: set it",
        ),
        (pinned(identity={"game_mode": "TCB"}), {}, "game_mode", "but none answers"),
        (pinned(versions={"CardRec": "4.0.17"}), {}, "version", "it has CardRec 4.0.018, and 4.0"),
        (pinned(versions={"Boot": "1"}), {}, "version", "it tells no version of Boot, and 1 is p"),
        (
            pinned(minimum_versions={"CardRec": "4.0.19"}), {}, "version",
            "it has CardRec 4.0.018, and at",
        ),
        (pinned(minimum_versions={"Boot": "1"}), {}, "version", "tells no version of Boot"),
    ],
)  # fmt: skip
def test_who_may_not_serve(plan, changes, reason, why):
    told = refusal(plan, who(**changes))
    assert told is not None
    assert told.refused == reason
    assert reason in REFUSED_FOR
    assert why in told.what
    assert len(told.what) < 200  # what the table keeps of a sentence


def test_what_a_device_says_of_its_plug_does_not_count():
    """Every word of an identity is the device's own, the plug apart: the link knows that."""
    assert set(PINS) - {"path"} < set(Identity.__dataclass_fields__)
    assert refusal(pinned(identity={"path": "1-2"}), who()) is not None


@pytest.mark.parametrize(
    ("place", "plug"),
    [
        ("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1.4/1-1.4:1.0/ttyUSB0", "1-1.4"),
        ("/sys/devices/platform/soc/usb3/3-2/3-2:1.1", "3-2"),
        ("/sys/devices/platform/serial8250/tty/ttyS0", ""),
        ("", ""),
    ],
)
def test_the_plug_is_the_last_on_the_way(place, plug):
    assert last_plug(place) == plug


def test_a_port_knows_its_plug_from_the_kernel(tmp_path):
    master, slave = os.openpty()
    try:
        assert plug_of(slave) == ""
        known = os.fstat(slave).st_rdev
        behind = tmp_path / "devices/usb1/1-2/1-2.3/1-2.3:1.0/ttyUSB0"
        behind.mkdir(parents=True)
        number = tmp_path / "dev/char" / f"{os.major(known)}:{os.minor(known)}"
        number.mkdir(parents=True)
        (number / "device").symlink_to(behind)
        assert plug_of(slave, tmp_path) == "1-2.3"
    finally:
        os.close(master)
        os.close(slave)
    assert plug_of(slave) == "", "a port that is closed has none"


# ── kinds and errors ───────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("kind", "name", "restrictive", "args"),
    [
        ("shoe", "hold", True, {}),
        ("shoe", "dispense", False, {"stacks": 3}),
        ("progressive", "lock", True, {}),
        ("shoe", "release", False, {}),
        ("progressive", "unlock", False, {}),
        ("progressive", "lamp", False, {"seat": 3, "wager": "progressive", "on": True}),
        ("indicator", "show", False, {"sign": "halted"}),
    ],
)
def test_what_each_kind_takes(kind, name, restrictive, args):
    check_command(kind, Command("it", name, restrictive, "b", 1, args))
    with pytest.raises(CommandRefused):  # a permissive lock, a restrictive dispense
        check_command(kind, Command("it", name, not restrictive, "b", 1, args))
    with pytest.raises(CommandRefused):
        check_command(kind, Command("it", name, restrictive, "b", 1, {**args, "more": 1}))
    for other in KINDS.keys() - {kind}:
        with pytest.raises(CommandRefused):
            check_command(other, Command("it", name, restrictive, "b", 1, args))


def test_a_sign_that_no_light_has_is_refused():
    with pytest.raises(CommandRefused, match="knows no sign 'disco'"):
        check_command("indicator", Command("it", "show", False, "b", 1, {"sign": "disco"}))


@pytest.mark.parametrize(
    ("kind", "reading", "wrong"),
    [
        ("shoe", Reading("card", {"place": "player/3"}, (CARD,)), None),
        ("shoe", Reading("card", {"place": "burn/10", "mode": "burn"}, (None,)), None),
        ("shoe", Reading("card", {"mode": "outside"}, (CARD,)), None),
        ("shoe", Reading("card", {"place": "first"}, ()), "does not carry 0 cards"),
        ("shoe", Reading("card", {"place": "first"}, (CARD, CARD)), "does not carry 2 cards"),
        ("shoe", Reading("card", {"place": "player/4"}, (CARD,)), "no place 'player/4'"),
        ("shoe", Reading("card", {"place": "seat/1/4"}, (CARD,)), "no place 'seat/1/4'"),
        ("shoe", Reading("card", {"mode": "burned"}, (CARD,)), "no mode 'burned'"),
        ("shoe", Reading("stack", {}, (CARD, None, CARD)), None),
        ("shoe", Reading("cover_card", {}, (CARD,)), "does not carry 1 cards"),
        ("shoe", Reading("result", {"winner": "forced"}), None),
        ("shoe", Reading("result", {"winner": "house"}), "no winner 'house'"),
        ("shoe", Reading("gap", {"what": "a report is missing"}), None),
        ("shoe", Reading("badge", {"token": "1"}), "does not say 'badge'"),
        ("shuffler", Reading("shuffle_done", {"count": 52, "distinct": 51}), None),
        ("progressive", Reading("late", {"seat": 2, "wager": "progressive"}), None),
        ("progressive", Reading("accepted", {"chips": 2}), "has no chips"),
        ("shoe", Reading("card", {"place": "seat/7/3"}, (CARD,)), None),
        ("shoe", Reading("card", {"place": "dealer/3"}, (CARD,)), None),
        ("shoe", Reading("card", {"place": "community/2"}, (CARD,)), None),
        ("shoe", Reading("card", {"place": "dealer/4"}, (CARD,)), "no place 'dealer/4'"),
        ("button", Reading("offline", {"what": "x", "refused": "serial"}), None),
        ("button", Reading("offline", {"what": "x", "refused": "ugly"}), "no refused 'ugly'"),
        ("badge_reader", Reading("badge", {"token": Token("1")}), None),
        ("badge_reader", Reading("badge", {"token": "4711"}), "no token that is sealed"),
    ],
)
def test_what_each_kind_may_say(kind, reading, wrong):
    told = check_reading(kind, reading)
    assert (told is None) if wrong is None else wrong in (told or "")


def test_a_token_is_shown_nowhere_and_is_no_json():
    token = Token("4711-0815")
    reading = Reading("badge", {"token": token})
    for shown in (str(token), repr(token), f"{token}", repr(reading), f"{reading.args}"):
        assert "4711" not in shown
    with pytest.raises(TypeError):
        json.dumps(reading.args)
    assert token == Token("4711-0815") != Token("4711")


def test_a_reading_of_a_token_in_clear_does_not_repeat_it():
    wrong = check_reading("badge_reader", Reading("badge", {"token": "4711"}))
    assert "4711" not in (wrong or "4711")


def test_the_tree_in_the_docstring_is_the_tree():
    assert errors.__doc__ is not None
    classes = {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert all(name in errors.__doc__ for name in classes)
    assert all(issubclass(value, errors.HalError) for value in classes.values())
    assert issubclass(errors.LinkTimeout, TimeoutError)
