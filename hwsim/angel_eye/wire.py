"""An Angel Eye shoe on its wire: happenings become numbered reports; commands get their answers."""

from typing import Final

from hwsim.baccarat import Happening
from tablectl.cards import Card

ENQ, STX, ETX, ACK, NAK = b"\x05", b"\x02", b"\x03", b"\x06", b"\x15"
HIGH: Final = 0x80
TARGETS: Final = {"player": 0, "banker": 1, "burn": 2, "first": 4}
SUITS: Final = {"D": 1, "C": 2, "S": 3, "H": 4}
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
RESULTS: Final = {"player": 1, "tie": 2, "banker": 4, "forced": 7}
COMMAND: Final = 10  # bytes, from STX to the second digit
BAD_CHECK, UNKNOWN = b"\x02", b"\x13"


def check(data: bytes) -> bytes:
    """XOR, written as two hex digits."""
    total = 0
    for byte in data:
        total ^= byte
    return f"{total:02X}".encode()


def card_byte(card: Card | None) -> int:
    """A card as the shoe writes it; none where it could not be read."""
    if card is None:
        return HIGH
    return HIGH | SUITS[card[1]] << 4 | RANKS.index(card[0]) + 1


class AngelEyeWire:
    """Counts reports, frames them, and answers what a host orders."""

    copies = 3  # at most, of each report

    def __init__(self, example: bool = True) -> None:
        """`example`: the check of a command covers STX, as the printed example has it."""
        self.example = example
        self.seq = 0
        self.locked = False
        self.ordered: list[str] = []  # every command that was taken, such as "LK02"
        self._in = b""

    def report(self, happening: Happening) -> bytes:
        """The next report, numbered; a start is number 0."""
        if happening.name == "started":
            self.seq = 0
        body = f"{self.seq}".encode() + self._body(happening) + ETX
        self.seq = (self.seq + 1) % 10
        return ENQ + body + check(body)

    def _body(self, it: Happening) -> bytes:
        match it.name:
            case "started":
                return b"S"
            case "standby":
                return b"P"
            case "cover_card":
                return b"C"
            case "card" | "again":
                place = HIGH | TARGETS[it.target] << 4 | it.index
                return (b"D" if it.name == "card" else b"R") + bytes((place, card_byte(it.card)))
            case "result":
                pairs = it.pairs[0] | it.pairs[1] << 1
                return b"G" + bytes((HIGH | RESULTS[it.winner] << 4 | pairs,))
            case "error":
                return b"E" + bytes((HIGH | 0x40 | it.code,))
            case "error_over":
                return b"e" + bytes((HIGH | it.code,))
            case "locked" | "unlocked":
                return b"L" + bytes((HIGH | (it.name == "locked"),))
        raise ValueError(f"an Angel Eye shoe has no word for {it.name!r}")

    # ── commands ───────────────────────────────────────────────────────────
    def receive(self, data: bytes) -> bytes:
        """What the shoe answers to bytes from a host."""
        self._in = (self._in + data)[-4096:]
        answer = b""
        while (at := self._in.find(STX)) >= 0 and len(self._in) >= at + COMMAND:
            answer += self._order(self._in[at : at + COMMAND])
            self._in = self._in[at + COMMAND :]
        return answer

    def _order(self, frame: bytes) -> bytes:
        covered = frame[:-2] if self.example else frame[1:-2]
        if check(covered) != frame[-2:]:
            return NAK + BAD_CHECK
        order = frame[3:7].decode("ascii", "replace")
        if frame[1:3] != b"OP" or order[:2] not in ("LK", "EC", "GP"):
            return NAK + UNKNOWN
        self.ordered.append(order)
        if order not in ("LK01", "LK02"):
            return ACK
        before, self.locked = self.locked, order == "LK02"
        told = Happening("locked" if self.locked else "unlocked")
        return ACK + (self.report(told) if before != self.locked else b"")
