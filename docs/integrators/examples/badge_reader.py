"""A whole tablelink device in one file: a badge reader on TCP, without anything but Python itself.

    python badge_reader.py 4010 BR-000042

It listens on 127.0.0.1, says where on stdout, and takes each line of stdin for a badge that was
held against it. Written from tablelink.md alone; whoever builds a device may take it as it is. The
page's sections stand beside what they ask for.
"""

import os
import select
import socket
import struct
import sys
import time
import zlib

KIND, SERIAL_ITEM, VERSION_ITEM, MODEL_ITEM = 6, 0x01, 0x02, 0x03
HELLO, WELCOME, START, STATE, BYE = 0x01, 0x02, 0x03, 0x04, 0x0F
HEARTBEAT, ALIVE, EVENT, ACK, COMMAND, RESULT = 0x10, 0x11, 0x20, 0x21, 0x30, 0x31
NEEDS = {
    HELLO: 17,
    START: 30,
    BYE: 1,
    HEARTBEAT: 0,
    ACK: 4,
    COMMAND: 13,
}  # what a host sends, and its shortest payload
NO_SESSION, VERSION_NOT_SPOKEN, NOT_ACKNOWLEDGED = 1, 5, 6
NOT_KNOWN, BADGE = 4, 0x60
MOST_KEPT, AGAIN_MS, COPIES = 16, 200, 25


def stuff(data: bytes) -> bytes:
    """COBS (section 2)."""
    return b"".join(bytes([len(block) + 1]) + block for block in data.split(b"\0"))


def unstuff(data: bytes) -> bytes:
    """COBS undone; ValueError where it cannot be."""
    blocks, at = [], 0
    while at < len(data):
        code, block = data[at], data[at + 1 : at + data[at]]
        if not 1 <= code <= 0xF9 or len(block) != code - 1:
            raise ValueError("a code that cannot be")
        blocks.append(block)
        at += code
    return b"\0".join(blocks)


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


class Reader:
    """The device. `received` and `tick` move it; `send` is how it speaks."""

    def __init__(self, serial: str, send) -> None:
        self.serial, self.send_bytes = serial, send
        self.boot = int.from_bytes(os.urandom(4), "little") or 1
        self.event, self.kept, self.lost = 0, [], 0  # kept: [number, when, badge, copies, sent]
        self.seq, self.buffer = 0, bytearray()
        self.nonces = None  # the host's and ours: a WELCOME is out
        self.session = self.running = None
        self.their_seq = self.heard = self.sent = self.said_bye = 0

    # ── frames (section 2) ──
    def send(self, type_: int, payload: bytes = b"", session: int = 0) -> None:
        body = struct.pack("<BBH", type_, self.seq, session) + payload
        self.seq, self.sent = (self.seq + 1) % 256, now_ms()
        self.send_bytes(stuff(body + struct.pack("<I", zlib.crc32(body))) + b"\0")

    def connected(self) -> None:
        self.seq, self.buffer, self.nonces = 0, bytearray(), None
        self.send_bytes(b"\0")

    def received(self, data: bytes) -> None:
        for byte in data:
            if byte:
                self.buffer += bytes([byte])[
                    : 250 - len(self.buffer)
                ]  # what is too long fails its check
                continue
            piece, self.buffer = bytes(self.buffer), bytearray()
            try:
                raw = unstuff(piece) if len(piece) < 250 else b""
            except ValueError:
                continue
            if len(raw) >= 8 and zlib.crc32(raw) == 0x2144DF1C:
                type_, seq, session = struct.unpack_from("<BBH", raw)
                payload = raw[4:-4]
                if type_ in NEEDS and len(payload) >= NEEDS[type_]:
                    self.frame(type_, seq, session, payload)

    def frame(self, type_: int, seq: int, session: int, payload: bytes) -> None:
        if type_ == HELLO:
            self.hello(payload)
        elif type_ == START:
            self.start(seq, session, payload)
        elif self.session is None or session != self.session:
            if type_ != BYE and now_ms() - self.said_bye >= 500:
                self.said_bye = now_ms()
                self.send(BYE, bytes([NO_SESSION]), session)
        elif 0 < (seq - self.their_seq) % 256 < 128:
            self.their_seq, self.heard = seq, now_ms()
            if type_ == BYE:
                self.end()
            elif (
                type_ == ACK
                and self.kept
                and struct.unpack_from("<I", payload)[0] == self.kept[0][0]
            ):
                del self.kept[0]
                self.lost = 0
            elif type_ == COMMAND:  # a badge reader takes none
                self.send(RESULT, payload[:12] + bytes([NOT_KNOWN]) + self.condition(), session)

    # ── a session (section 4) ──
    def hello(self, payload: bytes) -> None:
        host = payload[1:17]
        if payload[0] < 1:
            self.send(BYE, bytes([VERSION_NOT_SPOKEN]))
            return
        if self.nonces is None or self.nonces[0] != host:
            self.nonces = host, os.urandom(16)
        items = [
            (SERIAL_ITEM, self.serial),
            (VERSION_ITEM, "Main=1.0"),
            (MODEL_ITEM, "Example Badge Reader"),
        ]
        told = b"".join(bytes([type_, len(text)]) + text.encode() for type_, text in items)
        head = struct.pack("<BB16s16sIH", 1, KIND, *self.nonces, self.boot, 0)
        self.send(WELCOME, head + told)

    def start(self, seq: int, session: int, payload: bytes) -> None:
        nonce, beat, silence, have_boot, have_event = struct.unpack_from("<16sHIII", payload)
        if self.running == nonce and session == self.session:  # a repeat: only answered
            self.their_seq, self.heard = seq, now_ms()
        elif (
            self.nonces is None
            or nonce != self.nonces[1]
            or session != zlib.crc32(b"".join(self.nonces)) & 0xFFFF
        ):
            return
        elif not (25 <= beat <= 60_000 and 100 <= silence <= 600_000 and silence >= 2 * beat):
            self.send(BYE, bytes([VERSION_NOT_SPOKEN]))
            return
        else:
            self.running, self.session, self.nonces = nonce, session, None
            self.beat, self.silence, self.their_seq, self.heard = beat, silence, seq, now_ms()
            if have_boot == self.boot:
                self.kept = [kept for kept in self.kept if kept[0] > have_event]
            for kept in self.kept:
                kept[3:] = [0, 0]
        self.send(STATE, self.condition() + bytes(24), session)

    def condition(self) -> bytes:
        return struct.pack("<BBHIB", self.lost << 3, 0, 0xFFFF, self.event, len(self.kept))

    def end(self) -> None:
        """There is nothing to lock or to hold: a reader only stops telling."""
        self.session = self.running = None

    # ── reports (section 5) ──
    def badge(self, number: str) -> None:
        if self.session is None:
            return  # nobody is there who could let anybody in
        self.event += 1
        text = number.encode("ascii", "replace")[:64]
        self.lost |= len(self.kept) == MOST_KEPT
        self.kept = [*self.kept, [self.event, now_ms(), text, 0, 0]][-MOST_KEPT:]
        self.tick()

    def tick(self) -> None:
        if self.session is None:
            return
        now = now_ms()
        if now - self.heard >= self.silence:
            self.end()
            return
        if self.kept and (not self.kept[0][3] or now - self.kept[0][4] >= AGAIN_MS):
            number, when, text, copies, _ = self.kept[0]
            if copies == COPIES:
                self.send(BYE, bytes([NOT_ACKNOWLEDGED]), self.session)
                self.end()
                return
            self.kept[0][3:] = [copies + 1, now]
            self.send(
                EVENT,
                struct.pack("<IHB", number, min(now - when, 0xFFFF), BADGE) + text,
                self.session,
            )
        if now - self.sent >= self.beat:
            self.send(ALIVE, session=self.session)


def main() -> None:
    port, serial = int(sys.argv[1]), sys.argv[2]
    door = socket.create_server(("127.0.0.1", port))
    print(f"socket://127.0.0.1:{door.getsockname()[1]}", flush=True)
    host = None

    def send(data: bytes) -> None:
        if host is not None:
            host.sendall(data)

    reader = Reader(serial, send)
    watched, typed = [door, sys.stdin.buffer.raw], b""
    while True:
        ready, _, _ = select.select([*watched, *([host] if host else [])], [], [], 0.02)
        try:
            if door in ready:  # a new connection replaces the old one
                if host is not None:
                    host.close()
                    reader.end()
                host, _ = door.accept()
                host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                reader.connected()
            elif host in ready:
                data = host.recv(4096)
                if not data:
                    raise ConnectionResetError
                reader.received(data)
            if sys.stdin.buffer.raw in ready:
                data = os.read(0, 4096)
                watched = watched if data else [door]
                *lines, typed = (typed + data).split(b"\n")
                for line in lines:
                    reader.badge(line.decode("ascii", "replace").strip())
            reader.tick()
        except OSError:
            if host is not None:
                host.close()
            host = None
            reader.end()


if __name__ == "__main__":
    main()
