"""A USB port: found by what is plugged in, taken from the kernel and given back, lost once.

pyusb is the real one; the bus behind it is hwsim's. tests/system does the same with libusb.
"""

import asyncio
import random
import threading
import time
from collections import Counter
from itertools import pairwise

import pytest

from hwsim.usb.backend import Bus
from hwsim.usb.buttons import BigRedButton, KeyButton
from hwsim.usb.lights import Delcom, Patlite
from hwsim.usb.scanner import Scanner
from tablectl.hal.errors import LinkNotOpened
from tablectl.hal.kinds import DevicePlan, Line, Reading
from tablectl.hal.link import open_link
from tablectl.hal.supervisor import Supervisor
from tablectl.hal.usb_address import Address
from tablectl.hal.usb_link import WAITING_MAXIMUM, open_usb
from tablectl.hal.usb_packets import DONE, SILENT, STALLED, Packet, Packets, Setup
from tests.hal.test_link import Heard

STATUS = Setup(0x80, 0, 0, 0, 2).packet()
KEYS = "usb://16c0:27db"


def threads():
    return [each.name for each in threading.enumerate() if each.name.startswith("tablectl")]


class Opened:
    """A link with somebody who listens."""

    def __init__(self, bus, url=KEYS):
        self.bus, self.url = bus, url

    async def __aenter__(self):
        self.heard = Heard()
        self.link = await open_usb(self.url, self.bus)
        self.link.attach(self.heard.on_bytes, self.heard.on_lost)
        return self.link, self.heard

    async def __aexit__(self, *error):
        await self.link.close()
        await asyncio.sleep(0.01)  # the thread that closed it goes last
        assert not threads()
        assert not self.bus.handles


def packets(heard):
    return Packets().feed(heard.data)


# ── addresses ──────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("usb://1d34:000d", Address(0x1D34, 0x0D)),
        ("usb://0FC5:B080?serial=A-1.b:2", Address(0x0FC5, 0xB080, serial="A-1.b:2")),
        ("usb://0fc5:b080?path=1-2.3", Address(0x0FC5, 0xB080, path="1-2.3")),
        ("usb://0fc5:b080?path=3-1&interface=2", Address(0x0FC5, 0xB080, path="3-1", interface=2)),
    ],
)
def test_an_address(url, address):
    assert Address.parse(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "usb:1d34:000d", "usb://1d34", "usb://1d34:00d", "usb://1d34:000d?", "usb://1d34:000d?a=1",
        "usb://1d34:000d?path=1", "usb://1d34:000d?interface=x", "usb://1d34:000d?serial=",
        "usb://1d34:000d?serial=1&serial=2", "usb://1d34:000d/1", "/dev/ttyUSB0",
    ],
)  # fmt: skip
def test_no_address(url):
    with pytest.raises(ValueError, match=r"usb://VID:PID|a path is|an interface is"):
        Address.parse(url)


# ── opening ────────────────────────────────────────────────────────────────
def test_the_device_is_taken_from_the_kernel_and_given_back():
    async def scenario():
        device = KeyButton("K-1")
        async with Opened(Bus(device)):
            taken = (device.kernel_driver, device.claimed is not None)
        assert taken == (False, True)
        assert device.kernel_driver
        assert device.claimed is None

    asyncio.run(scenario())


def test_a_device_without_kernel_driver_gets_none():
    async def scenario():
        device = KeyButton()
        device.kernel_driver = False
        async with Opened(Bus(device)):
            assert device.claimed is not None
        assert not device.kernel_driver

    asyncio.run(scenario())


def test_it_is_opened_once_and_is_free_after_closing():
    async def scenario():
        bus = Bus(KeyButton())
        async with Opened(bus):
            with pytest.raises(LinkNotOpened, match="in use by another program"):
                await open_usb(KEYS, bus)
        async with Opened(bus):
            pass

    asyncio.run(scenario())


def test_twins_are_told_apart_or_refused():
    async def scenario():
        one, two = KeyButton("K-1", "1-1"), KeyButton("K-2", "1-4.2")
        bus = Bus(one, two)
        with pytest.raises(
            LinkNotOpened, match=r"more than one device, at 1-1, 1-4\.2: add \?path"
        ):
            await open_usb(KEYS, bus)
        for url, device in (
            (f"{KEYS}?serial=K-2", two), (f"{KEYS}?path=1-1", one), (f"{KEYS}?path=1-4.2", two),
        ):  # fmt: skip
            async with Opened(bus, url):
                assert [each.claimed is not None for each in (one, two)] == [
                    each is device for each in (one, two)
                ]
        assert not bus.handles

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("usb://ffff:0001", "is not there: check the cable$"),
        (f"{KEYS}?serial=K-9", r"is not there: check the cable; plugged in are 1-1"),
        (f"{KEYS}?interface=3", "has no interface 3"),
        ("usb://zz", "is no USB address: write usb://VID:PID"),
    ],
)
def test_what_cannot_be_opened_says_what_to_do(url, what):
    async def scenario():
        bus = Bus(KeyButton("K-1"))
        with pytest.raises(LinkNotOpened, match=what):
            await open_usb(url, bus)
        assert not bus.handles
        assert bus.devices[0].kernel_driver

    asyncio.run(scenario())


def test_the_real_library_finds_nothing_here():
    """libusb itself is loaded, and looks; nobody plugs ffff:0001 into a test machine."""

    async def scenario():
        with pytest.raises(LinkNotOpened, match=r"ffff:0001"):
            await open_link("usb://ffff:0001", Line())

    asyncio.run(scenario())


# ── reading and writing ────────────────────────────────────────────────────
def test_reports_come_whole_and_in_order():
    async def scenario():
        device = KeyButton()
        async with Opened(Bus(device)) as (_link, heard):
            for usage in range(4, 40):
                device.keys(usage)
            await heard.until(lambda: len(packets(heard)) == 36)
        got = packets(heard)
        assert {packet.endpoint for packet in got} == {0x81}
        assert [packet.data[2] for packet in got] == list(range(4, 40))

    asyncio.run(scenario())


def test_every_transfer_is_answered_in_order():
    async def scenario():
        device = Patlite()
        async with Opened(Bus(device), "usb://191a:8003") as (link, heard):
            asked = [
                STATUS,
                Setup(0x80, 0x06, 0x0100, 0, 18).packet(),
                Setup(0x80, 0x06, 0x0309, 0, 255).packet(),  # a text that it does not have
                Packet(1, bytes.fromhex("00000F001FFFF000")),
            ]
            link.write(b"".join(packet.to_bytes() for packet in asked))
            await heard.until(lambda: len(packets(heard)) == 4)
        status, descriptor, text, lamp = packets(heard)
        assert status == Packet(0, bytes((DONE, 0, 0)))
        assert descriptor == Packet(0, bytes((DONE,)) + device.device_descriptor)
        assert text == Packet(0, bytes((STALLED,)))
        assert lamp == Packet(1, bytes((DONE,)))
        assert device.lit == {"red"}

    asyncio.run(scenario())


def test_a_device_that_hangs_blocks_neither_the_loop_nor_the_closing():
    async def scenario():
        device = Delcom()
        async with Opened(Bus(device), "usb://0fc5:b080") as (link, heard):
            device.silent = True
            link.write(STATUS.to_bytes() * 3)
            worst, last = 0.0, time.monotonic()
            while len(packets(heard)) < 1:
                await asyncio.sleep(0.005)
                now = time.monotonic()
                worst, last = max(worst, now - last), now
            assert worst < 0.2
            assert packets(heard)[0] == Packet(0, bytes((SILENT,)))
            begun = time.monotonic()
        assert time.monotonic() - begun < 2.5
        assert not heard.lost

    asyncio.run(scenario())


def test_last_words_are_sent_before_it_closes():
    async def scenario():
        device = Patlite()
        async with Opened(Bus(device), "usb://191a:8003") as (link, _heard):
            for _ in range(20):
                link.write(Packet(1, bytes.fromhex("00000F0000000000")).to_bytes())
            link.write(Packet(1, bytes.fromhex("00000F0000100000")).to_bytes())
        assert device.lit == {"green"}

    asyncio.run(scenario())


def test_a_device_that_takes_nothing_is_lost_and_the_queue_is_bounded():
    async def scenario():
        device = Delcom()
        async with Opened(Bus(device), "usb://0fc5:b080") as (link, heard):
            device.silent = True
            link.write(STATUS.to_bytes() * (WAITING_MAXIMUM + 2))
            assert len(heard.lost) == 1
            assert "takes nothing" in heard.lost[0]
            device.silent = False

    asyncio.run(scenario())


def test_an_endpoint_that_is_not_there_is_a_lost_link():
    async def scenario():
        async with Opened(Bus(Delcom()), "usb://0fc5:b080") as (link, heard):
            link.write(Packet(5, b"x").to_bytes())
            await heard.until(lambda: heard.lost)
            assert heard.lost == ["it has no endpoint 5: another device?"]

    asyncio.run(scenario())


def test_a_report_that_is_too_long_is_a_lost_link():
    async def scenario():
        device = KeyButton()
        async with Opened(Bus(device)) as (_link, heard):
            device.tell(bytes(9))
            await heard.until(lambda: heard.lost)
            assert heard.lost == ["the link broke (Overflow)"]

    asyncio.run(scenario())


def test_a_thread_that_fails_is_a_lost_link_too(monkeypatch):
    async def scenario():
        device = KeyButton()
        monkeypatch.setattr(device, "fetch", lambda _wait: 1 / 0)
        async with Opened(Bus(device)) as (_link, heard):
            await heard.until(lambda: heard.lost)
            assert heard.lost == ["the link broke (ZeroDivisionError): report this"]

    asyncio.run(scenario())


# ── the plug ───────────────────────────────────────────────────────────────
def test_an_unplugged_device_is_lost_once_and_at_once():
    async def scenario():
        device = KeyButton()
        async with Opened(Bus(device)) as (link, heard):
            begun = time.monotonic()
            device.unplug()
            await heard.until(lambda: heard.lost)
            assert time.monotonic() - begun < 0.3
            link.write(STATUS.to_bytes())
            device.plug_in()
            device.keys(4)
            await asyncio.sleep(0.1)
            assert len(heard.lost) == 1
            assert heard.data == b""

    asyncio.run(scenario())


@pytest.mark.parametrize(("pinned", "told"), [("1-4.2", "online"), ("1-1", "offline")])
def test_a_device_in_another_plug_than_the_pinned_one_is_refused(pinned, told):
    """The link knows the plug; a device cannot say anything else of it."""
    heard: list[Reading] = []

    async def scenario():
        bus = Bus(Patlite("P-1", "1-4.2"))
        url = "usb://191a:8003"
        plan = DevicePlan("it", "indicator", "signal_light", url, identity={"path": pinned})

        async def opened(url, _line):
            return await open_usb(url, bus)

        supervisor = Supervisor(plan, lambda _, reading: heard.append(reading), open_link=opened)
        task = asyncio.create_task(supervisor.run())
        async with asyncio.timeout(10):
            while not heard:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        identity = supervisor.status.identity
        assert identity is not None
        assert identity.path == "1-4.2"
        supervisor.stop()
        await task

    asyncio.run(scenario())
    assert heard[0].name == told
    if told == "offline":
        assert heard[0].args["refused"] == "path"
        assert "should be in the USB plug 1-1, but 1-4.2 answers" in heard[0].args["what"]


MODELS = {
    "button": (BigRedButton, "hid_button", {}),
    "shoe": (Scanner, "barcode_reader", {"codes": {"1": "AC"}}),
    "indicator": (Patlite, "signal_light", {}),
}


@pytest.mark.parametrize("kind", MODELS)
def test_the_plug_may_be_pulled_at_any_moment(kind, monkeypatch):
    """Opening, greeting, running, closing: the device always comes back, nothing stays behind."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    model, driver, options = MODELS[kind]
    told: list[Reading] = []
    pulled: Counter[str] = Counter()
    monkeypatch.setattr("tablectl.hal.supervisor.BACKOFF_LONGEST_S", 0.02)

    async def scenario():
        device = model("T-1")
        bus = Bus(device)
        url = f"usb://{model.vendor:04x}:{model.product_id:04x}"
        plan = DevicePlan("it", kind, driver, url, silence_ms=1000, options=options)

        async def opened(url, _line):
            return await open_usb(url, bus)

        supervisor = Supervisor(
            plan, lambda _, reading: told.append(reading), open_link=opened, rng=rng
        )
        task = asyncio.create_task(supervisor.run())
        for _ in range(40):
            await asyncio.sleep(rng.choice([0, 0.002, 0.01, 0.05]) * rng.uniform(0.5, 2))
            pulled[supervisor.status.state] += 1
            device.unplug()
            await asyncio.sleep(rng.uniform(0, 0.03))
            device.plug_in()
        async with asyncio.timeout(30):
            while supervisor.status.state != "online":  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        supervisor.stop()
        await task
        await asyncio.sleep(0.02)
        assert not bus.handles
        assert not threads()
        assert device.kernel_driver
        # A scanner's every link begins with a gap: what was scanned meanwhile nobody knows.
        names = [reading.name for reading in told if reading.name != "gap"]
        assert names[-1] == "online"
        for before, after in pairwise(names):
            assert before != after, names  # offline and online take turns
        assert supervisor.counters.driver_errors == 0
        assert len(pulled) >= 3, pulled

    asyncio.run(scenario())
