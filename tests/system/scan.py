"""A curious reader of everything that leaves the table: nothing before its time, no secret ever.

What was sealed comes from the journal's own table of sealed values, read with nothing but SQLite.
"""

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.system.stage import stored_events
from tests.system.subscriber import segments

HEX = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
CARD = re.compile(r'"([A23456789TJQK][CDHS])"')
BARE_CARD = re.compile(r"(?<![A-Za-z0-9_-])[A23456789TJQK][CDHS](?![A-Za-z0-9_-])")


@dataclass
class Secrets:
    """What a journal knows: each sealed card, and from which event on it is told."""

    salts: dict[str, int | None] = field(default_factory=dict)  # salt -> sequence of its reveal
    shown: dict[tuple[int, str], tuple[str, int]] = field(default_factory=dict)
    never: set[tuple[int, str]] = field(default_factory=set)  # round and place, dealt face down
    cards: int = 0

    @classmethod
    def of(cls, data: Path) -> "Secrets":
        found = cls()
        for path in segments(data):
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
                for (salt,) in db.execute("SELECT salt FROM sealed"):
                    found.salts[salt] = None
        found.cards = len(found.salts)
        for sequence, body in stored_events(data):
            event = json.loads(body)
            told = event["data"]
            if event["type"] == "tablectl.card.dealt":
                found.never.add((told["round"], told["place"]))
            elif event["type"] == "tablectl.card.revealed":
                place = (told["round"], told["place"])
                found.never.discard(place)
                found.shown[place] = (told["card"], sequence)
                if told.get("salt") is not None:
                    assert told["salt"] in found.salts, f"event {sequence}: an unknown salt"
                    found.salts[told["salt"]] = sequence
        return found

    # ── what may stand where ───────────────────────────────────────────────
    def text(self, text: str, where: str, upto: int = 0) -> None:
        """No salt whose card is told only after event `upto`."""
        for word in set(HEX.findall(text)):
            told = self.salts.get(word, 0)
            assert told is not None, f"{where}: the salt of a card that is never told"
            assert told <= upto, f"{where}: a salt before its card is revealed ({told})"

    def event(self, body: str, where: str) -> None:
        """An event names only cards that it, or one before it in the round, has revealed."""
        event = json.loads(body)
        sequence, told = event["sequence"], event["data"]
        self.text(body, f"{where}, event {sequence}", sequence)
        if event["type"] != "tablectl.card.revealed":
            assert "salt" not in told, f"{where}, event {sequence}"
        named = set(CARD.findall(json.dumps(told)))
        known = self._told(told.get("round"), sequence)
        assert named <= known, f"{where}, event {sequence} {event['type']}: {named - known}"

    def state(self, body: str, where: str) -> None:
        """A state shows a card at a place only once that very place was turned over."""
        state: dict[str, Any] = json.loads(body)
        if "error" in state:  # the daemon was stopping: one sentence, and no card in it
            return
        sequence = state["sequence"]
        self.text(body, f"{where}, state {sequence}")
        number: Any = (state["round"] or {}).get("number")
        hands = [seat["cards"] for seat in state["seats"]] + [state["dealer"]["cards"]]
        for card in (card for hand in hands for card in hand if card["card"] is not None):
            shown = self.shown.get((number, card["place"]))
            assert shown is not None, f"{where}, state {sequence}: {card['place']} is face down"
            assert shown[0] == card["card"], f"{where}, state {sequence}: another card"
            assert shown[1] <= sequence, f"{where}, state {sequence}: {card['place']} too early"
        assert set(CARD.findall(body)) <= self._told(number, sequence), f"{where}, state {sequence}"

    def _told(self, number: int | None, sequence: int) -> set[str]:
        """The cards of a round that are told by an event up to `sequence`."""
        return {
            card for (n, _), (card, told) in self.shown.items() if n == number and told <= sequence
        }

    def nothing_at_all(self, text: str, where: str) -> None:
        """Neither salt nor card: logs and metrics have no business with either."""
        self.text(text, where, -1)
        assert not (found := BARE_CARD.findall(text)), f"{where}: {found[:5]}"


def no_credential(texts: Iterable[tuple[str, str]], credentials: Iterable[str]) -> int:
    """None of these words stands anywhere; how many texts were looked at."""
    words = [word for word in credentials if word]
    assert words
    looked = 0
    for where, text in texts:
        looked += 1
        for word in words:
            assert word not in text, f"{where}: a credential"
        assert "$argon2" not in text, f"{where}: a credential's hash"
    return looked
