"""What holds of every round, whatever is dealt and wagered."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tablectl.cards import Card
from tablectl.games.rules import ThreeCardPokerRules
from tablectl.games.settlement import Line, Meter, SeatHand, amounts
from tablectl.games.three_card_poker import (
    award_round,
    envy_lines,
    settle_round,
    settle_seat,
    settlement_order,
    validate_round,
)
from tests.clauses import CLAUSES

from .deals import METERS, rounds

Round = tuple[ThreeCardPokerRules, tuple[Card, ...], list[SeatHand], tuple[Card, ...]]
AFTER_ENVY = ("six_card_bonus", "five_card_progressive")


@given(rounds())
def test_seat_by_seat_gives_the_same_lines(dealt: Round) -> None:
    """The live table settles seat by seat; the round path must say the very same."""
    rules, dealer, hands, community = dealt
    whole = settle_round(rules, dealer, hands, METERS, community)
    meters = dict(METERS)
    by_seat = {hand.seat: hand for hand in hands}
    lines: dict[int, list[Line]] = {}
    envy: dict[int, list[Line]] = {hand.seat: [] for hand in hands}
    for seat in settlement_order(rules, by_seat):
        lines[seat] = list(settle_seat(rules, dealer, by_seat[seat], meters, community).lines)
        for other, line in envy_lines(rules, by_seat[seat], hands).items():
            envy[other].append(line)
    for result in whole.seats:
        own = lines[result.seat]
        early = [line for line in own if line.wager not in AFTER_ENVY]
        late = [line for line in own if line.wager in AFTER_ENVY]
        assert list(result.lines) == early + envy[result.seat] + late
    assert whole.meters == {name: meter.cents for name, meter in meters.items()}


@given(rounds())
def test_each_wager_ends_once(dealt: Round) -> None:
    rules, dealer, hands, community = dealt
    for hand, result in zip(
        hands, settle_round(rules, dealer, hands, METERS, community).seats, strict=True
    ):
        assert result.seat == hand.seat
        staked = Counter(line.wager for line in result.lines if line.stake)
        wanted = {*hand.wagers, *(["play"] if hand.decision == "play" else [])}
        assert staked == dict.fromkeys(wanted, 1)
        for line in result.lines:
            assert line.stake == hand.wagers.get("ante" if line.wager == "play" else line.wager, 0)


@given(rounds())
def test_each_line_makes_sense(dealt: Round) -> None:
    rules, dealer, hands, community = dealt
    settled = settle_round(rules, dealer, hands, METERS, community)
    for result in settled.seats:
        assert result.returned == sum(line.returned for line in result.lines)
        for line in result.lines:
            assert line.clause in CLAUSES
            assert line.vigorish == 0
            assert (line.odds is not None) == (line.outcome == "win")
            assert (line.returned > 0) == (line.outcome in ("win", "push"))
            assert line.outcome != "push" or line.returned == line.stake
            assert not line.resets or line.meter is not None
    sums = amounts(award_round(validate_round(rules, dealer, hands, METERS, community)))
    assert sums == {result.seat: result.returned for result in settled.seats}


@given(rounds())
def test_meters_add_up(dealt: Round) -> None:
    """What leaves a meter is what seats got from it, but for the resets, in order."""
    rules, dealer, hands, community = dealt
    settled = settle_round(rules, dealer, hands, METERS, community)
    after = {name: meter.cents for name, meter in METERS.items()}
    results = {result.seat: result for result in settled.seats}
    for seat in settled.order:
        for line in results[seat].lines:
            if line.meter is not None:
                assert line.meter in rules.meters
                assert not line.resets or line.returned == after[line.meter]
                left = after[line.meter] - line.returned
                after[line.meter] = METERS[line.meter].reset if line.resets else left
    assert settled.meters == after


@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_input_is_only_an_order(dealt: Round, shuffler: object) -> None:
    rules, dealer, hands, community = dealt
    settled = settle_round(rules, dealer, hands, METERS, community)
    other = list(hands)
    shuffler.shuffle(other)  # type: ignore[attr-defined]
    again = settle_round(rules, dealer[::-1], other, METERS, community[::-1])
    assert sorted(again.seats) == sorted(settled.seats)
    assert [result.seat for result in again.seats] == [hand.seat for hand in other]
    assert (again.order, again.meters) == (settled.order, settled.meters)


@given(rounds())
def test_envy_is_a_matter_of_other_seats(dealt: Round) -> None:
    rules, dealer, hands, community = dealt
    royals = {
        hand.seat
        for hand in hands
        if hand.decision != "fold"
        and {card[0] for card in hand.cards} == set("AKQ")
        and len({card[1] for card in hand.cards}) == 1
    }
    settled = settle_round(rules, dealer, hands, METERS, community)
    for hand, result in zip(hands, settled.seats, strict=True):
        envied = [line for line in result.lines if line.wager == "envy_bonus"]
        entitled = len(royals - {hand.seat}) if "progressive" in hand.wagers else 0
        assert len(envied) == entitled


@given(rounds())
def test_nothing_given_is_changed(dealt: Round) -> None:
    rules, dealer, hands, community = dealt
    before = [(hand.seat, dict(hand.wagers), hand.cards, hand.decision) for hand in hands]
    meters: dict[str, Meter] = dict(METERS)
    settle_round(rules, dealer, hands, meters, community)
    assert meters == METERS
    assert [tuple(hand) for hand in hands] == before
