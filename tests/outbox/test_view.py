"""The state that everybody sees: the keys of the contract, and never a face-down card."""

import json
import random
import re
from typing import Any

import pytest

from tablectl.journal.canonical import canonical
from tablectl.outbox import payloads
from tablectl.outbox.payloads import LISTED_MAXIMUM, DeviceFacts
from tablectl.outbox.topics import BadName, Topics
from tablectl.outbox.view import snapshot
from tablectl.table.state import Alarm, Device, MeterState, State
from tests.table.pit import Pit, fill
from tests.table.sessions import Session

KEYS = {
    "sequence", "time", "phase", "locked", "halted", "round", "seats", "dealer", "prompts",
    "allowed", "duties", "decks", "devices", "alarms", "meters", "wins", "unconfirmed", "last_hand",
}  # fmt: skip
CARD = re.compile(r'"[A23456789TJQK][CDHS]"')
PHASES = ["closed", "preparing", "betting", "locking", "locked", "dealing", "deciding", "settling"]
TOPICS = Topics("harbor", "tcp-12")


def seen(pit: Pit) -> dict[str, Any]:
    shown: Any = snapshot(pit.state, unconfirmed=3)
    assert json.loads(canonical(shown)) == shown, "it is JSON, and has no number but integers"
    return shown


@pytest.mark.parametrize("phase", [*PHASES, "clearing", "voided"])
def test_it_has_the_keys_of_the_contract(phase: str) -> None:
    pit = fill(phase)
    shown = seen(pit)
    assert shown.keys() == KEYS
    assert shown["phase"] == phase
    assert shown["sequence"] == pit.state.sequence
    assert shown["unconfirmed"] == 3
    assert re.fullmatch(r"2027-01-15T08:00:\d\d\.\d{9}Z", shown["time"])
    for prompt in shown["prompts"]:
        assert prompt.keys() == {"text", "awaits", "role", "clauses"}
    for deck in shown["decks"]:
        assert deck.keys() == {
            "id", "back", "custody", "rounds_since_count", "change_due", "latched"
        }  # fmt: skip
    assert shown["devices"]["shoe"] == {"kind": "shoe", "health": "online"}
    assert set(shown["meters"]) == {m.name for m in pit.state.meters}


def test_the_blank_state_can_be_shown() -> None:
    shown = snapshot(State(), unconfirmed=0)
    assert shown.keys() == KEYS
    assert (shown["round"], shown["seats"], shown["dealer"]) == (None, [], {"cards": []})
    assert shown["locked"] is True
    assert shown["halted"] is False


def test_seats_wagers_and_decisions() -> None:
    shown = seen(fill("betting"))
    assert shown["locked"] is False
    assert shown["round"] == {"number": 1, "kind": "live", "deck": "red"}
    assert [(s["seat"], s["wagers"]) for s in shown["seats"]] == [
        (1, {"ante": 1000, "pair_plus": 500, "progressive": 100, "six_card_bonus": 500}),
        (3, {"ante": 2000, "progressive": 500}),
        (5, {"pair_plus": 1500}),
    ]
    assert [s["decision"] for s in seen(fill("settling"))["seats"]] == ["play", "fold", None]


def test_a_face_down_card_is_a_place_and_a_commitment() -> None:
    pit = fill("deciding")
    shown = seen(pit)
    assert pit.state.round is not None
    by_place = {card.place: card for card in pit.state.round.cards}
    hands = [*shown["seats"], shown["dealer"]]
    for card in (card for hand in hands for card in hand["cards"]):
        real = by_place.pop(card["place"])
        assert card == {
            "place": real.place,
            "card": real.card if real.up else None,
            "commitment": real.commitment,
        }
        assert card["card"] is None
        assert len(card["commitment"]) == 64
    assert not by_place, "every card is shown"
    assert not CARD.search(canonical(shown))


def test_the_dealers_cards_are_shown_when_they_lie_face_up() -> None:
    shown = seen(fill("settling"))
    assert [card["card"] for card in shown["dealer"]["cards"]] == ["AS", "QD", "6H"]


@pytest.mark.parametrize("n", range(6))
def test_no_random_session_ever_shows_what_lies_face_down(n: int) -> None:
    session = Session(random.Random(f"view {n}"))
    states: list[State] = []
    feed = session.pit.feed

    def feeding(given: Any) -> Any:
        outcome = feed(given)
        states.append(outcome.state)
        return outcome

    session.pit.feed = feeding  # type: ignore[assignment, method-assign]
    session.run(250)
    for state in states:
        text = canonical(snapshot(state, unconfirmed=0))
        cards = state.round.cards if state.round else ()
        for card in cards:
            if card.salt:
                assert card.salt not in text
        up = {card.card for card in cards if card.up and card.card}
        assert {found.strip('"') for found in CARD.findall(text)} <= up


def test_an_alarm_in_the_state_and_on_its_topic_are_one() -> None:
    alarm = Alarm("jam-1", "jam", "warning", "It jammed.", 1_800_000_000_000_000_000)
    made, left_out = payloads.retained(TOPICS, State(alarms=(alarm,)), {}, unconfirmed=0)
    assert not left_out
    whole = json.loads(made["tablectl/v1/harbor/tcp-12/state"])
    assert whole["alarms"] == [json.loads(made["tablectl/v1/harbor/tcp-12/alarm/jam-1"])]
    assert whole["alarms"][0] == {
        "id": "jam-1", "kind": "jam", "severity": "warning", "what": "It jammed.",
        "since": "2027-01-15T08:00:00.000000000Z", "acknowledged": False,
    }  # fmt: skip


def test_meters_and_devices() -> None:
    state = State(
        meters=(MeterState("main", 100_000, "0.2", 123_456, 100_000),),
        devices=(Device("shoe", "shoe", "online"), Device("button", "button")),
    )
    facts = {"shoe": DeviceFacts({"serial": "A1"}, {"CardRec": "4.0.018"}, {"frames_bad": 2})}
    made, _ = payloads.retained(TOPICS, state, facts, unconfirmed=0)
    root = TOPICS.root
    assert json.loads(made[f"{root}meter/main"]) == {
        "cents": 123_456, "reset": 100_000, "rate": "0.2", "hits": 0,
        "wagered": 0, "awarded": 0, "hand_paid": 0, "keeper": "table",
    }  # fmt: skip
    assert json.loads(made[f"{root}device/shoe"]) == {
        "kind": "shoe",
        "health": "online",
        "identity": {"serial": "A1"},
        "versions": {"CardRec": "4.0.018"},
        "counters": {"frames_bad": 2},
    }
    assert json.loads(made[f"{root}device/button"])["health"] == "unknown"


def test_there_is_an_end_to_topics() -> None:
    alarms = tuple(Alarm(f"a-{n}", "a", "warning", "!", 0) for n in range(LISTED_MAXIMUM + 5))
    made, left_out = payloads.retained(TOPICS, State(alarms=alarms), {}, unconfirmed=0)
    assert len(made) == LISTED_MAXIMUM + 1
    assert len(left_out) == 1


# ── topics ──
def test_the_topics() -> None:
    root = "tablectl/v1/harbor/tcp-12/"
    assert TOPICS.status == root + "status"
    assert TOPICS.state == root + "state"
    assert TOPICS.event("card.dealt") == root + "event/card/dealt"
    assert TOPICS.alarm("broker_away-1") == root + "alarm/broker_away-1"
    assert TOPICS.meter("main") == root + "meter/main"
    assert TOPICS.device("shoe") == root + "device/shoe"
    assert TOPICS.reply("A-1") == root + "reply/A-1"
    assert TOPICS.replay("A-1") == root + "replay/A-1"
    assert TOPICS.command("replay") == root + "cmd/replay"
    assert TOPICS.command_name(root + "cmd/replay") == "replay"
    assert TOPICS.command_name(root + "cmd/replay/x") is None
    assert TOPICS.command_name(root + "status") is None
    assert TOPICS.command_name("cmd/replay") is None


@pytest.mark.parametrize(
    "name", ["", "a/b", "+", "#", "a b", "é", "x" * 65, "a\n", "$SYS", "a\x00"]
)
def test_no_name_opens_another_level(name: str) -> None:
    for make in (
        lambda: Topics(name, "tcp-12"),
        lambda: Topics("harbor", name),
        lambda: TOPICS.alarm(name),
        lambda: TOPICS.meter(name),
        lambda: TOPICS.device(name),
        lambda: TOPICS.reply(name),
        lambda: TOPICS.replay(name),
    ):
        with pytest.raises(BadName):
            make()
    assert TOPICS.event(name) == TOPICS.root + "event/other/unnamed", "the stream has no gaps"
    assert TOPICS.event(f"card.{name}") == TOPICS.root + "event/other/unnamed"


def test_every_event_of_random_sessions_has_a_topic_of_its_own() -> None:
    session = Session(random.Random("topics")).run(800)
    assert len(session.pit.events) > 500
    for event in session.pit.events:
        assert TOPICS.event(event.type) == f"{TOPICS.root}event/{event.type.replace('.', '/')}"
