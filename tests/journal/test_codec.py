"""An input comes back from its record exactly as it was; a card's value stands only in its seal."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.cards import DECK
from tablectl.journal.canonical import MAX_INTEGER
from tablectl.journal.codec import StateCodec, commitments, decode, encode
from tablectl.journal.errors import JournalDamaged, Unrecordable
from tablectl.table.inputs import (
    Action,
    Checkpoint,
    DeviceEvent,
    Input,
    JournalFailed,
    Notice,
    ReadCard,
    Restart,
    Second,
    Segment,
    Stamp,
    Tick,
    Unsealed,
)
from tests.journal.toy import SETUP, ToyState

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ARGS = st.dictionaries(TEXT, JSON, max_size=4)
HEX = st.binary(min_size=32, max_size=32).map(bytes.hex)
COUNT = st.integers(0, MAX_INTEGER)
STAMP = st.builds(Stamp, st.integers(0, 2**63), st.integers(0, 2**63), TEXT)
ROLES = st.lists(TEXT, max_size=3).map(tuple)
SECOND = st.none() | st.builds(Second, TEXT, ROLES, TEXT)
CARDS = st.lists(st.builds(ReadCard, st.none() | st.sampled_from(DECK), HEX), max_size=4)
INPUTS: st.SearchStrategy[Input] = st.one_of(
    st.builds(Restart, STAMP, st.just(SETUP), HEX, TEXT, COUNT, st.booleans()),
    st.builds(Action, STAMP, TEXT, TEXT, ROLES, TEXT, ARGS, SECOND, COUNT),
    st.builds(DeviceEvent, STAMP, TEXT, TEXT, ARGS, CARDS.map(tuple)),
    st.builds(Tick, STAMP),
    st.builds(Checkpoint, STAMP, COUNT, HEX, HEX, TEXT, HEX),
    st.builds(Segment, STAMP, TEXT, COUNT, HEX, HEX),
    st.builds(JournalFailed, STAMP, TEXT),
    st.builds(Notice, STAMP, TEXT, TEXT, TEXT, st.booleans(), st.booleans()),
    st.builds(Unsealed, STAMP, TEXT, TEXT, ROLES, TEXT, st.booleans(), COUNT),
)
UNSEALED = (
    '{"kind":"device","at":{"utc_ns":"1","mono_ns":"1","boot":"b"},"device":"d","name":"n",'
    '"args":{},"cards":[{"commitment":"ab"}]}'
)
AT = Stamp(1_800_000_000_123_456_789, 5, "boot-1")


@given(INPUTS)
def test_an_input_comes_back_as_it_was(given_input: Input) -> None:
    encoded = encode(given_input)
    assert encoded.input == given_input
    back = decode(encoded.text, encoded.sealed)
    assert back == given_input
    assert _ordered(back) == _ordered(encoded.input)
    assert encode(back).text == encoded.text


def _ordered(value: Any) -> str:
    """The arguments with the order of every mapping, which == does not see."""
    return json.dumps(getattr(value, "args", None))


@given(CARDS.map(lambda cards: [card for card in cards if card.card]))
def test_no_card_stands_in_a_record(cards: list[ReadCard]) -> None:
    encoded = encode(DeviceEvent(AT, "shoe", "stack", {}, tuple(cards)))
    for card in cards:
        assert card.salt not in encoded.text
        assert f'"{card.card}"' not in encoded.text
    named = commitments(json.loads(encoded.text))
    assert set(named) == {row.commitment for row in encoded.sealed}
    assert [row.commitment for row in encoded.sealed] == sorted(set(named))


def test_nanoseconds_are_decimal_strings() -> None:
    assert encode(Tick(AT)).text == (
        '{"at":{"boot":"boot-1","mono_ns":"5","utc_ns":"1800000000123456789"},"kind":"tick"}'
    )


def test_tuples_in_arguments_are_stepped_as_the_lists_that_a_replay_sees() -> None:
    given_input = Action(AT, "receive_decks", "ana", ("floor",), args={"b": (1, (2,)), "a": {}})
    stepped = encode(given_input).input
    assert isinstance(stepped, Action)
    assert list(stepped.args.items()) == [("a", {}), ("b", [1, [2]])]


@pytest.mark.parametrize(
    "bad",
    [
        Action(AT, "a", "b", (), args={"rate": 0.5}),
        Action(AT, "a", "b", (), args={"n": 2**53}),
        Action(AT, "a", "b", (), args={1: "x"}),  # type: ignore[dict-item]
        Action(AT, "a", "\ud800", ()),
        DeviceEvent(AT, "shoe", "stack", {}, (ReadCard("AS", "A" * 64),)),  # type: ignore[arg-type]
        DeviceEvent(AT, "shoe", "stack", {}, (ReadCard("AS", "ab"),)),  # type: ignore[arg-type]
        DeviceEvent(AT, "shoe", "stack", {}, (ReadCard("1X", "a" * 64),)),  # type: ignore[arg-type]
        Tick(Stamp(1.5, 2, "b")),  # type: ignore[arg-type]
    ],
)
def test_refuses_what_no_record_can_hold(bad: Input) -> None:
    with pytest.raises(Unrecordable) as caught:
        encode(bad)
    assert "1X" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "1", "{}", "null", '{"kind":"tick"}', '{"kind":"nothing","at":{}}', "[" * 100_000,
        '{"kind":"tick","at":{"utc_ns":"x","mono_ns":"1","boot":"b"}}',
        UNSEALED,
        '{"kind":"device","at":{"utc_ns":"1","mono_ns":"1","boot":"b"},"cards":[7]}',
    ],
)  # fmt: skip
def test_a_record_that_makes_no_input_is_damage(text: str) -> None:
    with pytest.raises(JournalDamaged):
        decode(text, ())


def test_a_state_comes_back_with_its_order_and_its_great_integers() -> None:
    codec = StateCodec(ToyState)
    state = ToyState(
        5, SETUP, "open", 3, 2**63, -(2**60), True, (ReadCard(None, "ab"),), {"b": 1, "a": 2**54}
    )
    back = codec.decode(codec.encode(state))
    assert back == state
    assert list(back.counts) == ["b", "a"]
    assert codec.encode(back) == codec.encode(state)


def test_a_state_with_a_float_is_refused() -> None:
    with pytest.raises(Unrecordable, match="float"):
        StateCodec(Any).encode({"a": [0.5]})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sequence":"x"}', '{"time_ns":{"$int":"x"}}'])
def test_a_text_that_is_no_state_is_damage(text: str) -> None:
    with pytest.raises(JournalDamaged):
        StateCodec(ToyState).decode(text)


def test_frozen_inputs_are_not_changed() -> None:
    args = {"b": (1,), "a": 2}
    given_input = Action(AT, "x", "ana", (), args=args)
    encode(given_input)
    assert given_input == replace(given_input, args={"b": (1,), "a": 2})
