"""Each fault does what its name says, when its plan says, and the same seed does it again."""

import re
from collections import Counter
from pathlib import Path

import pytest

from hwsim.faults import KINDS, NOT_HERE, BadFault, Fault, FaultPlan, parse_faults
from hwsim.log import Log
from hwsim.rack import Place, Rack
from hwsim.tablelink import messages as m

from .host import DISPENSE, HOLD, LOCK, UNLOCK, Bench, S


def dealing(faults: str, stacks: int = 4, seed: int = 1) -> Bench:
    pit = Bench(seed=seed, faults=faults).shuffled()
    pit.shoe.do("dispense", stacks=stacks)
    pit.shoe.advance(30 * S)
    return pit


def locked(pit: Bench) -> bool:
    return pit.bonus.locked


def stacks(pit: Bench) -> list:
    return pit.table.decks["red"].dealt


# ── the plan ──
def test_a_plan_is_read():
    assert parse_faults("jam, misread=wrong/shoe#4 ,silence=2.5@10.5s,loss%5") == [
        Fault("jam"),
        Fault("misread", "shoe", nth=4, variant="wrong"),
        Fault("silence", at_ns=10_500_000_000, variant="2.5"),
        Fault("loss", chance=0.05),
    ]
    assert parse_faults("") == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("earthquake", "is no fault; choose from jam"),
        ("jam@", "write KIND"),
        ("jam#0", "count from 1"),
        ("loss%101", "between 0 and 100"),
        ("jam=hard", "after = comes nothing"),
        ("overdraw=three", "card or stack"),
        ("silence=long", "how many seconds"),
    ],
)
def test_what_is_no_plan_is_a_sentence(text, why):
    with pytest.raises(BadFault, match=re.escape(why)):
        parse_faults(text)


@pytest.mark.parametrize("kind", NOT_HERE)
def test_what_the_dealer_or_the_box_does_wrong_no_rack_makes(kind):
    faults = parse_faults(f"{kind}#2")
    assert faults == [Fault(kind, nth=2)]
    with pytest.raises(BadFault, match=f"{kind} is the .*'s fault: no simulated device makes it"):
        Rack([Place("shoe", "shoe")], faults=faults)


def test_every_kind_has_a_home():
    assert set(KINDS) | set(NOT_HERE) == {
        "jam", "misread", "duplicate_card", "missing_card", "wrong_count", "face_up", "overdraw",
        "wrong_result", "late_bet", "misdeal", "exposed_dealer_card", "silence", "reboot",
        "garbage", "split", "repeat", "loss", "disconnect", "swap", "power_cut", "broker_down",
        "slow_disk",
    }  # fmt: skip


def test_when_a_fault_strikes():
    plan = FaultPlan(parse_faults("jam/a#2,loss@5,repeat%50"), Log(9))
    assert [bool(plan.strikes("jam", d, 0)) for d in "ababa"] == [False, False, True, False, False]
    assert [bool(plan.strikes("loss", "a", t * S)) for t in (4, 5, 6)] == [False, True, False]
    hits = sum(bool(plan.strikes("repeat", "a", 0)) for _ in range(1000))
    assert 400 < hits < 600
    assert not plan.strikes("swap", "a", 0)
    assert len(plan.log.faults()) == 2 + hits


def test_other_occasions_do_not_disturb_a_fault_s_dice():
    one, two = (FaultPlan(parse_faults("loss%30,jam%30"), Log(4)) for _ in range(2))
    for _ in range(50):
        two.strikes("jam", "a", 0)
        two.strikes("loss", "b", 0)
    assert [bool(one.strikes("loss", "a", 0)) for _ in range(99)] == [
        bool(two.strikes("loss", "a", 0)) for _ in range(99)
    ]


# ── cards ──
def test_jam_in_the_shoe():
    pit = dealing("jam/shoe#3")
    assert len(stacks(pit)) == 2
    assert pit.shoe.fault == "jam"
    assert pit.shoe.condition().held
    assert [sight.what for sight in pit.table.sights] == ["jam"]
    assert not pit.shoe.can("dispense", stacks=1)
    pit.table.clear_jam("shoe")
    pit.shoe.advance(30 * S)
    names = [report.name for report in pit.shoe.reports]
    assert names == ["stack", "stack", "jam", "cleared"]
    assert pit.table.decks["red"].accounted()


def test_jam_in_the_shuffler():
    pit = Bench(faults="jam/shuffler#1")
    deck = pit.table.receive("red")
    pit.table.put_into_shuffler("red")
    pit.shuffler.advance(10 * S)
    assert [report.name for report in pit.shuffler.reports] == ["shuffle_started", "jam"]
    pit.table.clear_jam("shuffler")
    assert deck.where == "hand"
    pit.table.put_into_shuffler("red")
    pit.shuffler.advance(10 * S)
    assert pit.shuffler.reports[-1].args["count"] == 52


def test_misread_is_a_card_that_could_not_be_read():
    pit = dealing("misread#2")
    assert [stack.read.count(None) for stack in stacks(pit)] == [0, 1, 0, 0]
    hit = stacks(pit)[1]
    assert all(read in (card, None) for read, card in zip(hit.read, hit.cards, strict=True))


def test_misread_as_another_card():
    pit = dealing("misread=wrong#2")
    differ = [s.number for s in stacks(pit) if s.read != s.cards]
    assert differ == [2]
    assert None not in stacks(pit)[1].read


@pytest.mark.parametrize("nth", [1, 3])
def test_duplicate_card_is_really_there(nth):
    pit = dealing(f"duplicate_card#{nth}")
    out = Counter(card for stack in stacks(pit) for card in stack.read)
    assert max(out.values()) == 2
    deck = pit.table.decks["red"]
    assert len(deck.present()) == 52
    assert deck.accounted(), "52 with what was taken away and without what was put in"
    assert (len(deck.lost), len(deck.strangers)) == (1, 1)


def test_missing_card_is_counted_by_the_shuffler():
    pit = Bench(faults="missing_card#1")
    deck = pit.table.receive("red")
    pit.table.put_into_shuffler("red")
    pit.shuffler.advance(10 * S)
    assert pit.shuffler.reports[-1].args["count"] == 51
    assert len(deck.lost) == 1
    assert deck.accounted()


def test_wrong_count_of_a_whole_deck():
    pit = Bench(faults="wrong_count#1")
    deck = pit.table.receive("red")
    pit.table.put_into_shuffler("red")
    pit.shuffler.advance(10 * S)
    assert pit.shuffler.reports[-1].args["count"] in (51, 53)
    assert len(deck.cards) == 52


def test_face_up_is_seen_and_not_reported():
    pit = dealing("face_up#2")
    assert [bool(stack.face_up) for stack in stacks(pit)] == [False, True, False, False]
    assert [(sight.what, sight.where) for sight in pit.table.sights] == [("face_up", 2)]
    assert {report.name for report in pit.shoe.reports} == {"stack"}


def test_overdraw_by_a_card_or_by_a_stack():
    assert [len(stack.cards) for stack in stacks(dealing("overdraw#2"))] == [3, 4, 3, 3]
    pit = dealing("overdraw=stack#4")
    assert [len(stack.cards) for stack in stacks(pit)] == [3] * 5
    assert pit.shoe.condition().held


def test_late_bet_is_not_taken():
    pit = Bench(faults="late_bet#1")
    pit.bonus.do("unlock")
    pit.bonus.do("lock")
    pit.bonus.advance(2 * S)
    assert [sight.what for sight in pit.table.sights] == ["late_bet"]
    assert not any(pit.bonus.lamps.values())
    assert [entry.get("taken") for entry in pit.log.of("chip")] == [False]


# ── the link ──
def test_silence_locks_both_ways_and_ends():
    pit = Bench(faults="silence/bonus@1")
    host = pit.join("bonus")
    host.command(1, UNLOCK)
    pit.run(900)
    heard = len(host.heard)
    assert not locked(pit)
    pit.run(2000)
    assert len(host.heard) <= heard + 2
    assert locked(pit), "it heard nothing for the limit"
    pit.run(2000)
    host = pit.join("bonus")
    pit.run(100)
    assert [event.code for event in host.events.values()] == [0x30]


@pytest.mark.parametrize("tcp", [True, False])
def test_reboot_forgets_the_session_and_tells(tcp):
    pit = Bench(faults="reboot/bonus@1", tcp=tcp)
    host = pit.join("bonus")
    boot = pit.units["bonus"].link.boot
    host.command(5, UNLOCK)
    pit.run(1100)
    assert locked(pit)
    assert not pit.units["bonus"].on
    host.hello()
    pit.run(1000)
    assert len(host.all(m.Welcome)) == 1, "without power nothing answers"
    pit.run(1000)
    assert (m.Bye(m.BYE_BOOTED) in host.heard[2:]) is not tcp
    host = pit.join("bonus")
    assert host.last(m.Welcome).boot == pit.units["bonus"].link.boot != boot
    assert host.last(m.State).permit.n == 5, "kept through the loss of power"


def test_swap_is_another_device():
    pit = Bench(faults="swap/shoe@20").shuffled()
    host = pit.join("shoe")
    serial = dict(host.last(m.Welcome).items)[m.SERIAL]
    host.command(1, DISPENSE, 1)
    pit.run(14_000)
    host = pit.join("shoe")
    assert dict(host.last(m.Welcome).items)[m.SERIAL] != serial
    assert host.last(m.State).permit == m.NEVER
    assert host.last(m.State).condition.dispensed == 0xFFFF


def test_disconnect_restricts_at_once():
    pit = Bench(faults="disconnect/bonus@1")
    pit.join("bonus").command(1, UNLOCK)
    pit.run(990)
    assert not locked(pit)
    pit.run(20)
    assert locked(pit)
    assert pit.units["bonus"].link.session is None


@pytest.mark.parametrize("faults", ["garbage%40", "split%60", "repeat%60", "loss%30"])
def test_a_bad_line_costs_time_and_nothing_else(faults):
    pit = Bench(seed=11, faults=faults).shuffled()
    host = pit.join("shoe")
    for _ in range(20):
        host.command(1, DISPENSE, 6)
        pit.run(1000)
    assert len(stacks(pit)) == 6, "ordered many times, done once"
    numbers = [event.number for event in host.events.values() if event.code == 0x20]
    assert len(numbers) == 6
    assert pit.log.faults(faults.partition("%")[0])


def session(seed: int) -> Bench:
    faults = "jam,misread,duplicate_card,face_up,overdraw,late_bet,missing_card,wrong_count,"
    faults += "silence%2,reboot%2,garbage,split,repeat,loss,disconnect%2,swap%1"
    pit = Bench(seed=seed, faults=faults)
    n = 0
    for turn in range(6):
        pit.table.receive("red")
        if pit.shuffler.fault:
            pit.table.clear_jam("shuffler")
        pit.table.put_into_shuffler("red")
        pit.run(9000, step=50)
        pit.table.clear_jam("shuffler")
        pit.table.load_shoe("red")
        pit.table.clear_jam("shoe")
        for name in pit.units:
            if pit.units[name].link.session is None and pit.units[name].on:
                pit.join(name)
                pit.run(100)
        for name, code, args in (
            ("bonus", UNLOCK, ()),
            ("bonus", LOCK, ()),
            ("shoe", DISPENSE, (turn + 1,)),
        ):
            n += 1
            pit.hosts[name].command(n, code, *args)
            pit.run(2000, step=50)
        n += 1
        pit.hosts["shoe"].command(n, HOLD)
        pit.run(2000, step=50)
        assert pit.table.decks["red"].accounted()
        pit.table.gather("red")
    return pit


def test_the_same_seed_does_it_all_again():
    first, second, other = session(21), session(21), session(22)
    assert list(first.log) == list(second.log)
    assert list(first.log) != list(other.log)
    assert first.log.seed == 21
    assert first.log.faults()
    for name in first.hosts:
        assert first.hosts[name].frames == second.hosts[name].frames


def test_the_log_is_bounded():
    log = Log(longest=10)
    for number in range(25):
        log.add(number, "a", "x")
    assert (len(log), log.forgotten) == (10, 15)


def test_no_device_borrows_a_driver_s_code():
    for path in (Path(__file__).parents[2] / "hwsim").rglob("*.py"):
        imports = re.findall(
            r"^\s*(?:from|import) ((?:tablectl|drivers)\S*)", path.read_text(), re.MULTILINE
        )
        assert set(imports) <= {"tablectl.cards"}, path
