"""Whatever a person may do and a device may tell, with arguments that make sense at the moment."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tablectl.table.procedures import procedure
from tablectl.table.state import Device, State
from tablectl.table.table import Outcome
from tests.table.pit import Pit
from tests.table.rulings import fresh

Doing = Callable[[Pit], Outcome]
_REPORTS: Mapping[str, tuple[str, ...]] = {
    "shoe": ("jam", "fault", "offline", "held", "cleared", "gap"),
    "shuffler": ("jam", "fault", "offline", "online", "cleared", "shuffle_started"),
    "progressive": ("online", "offline", "fault", "cleared", "locked", "unlocked"),
    "button": ("pressed", "online", "offline"),
}
_ROLE = {"return_to_service": "technician"}


def stimuli(state: State) -> Iterator[tuple[str, Doing]]:
    """Every action, every report, the clock and a restart, each with its name."""
    for device in state.devices:
        yield from _reports(device)
    yield "a tick", lambda pit: pit.tick(2000)
    yield "eight hours", lambda pit: pit.tick(8 * 3600 * 1000)
    yield "a restart", lambda pit: pit.restart()
    for action in procedure(state).actions:
        for args in _arguments(state).get(action, [{}]):
            yield f"{action} {args or ''}", _act(action, args)


def _act(action: str, args: dict[str, Any]) -> Doing:
    return lambda pit: pit.act(action, _ROLE.get(action, "floor"), **args)


def _tell(device: str, name: str, **args: Any) -> Doing:
    return lambda pit: pit.device(device, name, **args)


def _deal(device: str, name: str, cards: int, read: bool = True) -> Doing:
    return lambda pit: pit.device(device, name, fresh(pit, cards) if read else [None] * cards)


def _reports(device: Device) -> Iterator[tuple[str, Doing]]:
    for name in _REPORTS[device.kind]:
        yield f"{device.id} {name}", _tell(device.id, name)
    if device.kind == "shoe":
        for dispensed in (device.dispensed, device.dispensed + 1, None):
            told = _tell(device.id, "online", dispensed=dispensed)
            yield f"{device.id} online, {dispensed} dispensed", told
        for name, cards in (("stack", 2), ("stack", 3), ("stack", 4), ("card", 1)):
            yield f"{device.id} {name} of {cards}", _deal(device.id, name, cards)
            yield f"{device.id} {name} unread", _deal(device.id, name, cards, read=False)
    if device.kind == "shuffler":
        for count in (52, 51, None):
            yield f"{device.id} counts {count}", _tell(device.id, "shuffle_done", count=count)
    if device.kind == "progressive":
        spot = {"seat": 1, "wager": "progressive"}
        yield f"{device.id} accepts", _tell(device.id, "accepted", **spot, cents=100)
        for name in ("withdrawn", "late"):
            yield f"{device.id} {name}", _tell(device.id, name, **spot)


def _arguments(state: State) -> dict[str, list[dict[str, Any]]]:
    round_, because = state.round, {"reason": "because"}
    cards = round_.cards if round_ else ()
    unknown = next((c.place for c in cards if c.up and c.card is None), "dealer/1")
    turn = round_.turns[0] if round_ and round_.turns else 1
    asked = round_.asked if round_ and round_.asked else 1
    devices = [{"device": device.id} for device in state.devices] or [{"device": "toaster"}]
    keyed = {"seat": 1, "wager": "ante", "amount": 700, **because}
    return {
        "receive_decks": [{"decks": [{"id": "blue", "back": "blue"}]}],
        "player_inspected": [{"viewed": True}],
        "recut": [because], "order_shuffle": [because], "cancel_lock": [because],
        "void_round": [because], "halt_table": [because], "suspend_table": [because],
        "place_wager": [{"seat": 2, "wager": "ante", "amount": 500}],
        "remove_wager": [{"seat": 1, "wager": "ante"}],
        "amend_wager": [keyed, {**keyed, "seat": 2}, {**keyed, "wager": "pair_plus"}],
        "report_late_bet": [{"seat": 1, "wager": "ante"}],
        "count_progressive": [{"chips": 0}, {"chips": 1}],
        "resolve_count": [{"seat": 3}],
        "validate_progressive": [{"seat": turn}],
        "abandon": [{"seat": 1}, {"seat": 3}],
        "forfeit": [{"seat": 1, "reason": "2"}],
        "dispute": [{"seat": turn, **because}], "end_dispute": [{"seat": turn, **because}],
        "correct_card": [{"draw": 1, "card": "AS"}, {"draw": 2}],
        "void_found_late": [
            {"cause": cause, "confirm": sure, **because}
            for cause in ("incorrect_number_of_cards", "stub_incorrect", "duplicate_card")
            for sure in (True, False)
        ],
        "settle_void_seat": [{"seat": 1, "recovered": True}, {"seat": 3, "recovered": False}],
        "count_stub": [{"cards": 52}, {"cards": 43}, {"cards": 3}],
        "judge_stub": [{"misdealt": True}, {"misdealt": False}],
        "enter_card": [{"place": unknown, "card": "AS"}, {"place": unknown, "card": "2C"}],
        "confirm_payment": [{"seat": turn}],
        "settle_by_hand": [{"seat": turn, "returned": 0, **because}],
        "declare_misdeal": [{}, {"confirm": True}],
        "report_jam": [{**one, "confirm": sure} for one in devices for sure in (True, False)],
        "report_face_up": [
            {"cards": many, "confirm": True, **place}
            for many in (1, 2)
            for place in ({}, {"place": "seat/1/1"}, {"place": "dealer/1"})
        ],
        "report_exposed": [
            {"place": place, "confirm": sure}
            for place in ("dealer/1", "seat/1/1", "community/1")
            for sure in (True, False)
        ],
        "move_card": [{"draw": 1, "to": "seat/3/1"}],
        "attest_decision": [{"seat": 1, "decision": "play"}, {"seat": 3, "decision": "fold"}],
        "play": [{"seat": asked}], "fold": [{"seat": asked}],
        "acknowledge_alarm": [{"id": alarm.id} for alarm in state.alarms] or [{"id": "none"}],
        "opening_test": [{"lamps": True, "lock": True}, {"lamps": False, "lock": True}],
        "return_to_service": devices, "confirm_out_of_order": devices,
        "mark_out_of_order": [{**one, "confirm": s} for one in devices for s in (True, False)],
        "correct_meter": [{"meter": "main", "cents": 123_456, **because}],
    }  # fmt: skip
