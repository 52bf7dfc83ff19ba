"""`tablectl listen`: what a device tells, cards sealed; opened only by a technician, on record."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import tty
from dataclasses import replace
from pathlib import Path

import pytest

from tablectl.daemon.clock import BoxClock
from tablectl.daemon.config import digest, load, to_setup
from tablectl.hal.kinds import Card, Counters, DevicePlan, Reading, Token
from tablectl.journal.files import FolderLock
from tablectl.journal.opening import open_journal
from tablectl.journal.reading import events_after, latest
from tablectl.journal.verify import verify
from tablectl.table.inputs import DeviceEvent, Restart
from tablectl.technician import answer, spoken
from tablectl.technician.listen import CannotListen, Ear, plan_for
from tablectl.technician.spoken import Speech
from tests.cli.test_commands import COMMAND
from tests.cli.test_commands import tablectl as as_a_process
from tests.contract.peers import PtyPeer, TcpPeer
from tests.contract.readers import AngelEyePty, AngelEyeTcp
from tests.interface.judge import faults
from tests.interface.run import one_line, tablectl
from tests.outbox.mosquitto import free_port
from tests.technician.test_doctor import simulators, written
from tests.web.daemon import PINS, Daemon, hashed

SHOE = DevicePlan("it", "shoe", "angel_eye", "", read_only=True)


# ── words ──────────────────────────────────────────────────────────────────
def test_a_card_is_its_place_and_sealed():
    told = Speech(opened=False).reading(
        Reading("card", {"place": "player/1", "mode": "game"}, (Card("AD"),))
    )
    assert told == {
        "event": "card", "args": {"place": "player/1", "mode": "game"}, "cards": ["sealed"]
    }  # fmt: skip
    assert spoken.line(told) == "card             place=player/1  mode=game  sealed"


def test_what_follows_from_sealed_cards_is_sealed_too():
    result = Reading("result", {"winner": "tie", "player_pair": True, "banker_pair": False})
    sealed, opened = Speech(opened=False), Speech(opened=True)
    assert set(sealed.reading(result)["args"].values()) == {"sealed"}
    assert opened.reading(result)["args"]["winner"] == "tie"
    assert (sealed.shown, opened.shown) == (0, 3)


def test_why_a_device_is_refused_is_no_secret():
    told = Speech(opened=False).reading(Reading("offline", {"what": "x", "refused": "serial"}))
    assert told["args"] == {"what": "x", "refused": "serial"}


def test_words_that_are_not_known_are_sealed():
    told = Speech(opened=False).reading(Reading("card", {"rank": "A"}))
    assert told["args"] == {"rank": "sealed"}


def test_a_badges_token_is_never_shown():
    for opened in (False, True):
        told = Speech(opened).reading(Reading("badge", {"token": Token("secret")}))
        assert told["args"] == {"token": "sealed"}


def test_opened_cards_are_counted():
    speech = Speech(opened=True)
    told = speech.reading(Reading("stack", {"dispensed": 2}, (Card("AD"), None, Card("TC"))))
    assert told["cards"] == ["AD", "unreadable", "TC"]
    assert speech.shown == 2
    assert spoken.line(told) == "stack            dispensed=2  AD unreadable TC"


def test_a_device_cannot_play_with_the_terminal():
    told = Speech(opened=False).reading(Reading("fault", {"what": "x\x1b[2J\ny"}))
    assert spoken.line(told) == "fault            what=x\\x1b[2J\\ny"


def test_frames_that_were_no_reading_are_told_by_their_number():
    now = Counters(frames_bad=3, frames_repeated=1, frames_good=9)
    assert spoken.frames(Counters(frames_bad=1).figures(), now) == {
        "event": "frames", "args": {"damaged": 2, "repeated": 1}
    }  # fmt: skip
    assert spoken.frames(now.figures(), now) is None


# ── listening ──────────────────────────────────────────────────────────────
def heard(peer, scenario, *, opened=False, **plan):
    """What is said, as JSON, while a scenario is played with the peer."""
    said: list[str] = []

    async def whole():
        await peer.start()
        full = replace(SHOE, driver=peer.driver, url=peer.url, **plan)
        if peer.driver == "angel_eye":
            full = replace(full, options={"baud": 4800, "bcc": "example", "ask_progress": True,
                                          "sequence": "0123456789"})  # fmt: skip
        ear = Ear(full, Speech(opened), said.append, as_json=True)
        listening = asyncio.create_task(ear.listen(10))
        try:
            await scenario(lambda: [json.loads(line) for line in said])
        finally:
            ear._stop.set()
            await listening
            await peer.stop()

    asyncio.run(whole())
    return [json.loads(line) for line in said]


async def until(condition):
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - nobody would set an event
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("peer", [AngelEyePty, AngelEyeTcp])
def test_a_shoe_is_heard_and_hears_nothing(peer, tmp_path):
    shoe = peer(tmp_path)

    async def scenario(told):
        await until(told)
        while not any(each["event"] == "standby" for each in told()):
            shoe.tell("standby")
            await asyncio.sleep(0.05)
        report = shoe.card("player", 1, "AD")
        shoe.babble(report)
        shoe.babble(b"\x05noise\x05")
        shoe.card("banker", 1, None)
        await until(lambda: sum(each["event"] == "card" for each in told()) == 2)

    told = heard(shoe, scenario)
    assert shoe.bytes_heard == b""
    cards = [each for each in told if each["event"] == "card"]
    assert [each["cards"] for each in cards] == [["sealed"], ["unreadable"]]
    assert cards[0]["args"] == {"place": "player/1"}
    frames = [each["args"] for each in told if each["event"] == "frames"]
    assert sum(each.get("repeated", 0) for each in frames) >= 1
    assert sum(each.get("damaged", 0) for each in frames) >= 1
    assert "AD" not in json.dumps(told)
    assert [fault for each in told for fault in faults("listen", each)] == []


def test_a_device_says_who_it_is_and_gets_no_command(tmp_path):
    peer = PtyPeer("shoe", tmp_path)
    peer.driver = "tablelink"

    async def scenario(told):
        await until(lambda: any(each["event"] == "online" for each in told()))
        peer.jam()
        await until(lambda: any(each["event"] == "jam" for each in told()))
        await peer.drop()
        await until(lambda: sum(each["event"] == "online" for each in told()) == 2)

    told = heard(peer, scenario, read_only=False)
    assert told[0]["event"] == "identity"
    assert told[0]["args"] == {"serial": "T-1", "Main": "2.1"}
    assert [each["event"] for each in told[1:3]] == ["online", "jam"]
    assert "offline" in [each["event"] for each in told]
    assert peer.device.outcomes == []


def test_one_that_is_read_only_hears_no_byte(tmp_path):
    peer = TcpPeer("shoe", tmp_path)
    got: list[bytes] = []
    peer.heard = got.append  # type: ignore[method-assign]

    async def scenario(_told):
        await asyncio.sleep(0.7)  # HELLO would have gone out twice

    heard(peer, scenario)
    assert got == []


def test_a_port_that_somebody_has_is_left_to_them(tmp_path):
    peer = PtyPeer("shoe", tmp_path)

    async def scenario():
        await peer.start()
        plan = replace(SHOE, driver="tablelink", url=peer.url, read_only=False)
        first = Ear(plan, Speech(opened=False), lambda _line: None, as_json=True)
        listening = asyncio.create_task(first.listen(10))
        await until(lambda: first.opened)
        second = Ear(plan, Speech(opened=False), lambda _line: None, as_json=True)
        with pytest.raises(CannotListen, match="in use by another program: stop that one first"):
            await second.listen(10)
        assert not second.opened
        first._stop.set()
        await listening
        await peer.stop()

    asyncio.run(scenario())


# ── as a command ───────────────────────────────────────────────────────────
def test_it_ends_when_the_time_is_up(tmp_path):
    with simulators(tmp_path) as urls:
        file = written(tmp_path, urls)
        told = tablectl("listen", "shoe", "--config", file, "--seconds", "1", "--json")
    assert (told.code, told.err) == (0, "")
    assert [fault for line in told.lines for fault in faults("listen", line)] == []
    events = [line["event"] for line in told.lines]
    assert events[:2] == ["identity", "online"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it_cleanly(tmp_path, number):
    with simulators(tmp_path) as urls:
        file = written(tmp_path, urls)
        with subprocess.Popen(
            [str(COMMAND), "listen", "button", "--config", str(file)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            first = process.stdout.readline().decode()
            assert re.match(r"\d\d:\d\d:\d\d\.\d{3}  identity         serial=BTN", first)
            process.send_signal(number)
            _, stderr = process.communicate(timeout=30)
        assert (process.returncode, stderr) == (0, b"")


def test_what_it_cannot_do_is_a_sentence(tmp_path):
    file = written(tmp_path)
    result = tablectl("listen", "toaster", "--config", file)
    assert result.code == 2
    assert "there is no device 'toaster'" in one_line(result)
    assert "known: shuffler, shoe, bonus, button" in one_line(result)
    result = tablectl("listen", "shoe", "--config", file, "--seconds", "0.5")
    assert result.code == 3
    assert (
        one_line(result).strip() == "tablectl: the port of shoe was never open: see tablectl doctor"
    )
    assert "nobody listens" in result.out
    bad = tmp_path / "bad.toml"
    bad.write_text("config_version = 2\n")
    told = answer.listen(str(bad), "shoe", seconds=1, actor=None, as_json=True, say=print)
    assert told.exit_code == 1
    assert "config_version" in told.stderr[0]


def test_while_the_daemon_runs_it_refuses(tmp_path):
    file = written(tmp_path)
    lock = FolderLock(tmp_path / "data")
    result = tablectl("listen", "shoe", "--config", file, "--seconds", "5")
    lock.release()
    assert (result.code, result.out) == (3, "")
    assert f"in use by process {os.getpid()}, which has this table's devices" in one_line(result)
    assert "stop the daemon first" in one_line(result)


# ── opening cards ──────────────────────────────────────────────────────────
class Terminal:
    """A command on a terminal of its own, with somebody who types."""

    def __init__(self, *arguments):
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.process = subprocess.Popen(
            [str(COMMAND), *map(str, arguments)],
            stdin=slave, stdout=subprocess.PIPE, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.seen = b""

    def asked(self, what):
        end = time.monotonic() + 30
        while what not in self.seen:
            assert time.monotonic() < end, self.seen
            self.seen += os.read(self.master, 1000)

    def types(self, text):
        os.write(self.master, f"{text}\n".encode())

    def ends(self):
        """Exit code, standard output, and what else stood on the terminal."""
        assert self.process.stdout is not None
        out = self.process.stdout.read().decode()
        code = self.process.wait(30)
        self.process.stdout.close()
        os.set_blocking(self.master, False)
        try:
            while more := os.read(self.master, 1000):
                self.seen += more
        except OSError:
            pass
        os.close(self.master)
        return code, out, self.seen.decode()


@pytest.fixture
def midi(tmp_path):
    """A Midi table for real wagers with a shoe that is heard, and a technician."""

    def made(url, word=""):
        file = tmp_path / "midi.toml"
        people = "".join(
            f'[people.{name}]\nname = "{name}"\nroles = ["{role}"]\n'
            f'pin_hash = "{hashed(PINS[name])}"\n'
            for name, role in (("tess", "technician"), ("flo", "floor"))
        )
        file.write_text(
            f'config_version = 1\n[table]\nsite = "harbor"\nid = "midi-2"\n'
            f'data = "{tmp_path}/data"\ntracking = "cards"\n{word}\n'
            '[rules]\ngame = "midi_baccarat"\ndecks = 8\n'
            f'[devices.shoe]\nkind = "shoe"\ndriver = "angel_eye"\nurl = "{url}"\n'
            f'[http]\nlisten = "127.0.0.1:{free_port()}"\n{people}'
        )
        file.chmod(0o600)
        return file

    return made


@pytest.fixture
def dealing(tmp_path):
    """An Angel Eye shoe that deals as soon as somebody listens."""
    command = [sys.executable, "-m", "hwsim", "--json", "--tcp", "--speed", "20"]
    with subprocess.Popen(
        [*command, "--device", "angel_eye=shoe"], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["shoe"]
        process.terminate()
        process.wait(10)


def begun(config, *, opened=False):
    """A journal as a daemon leaves it that was started; `opened`: and heard its shoe."""
    recorder = open_journal(Path(config.table.data), site=config.table.site, table=config.table.id)
    clock = BoxClock()
    recorder.submit(Restart(clock.now(), to_setup(config), digest(config), "1", 2))
    if opened:
        for name in ("online", "started", "standby"):
            recorder.submit(DeviceEvent(clock.now(), "shoe", name))
        assert recorder.state.phase != "closed"
    assert recorder.close()


def unsealed(data):
    found = [json.loads(each.body) for each in events_after(data, 0, 1000)]
    return [each["data"] for each in found if each["type"] == "tablectl.journal.unsealed"]


def test_a_technician_sees_the_cards_of_a_closed_table_on_record(midi, dealing, tmp_path):
    file = midi(dealing)
    begun(load(str(file)))
    terminal = Terminal("listen", "shoe", "--config", file, "--seconds", "3", "--unseal", "tess",
                        "--json")  # fmt: skip
    terminal.asked(b"PIN of tess: ")
    terminal.types(PINS["tess"])
    code, out, seen = terminal.ends()
    assert code == 0, seen
    assert PINS["tess"] not in seen + out
    told = [json.loads(line) for line in out.splitlines()]
    cards = [card for each in told for card in each.get("cards", ())]
    assert cards
    assert all(re.fullmatch("[A2-9TJQK][CDHS]", card) for card in cards)
    first, last = unsealed(tmp_path / "data")
    assert first == last | {"over": False, "cards": 0}
    assert (last["device"], last["actor"], last["role"]) == ("shoe", "tess", "technician")
    results = [value for each in told for value in each.get("args", {})
               if value in ("winner", "player_pair", "banker_pair")]  # fmt: skip
    assert last["cards"] == len(cards) + len(results)
    assert verify(tmp_path / "data").ok


def test_without_the_flag_they_are_sealed(midi, dealing, tmp_path):
    file = midi(dealing)
    told = tablectl("listen", "shoe", "--config", file, "--seconds", "2", "--json")
    assert told.code == 0
    cards = [card for line in told.lines for card in line.get("cards", ())]
    assert cards
    assert set(cards) == {"sealed"}
    assert not (tmp_path / "data").exists()


@pytest.fixture
def asked(monkeypatch):
    """`listen --unseal` in this process, where somebody types; exit code, stderr and lines."""

    def run(file, who, pin, *, seconds=1.0, device="shoe"):
        prompts: list[str] = []
        lines: list[str] = []

        def typed(prompt):
            prompts.append(prompt)
            return pin

        monkeypatch.setattr(answer, "ask_pin", typed)
        done = answer.listen(
            str(file), device, seconds=seconds, actor=who, as_json=True, say=lines.append
        )
        assert prompts in ([], [f"PIN of {who}: "])
        return done.exit_code, " ".join(done.stderr), lines

    return run


@pytest.mark.parametrize(
    ("who", "pin", "why"),
    [
        ("tess", "wrong", "the name or the credential is wrong: cards stay sealed"),
        ("nobody", "wrong", "the name or the credential is wrong: cards stay sealed"),
        ("flo", PINS["flo"], "flo has not the role technician: cards stay sealed"),
    ],
)
def test_nobody_else_sees_them(midi, asked, tmp_path, who, pin, why):
    file = midi("socket://127.0.0.1:9")
    begun(load(str(file)))
    code, told, lines = asked(file, who, pin)
    assert (code, lines) == (1, [])
    assert why in told
    assert unsealed(tmp_path / "data") == []


def test_not_at_a_table_that_is_open_for_play(midi, asked, tmp_path):
    file = midi("socket://127.0.0.1:9")
    begun(load(str(file)), opened=True)
    code, told, lines = asked(file, "tess", PINS["tess"])
    assert (code, lines) == (1, [])
    assert "the table is open for play, so no sealed card is shown" in told
    assert "the refusal is recorded" in told
    assert unsealed(tmp_path / "data") == []
    assert latest(tmp_path / "data", ["tablectl.action.refused"]) is not None


@pytest.mark.parametrize("word", ["simulated = true", "training = true"])
def test_where_no_real_wager_is_made_they_may_be_shown(midi, asked, dealing, tmp_path, word):
    file = midi(dealing, word)
    begun(load(str(file)), opened=True)
    code, told, lines = asked(file, "tess", PINS["tess"], seconds=1.5)
    assert (code, told) == (0, "")
    assert any(json.loads(line).get("cards") for line in lines)
    assert [each["over"] for each in unsealed(tmp_path / "data")] == [False, True]


def test_not_while_a_daemon_has_the_journal(midi, asked, tmp_path):
    file = midi("socket://127.0.0.1:9")
    begun(load(str(file)))
    lock = FolderLock(tmp_path / "data")
    code, told, lines = asked(file, "tess", PINS["tess"])
    lock.release()
    assert (code, lines) == (3, [])
    assert "which has this table's devices: stop the daemon first" in told


def test_not_where_nothing_can_be_recorded(midi, asked, tmp_path, monkeypatch):
    file = midi("socket://127.0.0.1:9")
    code, told, lines = asked(file, "tess", PINS["tess"])
    assert (code, lines) == (3, [])
    assert "there is no journal in" in told
    begun(load(str(file)))
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    code, told, lines = asked(file, "tess", PINS["tess"])
    assert (code, lines) == (3, [])
    assert "is another user's, and would be spoilt" in told


def test_what_was_shown_is_recorded_also_when_the_port_never_opened(midi, asked, tmp_path):
    file = midi("socket://127.0.0.1:9")
    begun(load(str(file)))
    code, told, _ = asked(file, "tess", PINS["tess"], seconds=0.3)
    assert code == 3
    assert "was never open" in told
    assert [each["over"] for each in unsealed(tmp_path / "data")] == [False, True]


def test_a_pin_is_asked_for_on_a_terminal_only(midi):
    file = midi("socket://127.0.0.1:9")
    begun(load(str(file)))
    result = as_a_process("listen", "shoe", "--config", file, "--unseal", "tess", stdin="1234\n",
                      start_new_session=True)  # fmt: skip
    assert result.returncode == 3
    assert "a PIN is asked for on a terminal" in result.stderr


# ── what a device keeps for the daemon ─────────────────────────────────────
def test_what_a_device_keeps_for_an_open_table_is_not_taken(tmp_path):
    with Daemon(tmp_path) as daemon:
        daemon.act("flo", "confirm_clock")
        for who, action in (("dana", "log_on"), ("flo", "log_on"), ("flo", "open_table")):
            daemon.act(who, action)
        assert daemon.state()["phase"] == "preparing"
    file = tmp_path / "table.toml"
    assert plan_for(load(str(file)), "shoe").driver == "tablelink"  # no real wagers: nothing lost
    file.write_text(file.read_text().replace("simulated = true", "simulated = false"))
    with pytest.raises(CannotListen, match="keeps what it has to tell for the daemon"):
        plan_for(load(str(file)), "shoe")
    table = load(str(file)).table
    elsewhere = replace(load(str(file)), table=table.model_copy(update={"data": "/nowhere"}))
    assert plan_for(elsewhere, "shoe").id == "shoe"  # there is no journal yet
    (tmp_path / "data/journal.db").write_bytes(b"nonsense")
    with pytest.raises(CannotListen, match="close the table first"):
        plan_for(load(str(file)), "shoe")
