"""Canonical JSON is RFC 8785's, checked against an implementation that is not ours."""

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tablectl.journal.canonical import MAX_INTEGER, canonical, canonical_bytes
from tablectl.journal.errors import Unrecordable

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_agrees_with_another_implementation(value: object) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)  # type: ignore[arg-type]
    assert json.loads(canonical(value)) == value


def test_keys_are_sorted_by_utf16_code_units() -> None:
    # U+10000 is D800 DC00 in UTF-16: before U+FFFF there, after it by code point.
    value: Any = {"\uffff": 1, "\U00010000": {"b": [{"é": 1, "z": 2}], "a": 2}}
    assert canonical_bytes(value) == rfc8785.dumps(value)
    assert canonical(value).index("\U00010000") < canonical(value).index("\uffff")


def test_control_characters_and_quotes() -> None:
    text = "".join(map(chr, range(0x80))) + "\u2028€😀"
    assert canonical_bytes({text: text}) == rfc8785.dumps({text: text})


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        float("nan"),
        {"a": [1, 2.0]},
        MAX_INTEGER + 1,
        -MAX_INTEGER - 1,
        {"n": 2**60},
        {1: "a"},
        {None: "a"},
        {"a": b"bytes"},
        {"a": {1, 2}},
        "\ud800",
        {"\ud800": 1},
        {"\udfffé": 1},
    ],
)
def test_refuses_what_json_cannot_hold_exactly(value: object) -> None:
    with pytest.raises(Unrecordable):
        canonical(value)


def test_refuses_endless_nesting() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(Unrecordable, match="nested"):
        canonical(value)


def test_tuples_are_arrays_and_booleans_are_not_integers() -> None:
    assert canonical({"b": (1, True, None), "a": "x"}) == '{"a":"x","b":[1,true,null]}'
