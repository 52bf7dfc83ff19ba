"""Bee-Tek's lines against the page's, and what its driver makes of them."""

import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.bee_tek.codec import LONGEST, Alarm, Damaged, Drawn, Framer, Warned, decode
from tablectl.hal import registry
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import DECK, Command, Counters, DevicePlan, Ended, Reading, check_reading
from tests.drivers.vectors import block

LINES = dict(line.split("->") for line in block("lines", "bee-tek"))
PAGE = {line.rstrip(): meaning.strip() for line, meaning in LINES.items()}


def meant(text):
    word, _, rest = text.partition(" ")
    known = {"card": "Game", "burn": "Manual Burn Cards"}
    if word in known:
        return Drawn(known[word], None if rest == "none" else rest)
    return {"alarm": Alarm(rest), "warning": Warned(), "damaged": Damaged()}[word]


@pytest.mark.parametrize("line", PAGE)
def test_the_lines_of_the_page(line):
    assert decode(line.encode()) == meant(PAGE[line])


def test_every_card_is_told():
    for card in DECK:
        assert decode(b"[Game]<Card:%b>" % card.encode()) == Drawn("Game", card)


class Shoe:
    def __init__(self, **plan):
        self.counters = Counters()
        self.plan = DevicePlan("shoe", "shoe", "bee_tek", "/dev/x", read_only=True, **plan)
        self.driver = registry.make(self.plan, self.counters, os.urandom)
        self.connect()

    def connect(self):
        self.session = self.driver.session()
        self.session.open(0)
        return self.session.tick(0)

    def __call__(self, *lines, end=b"\r\n"):
        told = []
        for line in lines:
            told += self.session.receive(line.encode("latin-1") + end, 0)
        for each in told:
            assert isinstance(each, Reading)
            assert check_reading("shoe", each) is None
        assert self.session.bytes_to_send() == b""
        return told

    def names(self, *lines):
        return [each.name for each in self(*lines)]


def test_each_link_begins_with_a_gap():
    shoe = Shoe()
    assert [each.name for each in shoe.connect()] == ["online", "gap"]
    assert shoe.session.wake_ns is None
    assert [each.name for each in shoe.connect()] == ["online", "gap"]


def test_cards_are_told_without_a_place():
    game, burned, unread = Shoe()(
        "[Game]<Card:10S>", "[Manual Burn Cards]<Card:4H>", "[Game]<Game>"
    )
    assert (game.name, game.args, game.cards) == ("card", {}, ("TS",))
    assert (burned.args, burned.cards) == ({"mode": "burn"}, ("4H",))
    assert (unread.name, unread.args, unread.cards) == ("card", {}, (None,))


def test_an_alarm_stands_until_it_deals_again():
    shoe = Shoe()
    fault, cleared, card = shoe("[GameAlarm]<Alarm:E3 Card Not Read>", "<W0x01>", "[Game]<Card:4S>")
    assert (fault.name, cleared.name, card.name) == ("fault", "cleared", "card")
    assert "E3 Card Not Read" in fault.args["what"]
    assert shoe.names("[Game]<Card:5S>") == ["card"]


def test_a_damaged_line_is_one_gap_until_a_good_card_comes():
    shoe = Shoe()
    shoe("[Game]<Card:4S>")
    assert shoe.names("[Game]<Card:4", "x" * 500, "", "\xff") == ["gap"]
    assert shoe.names("[Game]<Card:4S>", "?") == ["card", "gap"]
    assert (shoe.counters.frames_good, shoe.counters.frames_bad) == (2, 4)


def test_a_line_needs_its_whole_ending():
    shoe = Shoe()
    shoe("[Game]<Card:4S>")
    assert [each.name for each in shoe("[Game]<Card:4S>", end=b"\n")] == ["gap"]
    assert shoe("[Game]<Card:4S>", end=b"\r") == []
    assert [each.name for each in shoe("")] == []  # two lines run into one: damaged, told already
    assert shoe.counters.frames_bad == 2


def test_it_takes_no_commands():
    with pytest.raises(CommandRefused, match="takes no commands"):
        Shoe().session.send(Command("shoe", "hold", True, "b", 1, {}), 0)


def test_silence_ends_the_link_only_where_it_has_a_limit():
    assert Shoe().session.tick(10**15) == []
    ended = Shoe(silence_ms=1000).session.tick(1_000_000_000)
    assert isinstance(ended[-1], Ended)


@settings(max_examples=300)
@given(st.lists(st.one_of(st.binary(max_size=100), st.sampled_from([b"[Game]<Card:4S>", b"\r\n"]))))
def test_garbage_never_raises_nor_grows_and_may_be_cut_anywhere(parts):
    data = b"".join(parts)
    whole, cut = Framer(), Framer()
    items = list(whole.feed(data))
    again: list = []
    for byte in data:
        again += cut.feed(bytes([byte]))
        assert len(cut._line) <= LONGEST + 2
    assert items == again
    assert (whole.good, whole.bad) == (cut.good, cut.bad)
    for item in items:
        if isinstance(item, Drawn) and item.card:
            assert item.card.replace("T", "10").encode() in data or item.card.encode() in data


def test_damage_makes_a_card_only_where_the_line_is_still_perfect():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for _ in range(20_000):
        card = rng.choice(DECK)
        line = bytearray(b"[Game]<Card:%b>" % card.encode())
        at = rng.randrange(len(line))
        line[at] ^= 1 << rng.randrange(8)
        item = decode(bytes(line))
        if not isinstance(item, Damaged):
            assert at in (12, 13)  # rank or suit became another, which nothing can tell
            assert isinstance(item, Drawn)
            assert item.card == line[12:14].decode()
