"""tablelink's host side for signs, lamps, wagers by seat, single cards and badges."""

import pytest

from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Card, Reading, Token, check_reading
from tests.contract.device import ONE_BY_ONE
from tests.drivers.wire import Wire, nothing, perfect


# ── what shows something ───────────────────────────────────────────────────
def test_a_lamp_survives_a_lock_that_overtakes_it():
    """The lamp says what was accepted: a lock an instant later must not leave it dark."""
    wire = Wire("progressive").connect().run(100)
    wire.order("unlock")
    wire.run(50)
    wire.channel = nothing
    wire.order("lamp", seat=3, wager="progressive", on=True)
    wire.order("lock")
    wire.run(20)
    wire.channel = perfect
    wire.run(500)
    assert wire.device.locked
    assert wire.device.lamps == {3}
    assert wire.names() == ["online", "unlocked", "locked"]


def test_of_many_lamps_none_is_lost_and_the_newest_word_counts():
    wire = Wire("progressive").connect().run(100)
    for on in (True, False, True):
        for seat in range(1, 8):
            wire.order("lamp", seat=seat, wager="progressive", on=on and seat != 4)
    wire.run(1000)
    assert wire.device.lamps == {1, 2, 3, 5, 6, 7}
    assert wire.counters.commands_dropped == 13  # overtaken before they could leave
    assert wire.names() == ["online"]


def test_too_many_lamps_at_once_are_refused():
    wire = Wire("progressive").connect().run(100)
    wire.channel = nothing
    for seat in range(1, 66):
        wire.order("lamp", seat=seat, wager="progressive", on=True)
    with pytest.raises(CommandRefused, match="64 lamps wait"):
        wire.order("lamp", seat=66, wager="progressive", on=True)
    assert len(wire.session.unanswered()) == 65


def test_a_late_copy_of_an_old_sign_changes_nothing():
    wire = Wire("indicator").connect().run(100)
    kept: list[bytes] = []

    def keeps_the_first(frame):
        if not kept and frame[1:2] == b"\x30":
            kept.append(frame)
            return []
        return [frame]

    wire.channel = keeps_the_first
    wire.order("show", sign="open")
    wire.run(150)  # its second copy arrived
    wire.order("show", sign="halted")
    wire.run(50)
    assert wire.device.sign == 5
    wire.device.feed(kept[0], wire.now)
    wire.run(50)
    assert wire.device.sign == 5
    assert wire.names() == ["online"]


def test_a_lamp_that_is_not_there_is_a_fault():
    wire = Wire("progressive").connect().run(100)
    wire.order("lamp", seat=9, wager="progressive", on=True)
    wire.run(50)
    what = "it refused to lamp: it does not know that order"
    assert wire.readings[-1] == Reading("fault", {"what": what})


def test_signs_and_lamps_are_dark_after_a_new_start():
    for kind, order_ in (
        ("indicator", {"name": "show", "sign": "open"}),
        ("progressive", {"name": "lamp", "seat": 2, "wager": "progressive", "on": True}),
    ):
        wire = Wire(kind).connect().run(100)
        wire.order(**order_)
        wire.run(50)
        assert wire.device.sign or wire.device.lamps
        wire.cut()
        wire.run(100)
        assert wire.device.sign or wire.device.lamps, "the device does not know yet"
        wire.connect().run(100)
        assert not wire.device.sign
        assert not wire.device.lamps


# ── wagers seat by seat ────────────────────────────────────────────────────
def test_chips_are_told_by_what_the_lock_is():
    wire = Wire("progressive").connect().run(100)
    wire.device.chip(2)
    wire.run(50)
    wire.order("unlock")
    wire.run(50)
    wire.device.chip(5)
    wire.device.chip(5)
    wire.run(800)
    wire.order("lock")
    wire.run(50)
    wire.device.chip(2)  # the dealer collects
    wire.run(50)
    at = {"wager": "progressive"}
    assert wire.readings[1:] == [
        Reading("late", {"seat": 2, **at}),
        Reading("unlocked"),
        Reading("accepted", {"seat": 2, **at, "cents": 500}),
        Reading("accepted", {"seat": 5, **at, "cents": 500}),
        Reading("withdrawn", {"seat": 5, **at}),
        Reading("locked", {"n": 2}),
    ]


# ── cards one by one ───────────────────────────────────────────────────────
def drawing(**more):
    wire = Wire("shoe", capabilities=ONE_BY_ONE, **more).connect().run(100)
    wire.order("release")
    return wire.run(50)


def test_cards_are_told_one_by_one_with_their_places():
    wire = drawing()
    for hand, position, card in ((3, 1, 0x16), (0xE0, 2, 0x00), (0, 0, 0xFF), (9, 9, 0x33)):
        assert wire.device.draw(hand, position, card)
        wire.run(50)
    assert wire.readings == [
        Reading("online"),
        Reading("released"),
        Reading("card", {"dispensed": 1, "place": "seat/3/1", "mode": "game"}, (Card("TD"),)),
        Reading("card", {"dispensed": 2, "place": "dealer/2", "mode": "game"}, (Card("AC"),)),
        Reading("card", {"dispensed": 3, "mode": "game"}, (None,)),
        Reading(
            "card", {"dispensed": 4, "mode": "game"}, (Card("KS"),)
        ),  # no hand has a ninth card
    ]
    assert all(check_reading("shoe", reading) is None for reading in wire.readings)
    wire.order("hold")
    wire.run(50)
    assert not wire.device.draw(3, 1, 0)
    assert wire.names()[-1] == "held"


def test_a_mode_that_is_not_known_is_no_game():
    wire = drawing()
    wire.device.draw(3, 1, 0, mode=7)
    wire.run(50)
    assert wire.readings[-1].args["mode"] == "outside"


def test_a_card_that_left_untold_is_a_gap_before_the_next_one():
    wire = drawing()
    wire.device.draw(1, 1, 0)
    wire.run(50)
    wire.device.dispensed += 2
    wire.device.draw(2, 1, 1)
    wire.run(50)
    assert wire.names() == ["online", "released", "card", "gap", "card"]
    assert wire.readings[3].args == {"what": "2 cards left it untold: cards may be missing"}


def test_cards_that_were_drawn_while_the_link_was_away_are_told_or_missed():
    wire = drawing()
    wire.device.draw(1, 1, 0)
    wire.run(50)
    wire.cut()
    wire.device.draw(2, 1, 1)
    wire.connect().run(100)
    assert wire.names() == ["online", "released", "card", "card", "online"]
    wire.order("release")
    wire.run(50)
    for drawn in range(20):  # 16 are kept
        wire.device.running = None
        assert wire.device.draw(1, 1, drawn)
    wire.connect().run(3000)
    gap = wire.names().index("gap")
    assert wire.names()[gap - 1 : gap + 1] == ["online", "gap"]
    assert wire.readings[gap].args == {"what": "4 of its reports were lost"}
    assert wire.names().count("gap") == 1


@pytest.mark.parametrize(("keeps", "told"), [(True, 0), (False, 1)])
def test_a_shoe_that_lost_its_power_may_have_lost_cards(keeps, told):
    wire = drawing()
    wire.device.draw(1, 1, 0)
    wire.run(50)
    wire.device.boot()
    if not keeps:
        wire.device.dispensed = 0xFFFF
    wire.run(50).connect().run(100)
    assert wire.names().count("gap") == told
    if told:
        assert wire.readings[-1] == Reading("gap", {"what": "it counts anew: cards may be missing"})


def test_a_shoe_that_was_loaded_anew_counts_from_nought():
    wire = drawing()
    wire.device.draw(1, 1, 0)
    wire.device.dispensed = 0
    wire.device.report(0x25)
    wire.device.draw(1, 1, 5)
    wire.run(1000)
    assert wire.names() == ["online", "released", "card", "started", "card"]


# ── badges ─────────────────────────────────────────────────────────────────
def test_a_badge_that_was_shown_long_ago_is_nobody_s():
    wire = Wire("badge_reader").connect().run(100)
    for number, age in ((b"4711", 0), (b"0815", 4200), (b"0816", 5200)):
        wire.device.event += 1
        wire.device.kept.append([wire.device.event, wire.now - age, 0x60, number, 0, None])
        wire.run(50)
    told = [reading.args for reading in wire.readings[1:]]
    assert [args["token"] for args in told] == [Token("4711"), Token("0815")]
    assert told[1]["age_ms"] >= 4200
    assert wire.device.kept == [], "and it is acknowledged all the same"


def test_no_badge_is_in_any_representation():
    wire = Wire("badge_reader").connect().run(100)
    wire.device.badge("4711-0815")
    wire.run(50)
    assert "4711" not in repr(wire.readings)
    assert "0815" not in repr(vars(wire.session))
