"""The bytes of the USB families: golden vectors, each as the page of its family shows it, and fuzz.

Buttons, scanners and lights have no checksum: what a codec can hold is lengths, states and bounds.
"""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.barcode_reader import codec as barcode
from drivers.hid_button import codec as button
from drivers.signal_light import codec as light
from drivers.signal_light.signs import LOOKS, Colour
from tablectl.hal import hid_keyboard
from tablectl.hal.kinds import SIGNS
from tablectl.hal.usb_packets import DATA_MAXIMUM, Packet, Packets, Setup, set_report

DOCS = Path(__file__).resolve().parents[2] / "docs/integrators"


def shown(packet):
    """A transfer as the pages write it."""
    data = packet.data
    if packet.endpoint == 0:
        return f"{data[:8].hex(' ').upper()} │ {data[8:].hex(' ').upper()}".rstrip(" │")
    return f"OUT {packet.endpoint} │ {data.hex(' ').upper()}"


VECTORS = {
    "hid-button.md": [
        (button.ask(0), "21 09 00 02 00 00 08 00 │ 00 00 00 00 00 00 00 02"),
        (hid_keyboard.set_up(0)[0], "21 0B 00 00 00 00 00 00"),
        (hid_keyboard.set_up(0)[1], "21 0A 00 00 00 00 00 00"),
    ],
    "barcode-reader.md": [
        (hid_keyboard.set_up(1)[0], "21 0B 00 00 01 00 00 00"),
    ],
    "signal-light.md": [
        (light.delcom(Colour.GREEN, 0), "21 09 65 03 00 00 08 00 │ 65 0C 01 FF 00 00 00 00"),
        (light.delcom(Colour.RED, 0), "21 09 65 03 00 00 08 00 │ 65 0C 02 FF 00 00 00 00"),
        (light.delcom(Colour.YELLOW, 0), "21 09 65 03 00 00 08 00 │ 65 0C 04 FF 00 00 00 00"),
        (light.delcom(Colour.DARK, 0), "21 09 65 03 00 00 08 00 │ 65 0C 00 FF 00 00 00 00"),
        (light.patlite(Colour.RED, 0), "OUT 1 │ 00 00 0F 00 10 00 00 00"),
        (light.patlite(Colour.YELLOW, 0), "OUT 1 │ 00 00 0F 00 01 00 00 00"),
        (light.patlite(Colour.GREEN, 0), "OUT 1 │ 00 00 0F 00 00 10 00 00"),
        (light.patlite(Colour.DARK, 0), "OUT 1 │ 00 00 0F 00 00 00 00 00"),
        (light.luxafor(Colour.YELLOW, 0), "OUT 1 │ 01 FF FF A0 00"),
        (light.blink1(Colour.RED, 0), "21 09 01 03 00 00 08 00 │ 01 63 FF 00 00 00 00 00"),
    ],
}


@pytest.mark.parametrize("page", VECTORS)
def test_the_bytes_are_those_of_the_page(page):
    text = (DOCS / page).read_text()
    for packet, golden in VECTORS[page]:
        assert shown(packet) == golden
        assert f"`{golden}`" in text


def test_every_vector_of_the_pages_is_tested():
    told = {golden for vectors in VECTORS.values() for _, golden in vectors}
    for page in VECTORS:
        text = (DOCS / page).read_text()
        found = re.findall(r"`((?:21 [0-9A-F ]{20,}|OUT 1)(?: │ [0-9A-F ]+)?)`", text)
        assert found
        assert set(found) <= told, page


# ── transfers as bytes ─────────────────────────────────────────────────────
packets = st.builds(Packet, st.integers(0, 255), st.binary(max_size=80))


@given(st.lists(packets, max_size=8), st.integers(1, 17))
def test_packets_survive_any_cut(sent, size):
    stream = b"".join(packet.to_bytes() for packet in sent)
    cutter, got = Packets(), []
    for at in range(0, len(stream), size):
        got += cutter.feed(stream[at : at + size])
    assert got == sent


def test_a_length_that_cannot_be_raises():
    Packets().feed(Packet(1, bytes(DATA_MAXIMUM)).to_bytes())
    with pytest.raises(ValueError, match="a USB packet of"):
        Packets().feed(Packet(1, bytes(DATA_MAXIMUM + 1)).to_bytes())


@given(st.integers(0, 0xFFFF), st.binary(max_size=64), st.integers(0, 9))
def test_a_setup_says_what_was_meant(value, data, interface):
    packet = set_report(value, data, interface)
    assert Setup.from_bytes(packet.data) == Setup(0x21, 9, value, interface, len(data))
    assert packet.data[8:] == data
    assert not Setup.from_bytes(packet.data).reads


# ── buttons ────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("report", "down"),
    [
        ("15 00 00 00 00 00 00 00", False),
        ("16 00 00 00 00 00 00 00", True),
        ("17 00 00 00 00 00 00 00", False),
        ("18 00 00 00 00 00 00 00", None),
        ("16", None),
        ("16 00 00 00 00 00 00 00 00", None),
        ("", None),
    ],
)
def test_the_status_of_the_polled_button(report, down):
    assert button.pressed(bytes.fromhex(report)) is down


@given(st.binary(max_size=20))
def test_any_bytes_are_a_status_or_none(report):
    assert button.pressed(report) in (True, False, None)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 200)), max_size=60))
def test_presses_are_never_closer_than_the_quiet_time(moves):
    debounce, now = button.Debounce(50), 1000
    presses: list[int] = []
    ups: list[int] = []
    was = False
    for down, later in moves:
        now += later
        if debounce.heard(down, now):
            assert down
            assert not was
            assert not ups or now - ups[-1] >= 50
            presses.append(now)
        if was and not down:
            ups.append(now)
        was = down
    if any(down for down, _ in moves):
        assert presses  # the first contact is always told


# ── keyboards ──────────────────────────────────────────────────────────────
@given(st.lists(st.binary(max_size=10), max_size=40))
def test_any_reports_give_keys_that_they_hold(reports):
    keyboard = hid_keyboard.Keyboard()
    for report in reports:
        before = keyboard.down
        keys = keyboard.feed(report)
        assert (keys is None) == (len(report) != 8)
        for key in keys or []:
            assert key.usage in report[2:]
            assert key.usage not in before
            assert key.usage in keyboard.down
        assert len(keyboard.down) <= 6


def test_too_many_keys_change_nothing():
    keyboard = hid_keyboard.Keyboard()
    keyboard.feed(bytes.fromhex("00 00 04 00 00 00 00 00"))
    assert keyboard.feed(bytes.fromhex("00 00 01 01 01 01 01 01")) == []
    assert keyboard.down == {4}
    assert keyboard.feed(bytes.fromhex("00 00 04 05 00 00 00 00")) == [hid_keyboard.Key(5)]


# ── scanners ───────────────────────────────────────────────────────────────
UP = bytes(8)


def typed(code):
    """The reports of a scanner; the layout is the other way round than the codec's."""
    keys = {sign: (usage, shift) for usage, pair in barcode.SIGNS.items() if usage < 0x54
            for shift, sign in reversed(list(enumerate(pair)))}  # fmt: skip
    for sign in code:
        usage, shift = keys[sign]
        yield bytes((0x02 * shift, 0, usage, 0, 0, 0, 0, 0))
        yield UP
    yield bytes.fromhex("00 00 28 00 00 00 00 00")
    yield UP


GOLDEN_SCAN = """
02 00 04 00 00 00 00 00
00 00 00 00 00 00 00 00
00 00 2D 00 00 00 00 00
00 00 00 00 00 00 00 00
00 00 26 00 00 00 00 00
00 00 00 00 00 00 00 00
00 00 28 00 00 00 00 00
00 00 00 00 00 00 00 00
"""


def test_the_scan_of_the_page():
    assert GOLDEN_SCAN.strip() in (DOCS / "barcode-reader.md").read_text()
    scans, codes = barcode.Scans(), []
    for line in GOLDEN_SCAN.split("\n"):
        if line:
            codes += scans.feed(bytes.fromhex(line), 0)
    assert codes == ["A-9"]
    assert (scans.good, scans.bad) == (8, 0)


signs = st.sampled_from(sorted({sign for pair in barcode.SIGNS.values() for sign in pair}))


@given(st.lists(st.text(signs, min_size=1, max_size=barcode.LONGEST), max_size=5))
def test_what_was_typed_is_read(codes):
    scans, got = barcode.Scans(), []
    for code in codes:
        for report in typed(code):
            got += scans.feed(report, 0)
    assert got == codes
    assert scans.bad == 0


def test_a_code_that_is_too_long_is_dropped_whole():
    scans = barcode.Scans()
    got = [code for report in typed("7" * 65) for code in scans.feed(report, 0)]
    assert got == []
    assert scans.bad == 1
    assert [code for report in typed("7") for code in scans.feed(report, 0)] == ["7"]


def test_a_code_with_a_key_that_no_code_has_is_dropped_whole():
    scans = barcode.Scans()
    scans.feed(bytes.fromhex("00 00 1E 00 00 00 00 00"), 0)
    scans.feed(bytes.fromhex("00 00 3A 00 00 00 00 00"), 0)  # F1
    assert scans.feed(bytes.fromhex("00 00 28 00 00 00 00 00"), 0) == []
    assert scans.bad == 1


@given(st.lists(st.tuples(st.binary(max_size=9), st.integers(0, 300)), max_size=200))
def test_any_reports_stay_bounded(reports):
    scans, now = barcode.Scans(), 0
    for report, later_ms in reports:
        now += later_ms * 1_000_000
        for code in scans.feed(report, now):
            assert 0 < len(code) <= barcode.LONGEST
        stall = scans.stall_ns
        assert stall is None or stall <= now + barcode.STALL_NS
    scans.stalled(now + barcode.STALL_NS)
    assert scans.stall_ns is None


# ── lights ─────────────────────────────────────────────────────────────────
def test_every_sign_has_a_look_and_no_two_the_same():
    assert set(LOOKS) == set(SIGNS)
    assert len(set(LOOKS.values())) == len(SIGNS)


def test_no_sign_rests_on_its_colour():
    lit = [look for look in LOOKS.values() if look.colour is not Colour.DARK]
    assert len({look.rhythm_ms for look in lit}) == len(lit)


def test_no_rhythm_is_faster_than_three_a_second():
    """Flashes beyond three a second can harm (WCAG 2.3.1)."""
    for sign, look in LOOKS.items():
        flashes = len(look.rhythm_ms) // 2
        assert flashes * 1000 <= 3 * sum(look.rhythm_ms), sign
        assert all(step >= 150 for step in look.rhythm_ms)


@pytest.mark.parametrize("colour", Colour)
def test_every_light_knows_every_colour_in_eight_bytes(colour):
    for lamp in light.LIGHTS.values():
        packet = lamp(colour, 3)
        data = packet.data if packet.endpoint else packet.data[8:]
        assert 5 <= len(data) <= 8
        if packet.endpoint == 0:
            assert Setup.from_bytes(packet.data).index == 3
