"""`tablectl settle`: rounds as JSON Lines in, what they must pay as JSON Lines out.

It reads untrusted text and never raises for it: a line that cannot be settled gets an answer that
says why, and the next one is read. No rule is decided here; the arithmetic is `games`'.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final, NamedTuple, NoReturn

from tablectl.games import midi_baccarat, three_card_baccarat, three_card_poker
from tablectl.games.lines import (
    BaccaratRound,
    HandSeat,
    MeterReading,
    MidiRound,
    PokerRound,
    PrintedSeat,
)
from tablectl.games.midi_baccarat import MidiSeat
from tablectl.games.paytables import Row
from tablectl.games.rules import GAMES, GameRules, RulesError, parse_rules
from tablectl.games.settlement import Award, AwardedRound, Meter, SeatHand, SettleError, record

LINE_BYTES_MAXIMUM: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 16
_RULES_CACHED_MAXIMUM: Final = 256
_WHY_MAXIMUM: Final = 500

_METER_KEYS: Final = frozenset(MeterReading.__annotations__)


class Settler:
    """Settles line after line; `failures` counts the lines that got an error for an answer."""

    def __init__(self) -> None:
        self.failures = 0
        self._rules: dict[tuple[str, str], GameRules] = {}
        self._rendered: dict[Row, tuple[str, str, str, str]] = {}

    def answer(self, text: bytes | str) -> str:
        """The answer to one line, without its newline."""
        identity = None
        try:
            text = _text(text)
        except SettleError as error:
            return self._failure("null", str(error))
        try:
            given = _parsed(text)
            name = given.get("id")
            identity = str(name) if type(name) is int else json.dumps(name)
            return self._settle(identity, given, text)
        except (SettleError, RulesError) as error:
            why = str(error)
        except RecursionError:
            why = "the line is nested too deeply: give one plain round"
        return self._failure(identity or _named(text), why)

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
        name = given.get("game")
        game = _GAMES.get(name) if isinstance(name, str) else None
        if game is None:
            _refuse_game(name)
        if not given.keys() <= game.round_keys:
            _refuse_keys("the round", given, game.round_keys)
        rules = self._parsed_rules(given)
        seats = given.get("seats")
        if type(seats) is not list:
            _refuse(f"seats must be a list of objects, not {_kind(seats)}")
        for seat in seats:
            _check_seat(seat, game.seat_keys)
        meters = _meters(given.get("meters", {}), rules)
        if text.count(":") != _keys_kept(given):
            _TELLING_DECODER.decode(text)
        awarded = game.award(rules, given, meters)
        rendered = ", ".join(
            [self._render_seat(seat, awards) for seat, awards in awarded.seats.items()]
        )
        order = ", ".join(map(str, awarded.order))
        after = ", ".join([f'"{name}": {meter[0]}' for name, meter in awarded.meters.items()])
        return (
            f'{{"id": {identity}, "seats": [{rendered}], "order": [{order}], '
            f'"meters": {{{after}}}}}'
        )

    def _parsed_rules(self, given: dict[str, Any]) -> GameRules:
        game, raw = given["game"], given.get("rules")
        if type(raw) is not dict:
            _refuse(f"rules must be an object, as in [rules], not {_kind(raw)}")
        if raw.get("game", game) != game:
            _refuse(f"game is {game}, but {raw['game']!r:.40} in the rules: give one game")
        # By text: {"seats": true} must not find the rules of {"seats": 1}.
        key = game, repr(raw)
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
        for row, stake, returned, vigorish in awards:
            parts = self._rendered.get(row)
            if parts is None:
                parts = self._rendered[row] = _line_parts(row)
            lines.append(f"{parts[0]}{stake}{parts[1]}{returned}{parts[2]}{vigorish}{parts[3]}")
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
        text = line.decode() if isinstance(line, bytes) else line
        return text.removeprefix("\ufeff")  # some editors begin a file with it
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


def _named(text: str) -> str:
    """The id of a line that cannot be read, where only its numbers are beyond reading."""
    try:
        given = _LENIENT_DECODER.decode(text)
        return json.dumps(given["id"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "null"


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


class _Game(NamedTuple):
    """How a game's rounds look, and how one is settled."""

    round_keys: frozenset[str]
    seat_keys: frozenset[str]
    award: Callable[[Any, dict[str, Any], dict[str, Meter]], AwardedRound]


def _keys(shape: type) -> frozenset[str]:
    """What an object of this shape may have."""
    return frozenset(shape.__annotations__)


def _cards(given: dict[str, Any], key: str, how_many: str) -> list[Any]:
    cards = given.get(key)
    if type(cards) is not list:
        _refuse(f"{key} must be a list of {how_many} cards, not {_kind(cards)}")
    return cards


def _check_seat(given: object, known: frozenset[str]) -> None:
    """Hold one seat to its shape; what its values mean is checked with the round."""
    if type(given) is not dict:
        _refuse(f"a seat must be an object, not {_kind(given)}")
    if not given.keys() <= known:
        _refuse_keys(f"seat {given.get('seat')}", given, known)
    seat, wagers = given.get("seat"), given.get("wagers")
    if type(seat) is not int:
        _refuse(f"a seat's number must be an integer, not {_kind(seat)}")
    if type(wagers) is not dict:
        _refuse(f"seat {seat}: wagers must be an object of cents, not {_kind(wagers)}")


def _seat_hand(given: dict[str, Any]) -> SeatHand:
    seat, cards = given["seat"], given.get("cards", ())
    if type(cards) is not list and cards != ():
        _refuse(f"seat {seat}: cards must be a list of three cards, not {_kind(cards)}")
    return record(SeatHand, (seat, given["wagers"], cards, given.get("decision")))


def _midi_seat(given: dict[str, Any]) -> MidiSeat:
    seat, printed = given["seat"], given.get("printed_king_9")
    if type(printed) is not list and printed is not None:
        what = "printed_king_9 must be a list of a king and a nine"
        _refuse(f"seat {seat}: {what}, not {_kind(printed)}")
    return record(MidiSeat, (seat, given["wagers"], printed))


def _award_poker(rules: Any, given: dict[str, Any], meters: dict[str, Meter]) -> AwardedRound:
    dealer = _cards(given, "dealer", "three")
    community = _cards(given, "community", "two") if "community" in given else ()
    hands = [_seat_hand(seat) for seat in given["seats"]]
    table = three_card_poker.validate_round(rules, dealer, hands, meters, community)
    return three_card_poker.award_round(table)


def _award_baccarat(rules: Any, given: dict[str, Any], meters: dict[str, Meter]) -> AwardedRound:
    dealer = _cards(given, "dealer", "three")
    hands = [_seat_hand(seat) for seat in given["seats"]]
    table = three_card_baccarat.validate_round(rules, dealer, hands, meters)
    return three_card_baccarat.award_round(table)


def _award_midi(rules: Any, given: dict[str, Any], meters: dict[str, Meter]) -> AwardedRound:
    player, banker = (_cards(given, side, "two or three") for side in ("player", "banker"))
    seats = [_midi_seat(seat) for seat in given["seats"]]
    table = midi_baccarat.validate_round(rules, player, banker, seats, meters)
    return midi_baccarat.award_round(table)


_GAMES: Final = {
    "three_card_poker": _Game(_keys(PokerRound), _keys(HandSeat), _award_poker),
    "three_card_baccarat": _Game(_keys(BaccaratRound), _keys(HandSeat), _award_baccarat),
    "midi_baccarat": _Game(_keys(MidiRound), _keys(PrintedSeat), _award_midi),
}


def _meters(given: object, rules: GameRules) -> dict[str, Meter]:
    """Read the meters: plain cents, or cents with the amount of a reset."""
    if given == {}:
        return {}
    if type(given) is not dict:
        _refuse(f"meters must be an object, not {_kind(given)}")
    terms = rules.meter_terms
    meters: dict[str, Meter] = {}
    for name, value in given.items():
        # A meter that these rules do not use is never won, and never reset.
        least = int(terms[name].reset.value) if name in terms else 0
        if type(value) is dict:
            if not value.keys() <= _METER_KEYS:
                _refuse_keys(f"the meter {name}", value, _METER_KEYS)
            if "cents" not in value:
                _refuse(f"the meter {name} has no cents: say what it shows")
            meters[name] = Meter(value["cents"], value.get("reset", least))
        else:
            meters[name] = Meter(value, least)
    return meters


def _line_parts(row: Row) -> tuple[str, str, str, str]:
    """The constant text of a line before its stake, what is returned, the vigorish, and after."""
    wager, outcome = json.dumps(row.wager), json.dumps(row.outcome)
    odds, clause = json.dumps(row.odds), json.dumps(row.clause)
    return (
        f'{{"wager": {wager}, "stake": ',
        f', "outcome": {outcome}, "returned": ',
        ', "vigorish": ',
        f', "odds": {odds}, "clause": {clause}}}',
    )


def _refuse(sentence: str) -> NoReturn:
    raise SettleError(sentence)


def _refuse_keys(what: str, given: Mapping[str, object], known: frozenset[str]) -> NoReturn:
    unknown = ", ".join(repr(key) for key in given if key not in known)
    _refuse(
        f"{what} has an unknown key {unknown}: in this game it may have {', '.join(sorted(known))}"
    )


def _refuse_game(game: object) -> NoReturn:
    shown = "is missing" if game is None else f"is {game!r:.40}"
    _refuse(f"game {shown}: give one of {', '.join(GAMES)}")


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
_LENIENT_DECODER: Final = json.JSONDecoder(
    parse_int=lambda digits: int(digits) if len(digits) < 40 else None,
    parse_float=lambda text: None if float(text) in (float("inf"), float("-inf")) else float(text),
    parse_constant=lambda _name: None,
)
_TELLING_DECODER: Final = json.JSONDecoder(object_pairs_hook=_only_once)
