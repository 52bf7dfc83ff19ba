"""The udev rules: every device that a driver knows by its ids is the group's, and names last.

udev itself has no way to judge a rule without a device, so the lines are held to its grammar here.
"""

import re
from pathlib import Path

from drivers.hid_button.codec import POLLED
from drivers.signal_light.codec import LIGHTS

TEXT = (Path(__file__).resolve().parents[2] / "systemd/70-tablectl.rules").read_text()
RULES = [line for line in TEXT.splitlines() if line and not line.startswith("#")]
OFFERED = [line[1:] for line in TEXT.splitlines() if re.match(r"#[A-Z]", line)]
TERM = re.compile(r'([A-Z]+)(?:\{(\w+)\})?(==|!=|\+=|=)"([^"]*)"')
MATCHES = {"SUBSYSTEM", "KERNEL", "ENV", "ATTR"}
SETS = {"GROUP", "MODE", "SYMLINK", "ENV"}


def terms(line):
    """A rule as (key, attribute, operator, value)."""
    found = TERM.findall(line)
    assert ", ".join(f'{k}{{{a}}}{o}"{v}"' if a else f'{k}{o}"{v}"' for k, a, o, v in found) == line
    return found


def test_every_line_is_a_rule():
    assert RULES
    for line in RULES + OFFERED:
        for key, _attribute, operator, _value in terms(line):
            assert key in (MATCHES if operator in ("==", "!=") else SETS), line


def test_every_device_that_a_driver_knows_is_the_groups():
    given = set()
    for line in RULES:
        told = {(key, attribute): value for key, attribute, _, value in terms(line)}
        if told[("SUBSYSTEM", "")] != "usb":
            continue
        assert told[("ENV", "DEVTYPE")] == "usb_device"
        assert (told[("GROUP", "")], told[("MODE", "")]) == ("tablectl", "0660")
        given.add((int(told[("ATTR", "idVendor")], 16), int(told[("ATTR", "idProduct")], 16)))
    assert given == set(LIGHTS) | POLLED


def test_nothing_is_open_to_everybody():
    for line in RULES + OFFERED:
        assert all(v == "0660" for k, _, _, v in terms(line) if k == "MODE")
        assert all(v == "tablectl" for k, _, _, v in terms(line) if k == "GROUP")


def test_names_rest_on_serial_numbers():
    links = [line for line in RULES if "SYMLINK" in line]
    assert {"numato", "ftdi"} == {re.findall(r"tablectl/(\w+)-", line)[0] for line in links}
    for line in links:
        assert 'ENV{ID_SERIAL_SHORT}=="?*"' in line
        assert "$env{ID_SERIAL_SHORT}" in line
