"""The deck of a three-card table that only listens: shuffles, counts, its clock, the stub."""

import pytest

from tablectl.cards import DECK
from tests.table.listening.pit import SHOE, SHUFFLER, Listened

HOUR_MS = 3_600_000


def hours(pit: Listened, many: float) -> Listened:
    pit.tick(round(many * HOUR_MS))
    return pit


# ── counts (TCP 5.D, 8.F) ──
@pytest.mark.parametrize(
    ("game", "clauses"),
    [("poker", ["TCP 5.D(1)", "TCP 5.D(2)"]), ("maryland", ["TCB 5.B(1)", "TCB 5.B(2)"])],
)
@pytest.mark.parametrize("told", [{"count": 51}, {"count": 53}, {"count": 52, "distinct": 51}])
def test_5d_a_wrong_count_latches_and_no_round_from_that_deck_is_settled(told, game, clauses):
    pit = Listened(game=game)
    pit.rounds(2)
    pit.shuffled(**told)
    latched = pit.last("deck.latched").data
    assert latched["clauses"] == clauses
    [alarm] = [a for a in pit.state.alarms if a.kind == "deck_latched"]
    assert alarm.severity == "critical"
    assert [deck.latched for deck in pit.state.decks] == [True]
    assert any("take the deck" in prompt.text for prompt in pit.tick(1).prompts)
    for number, cards in enumerate(pit.lie(2), 1):
        pit.tell(list(cards), number)
    pit.over()
    assert pit.irregularities() == ["stub_incorrect"]
    assert pit.last("irregularity.stub_incorrect").data["clauses"][0][:7] == clauses[0][:7]
    assert list(pit.settled()) == [1]
    pit.rounds(2)  # another deck, or this one made whole: a device has proved 52
    assert list(pit.settled()) == [1, 3]
    assert pit.last("deck.latch_cleared").data["inferred"] is True
    assert "deck_latched" in pit.alarms()  # until somebody has seen it
    assert not pit.state.duties


def test_a_wrong_count_while_a_round_is_out_leaves_that_round_alone():
    """It was dealt from a deck that had counted right, and the count may be the other deck's."""
    pit = Listened()
    pit.play(2)
    pit.device("shuffler", "shuffle_started")
    pit.device("shuffler", "shuffle_done", count=50)
    pit.over()
    assert list(pit.settled()) == [1]


@pytest.mark.parametrize(("game", "clause"), [("poker", "TCP 10.C"), ("maryland", "TCB 8.E")])
@pytest.mark.parametrize(("count", "due"), [(52, []), (None, [5, 10, 15]), ("none", [5, 10, 15])])
def test_8f_the_stub_is_due_in_every_fifth_round_where_no_device_counts(count, due, game, clause):
    """A cycle without a count exempts nothing. Nobody can report a count: it is asked for."""
    devices = (SHOE,) if count == "none" else (SHOE, SHUFFLER)
    pit = Listened(devices=devices, game=game)
    asked = []
    for number in range(1, 17):
        pit.shuffled(count)
        for at, cards in enumerate(pit.lie(2), 1):
            pit.tell(list(cards), at)
        said = [p for p in pit.tick(1).prompts if p.awaits == "count_stub"]
        asked += [number] * len(said)
        assert all(p.clauses == (clause,) for p in said)
        pit.over()
    assert asked == due
    assert [e.data["rounds_since_count"] for e in pit.named("deck.count_due")] == due
    assert pit.alarms() == set()
    assert len(pit.settled()) == 16


# ── the clock (TCP 3.C) ──
@pytest.mark.parametrize(
    ("dealing", "limit", "clause"),
    [("automated_shoe", 8, "TCP 3.C(2)"), ("manual_shoe", 8, "TCP 3.C(2)"),
     ("hand", 4, "TCP 3.C(1)")],
)  # fmt: skip
@pytest.mark.parametrize("game", ["poker", "maryland"])
def test_3c_the_clock_runs_from_the_first_card(dealing, limit, clause, game):
    pit = Listened(dealing=dealing, game=game)
    clause = clause if game == "poker" else clause.replace("TCP", "TCB")
    hours(pit, 5).rounds(2)
    hours(pit, limit - 0.2)
    assert [e.data["when"] for e in pit.named("deck.change_due")] == ["soon"]
    assert not pit.alarms()
    hours(pit, 0.2)
    assert pit.last("deck.change_due").data["when"] == "now"
    assert pit.last("deck.change_due").data["clauses"] == [clause]
    [alarm] = [a for a in pit.state.alarms if a.kind == "deck_change_due"]
    assert "Acknowledge this when it is done." in alarm.what
    hours(pit, 30).rounds(2)
    assert len(pit.named("alarm.raised")) == 1  # once, until somebody has seen to it
    assert list(pit.settled()) == [1, 2]


def test_3c_whoever_acknowledges_it_has_seen_to_it():
    pit = Listened()
    pit.rounds(2)
    hours(pit, 8).play(2)
    [alarm] = pit.state.alarms
    pit.do("acknowledge_alarm", "floor", id=alarm.id)
    assert not pit.named("deck.changed")  # these cards are played to the end of their round
    pit.over()
    assert pit.last("deck.changed").data["was"] == "deck-1"
    assert not pit.state.alarms
    hours(pit, 7).rounds(3)
    assert pit.last("round.opened").data["deck"] == "deck-2"
    assert pit.last("deck.loaded").data["deck"] == "deck-2"
    hours(pit, 7)
    assert not pit.state.alarms
    hours(pit, 1)
    assert [a.kind for a in pit.state.alarms] == ["deck_change_due"]
    assert list(pit.settled()) == [1, 2, 3]


# ── a reader that counts nothing leans on the shuffler ──
def reader(**more: object) -> Listened:
    return Listened(dealing="manual_shoe", **more)  # type: ignore[arg-type]


def test_one_deck_a_whole_shuffle_between_two_cards_is_another_round():
    pit = reader()
    for _ in range(4):
        pit.play(3)
    assert list(pit.settled()) == [1, 2, 3]
    assert pit.irregularities() == []


def test_3b_two_decks_and_a_reader_that_cannot_tell_them_apart():
    """Nothing is settled and nothing shown; one alarm, and no noise a round."""
    pit = reader()
    pit.shuffled()
    for _ in range(5):
        pit.pack = list(map(str, DECK))
        reports = pit.lie(3)
        pit.tell(list(reports[0]), 1)
        pit.device("shuffler", "shuffle_done", count=52)
        for cards in reports[1:]:
            pit.tell(list(cards), 1)
        pit.device("shuffler", "shuffle_started")  # this deck goes in, the other comes out
    assert not pit.named("round.settled")
    assert not pit.named("card.revealed")
    assert pit.alarms() == {"two_decks", "sequence_gap"}
    assert len([e for e in pit.named("alarm.raised") if e.data["kind"] == "two_decks"]) == 1
    assert pit.irregularities() == ["sequence_gap"]
    assert len(pit.named("round.cleared")) >= 3


def test_3b_one_deck_again_once_somebody_has_seen_to_it():
    pit = reader()
    pit.play(2)
    pit.device("shuffler", "shuffle_started")
    pit.tell(["2C"], 1)
    pit.device("shuffler", "shuffle_done", count=52)
    pit.play(2).play(2)
    assert not pit.named("round.settled")
    [alarm] = [a for a in pit.state.alarms if a.kind == "two_decks"]
    pit.do("acknowledge_alarm", "surveillance", id=alarm.id)
    pit.play(3).play(2)
    assert [data["dealer"] for data in pit.settled().values()] == [pit.truths[-2].dealer]


def test_3b_a_counting_shoe_plays_with_two_decks():
    pit = Listened(game="maryland")
    for _ in range(6):
        reports = pit.shuffled().lie(3)
        pit.device("shuffler", "shuffle_started")
        for number, cards in enumerate(reports, 1):
            pit.tell(list(cards), number)
            if number == 2:
                pit.device("shuffler", "shuffle_done", count=52)
    assert [d["dealer"] for d in pit.settled().values()] == [t.dealer for t in pit.truths[:-1]]
    assert pit.irregularities() == []


@pytest.mark.parametrize("trouble", ["offline", "jam", "fault"])
def test_a_shuffler_that_is_away_cannot_tell_where_the_round_ends(trouble):
    pit = reader()
    pit.play(3)
    pit.device("shuffler", trouble)
    pit.device("shuffler", "cleared")
    pit.device("shuffler", "online")
    pit.play(2)
    assert not pit.named("round.settled")
    assert not pit.named("card.revealed")
    pit.play(2).play(4)
    assert list(pit.settled()) == [2, 3]


def test_a_shuffle_that_jams_ends_no_round():
    pit = reader()
    pit.play(3)
    pit.device("shuffler", "shuffle_started")
    pit.device("shuffler", "jam")
    pit.device("shuffler", "cleared")
    pit.device("shuffler", "shuffle_started")
    pit.tell(["2C"], 1)
    assert not pit.named("card.revealed")


def test_without_a_shuffler_such_a_reader_settles_nothing():
    """`tablectl check` refuses it; a table whose shuffler was taken away says why."""
    pit = Listened(dealing="manual_shoe", devices=(SHOE,))
    pit.play(2).play(2)
    assert not pit.named("round.settled")
    assert pit.irregularities()[0] == "sequence_gap"
