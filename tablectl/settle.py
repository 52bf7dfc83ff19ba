"""`tablectl settle`: rounds as JSON Lines in, what they must pay as JSON Lines out.

It reads untrusted text and never raises for it: a line that cannot be settled gets an answer that
says why, and the next one is read. No rule is decided here; the arithmetic is `games`'.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final, NoReturn

from tablectl.games import paytables, three_card_poker
from tablectl.games.paytables import Row
from tablectl.games.rules import (
    GAME,
    LATER_GAMES,
    RulesError,
    ThreeCardPokerRules,
    parse_rules,
)
from tablectl.games.settlement import Award, Meter, SeatHand, SettleError, record

LINE_BYTES_MAXIMUM: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 16
_RULES_CACHED_MAXIMUM: Final = 256
_WHY_MAXIMUM: Final = 500

_ROUND_KEYS: Final = frozenset({"id", "game", "rules", "meters", "dealer", "community", "seats"})
_SEAT_KEYS: Final = frozenset({"seat", "wagers", "cards", "decision"})
_METER_KEYS: Final = frozenset({"cents", "reset"})


class Settler:
    """Settles line after line; `failures` counts the lines that got an error for an answer."""

    def __init__(self) -> None:
        self.failures = 0
        self._rules: dict[str, ThreeCardPokerRules] = {}
        self._rendered: dict[Row, tuple[str, str, str]] = {}

    def answer(self, text: bytes | str) -> str:
        """The answer to one line, without its newline."""
        identity = "null"
        try:
            text = _text(text)
            given = _parsed(text)
            name = given.get("id")
            identity = str(name) if type(name) is int else json.dumps(name)
            return self._settle(identity, given, text)
        except (SettleError, RulesError) as error:
            return self._failure(identity, str(error))
        except RecursionError:
            return self._failure(identity, "the line is nested too deeply: give one plain round")

    def _failure(self, identity: str, why: str) -> str:
        self.failures += 1
        if len(why) > _WHY_MAXIMUM:
            why = f"{why[: _WHY_MAXIMUM - 3]}..."
        return f'{{"id": {identity}, "error": {json.dumps(why)}}}'

    def too_long(self) -> str:
        """The answer to a line that was not even read."""
        limit = f"{LINE_BYTES_MAXIMUM:,} bytes"
        return self._failure("null", f"the line is longer than {limit}: give one round a line")

    def _settle(self, identity: str, given: dict[str, Any], text: str) -> str:
        if not given.keys() <= _ROUND_KEYS:
            _refuse_keys("the round", given, _ROUND_KEYS)
        rules = self._parsed_rules(given)
        dealer, community = given.get("dealer"), given.get("community", ())
        if type(dealer) is not list:
            _refuse(f"dealer must be a list of three cards, not {_kind(dealer)}")
        if type(community) is not list and community != ():
            _refuse(f"community must be a list of two cards, not {_kind(community)}")
        seats = given.get("seats")
        if type(seats) is not list:
            _refuse(f"seats must be a list of objects, not {_kind(seats)}")
        hands = [_seat_hand(seat) for seat in seats]
        meters = _meters(given.get("meters", {}))
        if text.count(":") != _keys_kept(given):
            _TELLING_DECODER.decode(text)
        table = three_card_poker.validate_round(rules, dealer, hands, meters, community)
        awarded = three_card_poker.award_round(table)
        rendered = ", ".join([self._render_seat(seat, awards) for seat, awards in awarded.seats])
        order = ", ".join(map(str, awarded.order))
        after = ", ".join([f'"{name}": {meter[0]}' for name, meter in awarded.meters.items()])
        return (
            f'{{"id": {identity}, "seats": [{rendered}], "order": [{order}], '
            f'"meters": {{{after}}}}}'
        )

    def _parsed_rules(self, given: dict[str, Any]) -> ThreeCardPokerRules:
        game, raw = given.get("game"), given.get("rules")
        if game != GAME:
            _refuse_game(game)
        if type(raw) is not dict:
            _refuse(f"rules must be an object, as in [rules], not {_kind(raw)}")
        # By text: {"seats": true} must not find the rules of {"seats": 1}.
        key = repr(raw)
        rules = self._rules.get(key)
        if rules is None:
            rules = parse_rules({"game": game, **raw})
            if len(self._rules) >= _RULES_CACHED_MAXIMUM:
                self._rules.clear()
            self._rules[key] = rules
        return rules

    def _render_seat(self, seat: int, awards: list[Award]) -> str:
        """One seat as JSON: each line is its row's constant text around two numbers."""
        lines = []
        total = 0
        for row, stake, returned, _ in awards:
            parts = self._rendered.get(row)
            if parts is None:
                parts = self._rendered[row] = _line_parts(row)
            lines.append(f"{parts[0]}{stake}{parts[1]}{returned}{parts[2]}")
            total += returned
        return f'{{"seat": {seat}, "returned": {total}, "lines": [{", ".join(lines)}]}}'


def settle_lines(lines: Iterable[bytes | str], settler: Settler | None = None) -> Iterator[str]:
    """Answer each line that is not blank; failures are counted by the `settler` given."""
    settler = settler or Settler()
    for line in lines:
        if not line.isspace() and line:
            yield settler.answer(line)


def main(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Answer all of stdin on stdout as it comes; 0, or 1 where a line could not be settled.

    A reader that goes away ends the work quietly. Raises OSError where stdin or stdout fail.
    """
    settler = Settler()
    try:
        for batch in _batches(stdin):
            answers = [
                settler.too_long() if line is None else settler.answer(line)
                for line in batch
                if line is None or (line and not line.isspace())
            ]
            if answers:
                stdout.write(("\n".join(answers) + "\n").encode("ascii"))
                stdout.flush()
    except BrokenPipeError:
        # What is still buffered would fail once more when the interpreter closes stdout.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stdout.fileno())
        os.close(nowhere)
    return 1 if settler.failures else 0


def _batches(stdin: BinaryIO) -> Iterator[list[bytes | None]]:
    """The lines that have come in so far, again and again; None for a line beyond the limit.

    Reading what is there, not line by line, lets answers leave as soon as input pauses.
    """
    rest, skipping = b"", False
    read = getattr(stdin, "read1", stdin.read)
    while chunk := read(_CHUNK_BYTES):
        lines: list[bytes | None] = []
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if skipping:
                skipping = False
            else:
                lines.append(line if len(line) <= LINE_BYTES_MAXIMUM else None)
        if skipping:
            rest = b""
        elif len(rest) > LINE_BYTES_MAXIMUM:
            lines.append(None)
            rest, skipping = b"", True
        yield lines
    if rest and not skipping:
        yield [rest]


def _text(line: bytes | str) -> str:
    try:
        return line.decode() if isinstance(line, bytes) else line
    except UnicodeDecodeError as error:
        _refuse(f"byte {error.start + 1} of the line is not UTF-8: save the file as UTF-8")


def _parsed(text: str) -> dict[str, Any]:
    """Read a line as a JSON object; raises SettleError, or RecursionError for a deep nest."""
    try:
        given = _DECODER.decode(text)
    except SettleError:
        raise
    except json.JSONDecodeError as error:
        _refuse(f"the line is not JSON ({error.msg} at character {error.pos + 1}): correct it")
    except ValueError:  # Python reads no integer of more than some thousand digits
        _refuse("the line holds a number that is too long: amounts are integers of cents")
    if type(given) is not dict:
        _refuse(f"a round must be an object, not {_kind(given)}: write {{...}}")
    return given


def _keys_kept(given: dict[str, Any]) -> int:
    """How many keys a well-formed round has, its id aside.

    JSON lets a key come twice, and the reader keeps the last: a wager would be lost in silence. A
    line with just as many colons has none twice; with more, it is read again by _only_once.
    """
    meters = given.get("meters", {})
    return (
        len(given)
        + len(given["rules"])
        + len(meters)
        + sum([len(meter) for meter in meters.values() if type(meter) is dict])
        + sum([len(seat) + len(seat["wagers"]) for seat in given["seats"]])
    )


def _only_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        _refuse(f"the key {twice!r:.40} is given twice: give it once")
    return read


def _seat_hand(given: object) -> SeatHand:
    """Read one seat's shape; what its values mean is checked with the round."""
    if type(given) is not dict:
        _refuse(f"a seat must be an object, not {_kind(given)}")
    if not given.keys() <= _SEAT_KEYS:
        _refuse_keys(f"seat {given.get('seat')}", given, _SEAT_KEYS)
    seat, wagers, cards = given.get("seat"), given.get("wagers"), given.get("cards", ())
    if type(seat) is not int:
        _refuse(f"a seat's number must be an integer, not {_kind(seat)}")
    if type(wagers) is not dict:
        _refuse(f"seat {seat}: wagers must be an object of cents, not {_kind(wagers)}")
    if type(cards) is not list and cards != ():
        _refuse(f"seat {seat}: cards must be a list of three cards, not {_kind(cards)}")
    return record(SeatHand, (seat, wagers, cards, given.get("decision")))


def _meters(given: object) -> dict[str, Meter]:
    """Read the meters: plain cents, or cents with the amount of a reset."""
    if type(given) is not dict:
        _refuse(f"meters must be an object, not {_kind(given)}")
    least = int(paytables.three_card_poker().reset_minimum.value)
    meters: dict[str, Meter] = {}
    for name, value in given.items():
        if type(value) is dict:
            if not value.keys() <= _METER_KEYS:
                _refuse_keys(f"the meter {name}", value, _METER_KEYS)
            if "cents" not in value:
                _refuse(f"the meter {name} has no cents: say what it shows")
            meters[name] = Meter(value["cents"], value.get("reset", least))
        else:
            meters[name] = Meter(value, least)
    return meters


def _line_parts(row: Row) -> tuple[str, str, str]:
    """The constant text of a line before its stake, before what is returned, and after."""
    wager, outcome = json.dumps(row.wager), json.dumps(row.outcome)
    odds, clause = json.dumps(row.odds), json.dumps(row.clause)
    return (
        f'{{"wager": {wager}, "stake": ',
        f', "outcome": {outcome}, "returned": ',
        f', "vigorish": 0, "odds": {odds}, "clause": {clause}}}',
    )


def _refuse(sentence: str) -> NoReturn:
    raise SettleError(sentence)


def _refuse_keys(what: str, given: Mapping[str, object], known: frozenset[str]) -> NoReturn:
    unknown = ", ".join(repr(key) for key in given if key not in known)
    _refuse(
        f"{what} has an unknown key {unknown}: for {GAME} it may have {', '.join(sorted(known))}"
    )


def _refuse_game(game: object) -> NoReturn:
    if isinstance(game, str) and game in LATER_GAMES:
        _refuse(f"this build settles {GAME} only: {game} comes later")
    shown = "is missing" if game is None else f"is {game!r:.40}"
    _refuse(f"game {shown}: this build settles {GAME} only")


def _kind(value: object) -> str:
    """What JSON calls a value, for a message."""
    if value is None:
        return "missing or null"
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return names.get(type(value), "a number")


def _no_constant(name: str) -> NoReturn:
    _refuse(f"{name} is not a JSON number: give integers of cents")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        _refuse(f"{text:.40} is too large a number: amounts are integers of cents")
    return number


_DECODER: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
_TELLING_DECODER: Final = json.JSONDecoder(object_pairs_hook=_only_once)
