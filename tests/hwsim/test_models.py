"""The models in virtual time: cards are never made or lost, and devices keep to their leave."""

import random

import pytest

from hwsim.devices import Shuffler
from hwsim.physical import NotPossible
from tablectl.cards import DECK

from .host import MS, Bench, S


def bench(**more) -> Bench:
    return Bench(**more)


def reports(device) -> list[str]:
    return [report.name for report in device.reports]


def pass_time(bench: Bench, ns: int) -> None:
    for device in bench.table.devices.values():
        device.advance(ns)


def dealt(bench: Bench, deck: str = "red") -> list:
    return [card for stack in bench.table.decks[deck].dealt for card in stack.cards]


# ── the cycle ──
def test_a_deck_goes_round_and_all_its_cards_with_it():
    table = (pit := bench(seed=3)).table
    deck = table.receive("red")
    table.put_into_shuffler("red")
    pass_time(pit, 7 * S)
    assert reports(pit.shuffler) == ["shuffle_started"]
    pass_time(pit, 1 * S)
    assert pit.shuffler.reports[-1].args == {"compartment": 0, "count": 52}
    assert deck.cards != list(DECK)
    order = list(deck.cards)

    table.load_shoe("red")
    pit.shoe.do("dispense", stacks=5)
    pass_time(pit, 20 * S)
    assert [report.args["dispensed"] for report in pit.shoe.reports] == [1, 2, 3, 4, 5]
    read = [card for report in pit.shoe.reports for card in report.args["cards"]]
    assert read == order[:15] == dealt(pit)
    assert deck.cards == order[15:]
    assert deck.accounted()

    table.gather("red")
    assert len(deck.cards) == 52
    assert not deck.dealt
    table.put_into_shuffler("red")
    pass_time(pit, 8 * S)
    assert pit.shuffler.reports[-1].args["count"] == 52
    assert deck.accounted()


def test_the_shoe_takes_its_time_and_waits_for_the_dealer():
    pit = bench(options={"shoe": {"take_ns": None}}).shuffled()
    pit.shoe.do("dispense", stacks=3)
    pit.shoe.advance(1199 * MS)
    assert not pit.shoe.reports
    assert pit.shoe.condition().busy
    pit.shoe.advance(1 * MS)
    assert reports(pit.shoe) == ["stack"]
    pit.shoe.advance(60 * S)
    assert reports(pit.shoe) == ["stack"], "the first stack still lies in the exit"
    pit.shoe.take()
    pit.shoe.advance(2 * S)
    assert reports(pit.shoe) == ["stack"] * 2
    pit.shoe.take()
    with pytest.raises(NotPossible, match="no stack"):
        pit.shoe.take()


def test_a_hold_keeps_the_stack_that_was_being_made():
    pit = bench().shuffled()
    pit.shoe.do("dispense", stacks=3)
    pit.shoe.advance(1 * S)
    pit.shoe.do("hold")
    assert pit.shoe.condition().held
    pit.shoe.advance(60 * S)
    assert not pit.shoe.reports
    assert pit.shoe.dispensed == 0
    pit.shoe.do("dispense", stacks=1)
    pit.shoe.advance(60 * S)
    assert pit.shoe.dispensed == 1


def test_leave_replaces_what_was_left_of_the_leave_before():
    pit = bench().shuffled()
    pit.shoe.do("dispense", stacks=10)
    pit.shoe.advance(1300 * MS)
    pit.shoe.do("dispense", stacks=2)
    pit.shoe.advance(60 * S)
    assert pit.shoe.dispensed == 3


def test_the_last_card_stays_and_the_shoe_says_so():
    pit = bench().shuffled()
    for _ in range(2):
        pit.shoe.do("dispense", stacks=16)
        pit.shoe.advance(60 * S)
    assert reports(pit.shoe) == ["stack"] * 17 + ["fault"]
    assert pit.shoe.fault == "no_cards"
    assert not pit.shoe.can("dispense", stacks=1)
    assert len(pit.table.decks["red"].cards) == 1
    assert pit.table.decks["red"].accounted()


def test_new_cards_end_the_want_of_cards():
    pit = bench().shuffled()
    del pit.table.decks["red"].cards[3:]
    pit.shoe.do("dispense", stacks=2)
    pit.shoe.advance(9 * S)
    pit.table.gather("red")
    pit.table.load_shoe("red")
    assert reports(pit.shoe) == ["stack", "fault", "cleared"]


def test_a_shoe_that_reads_nothing_counts():
    pit = bench(options={"shoe": {"reads": False}}).shuffled()
    pit.shoe.do("dispense", stacks=1)
    pit.shoe.advance(2 * S)
    assert pit.shoe.reports[0].args["cards"] == (None, None, None)


def test_two_compartments_hold_two_decks():
    pit = bench(options={"shuffler": {"compartments": 2}})
    for deck in ("red", "blue"):
        pit.table.receive(deck)
    pit.table.put_into_shuffler("red")
    with pytest.raises(NotPossible, match="is shuffling"):
        pit.table.put_into_shuffler("blue")
    pass_time(pit, 8 * S)
    pit.table.put_into_shuffler("blue")
    pass_time(pit, 8 * S)
    assert [r.args["compartment"] for r in pit.shuffler.reports] == [1, 1, 2, 2]
    pit.table.load_shoe("blue")
    pit.table.gather("red")
    assert pit.shuffler.compartments == [None, None]


def test_the_progressive_takes_chips_only_while_unlocked():
    pit = bench()
    assert not pit.table.place_chip(3)
    pit.bonus.do("unlock")
    assert pit.table.place_chip(3)
    pit.bonus.do("lock")
    assert not pit.table.place_chip(4)
    assert [seat for seat, lit in pit.bonus.lamps.items() if lit] == [3]
    pit.bonus.do("unlock")
    assert not any(pit.bonus.lamps.values())
    assert not pit.bonus.reports, "a command is answered, not reported"


def test_a_key_at_the_progressive_is_reported():
    pit = bench()
    pit.bonus.turn_key()
    pit.bonus.turn_key()
    assert reports(pit.bonus) == ["unlocked", "locked"]


def test_the_button():
    pit = bench()
    pit.table.press_button()
    assert pit.table.button().reports[0].args == {"button": 1}
    assert not pit.table.button().restrict(tell=True)


@pytest.mark.parametrize(
    ("do", "why"),
    [
        (lambda t: t.put_into_shuffler("green"), "no deck 'green'"),
        (lambda t: t.put_into_shuffler("red"), "gather it first"),
        (lambda t: t.load_shoe("blue"), "still holds deck red"),
        (lambda t: t.clear_jam("oven"), "no device 'oven'"),
        (lambda t: t.shoe("oven"), "no shoe oven"),
        (lambda t: t.receive("red"), "gather it first"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(do, why):
    pit = bench().shuffled()
    pit.table.receive("blue")
    with pytest.raises(NotPossible, match=why):
        do(pit.table)


def test_a_deck_in_the_middle_of_a_shuffle_stays_there():
    pit = bench()
    pit.table.receive("red")
    pit.table.put_into_shuffler("red")
    for act in (pit.table.gather, pit.table.load_shoe):
        with pytest.raises(NotPossible, match="is being shuffled"):
            act("red")


def test_more_than_one_of_a_kind_must_be_named():
    pit = bench()
    Shuffler("second", pit.table, pit.plan, random.Random(0))
    with pytest.raises(NotPossible, match="more than one shuffler"):
        pit.table.shuffler()
    assert pit.table.shuffler("second").id == "second"


# ── power ──
def test_power_lost_in_a_shuffle_is_a_fault_until_the_cards_are_out():
    pit = bench()
    pit.table.receive("red")
    pit.table.put_into_shuffler("red")
    pit.shuffler.advance(3 * S)
    pit.shuffler.power_cycle()
    assert reports(pit.shuffler) == ["fault"]
    assert pit.shuffler.fault == "count_failed"
    with pytest.raises(NotPossible, match="clear it first"):
        pit.table.gather("red")
    pit.table.clear_jam("shuffler")
    assert reports(pit.shuffler) == ["fault", "cleared"]
    assert pit.table.decks["red"].where == "hand"
    assert pit.table.decks["red"].accounted()


@pytest.mark.parametrize(("keeps", "another", "told"), [(1, 0, 1), (0, 0, None), (1, 1, None)])
def test_what_a_shoe_remembers_of_its_stacks(keeps, another, told):
    pit = bench(options={"shoe": {"keeps_memory": bool(keeps)}}).shuffled()
    pit.shoe.do("dispense", stacks=5)
    pit.shoe.advance(1500 * MS)
    pit.shoe.power_cycle(another=bool(another))
    assert pit.shoe.condition().dispensed == told
    pit.shoe.advance(60 * S)
    assert not pit.shoe.reports, "leave does not survive a loss of power"
    pit.shoe.do("dispense", stacks=1)
    pit.shoe.advance(9 * S)
    assert pit.shoe.reports[0].args["dispensed"] == (2 if told else None)


def test_time_in_one_step_or_in_many_is_the_same():
    logs = []
    for step in (20 * S, 7 * MS):
        pit = bench(seed=5, faults="misread%30,jam%5").shuffled()
        pit.shoe.do("dispense", stacks=6)
        start = pit.shoe.now_ns
        while pit.shoe.now_ns < start + 20 * S:
            pit.shoe.advance(min(step, start + 20 * S - pit.shoe.now_ns))
        logs.append([entry for entry in pit.log if entry.device == "shoe"])
    assert logs[0] == logs[1]
