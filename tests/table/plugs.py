"""A three-card table whose devices answer, and can be pulled out and put in; played by its prompts.

A device does what docs/integrators/tablelink.md asks of it: without its host it locks or holds, and
keeps what it has to tell; back again it tells that, then its state. Nothing here restarts a table.
"""

import random
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from tablectl.cards import DECK
from tablectl.games.rules import parse_rules
from tablectl.table.outputs import Command
from tablectl.table.prompts import prompts
from tablectl.table.setup import DeviceSetup
from tests.table.pit import DEVICES, RULES, Pit, setup

MOST_STEPS = 250
BACCARAT = parse_rules({"game": "three_card_baccarat", "three_kings": "A", "tie": "A"})
GAMES = {"three_card_poker": RULES, "three_card_baccarat": BACCARAT}
KINDS = ("shuffler", "shoe", "bonus", "button", "sign")


@dataclass
class Machine:
    """A device. `here`: its link is up."""

    id: str
    kind: str
    here: bool = True
    locked: bool = True  # progressive
    allowed: int = 0  # shoe: stacks that may still leave
    dispensed: int | None = 0  # shoe: since it was loaded; None: it has forgotten
    shuffling: str = ""  # shuffler: the deck
    sign: str = ""  # indicator
    kept: list[tuple[str, list[str], dict[str, Any]]] = field(default_factory=list)
    owed: list[Command] = field(default_factory=list)  # what restricts, and could not reach it

    def restrict(self) -> None:
        """Nobody is there: it locks and holds (a shuffler goes on shuffling)."""
        self.locked, self.allowed = True, 0

    def obey(self, command: Command) -> str | None:
        """Carry it out; the answer, if it has one."""
        match command.name:
            case "lock":
                self.locked = True
                return "locked"
            case "hold":
                self.allowed = 0
                return "held"
            case "unlock":
                self.locked = False
                return "unlocked"
            case "dispense":
                self.allowed = command.args["stacks"]
            case "show":
                self.sign = command.args["sign"]
        return None

    def state(self) -> dict[str, Any]:
        """What it tells with `online`."""
        told: dict[str, dict[str, Any]] = {
            "progressive": {"locked": self.locked}, "shoe": {"dispensed": self.dispensed},
        }  # fmt: skip
        return told.get(self.kind, {})


class Plugged(Pit):
    """A full table of a three-card game, and a dealer who does what the prompts say."""

    def __init__(self, game: str = "three_card_poker", seed: int = 0) -> None:
        devices: tuple[DeviceSetup, ...] = (*DEVICES, DeviceSetup("sign", "indicator"))
        rules = GAMES[game]
        if not rules.meters:
            devices = tuple(d for d in devices if d.kind != "progressive")
        super().__init__(seed=seed, setup=setup(rules, devices=devices))
        self.machines = {d.id: Machine(d.id, d.kind) for d in devices}
        self.deck: list[str] = []
        self.sent = 0  # commands that have left
        self.waiting: list[Command] = []  # they are on their way to devices whose link is up
        self.start()
        for machine in self.machines.values():
            self.device(machine.id, "online", **machine.state())
        self.answer()

    # ── devices ────────────────────────────────────────────────────────────
    def answer(self) -> None:
        """Every command reaches its device, and every answer the table."""
        self.send_out()
        while self.waiting:
            command = self.waiting.pop(0)
            machine = self.machines[command.device]
            self.tell(machine, machine.obey(command))
            self.send_out()

    def send_out(self) -> None:
        """Commands leave; what restricts is owed to a device that is away."""
        for command in self.commands[self.sent :]:
            machine = self.machines[command.device]
            if machine.here:
                self.waiting.append(command)
            elif command.restrictive:
                machine.owed.append(command)
        self.sent = len(self.commands)

    def tell(self, machine: Machine, name: str | None, *cards: str, **args: Any) -> None:
        """A device has something to say; without a link it keeps it."""
        if name is None:
            return
        if not machine.here:
            machine.kept.append((name, list(cards), args))
            return
        self.device(machine.id, name, cards, **args)

    def unplug(self, name: str, what: str = "the link broke") -> None:
        """The cable is out; the device notices it, too. What was on its way is lost, or owed."""
        self.send_out()
        machine = self.machines[name]
        machine.here = False
        lost = [command for command in self.waiting if command.device == name]
        machine.owed += [command for command in lost if command.restrictive]
        self.waiting = [command for command in self.waiting if command.device != name]
        self.device(name, "offline", what=what)
        self.send_out()
        machine.restrict()

    def replug(self, name: str) -> None:
        """The cable is in: what was kept, what is owed, its state, what the table says to it."""
        machine = self.machines[name]
        machine.here = True
        kept, machine.kept = machine.kept, []
        for told, cards, args in kept:
            self.device(name, told, cards, **args)
        owed, machine.owed = machine.owed, []
        answers = [machine.obey(command) for command in owed]
        self.device(name, "online", **machine.state())
        for said in answers:
            self.tell(machine, said)
        self.answer()

    def reboot(self, name: str) -> None:
        """It has lost its power: what it kept is gone, and so is what it counted."""
        machine = self.machines[name]
        machine.restrict()
        machine.kept, machine.shuffling, machine.sign = [], "", ""
        machine.dispensed = None

    def take_stack(self) -> None:
        """The dealer takes a stack out of the shoe, if one may leave."""
        shoe = self.machines["shoe"]
        assert shoe.allowed > 0, "the shoe holds"
        shoe.allowed -= 1
        if shoe.dispensed is not None:
            shoe.dispensed += 1
        self.tell(shoe, "stack", *(self.deck.pop() for _ in range(3)))

    def into_shuffler(self, deck: str) -> None:
        shuffler = self.machines["shuffler"]
        shuffler.shuffling = deck
        self.tell(shuffler, "shuffle_started", deck=deck)

    def shuffled(self) -> None:
        """The cycle that is under way ends; one that lost its power begins again."""
        shuffler = self.machines["shuffler"]
        if not shuffler.shuffling:
            waiting = next(d.id for d in self.state.decks if d.preparation == "shuffling")
            self.into_shuffler(waiting)
        deck, shuffler.shuffling = shuffler.shuffling, ""
        self.tell(shuffler, "shuffle_done", deck=deck, count=52)

    # ── the dealer ─────────────────────────────────────────────────────────
    def until(self, reached: Callable[[], bool]) -> "Plugged":
        """Do what is asked for first, again and again; nothing may be refused."""
        for _ in range(MOST_STEPS):
            if reached():
                return self
            self.turn()
            cause = self.state.halt.cause if self.state.halt else None
            assert cause not in ("exception", "invariant"), self.state.halt
        raise AssertionError(f"it leads nowhere: {self.state.phase}, {prompts(self.state)}")

    def play_on(self) -> None:
        """What is under way comes to its end, and a whole round after it is settled."""
        since = self.state.sequence

        def settled() -> bool:
            opened = {event.data["round"] for event in self.named("round.opened", since)}
            return any(e.data["round"] in opened for e in self.named("round.settled", since))

        self.until(settled)
        self.until(lambda: self.state.phase == "preparing")

    def turn(self) -> None:
        """The next thing."""
        self.answer()
        state = self.state
        if state.phase == "betting" and not state.round.live_wagers():
            self.wager(1, ante=1000).wager(3, ante=2000)
            if self.setup.rules.meters and state.lock == "unlocked":
                self.wager(1, progressive=100)
        else:
            # What can wait stands last. The cards of a void round are gathered before a shuffle.
            asked = [p for p in prompts(state) if p.awaits != "shuffle_started" or not state.round]
            self.follow(asked[0])
        self.answer()

    def follow(self, prompt: Any) -> None:
        awaits, words = prompt.awaits, prompt.text.replace(":", "").replace(".", "").split()
        match awaits:
            case "stack":
                self.take_stack()
            case "shuffle_started":
                deck = self.state.deck(words[words.index("deck") + 1])
                if deck.preparation == "shuffling":
                    self.shuffled()
                else:
                    self.into_shuffler(deck.id)
            case "shuffle_done":
                self.shuffled()
            case "locked" | "held" | "online":
                raise AssertionError(f"a device that has answered is waited for: {prompt.text}")
            case "load_shoe":
                self.machines["shoe"].dispensed = 0
                self.deck = [str(card) for card in DECK]
                self.rng.shuffle(self.deck)
                self.do(awaits, "dealer", deck=words[words.index("deck") + 1])
            case _:
                self.do(awaits, prompt.role, **self.arguments(awaits, words))

    def arguments(self, action: str, words: list[str]) -> dict[str, Any]:
        state = self.state
        named = {"deck": words[words.index("deck") + 1]} if "deck" in words else {}
        match action:
            case "receive_decks":
                number = len(state.decks) + len(state.gone_decks)
                return {"decks": [{"id": f"red-{number}", "back": "red"}]}
            case "player_inspected":
                return {**named, "viewed": True}
            case "play" | "confirm_payment":
                return {"seat": state.round.asked if action == "play" else state.round.turns[0]}
            case "count_stub":
                return {"cards": 52 - len(state.round.cards) if state.round else 52}
            case "count_progressive":
                return {"chips": 0}
            case "validate_progressive":
                return {"seat": state.round.due[0].seat}
            case "remove_deck" | "cut_cards" | "clear_deck_latch":
                return named
            case "inspect_cards" | "verify_inspection" | "spread_cards" | "wash_cards":
                return named
            case "void_round":
                return {"reason": "the floor decides"}
        return {}


# ── the phases, each as a table comes into it ──────────────────────────────
def _betting(table: Plugged) -> None:
    table.until(lambda: table.state.phase == "betting" and bool(table.state.round.live_wagers()))


def _locking(table: Plugged) -> None:
    _betting(table)
    table.do("no_more_bets", "dealer")


def _locked(table: Plugged) -> None:
    _locking(table)
    table.answer()


def _cancelling(table: Plugged) -> None:
    _locked(table)
    table.do("cancel_lock", reason="pressed by mistake")


def _dealing(table: Plugged) -> None:
    _locked(table)
    table.take_stack()


def _voided(table: Plugged) -> None:
    _dealing(table)
    table.do("void_round", reason="a spilt drink")


def _reached(phase: str) -> Callable[[Plugged], None]:
    def reach(table: Plugged) -> None:
        table.until(lambda: table.state.phase == phase)

    return reach


def _shuffling(table: Plugged) -> None:
    table.until(lambda: any(d.preparation == "shuffling" for d in table.state.decks))


def _loaded(table: Plugged) -> None:
    table.until(lambda: any(d.custody == "shoe" for d in table.state.decks))


MOMENTS: dict[str, tuple[str, Callable[[Plugged], None]]] = {
    "closed": ("closed", lambda _table: None),
    "no deck": ("preparing", _reached("preparing")),
    "shuffling": ("preparing", _shuffling),
    "loaded": ("preparing", _loaded),
    "bets": ("betting", _betting),
    "locking": ("locking", _locking),
    "locked": ("locked", _locked),
    "cancelling": ("cancelling", _cancelling),
    "first stack out": ("dealing", _dealing),
    "all out": ("deciding", _reached("deciding")),
    "paying": ("settling", _reached("settling")),
    "paid": ("clearing", _reached("clearing")),
    "void": ("voided", _voided),
}


def at(moment: str, game: str = "three_card_poker") -> Plugged:
    """A table of its own at a moment; one of baccarat, where its cards are examined."""
    table = copy(_brought_to(moment, game))
    table.table = copy(table.table)
    table.rng = random.Random(f"{moment} {game}")
    for name in ("inputs", "events", "commands", "deck", "waiting"):
        setattr(table, name, list(getattr(table, name)))
    table.machines = {
        name: replace(machine, kept=list(machine.kept), owed=list(machine.owed))
        for name, machine in table.machines.items()
    }
    return table


@cache
def _brought_to(moment: str, game: str) -> Plugged:
    table = Plugged(game)
    phase, reach = MOMENTS[moment]
    if game == "three_card_baccarat" and phase == "deciding":
        phase, reach = "examining", _reached("examining")
    reach(table)
    assert table.state.phase == phase
    return table
