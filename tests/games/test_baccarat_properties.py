"""What holds of every round of both baccarats, whatever is dealt and wagered."""

import json
from dataclasses import asdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tablectl.games import midi_baccarat, three_card_baccarat
from tablectl.games.rules import GameRules
from tablectl.games.settlement import Settlement, amounts
from tablectl.settle import settle_lines
from tests.clauses import CLAUSES

from .baccarat_deals import MIDI_METERS, midi_rounds, three_card_rounds
from .deals import as_json


def each_line_makes_sense(rules: GameRules, settled: Settlement, hands: list[Any]) -> None:
    assert sorted(settled.order) == sorted(hand.seat for hand in hands)
    for hand, result in zip(hands, settled.seats, strict=True):
        assert result.seat == hand.seat
        assert {line.wager: line.stake for line in result.lines} == hand.wagers
        assert [line.wager for line in result.lines] == [
            w for w in rules.wagers if w in hand.wagers
        ]
        assert result.returned == sum(line.returned for line in result.lines)
        for line in result.lines:
            assert line.clause in CLAUSES
            assert (line.odds is not None) == (line.outcome == "win" or line.odds == "push")
            assert line.returned >= 0
            assert (line.returned > 0) == (line.outcome != "lose")
            assert line.outcome != "push" or line.returned == line.stake
            assert line.vigorish == 0 or line.wager in ("ante", "banker")
            assert not line.resets or line.meter in MIDI_METERS


def told(rules: GameRules, **round_: Any) -> dict[str, Any]:
    raw = {key: value for key, value in asdict(rules).items() if value is not None}
    [answer] = settle_lines([json.dumps({"game": raw.pop("game"), "rules": raw, **round_})])
    parsed = json.loads(answer)
    assert isinstance(parsed, dict)
    return parsed


@given(three_card_rounds(), st.randoms(use_true_random=False))
def test_three_card_baccarat(dealt: Any, shuffler: Any) -> None:
    rules, dealer, hands = dealt
    settled = three_card_baccarat.settle_round(rules, dealer, hands)
    each_line_makes_sense(rules, settled, hands)
    checked = three_card_baccarat.validate_round(rules, dealer, hands, {})
    sums = amounts(three_card_baccarat.award_round(checked))
    assert sums == {result.seat: result.returned for result in settled.seats}
    for hand, result in zip(hands, settled.seats, strict=True):
        assert three_card_baccarat.settle_seat(rules, dealer, hand) == result
    other = list(hands)
    shuffler.shuffle(other)
    again = three_card_baccarat.settle_round(rules, dealer[::-1], other)
    assert (again.order, sorted(again.seats)) == (settled.order, sorted(settled.seats))
    seats = [
        {key: value for key, value in hand._asdict().items() if value is not None} for hand in hands
    ]
    assert told(rules, dealer=dealer, seats=seats) == as_json(settled)


@given(midi_rounds(), st.randoms(use_true_random=False))
def test_midi_baccarat(dealt: Any, shuffler: Any) -> None:
    rules, player, banker, seats = dealt
    settled = midi_baccarat.settle_round(rules, player, banker, seats, MIDI_METERS)
    each_line_makes_sense(rules, settled, seats)
    checked = midi_baccarat.validate_round(rules, player, banker, seats, MIDI_METERS)
    sums = amounts(midi_baccarat.award_round(checked))
    assert sums == {result.seat: result.returned for result in settled.seats}
    other = list(seats)
    shuffler.shuffle(other)
    again = midi_baccarat.settle_round(rules, player, banker, other, MIDI_METERS)
    assert (again.order, sorted(again.seats)) == (settled.order, sorted(settled.seats))
    given = [
        {key: value for key, value in seat._asdict().items() if value is not None} for seat in seats
    ]
    meters = {name: meter._asdict() for name, meter in MIDI_METERS.items()}
    answer = told(rules, player=player, banker=banker, seats=given, meters=meters)
    assert answer == as_json(settled)
    # What every seat is told for a wager is the result of the round, but for its own Royal 9.
    results = midi_baccarat.round_results(rules, player, banker)
    for result in settled.seats:
        for line in result.lines:
            if line.wager != "royal_9":
                assert (line.outcome, line.odds, line.clause) == (
                    results[line.wager].outcome,
                    results[line.wager].odds,
                    results[line.wager].clause,
                )


@given(midi_rounds())
def test_meters_add_up(dealt: Any) -> None:
    """What leaves a meter is what seats got from it, but for the resets, in order."""
    rules, player, banker, seats = dealt
    settled = midi_baccarat.settle_round(rules, player, banker, seats, MIDI_METERS)
    after = {name: meter.cents for name, meter in MIDI_METERS.items()}
    results = {result.seat: result for result in settled.seats}
    for seat in settled.order:
        for line in results[seat].lines:
            if line.meter is not None:
                assert not line.resets or line.returned == after[line.meter]
                left = after[line.meter] - line.returned
                after[line.meter] = MIDI_METERS[line.meter].reset if line.resets else left
    assert settled.meters == after
