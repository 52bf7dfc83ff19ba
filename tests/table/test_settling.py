"""Reveal, settlement and the meters (TCP 11.D, 11.E, 12.E): order, money, each wager once."""

from collections import Counter
from fractions import Fraction

import pytest

from tablectl.games.rules import parse_rules
from tablectl.table.setup import MeterSetup
from tests.table.pit import RULES, Pit, fill, setup

ROYAL = "AS KS QS"


def pit_at_reveal(hands: dict[str, str], wagers: dict[int, dict[str, int]], **more) -> Pit:
    pit = Pit(**more).opened().betting()
    for seat, stakes in wagers.items():
        pit.wager(seat, **stakes)
    return pit.lock().deal(**hands)


def settled(pit: Pit) -> dict[int, dict[str, tuple[str, int]]]:
    """Seat by seat what became of each wager, from the account of the round."""
    return {
        seat["seat"]: {line["wager"]: (line["outcome"], line["returned"]) for line in seat["lines"]}
        for seat in pit.last("round.settled").data["seats"]
    }


def main(pit: Pit) -> int:
    return pit.state.meter("main").cents


# ── 11.D: order ──
def test_11d2_11d3_the_dealer_first_then_from_the_dealers_right():
    """TCP 11.D(2), 11.D(3): highest seat first, each turned over at its own turn."""
    hands = {f"seat_{n}": f"{n}C {n + 2}D {9 - n}H" for n in (2, 3, 5)} | {"dealer": "AS QD KH"}
    pit = pit_at_reveal(hands, {n: {"ante": 1000} for n in (3, 2, 5)}).decide()
    pit.do("reveal_dealer", "dealer")
    for seat in (5, 3, 2):
        assert pit.state.round.turns[0] == seat
        shown = {e.data["place"].rpartition("/")[0] for e in pit.named("card.revealed")}
        assert shown == {"dealer", *(f"seat/{n}" for n in (5, 3, 2) if n >= seat)}
        for other in (2, 3, 5, 1, 8):
            if other != seat:
                refusal = pit.refused("confirm_payment", seat=other)
                assert refusal.clauses == ("TCP 11.D(3)",)
        pit.do("confirm_payment", "dealer", seat=seat)
    assert pit.last("round.settled").data["order"] == [5, 3, 2]
    assert pit.state.phase == "clearing"


def test_11d3_nothing_of_a_seat_leaves_before_its_turn():
    hands = {"seat_2": ROYAL, "seat_5": "3D 7C 9H", "dealer": "2D 8C TH"}
    pit = pit_at_reveal(hands, {n: {"ante": 1000, "progressive": 100} for n in (2, 5)}).decide()
    since = pit.state.sequence
    pit.do("reveal_dealer")
    assert "progressive.hit" not in pit.types(since)
    assert not any("envy" in prompt.text for prompt in pit.tick(1).prompts)
    pit.do("confirm_payment", seat=5)
    hit = pit.last("progressive.hit").data
    assert (hit["round"], hit["seat"], hit["meter"]) == (1, 2, "main")


def test_11d_wagers_of_a_seat_are_settled_in_the_order_of_the_text():
    """TCP 11.D(3) to (8): ante and play, pair plus, progressive, six card bonus."""
    hands = {"seat_1": "AH KH QH", "dealer": "2D 8C TH"}
    stakes = {"ante": 1000, "six_card_bonus": 500, "progressive": 100, "pair_plus": 500}
    stakes = {"ante": 1000} | stakes
    pit = pit_at_reveal(hands, {1: stakes}).decide().settle()
    order = [event.data["wager"] for event in pit.named("wager.settled")]
    assert order == ["ante", "play", "ante_bonus", "pair_plus", "progressive", "six_card_bonus"]


# ── 11.D: money ──
@pytest.mark.parametrize(
    ("clause", "dealer", "seat", "lines"),
    [
        ("11.D(3)(c)", "JD 8C TH", "2C 7D 9H", {"ante": ("win", 2000), "play": ("push", 1000)}),
        ("11.D(3)(d)(i)", "QD 8C TH", "2C 7D 9H", {"ante": ("lose", 0), "play": ("lose", 0)}),
        ("11.D(3)(d)(ii)", "QD 8C TH", "KC 7D 9H", {"ante": ("win", 2000), "play": ("win", 2000)}),
        ("11.D(3)(d)(iii)", "QD 8C TH", "QC 8D TD",
         {"ante": ("push", 1000), "play": ("push", 1000)}),
        ("12.B(1)(c)", "QD QC QH", "4C 5D 6H",
         {"ante": ("lose", 0), "play": ("lose", 0), "ante_bonus": ("win", 1000)}),
        ("12.B(1)(a)", "JD 8C TH", "4C 5C 6C",
         {"ante": ("win", 2000), "play": ("push", 1000), "ante_bonus": ("win", 5000)}),
    ],
)  # fmt: skip
def test_11d3_ante_play_and_ante_bonus(clause, dealer, seat, lines):
    pit = pit_at_reveal({"seat_1": seat, "dealer": dealer}, {1: {"ante": 1000}}).decide().settle()
    assert settled(pit) == {1: lines}, clause


def test_11d4_the_pair_plus_is_paid_whatever_the_dealer_has():
    hands = {"seat_1": "4C 4D 9H", "seat_2": "5C 7C TC", "dealer": "AD AC AH"}
    pit = pit_at_reveal(hands, {1: {"ante": 1000, "pair_plus": 500}, 2: {"pair_plus": 500}})
    pit.decide().settle()
    result = settled(pit)
    assert result[1]["pair_plus"] == ("win", 1000)
    assert result[2] == {"pair_plus": ("win", 2500)}


def test_11d8_the_six_card_bonus_is_paid_for_a_folded_hand():
    hands = {"seat_1": "9C 9D 9H", "dealer": "9S 2C 3H"}
    pit = pit_at_reveal(hands, {1: {"ante": 1000, "six_card_bonus": 500}}).decide("fold").settle()
    assert settled(pit)[1] == {"ante": ("forfeit", 0), "six_card_bonus": ("win", 25_500)}


def test_the_settled_event_is_what_the_seats_were_told():
    pit = fill("clearing")
    data = pit.last("round.settled").data
    assert data.keys() >= {"round", "dealer", "community", "seats"}
    assert sorted(data["dealer"]) == sorted(["AS", "QD", "6H"])
    per_wager = {
        (e.data["seat"], e.data["wager"]): e.data["returned"]
        for e in pit.events
        if e.type in ("wager.settled", "wager.forfeited")
    }
    for seat in data["seats"]:
        assert seat["returned"] == sum(line["returned"] for line in seat["lines"])
        for line in seat["lines"]:
            assert set(line) == {
                "wager", "stake", "outcome", "returned", "vigorish", "odds", "clause"
            }  # fmt: skip
            assert per_wager.pop((seat["seat"], line["wager"])) == line["returned"]
    assert per_wager == {}


def test_every_wager_ends_exactly_once():
    pit = fill("clearing")
    ended = Counter(
        (e.data["seat"], e.data["wager"])
        for e in pit.events
        if e.type in ("wager.settled", "wager.forfeited", "wager.returned")
        and e.data["wager"] not in ("ante_bonus", "envy_bonus")
    )
    put = {(e.data["seat"], e.data["wager"]) for e in pit.named("wager.placed")}
    assert ended == Counter(put)
    assert all(w.status in ("settled", "forfeited") for w in pit.state.round.wagers)


# ── envy ──
AKQ = {1: "AS KS QS", 2: "AH KH QH", 3: "AD KD QD"}


def test_11d7e_envy_for_every_other_royal_never_for_ones_own():
    """TCP 11.D(7)(e)(i) to (iii), 12.E(5): by the receiver's stake, spades worth more."""
    hands = {"seat_1": AKQ[1], "seat_2": AKQ[2], "seat_3": "2C 7D 9H", "dealer": "AC KC QC"}
    wagers = {1: {"ante": 1000, "progressive": 100}, 2: {"ante": 1000},
              3: {"ante": 1000, "progressive": 500}}  # fmt: skip
    pit = pit_at_reveal(hands, wagers).decide().settle()
    envy: Counter[int] = Counter()
    for event in pit.named("wager.settled"):
        if event.data["wager"] == "envy_bonus":
            envy[event.data["seat"]] += event.data["returned"]
    assert envy == {1: 2500, 3: 50_000 + 12_500}  # seat 2 has no progressive wager


def test_11c2_a_folded_seat_keeps_its_right_to_envy():
    hands = {"seat_1": "2C 7D 9H", "seat_2": AKQ[2], "dealer": "3C 8D TH"}
    wagers = {n: {"ante": 1000, "progressive": 100} for n in (1, 2)}
    pit = pit_at_reveal(hands, wagers).decide(seat_1="fold").settle()
    assert settled(pit)[1]["envy_bonus"] == ("win", 2500)


def test_a_folded_royal_qualifies_nobody():
    hands = {"seat_1": "2C 7D 9H", "seat_2": AKQ[2], "dealer": "3C 8D TH"}
    wagers = {
        1: {"ante": 1000, "progressive": 100},
        2: {"ante": 1000, "progressive": 100, "six_card_bonus": 500},
    }
    pit = pit_at_reveal(hands, wagers).decide(seat_2="fold").settle()
    assert "envy_bonus" not in settled(pit)[1]
    assert settled(pit)[2]["progressive"] == ("forfeit", 0)


# ── meters ──
def test_contributions_are_pending_at_the_lock_and_posted_at_the_reveal():
    """READINGS: pending from the lock, posted before the first seat settles."""
    pit = fill("betting")
    assert pit.state.round.pending == ()
    pit.lock()
    assert main(pit) == 100_000
    assert [(c.meter, c.numerator, c.denominator) for c in pit.state.round.pending] == [
        ("main", 120, 1)
    ]
    pit.deal(dealer="AS QD 6H", seat_1="2C 7D 9H", seat_3="3C 8D TH", seat_5="4C 9D JH").decide()
    assert main(pit) == 100_000
    since = pit.state.sequence
    pit.do("reveal_dealer")
    types = pit.types(since)
    assert types.index("progressive.contributed") < types.index("card.revealed")
    assert main(pit) == 100_120
    data = pit.last("progressive.contributed").data
    assert (data["meter"], data["cents"], data["shows"]) == ("main", 120, 100_120)
    assert pit.state.round.pending == ()


@pytest.mark.parametrize("phase", ["locking", "locked", "cancelling", "dealing", "deciding"])
def test_a_void_drops_the_contributions(phase):
    pit = fill(phase)
    pit.do("void_round", reason="evacuation")
    assert pit.state.round.pending == ()
    pit.do("clear_round")
    assert main(pit) == 100_000
    assert pit.named("progressive.contributed") == []


def test_a_cancelled_lock_takes_its_contributions_back_and_the_next_lock_counts_once():
    pit = fill("locked")
    pit.do("cancel_lock", reason="pressed by mistake")
    pit.device("shoe", "held")
    assert pit.state.round.pending == ()
    pit.lock().deal().decide().do("reveal_dealer")
    assert main(pit) >= 100_120 or pit.state.meter("main").hits
    assert [e.data["cents"] for e in pit.named("progressive.contributed")] == [120]


def test_12e4_each_seat_wins_what_the_meter_shows_at_its_turn():
    """Paytable C: two mini royals of other suits share the minor meter, one after the other."""
    rules = parse_rules(
        {"game": "three_card_poker", "ante_bonus": "A", "pair_plus": "D", "progressive": "C"}
    )
    hands = {"seat_1": AKQ[2], "seat_2": AKQ[3], "seat_4": AKQ[1], "dealer": "3C 8D TH"}
    wagers = {n: {"ante": 1000, "progressive": 500} for n in (1, 2, 4)}
    pit = pit_at_reveal(hands, wagers, setup=setup(rules)).decide()
    pit.do("reveal_dealer")
    assert {m.name: m.cents for m in pit.state.meters} == {"major": 100_300, "minor": 100_300}
    for seat, paid in ((4, ("major", 100_300)), (2, ("minor", 100_300)), (1, ("minor", 100_000))):
        assert pit.state.meter(paid[0]).cents == paid[1]
        pit.validate().do("confirm_payment", seat=seat)
        for type_ in ("progressive.hit", "progressive.paid"):
            data = next(e.data for e in pit.named(type_) if e.data["seat"] == seat)
            assert (data["round"], data["meter"], data["cents"]) == (1, *paid)
        reset = next(e.data for e in pit.named("progressive.reset") if e.data["seat"] == seat)
        assert (reset["meter"], reset["cents"]) == (paid[0], 100_000)
    assert pit.last("round.settled").data["meters"] == {"major": 100_000, "minor": 100_000}
    assert [m.hits for m in pit.state.meters] == [1, 2]


def test_12e_a_meter_is_paid_when_the_dealer_confirms_not_when_it_is_hit():
    pit = pit_at_reveal(
        {"seat_1": ROYAL, "dealer": "3C 8D TH"}, {1: {"ante": 1000, "progressive": 100}}
    ).decide()
    pit.do("reveal_dealer")
    assert pit.last("progressive.hit").data["cents"] == 100_020
    assert main(pit) == 100_020
    assert pit.named("progressive.paid") == []
    pit.validate().do("confirm_payment", seat=1)
    assert main(pit) == 100_000
    assert settled(pit)[1]["progressive"] == ("win", 100_020)


@pytest.mark.parametrize("rate", ["0.1455", "0.2015", "0.333"])
def test_fractions_of_a_cent_are_carried_exactly(rate):
    """TCP 12.E(3)(a): after many rounds the meter is short of less than one cent."""
    pit = Pit(setup=setup(RULES, meters=(MeterSetup("main", 100_000, rate),))).opened()
    exact = Fraction(100_000)
    for _ in range(13):
        pit.betting().wager(1, ante=1000, progressive=100).wager(2, ante=1000, progressive=500)
        pit.lock().deal(seat_1="2C 7D 9H", seat_2="3C 8D TH", dealer="AS QD 6H").decide().settle()
        pit.do("clear_round")
        pit.shuffle("red")
        exact += Fraction(rate) * 600
        assert main(pit) == int(exact)
    assert (
        sum(e.data["cents"] for e in pit.named("progressive.contributed")) == int(exact) - 100_000
    )


def test_a_halt_by_a_person_in_settlement_pays_the_meter_once():
    pit = pit_at_reveal(
        {"seat_1": ROYAL, "dealer": "3C 8D TH"}, {1: {"ante": 1000, "progressive": 100}}
    ).decide()
    pit.do("reveal_dealer")
    pit.do("halt_table", reason="the floor looks")
    pit.restart()
    pit.devices_tell()
    pit.do("resume_table")
    pit.validate().do("confirm_payment", seat=1)
    assert len(pit.named("progressive.paid")) == len(pit.named("progressive.hit")) == 1
    assert main(pit) == 100_000


# ── 11.E ──
def test_11e_the_cards_go_to_the_rack_once_everything_is_settled():
    pit = fill("settling")
    assert "TCP 11.E" in pit.refused("clear_round").clauses
    while pit.state.phase == "settling":
        pit.do("confirm_payment", seat=pit.state.round.turns[0])
    pit.do("clear_round", "dealer")
    assert pit.last("round.cleared").data["round"] == 1
    assert pit.state.deck("red").custody == "discard"
    assert (pit.state.phase, pit.state.round) == ("preparing", None)


@pytest.mark.parametrize("phase", ["settling", "clearing"])
def test_after_the_reveal_nobody_voids(phase):
    pit = fill(phase)
    pit.refused("void_round", reason="evacuation")
    assert "TCP 13.D" in pit.refused("declare_misdeal", confirm=True).clauses
    for device in ("shoe", "shuffler"):
        pit.device(device, "jam")
        assert pit.state.phase == phase
