"""What an Angel Eye session makes of reports, copies, gaps and errors; what it sends, and when not.

Reports are built here by hand from docs/integrators/angel-eye.md, not by the driver's codec.
"""

import os

import pytest

from tablectl.hal import registry
from tablectl.hal.errors import CommandRefused
from tablectl.hal.kinds import Command, Counters, DevicePlan, Ended, Reading, check_reading

MS = 1_000_000
S, P, C = b"S", b"P", b"C"
P1, B1, P2, B2 = b"D\x81\x91", b"D\x91\xcd", b"D\x82\xa9", b"D\x92\xb8"
BANKER = b"G\xc0"
ACK, LOCK, UNLOCK = b"\x06", b"\x02OPLK02\x031B", b"\x02OPLK01\x0318"


def wire(seq, body):
    text = str(seq).encode() + body + b"\x03"
    check = 0
    for byte in text:
        check ^= byte
    return b"\x05" + text + b"%02X" % check


class Shoe:
    """A driver and its session, and everything that was heard."""

    def __init__(self, **plan):
        self.counters = Counters()
        plan = {"read_only": True, **plan}
        self.plan = DevicePlan("shoe", "shoe", "angel_eye", "socket://127.0.0.1:1", **plan)
        self.driver = registry.make(self.plan, self.counters, os.urandom)
        self.now = 0
        self.heard: list = []
        self.sent = b""
        self.n = 0
        self.connect()

    def connect(self):
        self.session = self.driver.session()
        self.session.open(self.now)
        self.take(self.session.tick(self.now))
        return self

    def take(self, heard):
        for each in heard:
            if isinstance(each, Reading):
                assert check_reading("shoe", each) is None, each
        self.heard += heard
        self.sent += self.session.bytes_to_send()

    def __call__(self, *reports):
        """Feed `(seq, body)` pairs or raw bytes; what was heard of them."""
        self.heard = []
        for report in reports:
            data = report if isinstance(report, bytes) else wire(*report)
            self.take(self.session.receive(data, self.now))
        return self.said()

    def said(self):
        return [_said(each) for each in self.heard]

    def wait(self, ms):
        self.heard = []
        self.now += ms * MS
        self.take(self.session.tick(self.now))
        return self.said()

    def order(self, name, **args):
        self.n += 1
        self.heard, self.sent = [], b""
        command = Command("shoe", name, name == "hold", "boot", self.n, args)
        self.session.send(command, self.now)
        self.take([])
        return command


def _said(heard):
    if isinstance(heard, Ended):
        return "ended"
    what = heard.args.get("place") or heard.args.get("mode") or heard.args.get("winner")
    return f"{heard.name} {what}" if what else heard.name


@pytest.fixture
def shoe():
    shoe = Shoe()
    assert shoe.said() == ["online"]
    return shoe


def test_a_link_that_is_up_is_online_at_once_and_silence_is_nothing(shoe):
    assert shoe.session.wake_ns is None
    assert shoe.wait(3_600_000) == []
    assert shoe.sent == b""


def test_online_comes_before_what_came_first():
    shoe = Shoe()
    shoe.session = shoe.driver.session()
    shoe.session.open(0)
    assert shoe.session.wake_ns == 0
    assert shoe((0, S)) == ["online", "started"]


def test_a_round_from_the_start(shoe):
    assert shoe((0, S), (1, P)) == ["started", "standby"]
    assert shoe((2, b"D\xc1\x93"), (3, b"D\xa1\x80"), (4, b"D\xa2\x80")) == [
        "card first", "card burn/1", "card burn/2",
    ]  # fmt: skip
    first, burned, _ = shoe.heard
    assert first.cards == ("3D",)
    assert burned.cards == (None,)
    assert burned.args == {"place": "burn/1", "mode": "burn"}
    told = shoe((5, P), (6, P1), (7, B1), (8, P2), (9, B2), (0, b"G\xc1"), (1, P))
    assert told == [
        "standby", "card player/1", "card banker/1", "card player/2", "card banker/2",
        "result banker", "standby",
    ]  # fmt: skip
    assert [each.cards[0] for each in shoe.heard[1:5]] == ["AD", "KH", "9C", "8S"]
    assert shoe.heard[5].args == {"winner": "banker", "player_pair": True, "banker_pair": False}
    assert (shoe.counters.frames_good, shoe.counters.frames_lost) == (12, 0)


@pytest.mark.parametrize(
    ("byte", "winner"), [(0x90, "player"), (0xA0, "tie"), (0xC0, "banker"), (0xF0, "forced")]
)
def test_every_winner(shoe, byte, winner):
    assert shoe((0, S), (1, b"G" + bytes([byte]))) == ["started", f"result {winner}"]


def test_third_cards_the_cover_card_and_cards_outside_a_game(shoe):
    told = shoe((0, S), (1, b"D\x83\x91"), (2, C), (3, b"D\x93\x80"), (4, b"d\x81\x91"))
    assert told == ["started", "card player/3", "cover_card", "card banker/3", "card outside"]
    assert shoe.heard[3].cards == (None,)


def test_a_burn_count_and_a_preset_are_no_news(shoe):
    assert shoe((0, S), (1, b"D\xd3\x80"), (2, b"M01000F"), (3, P)) == ["started", "standby"]
    assert shoe.counters.frames_unknown == 0


def test_an_unknown_code_is_counted_and_numbered(shoe):
    assert shoe((0, S), (1, b"Z"), (2, P)) == ["started", "standby"]
    assert shoe.counters.frames_unknown == 1


# ── copies ─────────────────────────────────────────────────────────────────
def test_copies_are_dropped(shoe):
    assert shoe(*[(0, S)] * 3, *[(1, P)] * 2, *[(2, P1)] * 3, (3, B1)) == [
        "started", "standby", "card player/1", "card banker/1",
    ]  # fmt: skip
    assert shoe.counters.frames_repeated == 5


def test_copies_are_dropped_across_a_reconnect(shoe):
    shoe((0, S), (1, P), (2, P1))
    shoe.connect()
    assert shoe((2, P1), (2, P1), (3, B1)) == ["card banker/1"]
    assert shoe.counters.frames_repeated == 2
    assert shoe.counters.frames_lost == 0


def test_a_damaged_copy_is_no_irregularity(shoe):
    shoe((0, S), (1, P))
    assert shoe(wire(2, P1)[:-1] + b"x", (2, P1)) == ["card player/1"]
    assert shoe.counters.frames_bad == 1


def test_the_same_card_told_again_is_no_new_card(shoe):
    assert shoe((0, S), (1, P1), (2, b"R" + P1[1:]), (3, B1)) == [
        "started", "card player/1", "card banker/1",
    ]  # fmt: skip


def test_a_start_begins_a_new_count(shoe):
    assert shoe((0, S), (1, P), (2, P1), (0, S), (1, P)) == [
        "started", "standby", "card player/1", "started", "standby",
    ]  # fmt: skip


# ── gaps ───────────────────────────────────────────────────────────────────
def test_a_missing_number_is_a_gap_before_the_report(shoe):
    assert shoe((0, S), (1, P), (3, B1)) == ["started", "standby", "gap", "card banker/1"]
    assert "1 or more reports before number 3 are missing" in shoe.heard[2].args["what"]
    assert shoe.counters.frames_lost == 1


def test_a_gap_after_a_reconnect(shoe):
    shoe((0, S), (1, P), (2, P1))
    shoe.connect()
    assert shoe((5, B2)) == ["gap", "card banker/2"]
    assert shoe.counters.frames_lost == 2


def test_listening_that_begins_in_the_middle_is_a_gap():
    assert Shoe()((4, P2)) == ["gap", "card player/2"]
    assert Shoe()((4, P)) == ["standby"]
    assert Shoe()((0, S)) == ["started"]


def test_another_report_with_the_same_number_needs_a_second_copy(shoe):
    """A copy whose damage its check let pass must not become a card."""
    damaged = b"D\x82\x92"  # one bit of two bytes: the XOR is the same
    assert wire(2, damaged)[-2:] == wire(2, P1)[-2:]
    assert shoe((0, S), (1, P), (2, P1), (2, damaged), (2, P1), (3, B1)) == [
        "started", "standby", "card player/1", "gap", "card banker/1",
    ]  # fmt: skip
    shoe.connect()
    # Ten reports were lost: now it is the next one that has the same number.
    assert shoe((3, P2), (3, P2), (3, P2), (4, B2)) == ["gap", "card player/2", "card banker/2"]


@pytest.mark.parametrize("body", [b"D\x84\x91", b"D\x80\x91", b"D\xa0\x91", b"D\xb1\x91", b"G\xb0"])
def test_a_place_or_a_result_that_there_is_not_is_a_gap(shoe, body):
    assert shoe((0, S), (1, body)) == ["started", "gap"]
    assert shoe.counters.frames_unknown == 1


def test_a_number_outside_the_cycle_means_nothing(shoe):
    assert shoe((0, S), ("A", P1), (1, P)) == ["started", "standby"]
    assert shoe.counters.frames_unknown == 1


def test_another_cycle_can_be_configured():
    shoe = Shoe(options={"sequence": "ABC"})
    assert shoe(("A", S), ("B", P), ("C", P1), ("A", B1), ("C", P2)) == [
        "started", "standby", "card player/1", "card banker/1", "gap", "card player/2",
    ]  # fmt: skip


# ── errors ─────────────────────────────────────────────────────────────────
def test_an_overdraw_is_a_fault_then_cleared_and_no_card(shoe):
    assert shoe((0, S), (1, b"E\xc2"), (1, b"E\xc2"), (2, b"e\x82")) == [
        "started", "fault", "cleared",
    ]  # fmt: skip
    assert "overdraw" in shoe.heard[1].args["what"]


def test_a_card_that_it_could_not_read_is_counted(shoe):
    shoe((0, S), (1, b"E\xc1"), (1, b"E\xc1"), (2, b"e\x81"), (3, b"E\xc6"), (4, b"E\xc2"))
    assert shoe.counters.reads_failed == 2


def test_it_is_cleared_when_no_error_stands(shoe):
    assert shoe((0, S), (1, b"E\xc2"), (2, b"E\xc1"), (3, b"e\x82"), (4, b"e\x82")) == [
        "started", "fault", "fault",
    ]  # fmt: skip
    assert shoe((5, b"e\x81"), (6, b"e\x81")) == ["cleared"]


@pytest.mark.parametrize("body", [P, P1, S])
def test_an_error_is_over_when_it_deals_again(shoe, body):
    shoe((0, S), (1, b"E\xc4"))
    assert shoe((0 if body == S else 2, body))[0] == "cleared"


def test_an_error_still_stands_after_a_reconnect(shoe):
    shoe((0, S), (1, b"E\xc7"))
    shoe.heard = []
    shoe.connect()
    assert shoe.said() == ["online", "fault"]
    assert shoe((2, b"e\x87")) == ["cleared"]


def test_locked_by_somebody_else(shoe):
    assert shoe((0, S), (1, b"L\x81"), (2, b"L\x80")) == ["started", "held", "released"]


# ── nothing is sent ────────────────────────────────────────────────────────
def test_read_only_sends_no_byte_whatever_happens():
    shoe = Shoe(options={"ask_progress": True})
    for command in ("hold", "release"):
        with pytest.raises(CommandRefused, match="read_only"):
            shoe.order(command)
    shoe((0, S), b"\x06\x15\x02", (1, b"E\xc1"), b"\x05\x05", (5, P1), *[(6, P)] * 3)
    shoe.wait(10_000)
    shoe.session.close(shoe.now)
    shoe.take([])
    assert shoe.sent == b""
    assert shoe.counters.frames_unknown == 2  # answers to somebody else's commands


# ── commands, where they are allowed ───────────────────────────────────────
@pytest.fixture
def ours():
    return Shoe(read_only=False)


def test_hold_and_release(ours):
    ours.order("hold")
    assert ours.sent == LOCK
    assert ours(ACK) == ["held"]
    ours.order("release")
    assert ours.sent == UNLOCK
    assert ours(ACK) == ["released"]
    assert ours.session.unanswered() == ()


def test_the_other_reading_of_the_bcc():
    shoe = Shoe(read_only=False, options={"bcc": "specification"})
    shoe.order("hold")
    assert shoe.sent == b"\x02OPLK02\x0319"


def test_a_release_clears_the_errors_that_stand_first(ours):
    ours((0, S), (1, b"E\xc2"))
    ours.order("release")
    assert ours.sent == b"\x02OPEC02\x031A"
    assert ours(ACK) == []
    assert ours.sent.endswith(UNLOCK)
    assert ours(ACK) == ["released"]


def test_an_error_that_cannot_be_cleared_is_not_released(ours):
    ours((0, S), (1, b"E\xc2"))
    ours.order("release")
    assert ours(b"\x15\x13") == ["fault"]
    assert "refused to clear error 2: command" in ours.heard[0].args["what"]
    ours.wait(60_000)
    assert UNLOCK not in ours.sent


def test_no_answer_is_sent_again_then_the_link_is_given_up(ours):
    command = ours.order("hold")
    for _ in range(4):
        assert ours.wait(500) == []
    assert ours.sent == LOCK * 5
    assert ours.wait(500) == ["ended"]
    assert "did not answer hold, sent 5 times" in ours.heard[0].what
    assert ours.session.unanswered() == (command,)
    assert ours.counters.commands_resent == 4


def test_busy_is_tried_again_and_another_refusal_is_a_fault(ours):
    ours.order("hold")
    assert ours(b"\x15\x21") == []
    ours.wait(500)
    assert ours.sent == LOCK * 2
    assert ours(b"\x15\xff") == ["fault"]
    assert ours.session.unanswered() == ()


def test_a_hold_overtakes_a_release_and_is_not_taken_for_it(ours):
    ours.order("release")
    ours.order("hold")
    assert ours.sent == LOCK  # at once
    assert ours(ACK) == []  # the release's
    assert ours(ACK) == ["held"]
    assert ours.counters.commands_dropped == 1


def test_a_hold_is_answered_even_if_the_answer_before_it_was_lost(ours):
    ours.order("release")
    ours.order("hold")
    assert ours(ACK) == []
    ours.wait(500)
    assert ours.sent == LOCK * 2
    assert ours(ACK) == ["held"]


def test_orders_wait_for_their_turn_and_not_without_bound(ours):
    for _ in range(8):
        ours.order("release")
    with pytest.raises(CommandRefused, match="8 orders wait"):
        ours.order("release")
    for _ in range(8):
        assert ours(ACK) == ["released"]


def test_it_dispenses_nothing(ours):
    with pytest.raises(CommandRefused, match="cannot dispense"):
        ours.order("dispense", stacks=1)


def test_progress_is_asked_for_where_that_is_set():
    shoe = Shoe(read_only=False, options={"ask_progress": True})
    assert shoe.sent == b"\x02OPGP00\x0309"
    assert shoe(ACK) == []
    assert shoe.wait(5_000) == []
    assert shoe.session.unanswered() == ()


def test_silence_ends_the_link_only_where_it_has_a_limit():
    shoe = Shoe(silence_ms=2000)
    assert shoe.wait(1999) == []
    shoe(b"\xff")
    assert shoe.wait(1999) == []
    assert shoe.wait(1) == ["ended"]
    assert shoe.session.wake_ns is None


def test_the_line_is_slow_unless_told_otherwise():
    assert Shoe().driver.line.baud == 4800
    assert Shoe(options={"baud": 9600}).driver.line.baud == 9600
