"""A tablelink device in memory, written from docs/integrators/tablelink.md and nothing else.

It borrows no line of the driver's codec, or both would share a mistake. Time comes in as ms.
"""

import hashlib
import hmac
import random
import struct
import zlib

KINDS = {
    "shuffler": 1, "shoe": 2, "progressive": 3, "button": 4, "indicator": 5, "badge_reader": 6,
}  # fmt: skip
CAPABILITIES = {"shuffler": 0x45, "shoe": 0x12, "progressive": 0x88}
ONE_BY_ONE = 0x0302  # a shoe that reads cards and tells them one by one, and may be held
TAKES = {"shoe": {0x02, 0x82}, "progressive": {0x01, 0x81, 0xC1}, "indicator": {0xC2}}
NAMES = {
    0x01: "lock", 0x02: "hold", 0x81: "unlock", 0x82: "dispense", 0x83: "release", 0xC1: "lamp",
    0xC2: "show",
}  # fmt: skip
SEATS = range(1, 8)
FROM_HOST = {0x01, 0x03, 0x0F, 0x10, 0x21, 0x30}
NEVER = bytes(12)


def stuff(data):
    out, block = bytearray(), bytearray()
    for byte in data:
        if byte:
            block.append(byte)
        else:
            out += bytes([len(block) + 1]) + block
            block = bytearray()
    return bytes(out + bytes([len(block) + 1]) + block)


def unstuff(data):
    out, at = bytearray(), 0
    while at < len(data):
        code = data[at]
        if code == 0 or code > 0xF9 or at + code > len(data):
            return None
        out += data[at + 1 : at + code]
        at += code
        if at < len(data):
            out.append(0)
    return bytes(out)


class Device:
    """One device. `feed` and `advance` move it; `take_out` gives what it sends."""

    def __init__(
        self, kind, *, serial="T-1", versions=("Main=2.1",), mode="", key=None, seed=1,
        capabilities=None,
    ):  # fmt: skip
        self.kind, self.serial, self.versions, self.key = kind, serial, versions, key
        self.mode = mode
        self.capabilities = CAPABILITIES.get(kind, 0) if capabilities is None else capabilities
        self.one_by_one = bool(self.capabilities & 0x100)
        self.takes = {0x02, 0x83} if self.one_by_one else TAKES.get(kind, set())
        self.chips = set()  # seats with a chip on the sensor
        self.lamps = set()
        self.sign = 0
        self.shown = []  # every sign that it showed
        self.rng = random.Random(seed)
        self.now = 0
        self.permit = self.restrict = NEVER
        self.ran = []  # every permissive command that was executed: (name, boot + n)
        self.restricted = []  # and every restrictive one
        self.allowed = 0  # stacks that may still leave
        self.dispensed = 0
        self.outcomes = []
        self.boot()

    def boot(self):
        """Power came on: restricted, and nothing known but what the memory keeps."""
        self.boot_id = self.rng.randrange(1, 1 << 32)
        self.event, self.kept, self.lost = 0, [], False
        self.locked, self.held, self.fault = self.kind == "progressive", self.kind == "shoe", 0
        self.allowed = 0
        self.lamps = set()
        self.go_dark()
        self.buffer, self.out, self.seq = bytearray(), bytearray(), 0
        self.session = self.host_nonce = self.nonce = self.running = None
        self.fence = self.newest = None
        self.their_seq: int = 0
        self.mute = False
        self.send(0x0F, b"\x02", 0)

    # ── sending ────────────────────────────────────────────────────────────
    def send(self, type_, payload=b"", session=None):
        session = self.session if session is None else session
        raw = struct.pack("<BBH", type_, self.seq, session or 0) + payload
        self.seq = (self.seq + 1) % 256
        self.sent = self.now
        if not self.mute:
            self.out += b"\0" if not self.out and session == 0 else b""
            self.out += stuff(raw + struct.pack("<I", zlib.crc32(raw))) + b"\0"

    def take_out(self):
        out = bytes(self.out)
        self.out.clear()
        return out

    def condition(self):
        flags = self.locked | self.held << 1 | bool(self.allowed) << 2 | self.lost << 3
        dispensed = self.dispensed if self.kind == "shoe" else 0xFFFF
        return struct.pack("<BBHIB", flags, self.fault, dispensed, self.event, len(self.kept))

    # ── what happens at the device ─────────────────────────────────────────
    def report(self, code, args=b""):
        self.event += 1
        self.kept.append([self.event, self.now, code, args, 0, None])
        if len(self.kept) > 16:
            del self.kept[0]
            self.lost = True
        self.advance(self.now)

    def stack(self, cards=b"\xff\xff\xff"):
        """The dealer takes a stack, if one may leave."""
        if self.held or not self.allowed:
            return False
        self.allowed -= 1
        self.dispensed += 1
        if not self.allowed:
            self.held = True
        self.report(0x20, struct.pack("<HB", self.dispensed, len(cards)) + cards)
        return True

    def draw(self, hand, position, card, mode=0):
        """The dealer draws a card; what was told is in `report`."""
        if self.held:
            return False
        self.dispensed += 1
        self.report(0x22, struct.pack("<HBBBB", self.dispensed, hand, position, mode, card))
        return True

    def chip(self, seat, cents=500, wager=b"progressive"):
        """A chip comes onto a seat's sensor, or leaves it."""
        if seat in self.chips:
            self.chips.discard(seat)
            if not self.locked:
                self.report(0x33, bytes([seat]) + wager)
            return
        self.chips.add(seat)
        if self.locked:
            self.report(0x34, bytes([seat]) + wager)
        else:
            self.accept(seat, cents, wager)

    def accept(self, seat, cents=500, wager=b"progressive"):
        self.report(0x32, struct.pack("<BI", seat, cents) + wager)

    def badge(self, number):
        if self.running is not None:
            self.report(0x60, number.encode())

    def set_mode(self, mode):
        """Somebody sets it to another game."""
        self.mode = mode
        self.close_down()
        self.report(0x04, mode.encode())

    def show(self, sign):
        self.sign = sign
        self.shown.append(sign)

    def go_dark(self):
        if self.sign:
            self.show(0)

    def jam(self):
        self.fault = 1
        self.report(0x03, b"\0")

    def clear(self):
        self.fault = 0
        self.report(0x02)

    def close_down(self):
        """Restrict, say whether that changed anything."""
        before = (self.locked, self.held)
        self.locked, self.held = self.kind == "progressive", self.kind == "shoe"
        self.allowed = 0
        return before != (self.locked, self.held)

    def end(self):
        """The session is over (silence, BYE, a closed connection)."""
        if self.running is None:
            return
        self.running = self.session = None
        self.go_dark()
        if self.close_down():
            self.report(0x30 if self.kind == "progressive" else 0x21)

    # ── time ───────────────────────────────────────────────────────────────
    def advance(self, now):
        self.now = now
        if self.running is None:
            return
        if now - self.heard >= self.silence:
            self.end()
            return
        if self.kept:
            kept = self.kept[0]
            if kept[5] is None or now - kept[5] >= 200:
                if kept[4] == 25:
                    self.send(0x0F, b"\x06")
                    self.end()
                    return
                kept[4], kept[5] = kept[4] + 1, now
                age = min(now - kept[1], 0xFFFF)
                self.send(0x20, struct.pack("<IHB", kept[0], age, kept[2]) + kept[3])
        if now - self.sent >= self.beat:
            self.send(0x11)

    # ── receiving ──────────────────────────────────────────────────────────
    def feed(self, data, now):
        self.now = now
        for byte in data:
            if byte:
                self.buffer.append(byte)
                continue
            raw, self.buffer = unstuff(bytes(self.buffer[:300])), bytearray()
            if raw and len(raw) >= 8 and zlib.crc32(raw) == 0x2144DF1C:
                type_, seq, session = struct.unpack_from("<BBH", raw)
                self.frame(type_, seq, session, raw[4:-4])
        self.advance(now)

    def frame(self, type_, seq, session, payload):
        if type_ not in FROM_HOST:
            return
        if type_ == 0x01:
            self.hello(payload)
        elif type_ == 0x03:
            self.start(session, seq, payload)
        elif self.running is None or session != self.session:
            if type_ != 0x0F:
                self.send(0x0F, b"\x01", session)
        else:
            ahead = (seq - self.their_seq) % 256
            if ahead == 0 or ahead >= 128:
                return
            self.their_seq, self.heard = seq, self.now
            if type_ == 0x0F:
                self.end()
            elif type_ == 0x21 and self.kept and struct.unpack("<I", payload)[0] == self.kept[0][0]:
                del self.kept[0]
                self.lost = False
            elif type_ == 0x30:
                outcome = self.command(payload[:12], payload[12], payload[13:])
                self.outcomes.append(outcome)
                self.send(0x31, payload[:12] + bytes([outcome]) + self.condition())
                if payload[12] == 0x81 and outcome == 0:
                    for seat in sorted(self.chips):
                        self.accept(seat)

    def hello(self, payload):
        if payload[1:17] != self.host_nonce or self.nonce is None:
            self.host_nonce, self.nonce = payload[1:17], self.rng.randbytes(16)
        body = struct.pack(
            "<BB16s16sIH", 1, KINDS[self.kind], self.host_nonce, self.nonce, self.boot_id,
            self.capabilities,
        )  # fmt: skip
        items = [(1, self.serial.encode())] + [(2, each.encode()) for each in self.versions]
        items += [(4, self.mode.encode())] if self.mode else []
        for type_, value in items:
            body += bytes([type_, len(value)]) + value
        if self.key:
            text = b"tablelink-1 device" + self.host_nonce + body
            body += b"\x7f\x20" + hmac.digest(self.key, text, hashlib.sha256)
        self.send(0x02, body, 0)

    def start(self, session, seq, payload):
        nonce, beat, silence, boot, event = struct.unpack_from("<16sHIII", payload)
        if self.running == nonce:
            self.their_seq, self.heard = seq, self.now
        elif nonce != self.nonce:
            return
        else:
            text = b"tablelink-1 host" + nonce + self.host_nonce + payload[:30]
            proof = payload[32:64]
            if self.key and proof != hmac.digest(self.key, text, hashlib.sha256):
                self.send(0x0F, b"\x04", session)
                return
            self.close_down()
            self.lamps = set()
            self.go_dark()
            self.newest = None
            self.running, self.nonce, self.session = nonce, None, session
            self.beat, self.silence, self.their_seq, self.heard = beat, silence, seq, self.now
            self.fence = None
            if boot == self.boot_id:
                self.kept = [kept for kept in self.kept if kept[0] > event]
            for kept in self.kept:
                kept[4:] = [0, None]
        self.send(0x04, self.condition() + self.permit + self.restrict)

    def command(self, ident, code, args):
        """Section 6, line by line."""
        if code not in self.takes:
            return 4
        boot, n = ident[:8], struct.unpack("<I", ident[8:])[0]
        if code >= 0xC0:
            return self.showing(code, (boot, n), args)
        if code < 0x80:
            self.close_down()
            self.restrict, self.fence = ident, (boot, n)
            self.restricted.append((NAMES[code], ident))
            return 0
        if ident == self.permit:
            return 1
        if boot == self.permit[:8] and n < struct.unpack("<I", self.permit[8:])[0]:
            return 2
        if self.fence and (boot != self.fence[0] or n < self.fence[1]):
            return 2
        if self.fault:
            return 3
        self.permit = ident
        self.ran.append((NAMES[code], ident))
        if code == 0x81:
            self.locked = False
        elif code == 0x83:
            self.held = False
        else:
            self.allowed, self.held = args[0], False
        return 0

    def showing(self, code, number, args):
        if self.newest and number[0] == self.newest[0] and number[1] < self.newest[1]:
            return 2
        if args[0] not in (range(7) if code == 0xC2 else SEATS):
            return 4
        self.newest = number
        if code == 0xC2:
            self.show(args[0])
        elif args[1]:
            self.lamps.add(args[0])
        else:
            self.lamps.discard(args[0])
        return 0
