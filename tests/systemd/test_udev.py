"""The udev rules: every device that a driver knows by its ids is the group's, and names last.

An old udev has no way to judge a rule without a device, so the lines are held to its grammar here,
and applied to adapters as udev would apply them.
"""

import re
import shutil
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from drivers.hid_button.codec import POLLED
from drivers.signal_light.codec import LIGHTS

FILE = Path(__file__).resolve().parents[2] / "systemd/70-tablectl.rules"
TEXT = FILE.read_text()
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


# ── names ──────────────────────────────────────────────────────────────────
PLUG = "pci-0000:00:14.0-usb-0:2.1:1.0"


def adapter(vendor, serial=None, *, number="00", path=PLUG, kernel="ttyUSB0"):
    """What udev knows of a serial adapter when these rules are read (60-serial.rules is before)."""
    known = {
        "SUBSYSTEM": "tty", "KERNEL": kernel, "ID_BUS": "usb", "ID_PATH": path,
        "ID_VENDOR_ID": vendor, "ID_USB_INTERFACE_NUM": number,
    }  # fmt: skip
    return known | ({"ID_SERIAL_SHORT": serial} if serial is not None else {})


def applied(known, rules=RULES):
    """What the rules set for a device: its links, its group and mode (udev(7), the part used)."""
    links, given = [], {}
    for line in rules:
        told = terms(line)
        wanted = [(k, a, o, v) for k, a, o, v in told if o in ("==", "!=")]
        if not all(_matches(known, *each) for each in wanted):
            continue
        for key, attribute, operator, value in told:
            if operator == "+=":
                links.append(re.sub(r"\$env\{(\w+)\}", lambda m: known.get(m[1], ""), value))
            elif operator == "=":
                given[attribute or key] = value
    return links, given


def _matches(known, key, attribute, operator, value):
    has = known.get(attribute if key == "ENV" else key, "")
    found = any(fnmatchcase(has, each) for each in value.split("|"))
    return found if operator == "==" else not found


@pytest.mark.parametrize(
    ("known", "names"),
    [
        (adapter("2a19", "NLUSB7"), ["numato-NLUSB7"]),
        (adapter("0403", "A50285BI"), ["ftdi-A50285BI"]),
        (adapter("0403", "FT4232", number="02"), ["ftdi-FT4232-02"]),
        (adapter("10c4", "0187AB"), ["cp210x-0187AB"]),
        (adapter("10c4", "0187AB", number="01"), ["cp210x-0187AB-01"]),
        (adapter("10c4", "0001"), []),
        (adapter("1a86"), []),
        (adapter("067b", ""), []),
    ],
)
def test_an_adapter_gets_its_names(known, names):
    links, given = applied(known)
    assert links == [f"tablectl/at-{PLUG}", *(f"tablectl/{name}" for name in names)]
    assert (given["GROUP"], given["MODE"], given["ID_MM_DEVICE_IGNORE"]) == (
        "tablectl",
        "0660",
        "1",
    )


def test_no_two_adapters_get_one_name():
    told = [
        applied(adapter(vendor, serial, number=number, path=f"plug-{at}"))[0]
        for at, (vendor, serial, number) in enumerate(
            (vendor, serial, number)
            for vendor in ("2a19", "0403", "10c4", "1a86")
            for serial in ("A1", "A2", None)
            for number in (("00",) if vendor == "2a19" else ("00", "01"))
        )
    ]
    every = [name for names in told for name in names]
    assert len(set(every)) == len(every)


def test_a_port_of_the_board_and_somebody_elses_are_left_alone():
    assert applied({"SUBSYSTEM": "tty", "KERNEL": "ttyS0"}) == ([], {})
    assert applied({"SUBSYSTEM": "tty", "KERNEL": "tty1"}) == ([], {})
    assert applied({"SUBSYSTEM": "input", "KERNEL": "event3", "ID_BUS": "usb"}) == ([], {})


def test_a_technician_names_a_port_by_what_it_is_for():
    mine = [line for line in OFFERED if "SYMLINK" in line]
    shoe, _ = applied(adapter("0403", "A50285BI", path="other"), mine)
    shuffler, _ = applied(adapter("1a86"), mine)
    assert (shoe, shuffler) == (["tablectl/shoe"], ["tablectl/shuffler"])


def test_udev_itself_finds_nothing_wrong():
    """`udevadm verify` judges rules since systemd 254; an older one is held to the tests above."""
    udevadm = shutil.which("udevadm") or "/usr/bin/udevadm"
    version = subprocess.run([udevadm, "--version"], capture_output=True, text=True, check=True)
    if int(version.stdout.split()[0]) < 254:
        return
    judged = subprocess.run(
        [udevadm, "verify", "--resolve-names=never", str(FILE)], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert judged.returncode == 0, judged.stdout + judged.stderr
