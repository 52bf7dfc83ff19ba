"""An Angel Eye shoe, the dealer at it and the truth, from docs/integrators/angel-eye.md alone.

Borrows nothing from hwsim or the driver. What the shoe tells goes out on a `Line`; what a table
that only listens must say of it grows in `expected`, word by word and in order.
"""

import hashlib
import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any, Protocol

RANKS = "A23456789TJQK"
SUITS = {"D": 1, "C": 2, "S": 3, "H": 4}
DECK = [rank + suit for suit in "CDHS" for rank in RANKS]
PLAYER, BANKER, BURN, FIRST = 0, 1, 2, 4
WINNERS = {"player": 1, "tie": 2, "banker": 4}
# Banker's total -> the player's third cards to which the banker draws.
DRAWS = {
    0: "A23456789TJQK", 1: "A23456789TJQK", 2: "A23456789TJQK", 3: "A2345679TJQK",
    4: "234567", 5: "4567", 6: "67", 7: "",
}  # fmt: skip


class Line(Protocol):
    """What the shoe's bytes go through."""

    def say(self, data: bytes) -> None:
        """Bytes to the host."""

    def drop(self) -> None:
        """The link is lost, and is there again when this returns."""

    def kill(self) -> None:
        """The host dies without a word, and listens again when this returns."""


@dataclass
class Style:
    """How often something happens on the line that must change nothing."""

    copies: int = 3
    damaged: float = 0.0  # a report has damaged copies among the good ones
    noise: float = 0.0
    again: float = 0.0  # R
    preset: float = 0.0  # M
    error: float = 0.0
    locked: float = 0.0
    dropped: float = 0.0  # after a copy
    cut: float = 0.0  # in the middle of a copy that is told again
    killed: float = 0.0
    pieces: str = "whole"  # bytes | random | merged
    pause_s: float = 0.0


NOISY = Style(damaged=0.3, noise=0.3, again=0.1, preset=0.05, error=0.03, locked=0.02)


def frame(seq: int, body: bytes) -> bytes:
    """A report as it comes over the wire."""
    text = b"%d" % seq + body + b"\x03"
    check = 0
    for byte in text:
        check ^= byte
    return b"\x05" + text + b"%02X" % check


def told(code: bytes, target: int, index: int, card: str | None) -> bytes:
    """`D`, `R` or `d`: a place and a card."""
    face = 0x80 if card is None else 0x80 | SUITS[card[1]] << 4 | RANKS.index(card[0]) + 1
    return code + bytes((0x80 | target << 4 | index, face))


def result(winner: int, pairs: int) -> bytes:
    return b"G" + bytes((0x80 | winner << 4 | pairs,))


def value(card: str) -> int:
    return 0 if card[0] in "TJQK" else RANKS.index(card[0]) + 1


def points(cards: list[str]) -> int:
    return sum(map(value, cards)) % 10


def thirds(player: list[str], banker: list[str], third: str) -> list[str]:
    """Who draws, where the player's third card would be `third`."""
    if max(points(player), points(banker)) >= 8:
        return []
    if points(player) <= 5:
        return ["P", "B"] if third[0] in DRAWS[points(banker)] else ["P"]
    return ["B"] if points(banker) <= 5 else []


def winner(player: list[str], banker: list[str]) -> str:
    ours, theirs = points(player), points(banker)
    return "tie" if ours == theirs else "player" if ours > theirs else "banker"


class Shoe:
    """Deals shoe after shoe. `expected` is what the table must have told by now."""

    def __init__(self, line: Line, seed: object, style: Style | None = None) -> None:
        self.line, self.rng, self.style = line, random.Random(f"shoe {seed}"), style or Style()
        self.expected: list[tuple[Any, ...]] = []
        self.happened: Counter[str] = Counter()
        self.rounds = 0
        self.cards: list[str] = []
        self.dealt = 0  # since the shuffle
        self.ending = ""  # this, next (hand completes), last, over
        self.seq = 0
        self._held = b""  # to be sent in one piece with what follows

    # ── the line ───────────────────────────────────────────────────────────
    def tell(self, body: bytes, lost: bool = False) -> None:
        """One report, in its copies; a lost one costs its number."""
        self.seq = 0 if body == b"S" else self.seq
        report = frame(self.seq, body)
        self.seq = (self.seq + 1) % 10
        if lost:
            self.happened["lost"] += 1
            return
        style = self.style
        copies = [report] * self.rng.randint(1, style.copies)
        if self._now(style.damaged, "damaged"):
            copies.insert(self.rng.randrange(len(copies) + 1), self._damaged(report))
        for copy in copies:
            if self._now(style.noise, "noise"):
                self._out(self._noise())
            if len(copy) > 1 and self._now(style.cut, "cut"):
                self._out(copy[: self.rng.randint(1, len(copy) - 1)])
                self._drop()
            self._out(copy)
            if self._now(style.dropped, "dropped"):
                self._drop()
            if self._now(style.killed, "killed"):
                self.flush()
                self.line.kill()
        if style.pause_s:
            time.sleep(style.pause_s)

    def flush(self) -> None:
        """Send what was held back."""
        if self._held:
            self.line.say(self._held)
            self._held = b""

    def _out(self, data: bytes) -> None:
        if self.style.pieces == "bytes":
            for byte in data:
                self.line.say(bytes((byte,)))
        elif self.style.pieces == "random":
            while data:
                size = self.rng.randint(1, 9)
                self.line.say(data[:size])
                data = data[size:]
        else:
            self._held += data
            if self.style.pieces == "whole" or len(self._held) > self.rng.randint(1, 2000):
                self.flush()

    def _drop(self) -> None:
        self.flush()
        self.line.drop()

    def _now(self, share: float, what: str) -> bool:
        if self.rng.random() >= share:
            return False
        self.happened[what] += 1
        return True

    def _noise(self) -> bytes:
        rng = self.rng
        match rng.randrange(4):
            case 0:
                return rng.randbytes(rng.randint(1, 40))
            case 1:
                return b"\x05" * rng.randint(1, 4)
            case 2:
                return b"\x05" + rng.randbytes(rng.randint(0, 12))
            case _:
                return bytes(rng.choice(b"\0\2\3\5\6\x15\xff") for _ in range(rng.randint(1, 9)))

    def _damaged(self, report: bytes) -> bytes:
        """A copy that its check finds out."""
        rng, at = self.rng, self.rng.randrange(len(report))
        match rng.randrange(4):
            case 0:
                return report[:at]
            case 1:
                return report[:at] + bytes((report[at] ^ 1 << rng.randrange(8),)) + report[at + 1 :]
            case 2:  # noise within it
                return report[: at + 1] + b"\xff" + self._noise() + report[at + 1 :]
            case _:
                return report[:-2] + b"%02X" % ((int(report[-2:], 16) + rng.randint(1, 255)) % 256)

    # ── the procedure ──────────────────────────────────────────────────────
    def boot(self) -> None:
        self.tell(b"S")
        self.tell(b"P")

    def new_decks(self) -> None:
        """Eight decks and their burn; without a word of their own, as far as the shoe knows."""
        self.cards = DECK * 8
        self.rng.shuffle(self.cards)
        self.dealt, self.ending = 0, ""
        first = self.next()
        self.expected.append(("burned", "burn/1", first))
        self.tell(told(b"D", FIRST, 1, first))
        for index in range(1, (value(first) or 10) + 1):
            self.burn(index)
        self.tell(b"P")

    def burn(self, index: int) -> None:
        self.expected.append(("burned", f"burn/{index + 1}", None))
        self.tell(told(b"D", BURN, index, self.next()))

    def next(self) -> str:
        """The card on top leaves the shoe."""
        self.dealt += 1
        return self.cards.pop()

    def cover(self) -> None:
        """The cutting card, between two cards or two rounds."""
        self.tell(b"C")
        self.ending = self.ending or "this"

    def aside(self) -> None:
        """What is no card may stand anywhere."""
        if self._now(self.style.preset, "M"):
            self.tell(b"M01%04X" % self.rng.randrange(65536))
        if self._now(self.style.locked, "L"):
            self.tell(b"L\x81")
            self.tell(b"L\x80")
        if self._now(self.style.error, "E"):
            code = self.rng.choice((2, 2, 3, 4, 5, 7))
            self.expected += [("fault",), ("cleared fault",)]
            self.tell(b"E" + bytes((0xC0 | code,)))
            self.tell(b"e" + bytes((0x80 | code,)))

    def hand(
        self, cover: int | None = None, claims: str = "", pairs: int = 0, forced: bool = False
    ) -> None:
        """A round. `cover`: the cutting card is out after so many of its cards.

        `claims`: the shoe's own winner; `pairs`: what is wrong in its pairs.
        """
        player: list[str] = []
        banker: list[str] = []
        self.rounds += 1
        number = self.rounds
        hands: dict[str, list[str]] = {"P": player, "B": banker}
        due = ["P", "B", "P", "B"]
        for n in range(6):
            if n == 4:
                due = thirds(player, banker, self.cards[-1])
                if cover == 4 and not due:
                    self._cover_after_last_card()
            if not due:
                break
            side = due.pop(0)
            if cover == n:
                self.cover()
            self.aside()
            self._deal(number, side, hands)
        self.aside()
        if len(player) + len(banker) == 4:
            self._first_four(number, player, banker)
        for name, cards in (("player", player), ("banker", banker)):
            self.expected += [("revealed", number, f"{name}/3", card) for card in cards[2:]]
        self._over(number, player, banker, claims, pairs, forced)

    def _deal(self, number: int, side: str, hands: dict[str, list[str]]) -> None:
        cards, name = hands[side], {"P": "player", "B": "banker"}[side]
        if not any(hands.values()):
            self.expected.append(("opened", number))
        cards.append(self.next())
        if len(cards) == 3 and sum(map(len, hands.values())) == 5:
            self._first_four(number, hands["P"][:2], hands["B"][:2])
        self.expected.append(("dealt", number, f"{name}/{len(cards)}"))
        target = PLAYER if side == "P" else BANKER
        self.tell(told(b"D", target, len(cards), cards[-1]))
        while self._now(self.style.again, "R"):
            self.tell(told(b"R", target, len(cards), cards[-1]))

    def _first_four(self, number: int, player: list[str], banker: list[str]) -> None:
        for index in (1, 2):
            for name, cards in (("player", player), ("banker", banker)):
                self.expected.append(("revealed", number, f"{name}/{index}", cards[index - 1]))

    def _cover_after_last_card(self) -> None:
        """It belongs to the next round then."""
        self.tell(b"C")
        self.ending = self.ending or "next"

    def _over(
        self, number: int, player: list[str], banker: list[str], claims: str, pairs: int,
        forced: bool,
    ) -> None:  # fmt: skip
        won = winner(player, banker)
        mismatch = ("irregularity", "result_mismatch", number)
        if forced:
            self.expected.append(mismatch)
        else:
            figures = (points(player), points(banker), won)
            self.expected.append(("settled", number, player, banker, *figures))
            self.expected += [mismatch] * ((claims or won) != won) + [mismatch] * bool(pairs)
        if self.ending == "this":
            self.expected.append(("last hand", number))
        self.ending = {"next": "this", "this": "last", "last": "over"}.get(self.ending, "")
        seen = (player[0][0] == player[1][0]) | (banker[0][0] == banker[1][0]) << 1
        self.tell(result(7 if forced else WINNERS[claims or won], seen ^ pairs))
        self.aside()
        self.expected.append(("cleared", number, not forced))
        self.tell(b"P")
        self.aside()

    def whole(self, rounds: int | None = None) -> None:
        """A shoe from its boot to its end; the cutting card comes after so many rounds, or deep."""
        self.boot()
        self.new_decks()
        last = self.rounds + (rounds or 1000)
        deep = self.rng.randint(14, 40)
        while len(self.cards) > deep + 6 and self.rounds < last:
            self.hand()
        self.hand(cover=self.rng.choice((0, 1, 2, 3)))
        while self.ending != "over":
            self.hand()
        self.flush()


SAID = {
    "round.opened": "opened", "round.last_hand": "last hand", "device.fault": "fault",
    "device.cleared": "cleared fault",
}  # fmt: skip
NEVER = ("table.halted", "device.refused", "round.voided")


def heard(events: list[tuple[str, Any]]) -> list[tuple[Any, ...]]:
    """What a table told, in the words of `expected`; every revealed card is proved on the way."""
    out: list[tuple[Any, ...]] = []
    sealed: dict[int, str] = {}
    stands = False  # an error of the shoe
    for name, data in events:
        match name:
            case "card.dealt":
                assert "card" not in data
                sealed[data["draw"]] = data["commitment"]
                out.append(("dealt", data["round"], data["place"]))
            case "card.revealed":
                text = b"tablectl-card-1" + bytes.fromhex(data["salt"]) + data["card"].encode()
                assert hashlib.sha256(text).hexdigest() == sealed[data["draw"]]
                out.append(("revealed", data["round"], data["place"], data["card"]))
            case "card.burned":
                out.append(("burned", data["place"], data.get("card")))
            case "round.settled":
                assert data["seats"] == []
                _outcomes(data)
                figures = (data["points"]["player"], data["points"]["banker"], data["winner"])
                out.append(("settled", data["round"], data["player"], data["banker"], *figures))
            case "round.cleared":
                out.append(("cleared", data["round"], data["settled"]))
            case "round.opened" | "round.last_hand":
                out.append((SAID[name], data["round"]))
            case "device.fault" | "device.cleared":
                again = name == "device.fault" and stands  # told again behind a broken link
                stands = name == "device.fault"
                out += [] if again else [(SAID[name],)]
            case _ if name.startswith("irregularity."):
                out.append(("irregularity", name.removeprefix("irregularity."), data["round"]))
        assert name not in NEVER, (name, data)
    return out


def _outcomes(data: Any) -> None:
    wanted = {
        "player": ("win", "lose", "lose"), "banker": ("lose", "win", "lose"),
        "tie": ("push", "push", "win"),
    }[data["winner"]]  # fmt: skip
    came = {row["wager"]: row["outcome"] for row in data["results"]}
    assert (came["player"], came["banker"], came["tie"]) == wanted, data


def differ(said: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> str:
    """Where the two lists part; empty where they are the same."""
    for at in range(max(len(said), len(expected))):
        if said[at : at + 1] != expected[at : at + 1]:
            before = expected[max(0, at - 2) : at]
            return f"after {before}: expected {expected[at : at + 3]}, heard {said[at : at + 3]}"
    return ""
