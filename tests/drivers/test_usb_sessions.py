"""The sessions of USB devices in virtual time, against the simulated ones: no link, no thread."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hwsim.usb.buttons import BigRedButton, KeyButton
from hwsim.usb.device import Stall
from hwsim.usb.lights import Blink1, Delcom, Luxafor, Patlite
from hwsim.usb.scanner import Scanner
from tablectl.hal import registry
from tablectl.hal.errors import BrokenDriver, CommandRefused
from tablectl.hal.kinds import Command, Counters, DevicePlan, Ended, Identity
from tests.drivers.usb_wire import Wire

CODES = {"0417": "AC", "A-9": "TD", "CUT": "cover_card"}


def polled(**plan):
    return Wire(BigRedButton("B-1"), "button", "hid_button", **plan)


def typing(usage=0x28, **plan):
    return Wire(KeyButton("K-1"), "button", "hid_button", options={"usage": usage}, **plan)


def scanner(**options):
    return Wire(Scanner("S-1"), "shoe", "barcode_reader", options={"codes": CODES, **options})


def light(model=Delcom):
    return Wire(model("L-1"), "indicator", "signal_light")


EVERY: list[Any] = [polled, typing, scanner, light]


# ── who it is ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize("make", EVERY)
def test_it_says_who_it_is_and_comes_online(make):
    wire = make()
    who = wire.heard[0]
    assert isinstance(who, Identity)
    assert who.serial == wire.device.serial
    assert who.model == wire.device.product
    assert who.versions == {"Device": "1.00"}
    # What passed a scanner while nobody listened is not known.
    assert wire.names == ["online", *["gap"] * (make is scanner)]


def test_a_device_without_texts_is_named_by_its_ids():
    class Nameless(BigRedButton):
        @property
        def device_descriptor(self):
            return super().device_descriptor[:14] + b"\0\0\0\1"

    wire = Wire(Nameless(), "button", "hid_button")
    assert wire.heard[0].model == "1d34:000d"
    assert wire.heard[0].serial == ""
    assert wire.names == ["online"]


def test_a_text_that_it_names_and_does_not_have_stops_nothing():
    class Forgetful(BigRedButton):
        def string_descriptor(self, index):
            if index:
                raise Stall
            return super().string_descriptor(index)

    wire = Wire(Forgetful("B-1"), "button", "hid_button")
    assert wire.names == ["online"]
    assert wire.counters.frames_bad == 2


def test_a_device_that_the_driver_does_not_know_is_refused():
    wire = Wire(BigRedButton(), "indicator", "signal_light")
    assert wire.heard == [
        Ended(
            "1d34:000d is not known to the driver signal_light: choose another one",
            refused="protocol",
        )
    ]


def test_a_device_that_does_not_answer_ends_the_greeting():
    device = BigRedButton()
    device.silent = True
    wire = Wire(device, "button", "hid_button")
    assert isinstance(wire.last, Ended)
    assert "does not tell what it is" in wire.last.what


@pytest.mark.parametrize("driver", ["hid_button", "barcode_reader", "signal_light"])
def test_a_url_that_is_no_usb_address_is_refused(driver):
    kind = {"hid_button": "button", "barcode_reader": "shoe", "signal_light": "indicator"}[driver]
    plan = DevicePlan("it", kind, driver, "/dev/ttyUSB0")
    with pytest.raises(BrokenDriver, match="needs a url usb://VID:PID"):
        registry.make(plan, Counters(), random.randbytes)


# ── signs of life ──────────────────────────────────────────────────────────
@pytest.mark.parametrize("make", EVERY)
def test_silence_ends_it_within_its_limit(make):
    wire = make()
    wire.pass_ms(5000)
    assert wire.names[0] == "online"
    wire.device.silent = True
    wire.pass_ms(1400)  # it may just have been heard
    assert not isinstance(wire.last, Ended)
    wire.pass_ms(600)
    assert wire.last == Ended("it was silent for 2000 ms")
    wire.pass_ms(5000)
    assert wire.session.wake_ns is None


@pytest.mark.parametrize("make", EVERY)
def test_a_quiet_device_is_not_asked_more_than_it_must(make):
    wire = make()
    before = len(wire.sent)
    wire.pass_ms(60_000)
    asked = len(wire.sent) - before
    expected = 1500 if make is polled else 120  # every 40 ms, or four times a silence
    assert asked in (expected, expected + 1)


# ── the polled button ──────────────────────────────────────────────────────
def test_a_press_is_told_within_a_polling_period():
    wire = polled()
    rng = random.Random(5)
    for count in range(1, 30):
        wire.pass_ms(rng.randrange(60, 300))
        wire.device.press()
        wire.pass_ms(40)
        assert wire.names.count("pressed") == count
        wire.pass_ms(rng.randrange(0, 500))
        wire.device.release()
    assert wire.names == ["online"] + ["pressed"] * 29


def test_a_button_that_comes_up_pressed_counts():
    device = BigRedButton()
    device.press()
    wire = Wire(device, "button", "hid_button")
    assert wire.names == ["online", "pressed"]


def test_the_lid_is_no_press():
    wire = polled()
    for open_ in (False, True, False):
        wire.device.lid_open = open_
        wire.pass_ms(100)
    assert wire.names == ["online"]


# ── the button that types ──────────────────────────────────────────────────
def test_contacts_that_bounce_are_one_press():
    wire = typing()
    for _ in range(6):
        wire.device.press()
        wire.settle()
        wire.pass_ms(3)
        wire.device.release()
        wire.settle()
        wire.pass_ms(3)
    assert wire.names == ["online", "pressed"]
    wire.pass_ms(60)
    wire.device.press()
    wire.settle()
    assert wire.names == ["online", "pressed", "pressed"]


def test_only_its_own_key_is_a_press():
    wire = typing(usage=0x29)
    wire.device.press()
    wire.settle()
    assert wire.names == ["online"]
    assert wire.counters.frames_unknown == 1
    wire.device.keys(0x04, 0x29)
    wire.settle()
    assert wire.names == ["online", "pressed"]


def test_without_a_usage_any_key_is_a_press():
    wire = typing(usage=0)
    wire.device.keys(0x5B)
    wire.settle()
    assert wire.names == ["online", "pressed"]


# ── the scanner ────────────────────────────────────────────────────────────
def cards(wire):
    return [reading.cards[0] for reading in wire.readings if reading.name == "card"]


def test_codes_are_cards():
    wire = scanner()
    for code in ("0417", "A-9", "nothing"):
        wire.device.scan(code)
        wire.settle()
    assert cards(wire) == ["AC", "TD", None]
    assert wire.counters.frames_unknown == 1


def test_a_card_that_lies_under_the_scanner_is_one_card():
    wire = scanner()
    for _ in range(20):
        wire.device.scan("0417")
        wire.settle()
        wire.pass_ms(300)
    assert cards(wire) == ["AC"]
    assert wire.counters.frames_repeated == 19
    wire.pass_ms(800)
    wire.device.scan("0417")  # another one of eight decks
    wire.settle()
    assert cards(wire) == ["AC", "AC"]


def test_a_code_that_breaks_off_is_a_gap_and_not_half_a_code():
    wire = scanner()
    wire.device.keys(0x21)
    wire.device.keys()
    wire.settle()
    wire.pass_ms(600)
    assert wire.names == ["online", "gap", "gap"]
    assert wire.counters.frames_bad == 1
    wire.device.scan("0417")
    wire.settle()
    assert cards(wire) == ["AC"]


def test_a_damaged_report_within_a_code_spoils_the_code():
    wire = scanner()
    wire.device.keys(0x27)
    wire.device.keys()
    wire.device.tell(b"\0\0\x21")
    wire.device.scan("17")
    wire.settle()
    assert cards(wire) == []
    assert set(wire.names) == {"online", "gap"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (None, "No such file"),
        ("0417 = ", "is no TOML"),
        ("", "it has 0 codes"),
        ('0417 = "XX"', "the code '0417' has no card"),
        ("0417 = 7", "the code '0417' has no card"),
        (f'"{"7" * 65}" = "AC"', "is no code of 1 to 64 signs"),
    ],
)
def test_a_table_of_codes_that_cannot_be_used_says_why(tmp_path, text, what):
    path = tmp_path / "codes.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BrokenDriver, match=what) as failed:
        scanner(codes=str(path))
    assert "codes of it" in str(failed.value)
    assert "XX" not in str(failed.value)


def test_a_table_of_codes_from_a_file(tmp_path):
    path = tmp_path / "codes.toml"
    path.write_text('0417 = "7H"\nCUT = "cover_card"\n')
    wire = scanner(codes=str(path))
    wire.device.scan("0417")
    wire.device.scan("CUT")
    wire.settle()
    assert cards(wire) == ["7H"]
    assert wire.names == ["online", "gap", "card", "cover_card"]


@pytest.mark.parametrize("codes", [7, {}, {"1": "ZZ"}, "relative.toml", {"": "AC"}])
def test_an_option_that_does_not_fit_is_refused(codes):
    with pytest.raises(BrokenDriver, match="option 'codes' of it: expected a table of CODE"):
        scanner(codes=codes)


def test_without_codes_it_says_what_to_set():
    plan = DevicePlan("shoe", "shoe", "barcode_reader", "usb://05e0:1200")
    with pytest.raises(BrokenDriver, match=r"shoe has no table of codes: set options\.codes"):
        registry.make(plan, Counters(), random.randbytes)


def test_a_card_shows_in_no_representation():
    wire = scanner()
    wire.device.scan("0417")
    wire.settle()
    assert cards(wire) == ["AC"]
    assert "AC" not in repr(wire.heard)


# ── the lights ─────────────────────────────────────────────────────────────
@pytest.mark.parametrize("model", [Delcom, Patlite, Luxafor, Blink1])
def test_a_rhythm_is_kept(model):
    wire = light(model)
    assert wire.device.lit == set()
    wire.show("halted")
    seen = []
    for _ in range(300):
        seen.append("red" in wire.device.lit)
        wire.pass_ms(10)
    first = "".join("#" if on else "." for on in seen[:150])
    assert first == "#" * 20 + "." * 20 + "#" * 20 + "." * 90
    assert seen[:150] == seen[150:]


def test_a_steady_sign_is_sent_once():
    wire = light()
    wire.show("open")
    sent = len(wire.device.seen)
    wire.pass_ms(60_000)
    assert len(wire.device.seen) == sent
    assert wire.device.lit == {"green"}


def test_a_light_that_refuses_is_a_fault_until_it_obeys():
    wire = light()
    wire.device.refusing = True
    wire.show("open")
    wire.show("halted")
    wire.pass_ms(3000)
    assert wire.names == ["online", "fault"]
    wire.device.refusing = False
    wire.pass_ms(3000)
    assert wire.names == ["online", "fault", "cleared"]


def test_a_light_that_refuses_from_the_start_is_never_online():
    device = Delcom()
    device.refusing = True
    wire = Wire(device, "indicator", "signal_light")
    assert wire.names == []
    assert isinstance(wire.last, Ended)


def test_a_sign_that_a_silent_light_missed_is_sent_again():
    wire = light(Patlite)
    wire.device.silent = True
    wire.n += 1
    command = Command("it", "show", False, "b", wire.n, {"sign": "open"})
    wire.session.send(command, wire.now_ns)
    packets = wire.out.feed(wire.session.bytes_to_send())
    assert len(packets) == 1
    assert wire.session.unanswered() == (command,)
    wire.collect(wire.session.receive(b"\x01\x01\x00\x02", wire.now_ns))  # OUT 1: SILENT
    wire.device.silent = False
    wire.settle()
    assert wire.device.lit == {"green"}
    assert wire.names == ["online", "fault", "cleared"]
    assert wire.session.unanswered() == ()


def test_a_button_takes_no_order():
    wire = polled()
    with pytest.raises(CommandRefused):
        wire.session.send(Command("it", "show", False, "b", 1, {"sign": "off"}), wire.now_ns)


# ── fuzz ───────────────────────────────────────────────────────────────────
noise = st.lists(
    st.tuples(st.sampled_from([0x00, 0x01, 0x81, 0x82]), st.binary(max_size=12)), max_size=30
)


@pytest.mark.parametrize("make", EVERY)
@settings(max_examples=60)
@given(noise=noise)
def test_no_session_raises_whatever_comes(make, noise):
    wire = make()
    for endpoint, data in noise:
        stream = bytes((endpoint, len(data), 0)) + data
        cut = len(stream) // 2
        wire.collect(wire.session.receive(stream[:cut], wire.now_ns))
        wire.collect(wire.session.receive(stream[cut:], wire.now_ns))
        wire.session.bytes_to_send()
        wire.now_ns += 7_000_000
        wire.collect(wire.session.tick(wire.now_ns))
    assert wire.heard
