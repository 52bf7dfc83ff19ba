"""What later kinds do, in virtual time: readers of badges and of single cards, signs, two decks."""

import random
from pathlib import Path
from typing import Any

import pytest

from hwsim.devices import Shuffler
from hwsim.faults import Fault, FaultPlan, parse_faults
from hwsim.line import Line
from hwsim.person import act
from hwsim.physical import NotPossible, PhysicalTable
from hwsim.rack import BadRack, Rack, place
from hwsim.scenario import load
from hwsim.tablelink import messages as m

from .host import DISPENSE, HOLD, LAMP, LOCK, MS, RELEASE, SHOW, UNLOCK, Bench, S

PROGRESSIVE = b"progressive"


def codes(host) -> list[int]:
    return host.codes()


def shuffled_by(options: dict[str, Any], faults: str = "", deck: str = "red") -> Bench:
    pit = Bench(options={"shuffler": options}, faults=faults)
    pit.table.receive(deck)
    pit.table.put_into_shuffler(deck)
    pit.shuffler.advance(10 * S)
    return pit


def done(pit: Bench) -> dict[str, Any]:
    report = pit.shuffler.reports[-1]
    assert report.name == "shuffle_done"
    return dict(report.args)


# ── who it is ──
def test_a_welcome_says_what_else_it_can_do():
    options: dict[str, dict[str, Any]] = {
        "shuffler": {"compartments": 2, "sees": "cards"},
        "bonus": {"tells": "progressive"},
    }
    pit = Bench(options=options, one_by_one=True)
    for name, bits in (
        ("shuffler", m.COUNTS | m.TWO_DECKS | m.RECOGNISES),
        ("shoe", m.READS | m.KEEPS | m.ONE_BY_ONE | m.RELEASES),
        ("bonus", m.LOCKS | m.KEEPS | m.WAGERS),
    ):
        assert pit.join(name).last(m.Welcome).capabilities == bits, name


# ── shufflers ──
def test_two_decks_alternate_each_with_its_own_count():
    pit = Bench(options={"shuffler": {"compartments": 2}}, faults="missing_card#2")
    for deck in ("red", "blue"):
        pit.table.receive(deck)
        pit.table.put_into_shuffler(deck)
        pit.shuffler.advance(8 * S)
    host = pit.join("shuffler")
    pit.run(500)
    events = [host.events[n] for n in sorted(host.events)]
    assert [event.arguments for event in events if event.code == 0x11] == [
        b"\x01\x34\x00", b"\x02\x33\x00",
    ]  # fmt: skip


def test_a_jam_names_its_compartment():
    pit = Bench(options={"shuffler": {"compartments": 2}}, faults="jam/shuffler#2")
    for deck in ("red", "blue"):
        pit.table.receive(deck)
        pit.table.put_into_shuffler(deck)
        pit.shuffler.advance(10 * S)
    assert pit.shuffler.reports[-1].args == {"compartment": 2}
    assert pit.shuffler.fault == "jam"
    pit.table.clear_jam("shuffler")
    assert pit.table.decks["blue"].where == "hand"
    assert pit.table.decks["red"].where == "shuffler"


@pytest.mark.parametrize(
    ("sees", "told"),
    [
        ("nothing", {"count": None}),
        ("number", {"count": 52}),
        ("cards", {"count": 52, "distinct": 52}),
    ],
)
def test_what_a_shuffler_sees(sees, told):
    assert done(shuffled_by({"sees": sees})) == {"compartment": 0, **told}


def test_a_copy_in_the_deck_is_seen_by_who_recognises_cards():
    pit = shuffled_by({"sees": "cards"}, "duplicate_card#1")
    assert done(pit) == {"compartment": 0, "count": 52, "distinct": 51}
    deck = pit.table.decks["red"]
    assert deck.accounted()
    assert (len(deck.lost), len(deck.strangers)) == (1, 1)


def test_a_lost_card_is_missing_in_both_numbers():
    told = done(shuffled_by({"sees": "cards"}, "missing_card#1"))
    assert told == {"compartment": 0, "count": 51, "distinct": 51}


def test_a_card_that_was_not_recognised_is_no_finished_shuffle():
    pit = shuffled_by({"sees": "cards"}, "misread#1")
    assert [report.name for report in pit.shuffler.reports] == ["shuffle_started", "fault"]
    assert pit.shuffler.fault == "count_failed"
    pit.table.clear_jam("shuffler")
    assert pit.table.decks["red"].where == "hand"


def test_a_card_that_was_taken_for_another_is_a_false_twin():
    assert done(shuffled_by({"sees": "cards"}, "misread=wrong#1"))["distinct"] == 51


def test_a_shuffler_that_sees_ghosts_is_refused(tmp_path: Path):
    file = tmp_path / "rack.toml"
    file.write_text('[devices.s]\nkind = "shuffler"\noptions = {sees = "ghosts"}')
    with pytest.raises(BadRack, match="sees nothing, the number or the cards, not 'ghosts'"):
        load(file)


# ── a shoe that tells cards one by one ──
def drawing(faults: str = "", **options: Any) -> Bench:
    pit = Bench(faults=faults, one_by_one=True, options={"shoe": options})
    pit.shuffled()
    pit.join("shoe")
    pit.hosts["shoe"].command(1, RELEASE)
    return pit.run(20)


def draw(pit: Bench, *places: str | None) -> None:
    for at in places:
        pit.table.draw(at)
        pit.run(200)


def test_each_card_is_told_with_its_place_after_a_moment():
    pit = drawing()
    top = pit.table.decks["red"].cards[:2]
    pit.table.draw("seat/1/1")
    pit.shoe.advance(50 * MS)
    assert not pit.shoe.reports
    pit.run(100)
    draw(pit, "dealer/1")
    host = pit.hosts["shoe"]
    told = [host.events[n].arguments for n in sorted(host.events) if host.events[n].code == 0x22]
    assert [args[:5] for args in told] == [b"\x01\x00\x01\x01\x00", b"\x02\x00\xe0\x01\x00"]
    assert [stack.cards[0] for stack in pit.table.decks["red"].dealt] == top
    assert pit.table.decks["red"].accounted()


def test_it_holds_at_first_and_when_it_is_told():
    pit = Bench(one_by_one=True).shuffled()
    pit.join("shoe")
    with pytest.raises(NotPossible, match="is held"):
        pit.table.draw("seat/1/1")
    pit.hosts["shoe"].command(1, RELEASE)
    pit.run(20)
    draw(pit, "seat/1/1")
    pit.hosts["shoe"].command(2, HOLD)
    pit.run(20)
    with pytest.raises(NotPossible, match="is held"):
        pit.table.draw("seat/2/1")
    assert pit.hosts["shoe"].outcome(2) == m.DONE


def test_a_reader_gives_no_stacks():
    pit = drawing()
    pit.hosts["shoe"].command(9, DISPENSE, 3)
    pit.run(20)
    assert pit.hosts["shoe"].outcome(9) == m.NOT_KNOWN_HERE
    with pytest.raises(NotPossible, match="gives stacks"):
        Bench().table.draw("seat/1/1")


@pytest.mark.parametrize("where", ["seat/10/1", "seat/1/4", "cellar/1", ""])
def test_a_place_that_there_is_not(where):
    pit = drawing()
    with pytest.raises(NotPossible, match="is no place"):
        pit.table.draw(where)


@pytest.mark.parametrize(
    ("faults", "counts", "read"),
    [
        ("misread/shoe#2", [1, 2, 3], [True, False, True]),
        ("overdraw#2", [1, 3, 4], [True, True, True]),  # two that stick together
        ("missing_card/shoe#2", [1, 2], [True, True]),  # it slipped past the sensor
        ("duplicate_card/shoe#2", [1, 2, 3], [True, True, True]),
    ],
)
def test_what_goes_wrong_with_single_cards(faults, counts, read):
    pit = drawing(faults)
    draw(pit, "seat/1/1", "seat/2/1", "seat/3/1")
    host = pit.hosts["shoe"]
    told = [host.events[n].arguments for n in sorted(host.events) if host.events[n].code == 0x22]
    assert [int.from_bytes(args[:2], "little") for args in told] == counts
    assert [args[5] != 0xFF for args in told] == read
    assert pit.table.decks["red"].accounted()
    if faults.startswith("duplicate"):
        assert told[1][5] in (told[0][5], told[2][5])


def test_a_card_that_is_stuck_must_be_freed():
    pit = drawing("jam/shoe#1")
    with pytest.raises(NotPossible, match="clear it first"):
        pit.table.draw("seat/1/1")
    assert pit.shoe.condition().held
    pit.table.clear_jam("shoe")
    pit.run(100)
    assert codes(pit.hosts["shoe"])[-2:] == [0x03, 0x02]


def test_a_card_that_lies_face_up_is_seen_by_people_alone():
    pit = drawing("face_up/shoe#1")
    draw(pit, "seat/1/1")
    assert [sight.what for sight in pit.table.sights] == ["face_up"]


@pytest.mark.parametrize(("keeps", "told"), [(True, 1), (False, 0xFFFF)])
def test_what_it_remembers_of_its_cards(keeps, told):
    pit = drawing(keeps_memory=keeps)
    draw(pit, "seat/1/1")
    pit.units["shoe"].power_off()
    pit.run(2000)
    assert pit.join("shoe").last(m.State).condition.dispensed == told


# ── signs ──
def test_a_sign_is_dark_before_and_after_its_host():
    pit = Bench()
    sign: Any = pit.table.devices["sign"]
    host = pit.join("sign")
    for n, shown in enumerate((1, 5, 0, 6), 1):
        host.command(n, SHOW, shown)
    pit.run(20)
    assert list(sign.seen) == ["open", "halted", "off", "out_of_order"]
    assert sign.lit == {"red"}
    host.command(2, SHOW, 5)  # a late copy
    pit.run(20)
    assert host.outcome(2) == m.STALE
    assert sign.sign == "out_of_order"
    host.command(9, SHOW, 77)
    pit.run(20)
    assert host.outcome(9) == m.NOT_KNOWN_HERE
    pit.beating.discard("sign")
    pit.run(2500)
    assert sign.sign == "off"


# ── wagers seat by seat ──
def telling() -> Bench:
    pit = Bench(options={"bonus": {"tells": "progressive"}})
    pit.join("bonus")
    return pit


def test_chips_are_told_by_what_the_lock_is():
    pit = telling()
    host = pit.hosts["bonus"]
    pit.table.place_chip(2)  # locked
    host.command(1, UNLOCK)
    pit.run(100)
    pit.table.place_chip(5)
    pit.table.place_chip(5)
    host.command(2, LOCK)
    pit.run(1000)
    pit.table.place_chip(2)  # collected
    pit.run(100)
    told = [(e.code, e.arguments) for e in (host.events[n] for n in sorted(host.events))]
    worth = (500).to_bytes(4, "little")
    assert told == [
        (0x34, b"\x02" + PROGRESSIVE),
        (0x32, b"\x02" + worth + PROGRESSIVE),
        (0x32, b"\x05" + worth + PROGRESSIVE),
        (0x33, b"\x05" + PROGRESSIVE),
    ]
    number = {result.number.n: result.condition.event for result in host.all(m.Result)}
    assert number[1] == 1, "what lies there is told after the answer"


def test_its_lamps_are_the_host_s():
    pit = telling()
    host = pit.hosts["bonus"]
    host.command(1, UNLOCK)
    pit.table.place_chip(3)
    assert not any(pit.bonus.lamps.values())
    host.command(2, LAMP, 3, 1, *PROGRESSIVE)
    host.command(3, LOCK)
    host.command(4, LAMP, 9, 1, *PROGRESSIVE)
    host.command(5, LAMP, 3, 1, *b"other")
    pit.run(20)
    assert pit.bonus.lamps[3]
    assert [host.outcome(n) for n in (4, 5)] == [m.NOT_KNOWN_HERE] * 2
    pit.units["bonus"].disconnected()
    assert pit.bonus.lamps[3], "they say what was accepted"
    pit.join("bonus")
    assert not any(pit.bonus.lamps.values())


def test_a_late_chip_is_told_as_such():
    pit = Bench(faults="late_bet#1", options={"bonus": {"tells": "progressive"}})
    pit.join("bonus")
    pit.bonus.do("unlock")
    pit.bonus.do("lock")
    pit.run(2000)
    assert codes(pit.hosts["bonus"]) == [0x34]


# ── badges ──
def test_a_badge_is_told_once_while_a_host_is_there():
    pit = Bench()
    assert pit.table.show_badge("4711")
    host = pit.join("reader")
    pit.run(2000)
    assert host.events == {}, "nobody was there"
    assert pit.table.show_badge("4711")
    assert not pit.table.show_badge("4711"), "it is held against the reader"
    assert pit.table.show_badge("0815")
    pit.run(1500)
    assert pit.table.show_badge("0815")
    pit.run(100)
    told = [host.events[n].arguments for n in sorted(host.events)]
    assert told == [b"4711", b"0815", b"0815"]


@pytest.mark.parametrize(("faults", "told"), [("misread#1", []), ("misread=wrong#1", [False])])
def test_a_badge_that_is_misread(faults, told):
    pit = Bench(faults=faults)
    host = pit.join("reader")
    pit.table.show_badge("4711")
    pit.run(100)
    assert [event.arguments == b"4711" for event in host.events.values()] == told


# ── another one ──
@pytest.mark.parametrize(
    ("variant", "changed", "remembers"),
    [
        ("", "serial", False),
        ("=serial", "serial", False),
        ("=model", "model", False),
        ("=version", "versions", True),
        ("=mode", "mode", True),
    ],
)
def test_what_comes_back_in_its_place(variant, changed, remembers):
    pit = Bench(faults=f"swap{variant}/shoe@20").shuffled()
    before = pit.shoe.identity
    host = pit.join("shoe")
    host.command(1, DISPENSE, 1)
    pit.run(14_000)
    host = pit.join("shoe")
    after = pit.shoe.identity
    differ = {
        name for name in after.__dataclass_fields__ if getattr(before, name) != getattr(after, name)
    }
    assert differ == {changed}
    assert (host.last(m.State).permit != m.NEVER) is remembers
    items = host.last(m.Welcome).items
    assert (m.SERIAL, after.serial.encode()) in items
    assert ((m.MODE, after.mode.encode()) in items) is (changed == "mode")
    if changed == "versions":
        assert dict(after.versions) == {"CardRec": "3.0.018", "Main": "1.1"}


def test_somebody_sets_it_to_another_game():
    pit = Bench().shuffled()
    host = pit.join("shoe")
    host.command(1, DISPENSE, 3)
    pit.run(20)
    act(pit.table, "mode shoe Three Card Poker")
    pit.run(100)
    assert [event.arguments for event in host.events.values()] == [b"Three Card Poker"]
    assert pit.shoe.condition().held
    assert (m.MODE, b"Three Card Poker") in pit.join("shoe").last(m.Welcome).items


def test_a_scenario_says_who_its_devices_are(tmp_path: Path):
    file = tmp_path / "rack.toml"
    file.write_text(
        "[devices.deal]\n"
        'kind = "card_shoe"\n'
        'options = {serial = "X-1", versions = {RNG = "1.2"}, mode = "TCB", reads = false}\n'
        "[devices.staff]\n"
        'kind = "badge_reader"\n'
    )
    rack = load(file)
    who = rack.units["deal"].device.identity
    assert (who.serial, who.model, who.versions, who.mode) == (
        "X-1", "hwsim card shoe", (("RNG", "1.2"),), "TCB",
    )  # fmt: skip
    assert rack.units["staff"].device.kind == "badge_reader"


# ── lines ──
def test_frames_come_in_one_piece():
    line = Line("a", FaultPlan(parse_faults("split=merge#1")))
    line.send(b"\x01one\0")
    line.advance(20 * MS)
    assert line.take() == b""
    line.send(b"\x01two\0")
    line.advance(20 * MS)
    assert line.take() == b"\x01one\0\x01two\0"
    line.send(b"\x01three\0")
    assert line.take() == b"\x01three\0"


def test_a_line_that_merges_all_the_time_loses_nothing():
    pit = Bench(faults="split=merge/shoe%100").shuffled()
    host = pit.join("shoe")
    host.command(1, DISPENSE, 4)
    pit.run(12_000)
    assert codes(host) == [0x20] * 4
    assert host.bad == 0


@pytest.mark.parametrize("kind", ["indicator", "badge_reader", "card_shoe"])
def test_whatever_can_happen_to_a_link_happens_to_every_kind(kind):
    for fault in ("silence", "reboot", "garbage", "split", "repeat", "loss", "disconnect", "swap"):
        Rack([place(kind)], faults=[Fault(fault)])


# ── people ──
def test_a_person_draws_and_shows_badges_by_lines_of_text():
    pit = drawing()
    act(pit.table, "draw seat/1/1")
    pit.join("reader")
    act(pit.table, "badge 4711")
    pit.run(200)
    assert codes(pit.hosts["reader"]) == [0x60]
    for line, why in (
        ("badge", "badge needs a number"),
        ("mode shoe", "mode needs a device and a game"),
        ("draw seat/1/9", "is no place"),
    ):
        with pytest.raises(NotPossible, match=why):
            act(pit.table, line)


def test_a_table_without_a_reader_says_so():
    table = PhysicalTable(random.Random(0))
    Shuffler("s", table, FaultPlan(), random.Random(0))
    with pytest.raises(NotPossible, match="no badge_reader"):
        table.show_badge("1")
