"""A USB session and a simulated device, without link and threads, in time that we move."""

from hwsim.usb.device import Gone, Stall
from tablectl.hal import registry
from tablectl.hal.kinds import Command, Counters, DevicePlan, Reading, check_reading
from tablectl.hal.usb_packets import DONE, SILENT, STALLED, Packet, Packets

MS = 1_000_000


class Wire:
    """`pass_ms` moves both; `heard` is all that the session told."""

    def __init__(self, device, kind, driver, **plan):
        self.device, self.kind = device, kind
        self.counters = Counters()
        url = f"usb://{device.vendor:04x}:{device.product_id:04x}"
        self.plan = DevicePlan("it", kind, driver, url, **plan)
        self.session = registry.make(self.plan, self.counters, bytes).session()
        self.now_ns, self.heard, self.sent = 10**12, [], []
        self.out = Packets()
        self.n = 0
        self.session.open(self.now_ns)
        self.settle()

    def settle(self):
        """Transfers and reports until there are no more; a loop that never ends would fail."""
        for _ in range(1000):
            packets = self.out.feed(self.session.bytes_to_send())
            for packet in packets:
                self.sent.append((self.now_ns, packet))
                self.take(Packet(packet.endpoint, self.transfer(packet)))
            report = None if self.device.silent else self.device.fetch(0)
            if report is not None:
                self.take(Packet(0x81, report))
            elif not packets:
                return
        raise AssertionError("it never stops talking")

    def transfer(self, packet):
        if self.device.silent:
            return bytes((SILENT,))
        try:
            if packet.endpoint:
                self.device.out(packet.endpoint, packet.data)
                return bytes((DONE,))
            return bytes((DONE,)) + self.device.control(packet.data[:8], packet.data[8:])
        except Stall:
            return bytes((STALLED,))
        except Gone:
            raise AssertionError("the wire has no plug") from None

    def take(self, packet):
        self.collect(self.session.receive(packet.to_bytes(), self.now_ns))

    def take_report(self, data):
        """A report that no device sent."""
        self.take(Packet(0x81, data))

    def collect(self, heard):
        for each in heard:
            if isinstance(each, Reading):
                assert check_reading(self.kind, each) is None
            self.heard.append(each)

    def pass_ms(self, ms):
        end = self.now_ns + ms * MS
        for _ in range(100_000):
            wake = self.session.wake_ns
            if wake is None or wake > end:
                break
            self.now_ns = max(wake, self.now_ns)
            self.collect(self.session.tick(self.now_ns))
            self.settle()
        self.now_ns = end

    def show(self, sign):
        self.n += 1
        self.session.send(Command("it", "show", False, "b", self.n, {"sign": sign}), self.now_ns)
        self.settle()

    @property
    def names(self):
        return [each.name for each in self.heard if isinstance(each, Reading)]

    @property
    def readings(self):
        return [each for each in self.heard if isinstance(each, Reading)]

    def readings_since(self, at):
        """Those behind the first `at` things that were heard."""
        return [each for each in self.heard[at:] if isinstance(each, Reading)]

    @property
    def last(self):
        return self.heard[-1]
