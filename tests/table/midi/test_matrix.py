"""Chapter 13 as a matrix: every report at every moment of a Midi round, each shoe, each setting.

Each cell is a ruling with its clauses, wagers and duties, or a refusal with a reason; afterwards
the table is played on by its prompts until another round has settled.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tablectl.table.inputs import Action, Second
from tests.table.midi.onwards import play_on
from tests.table.midi.pit import BUTTON, HELD, READER, Attended

Moment = Callable[[Attended], None]

# ── moments: what was done since the shoe was ready ──
FOUR = ("2C", "3D", "KH", "2S")  # Player 2 draws; Banker 5
STAND = ("7C", "2D", "KH", "3S")  # Player 7 stands; Banker 5 draws
BOTH = ("7C", "2D", "KH", "5S")  # both stand


def _bets(pit: Attended) -> None:
    pit.betting().wager(1, player=1000, dragon_bonus_player=500).wager(3, banker=2000)
    pit.wager(5, player=1000, tie=500)


def _locked(pit: Attended) -> None:
    _bets(pit)
    pit.lock()


def _out(*cards: str) -> Moment:
    """So many cards out, from a shoe that reads; a plain one shows them as they are entered."""

    def moment(pit: Attended) -> None:
        _locked(pit)
        if pit.reads:
            pit.drawn(*cards)
        elif cards:
            pit.do("hand_cards", "dealer", seat=1, hand="player")

    return moment


def _handed(pit: Attended) -> None:
    _out(*FOUR)(pit)
    if pit.reads:
        pit.do("hand_cards", "dealer", seat=1, hand="player")


def _up(cards: tuple[str, ...], *more: str) -> Moment:
    """Both hands up, and what followed: a card that was drawn, or the name of a hand turned."""

    def moment(pit: Attended) -> None:
        _out(*cards)(pit)
        if pit.reads:
            pit.turn()
        else:
            for place, card in zip(
                ("player/1", "player/2", "banker/1", "banker/2"),
                (cards[0], cards[2], cards[1], cards[3]), strict=True,
            ):  # fmt: skip
                if place == "banker/1":
                    pit.do("hand_cards", "dealer", seat=3, hand="banker")
                pit.do("enter_card", "dealer", place=place, card=card)
        for each in more:
            if each in ("player", "banker"):
                pit.turn(each) if pit.reads else None
            elif pit.reads:
                pit.drawn(each)
            else:
                place = "player/3" if len(pit.state.round.hand("player")) == 2 else "banker/3"
                pit.do("enter_card", "dealer", place=place, card=each)

    return moment


def _cleared(pit: Attended) -> None:
    _up(BOTH)(pit)
    pit.paid()


def _voided(pit: Attended) -> None:
    _out(*FOUR[:2])(pit)
    pit.do("void_round", reason="a spilt drink")


def _cancelling(pit: Attended) -> None:
    pit.device("shoe", "held")
    _locked(pit)
    pit.do("cancel_lock", reason="pressed by mistake")


def _simulating(pit: Attended) -> None:
    if pit.reads:
        pit.drawn("5H")
        pit.do("report_exposed", "dealer", place="carried/1", confirm=True)
    else:
        pit.do("report_face_up", "dealer", cards=1, card="5H", confirm=True)
    pit.do("begin_simulated_round", "dealer")


MOMENTS: dict[str, tuple[str, Moment]] = {
    "ready": ("preparing", lambda _pit: None),
    "bets": ("betting", _bets),
    "locked": ("locked", _locked),
    "cancelling": ("cancelling", _cancelling),
    "one out": ("dealing", _out(*FOUR[:1])),
    "three out": ("dealing", _out(*FOUR[:3])),
    "four out": ("turning", _out(*FOUR)),
    "handed": ("turning", _handed),
    "player draws": ("drawing", _up(FOUR)),
    "player drew": ("drawing", _up(FOUR, "4C")),
    "banker draws": ("drawing", _up(STAND)),
    "banker drew": ("drawing", _up(STAND, "4C")),
    "paying": ("settling", _up(BOTH)),
    "paid": ("clearing", _cleared),
    "simulated": ("simulating", _simulating),
    "void": ("voided", _voided),
}
# A plain shoe shows no card before it is entered: these moments are others there, or none.
READER_ONLY = ("cancelling", "one out", "three out", "handed", "player drew", "banker drew")

A, D1 = ("MIDI 13.A",), ("MIDI 13.D(1)",)
FIRST = ("MIDI 13.D(1)", "MIDI 13.D(2)")
B1, B2, C1 = ("MIDI 13.B(1)",), ("MIDI 13.B(2)",), ("MIDI 13.C(1)",)
C2 = {"discard_with_next": ("MIDI 13.C(2)(a)",), "simulated_round": ("MIDI 13.C(2)(b)",)}
E1 = ("MIDI 13.E(1)", "MIDI 13.E(2)")
HOUSE: tuple[str, ...] = ()
NO = None  # refused

REPORTS: dict[str, tuple[str, dict[str, Any]]] = {
    "drawn in error": ("report_drawn_in_error", {}),
    "third drawn": ("report_drawn_in_error", {"place": "player/3"}),
    "player/1 shown": ("report_exposed", {"place": "player/1", "card": "6H"}),
    "banker/2 shown": ("report_exposed", {"place": "banker/2", "card": "6H"}),
    "player/3 shown": ("report_exposed", {"place": "player/3", "card": "6H"}),
    "banker/3 shown": ("report_exposed", {"place": "banker/3", "card": "6H"}),
    "face up": ("report_face_up", {"cards": 1, "card": "6H"}),
    "run out": ("report_cards_run_out", {}),
    "jam": ("report_jam", {}),
    "order lost": ("report_jam", {"order_lost": True}),
}
_ANYWHERE = {"jam": HOUSE, "order lost": HOUSE}
_IN_PLAY = {**_ANYWHERE, "run out": E1}

# What a shoe that reads leads to, by moment and report; what is not named is refused. "LATER" and
# "THIRD" stand for what a setting decides.
LATER, THIRD = "a later due card", "an unauthorised third card"
READ: dict[str, dict[str, Any]] = {
    "ready": _ANYWHERE,
    "bets": _ANYWHERE,
    "locked": _IN_PLAY,
    "cancelling": _ANYWHERE,
    "one out": {**_IN_PLAY, "player/1 shown": FIRST},
    "three out": {**_IN_PLAY, "player/1 shown": FIRST},
    "four out": {**_IN_PLAY, "player/1 shown": FIRST, "banker/2 shown": LATER},
    # Once a hand was handed on, nothing is disclosed "at the time it is dealt": it plays.
    "handed": {**_IN_PLAY, "player/1 shown": HOUSE, "banker/2 shown": HOUSE},
    "player draws": _IN_PLAY,
    "player drew": {**_IN_PLAY, "player/3 shown": LATER, "banker/3 shown": LATER},
    "banker draws": _IN_PLAY,
    "banker drew": {**_IN_PLAY, "banker/3 shown": LATER, "player/3 shown": C1},
    "paying": {"jam": HOUSE},
    "paid": {"jam": HOUSE},
    "simulated": _IN_PLAY,
    "void": {"jam": HOUSE},
}
# From a plain shoe the report itself is the first that is known of the card.
_PLAIN_DEAL = {
    **_IN_PLAY, "drawn in error": A, "player/1 shown": FIRST, "banker/2 shown": LATER,
    "face up": FIRST,
}  # fmt: skip
_PLAIN_OVER = {
    "jam": HOUSE, "drawn in error": A, "third drawn": B2, "player/3 shown": THIRD,
    "banker/3 shown": D1, "face up": D1,
}  # fmt: skip
PLAIN: dict[str, dict[str, Any]] = {
    "ready": {**_ANYWHERE, "drawn in error": A, "face up": D1},
    "bets": {**_ANYWHERE, "drawn in error": A, "face up": FIRST},
    "locked": _PLAIN_DEAL,
    "four out": {
        **_IN_PLAY, "drawn in error": A, "face up": D1, "player/1 shown": HOUSE,
        "banker/2 shown": HOUSE,  # the Player's hand was handed on
    },
    "player draws": {
        **_IN_PLAY, "drawn in error": A, "player/3 shown": LATER, "banker/3 shown": LATER,
        "face up": LATER,
    },
    "banker draws": {
        **_IN_PLAY, "drawn in error": A, "third drawn": B1, "player/3 shown": C1,
        "banker/3 shown": LATER, "face up": LATER,
    },
    "paying": _PLAIN_OVER,
    "paid": _PLAIN_OVER,
    "simulated": {**_IN_PLAY, "drawn in error": A, "face up": D1},
    "void": {"jam": HOUSE, "drawn in error": A, "face up": D1},
}  # fmt: skip

SETTINGS = [
    {"exposed_due_card": "set_aside", "disclosed_card": "discard_with_next"},
    {"exposed_due_card": "simulated_round", "disclosed_card": "simulated_round"},
]
CELLS = [
    (shoe, moment, report)
    for shoe, table in (("reader", READ), ("plain", PLAIN))
    for moment in table
    for report in REPORTS
]


def expected(shoe: str, moment: str, report: str, rules: dict[str, str]) -> tuple[str, ...] | None:
    found = (READ if shoe == "reader" else PLAIN)[moment].get(report, NO)
    if found == LATER:
        return FIRST if rules["exposed_due_card"] == "simulated_round" else D1
    if found == THIRD:
        return C2[rules["disclosed_card"]]
    return found


def at(shoe: str, moment: str, **rules: Any) -> Attended:
    reading = HELD if moment == "cancelling" else READER
    devices = (reading, BUTTON) if shoe == "reader" else (BUTTON,)
    pit = Attended(devices=devices, **rules).in_play()
    phase, play = MOMENTS[moment]
    play(pit)
    assert pit.state.phase == phase
    return pit


def test_every_moment_of_a_round_has_its_row():
    assert set(READ) == set(MOMENTS)
    assert set(PLAIN) == set(MOMENTS) - set(READER_ONLY)
    for table in (READ, PLAIN):
        for row in table.values():
            assert row.keys() <= REPORTS.keys()


@pytest.mark.parametrize("rules", SETTINGS, ids=lambda rules: rules["exposed_due_card"])
@pytest.mark.parametrize(("shoe", "moment", "report"), CELLS)
def test_a_cell(shoe: str, moment: str, report: str, rules: dict[str, str]) -> None:
    pit = at(shoe, moment, **rules)
    before = pit.state
    action, args = REPORTS[report]
    wanted = expected(shoe, moment, report, rules)
    outcome = pit.act(action, "floor", **args)
    if wanted is None:
        assert outcome.refusal is not None
        assert len(outcome.refusal.why) > 10
        assert before.round == pit.state.round
        return
    assert outcome.refusal is None, outcome.refusal
    assert outcome.ruling is not None
    assert outcome.ruling.clauses == wanted
    assert (pit.state.round, pit.state.carried) == (before.round, before.carried), "only shown"
    pit.do(action, "floor", **args, confirm=True)
    irregular = [e for e in pit.events if e.type.startswith("irregularity.")][-1]
    assert irregular.data["ruling"] == outcome.ruling.ruling
    assert tuple(irregular.data["clauses"]) == wanted
    assert wanted or irregular.data["basis"] == ["house procedure"]
    check_effect(pit, before, report, wanted)
    play_on(pit)


def check_effect(pit: Attended, before: Any, report: str, wanted: tuple[str, ...]) -> None:
    """What a ruling does to wagers, cards and duties."""
    voids = wanted in (FIRST, E1) or report == "order lost"
    was_void = before.phase == "voided"
    if voids and before.round is not None:
        assert pit.state.phase == "voided"
        told = pit.last("round.voided").data
        stood = [(w.seat, w.wager, w.cents) for w in before.round.live_wagers()]
        assert [(r["seat"], r["wager"], r["cents"]) for r in told["returned"]] == stood
        assert all(w.status == "returned" for w in pit.state.round.wagers)
        assert pit.state.round.pending == ()
        assert "acknowledge_void" in told["duties"]
        assert ("change_decks" in told["duties"]) == (wanted == E1 or report == "order lost")
    elif not was_void:
        assert pit.state.phase != "voided"
    carried = [(c.card, c.up) for c in pit.state.carried]
    if wanted in (A, B2) and before.phase not in ("locked", "simulating"):
        assert carried == [(None, False)]
    if wanted in (FIRST, D1) and before.phase != "simulating":
        assert any(up for _, up in carried)
    if wanted == C2["discard_with_next"]:
        assert carried == []
        assert pit.state.shoe.discard
    if wanted in (B1, C1):
        assert any(c.place == "banker/3" for c in pit.state.round.cards)


# ── what the devices tell by themselves, at every moment ──
TOLD: dict[str, tuple[str, list[str | None], dict[str, Any]]] = {
    "a card": ("card", ["6H"], {}),
    "a card for the Player's third": ("card", ["6H"], {"place": "player/3"}),
    "a card for the Banker's third": ("card", ["6H"], {"place": "banker/3"}),
    "an unreadable card": ("card", [None], {}),
    "a card outside play": ("card", ["6H"], {"mode": "outside"}),
    "two cards": ("card", ["6H", "7H"], {}),
    "the cover card": ("cover_card", [], {}),
    "a jam": ("jam", [], {}),
    "a fault": ("fault", [], {"what": "lens"}),
    "lost reports": ("gap", [], {}),
    "a result": ("result", [], {"winner": "tie"}),
    "a link that is lost": ("offline", [], {}),
    "nonsense": ("sing", [], {}),
}


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_device_at_every_moment(moment: str, told: str) -> None:
    pit = at("reader", moment)
    wagers = [(w.seat, w.wager, w.cents) for w in pit.state.round.wagers] if pit.state.round else []
    name, cards, args = TOLD[told]
    pit.device("shoe", name, cards, **args)
    assert pit.state.halt is None
    assert pit.tick(1).allowed
    if pit.state.round is not None:
        assert [(w.seat, w.wager, w.cents) for w in pit.state.round.wagers] == wagers
    play_on(pit)


@pytest.mark.parametrize("shoe", ["reader", "plain"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_9d_the_cover_card_at_every_moment(moment: str, shoe: str) -> None:
    """That hand, "last hand", one more, new decks: whatever the moment."""
    if shoe == "plain" and moment in READER_ONLY:
        return
    pit = at(shoe, moment)
    began = pit.state.round.number if pit.state.round and pit.state.round.kind == "live" else None
    counts = moment in (
        "bets", "locked", "cancelling", "one out", "three out", "four out", "handed",
        "player draws", "player drew", "banker draws",
    )  # fmt: skip
    pit.do("cover_card", "dealer")
    assert pit.last("deck.cover_card").data["clauses"] == ["MIDI 9.D(1)"]
    old, rounds = pit.state.shoe.number, 0
    while pit.state.shoe.number == old:
        play_on(pit)
        rounds += 1
    [last] = pit.named("round.last_hand")
    assert last.data["clauses"] == ["MIDI 9.D(2)"]
    assert last.data["round"] == began if counts else last.data["round"] != began
    live = [e.data["round"] for e in pit.named("round.opened") if e.data["kind"] == "live"]
    of_old_shoe = [n for n in live if n > last.data["round"]][:-1]
    assert len(of_old_shoe) == 1, "one more hand, then new decks (MIDI 9.D(3))"


# ── interruptions ──
def _halted(pit: Attended) -> None:
    pit.do("halt_table", reason="a drink was spilt")


def _evacuated(pit: Attended) -> None:
    pit.do("suspend_table", reason="fire alarm")


def _power_lost(pit: Attended) -> None:
    pit.restart()
    pit.devices_tell()


@pytest.mark.parametrize("stops", [_halted, _evacuated, _power_lost])
@pytest.mark.parametrize("moment", MOMENTS)
def test_after_an_interruption_the_round_goes_on_as_it_lay(
    moment: str, stops: Callable[[Attended], None]
) -> None:
    pit = at("reader", moment)
    round_, carried, shoe = pit.state.round, pit.state.carried, pit.state.shoe
    stops(pit)
    if pit.state.halt is not None:  # a shoe that is only listened to needs nobody to resume
        assert not set(pit.tick(1).allowed) & {"open_bets", "place_wager", "clear_round"}
        pit.do("resume_table")
    assert (pit.state.round, pit.state.carried, pit.state.shoe) == (round_, carried, shoe)
    play_on(pit)


def test_a_dealer_is_relieved_in_a_round_only_with_the_floor_beside():
    pit = at("reader", "player draws")
    pit.do("log_on", "dealer")
    other: dict[str, Any] = {"action": "log_on", "actor": "dealer-9", "roles": ("dealer",)}
    alone = pit.feed(Action(pit.at(), **other))
    assert alone.refusal is not None
    beside = pit.feed(Action(pit.at(), **other, second=Second("floor-1", ("floor",), "pin")))
    assert beside.refusal is None
    pit.drawn("4C")
    assert pit.refused("reveal_dealer", "dealer").role
    turned = pit.feed(Action(pit.at(), "reveal_dealer", "dealer-9", ("dealer",)))
    assert turned.refusal is None


def test_training_moves_no_meter_and_settles_as_ever():
    pit = Attended(royal=True)
    pit.setup = replace(pit.setup, training=True)
    pit.in_play().betting().wager(1, tie=500, royal_9=100).lock()
    pit.drawn("KS", "KS", "9S", "9S").turn()
    hit = pit.last("progressive.hit").data
    assert (hit["meter"], hit["cents"]) == ("star", 5_000_000)
    pit.do("validate_progressive", seat=1, meter="star")
    pit.paid()
    assert pit.state.meter("star").cents == 5_000_000
    assert pit.last("progressive.paid").data["training"] is True
