"""The devices of hwsim as peers of the contract suites, on a pty and on TCP.

They run in their rack, in real time on the wire; their mechanisms move only when a hand moves them.
"""

from typing import Any, Literal

from hwsim.devices.device import SECOND_NS
from hwsim.rack import Place, Rack
from hwsim.tablelink import messages as m
from hwsim.tablelink.speech import COMMANDS, PERMISSIVE, SHOWING
from tablectl.cards import DECK, Card
from tests.contract.peers import COLOURS

NEVER_NS = 3600 * SECOND_NS  # no mechanism is done by itself before a test is over
BOOT_NS = SECOND_NS // 20
READ = [Card("AC"), Card("TD"), Card("KS")]
OPTIONS: dict[str, dict[str, Any]] = {
    "shuffler": {"shuffle_ns": NEVER_NS, "compartments": 2, "sees": "cards"},
    "progressive": {"tells": "progressive"},
    "shoe": {"stack_ns": NEVER_NS, "take_ns": None},
}


class SimulatedPeer:
    """One device in a rack of its own; a subclass says on which port."""

    driver = "tablelink"
    kinds = frozenset(m.KINDS)
    remembers = stacks = locks_itself = sensors = two_decks = True
    port: Literal["pty", "tcp"] = "pty"

    place_kind = ""  # where it is not the kind's own model

    def __init__(self, kind, place):
        kind_here = self.place_kind or kind
        one = Place(kind_here, kind, options=OPTIONS.get(kind_here))
        self.rack = Rack([one], seed=1, port=self.port, directory=place)
        self.unit = self.rack.units[kind]
        self.unit.boot_ns = BOOT_NS
        self.device: Any = self.unit.device
        self.table = self.rack.table
        self.url = ""
        self.ran, self.restricted = [], []
        self._listen(self.unit.link.rules)
        if kind == "shoe":
            self.table.receive("red", cards=READ * 17)
            self.table.load_shoe("red")

    def _listen(self, rules):
        execute = rules.execute

        def listening(command):
            outcome = execute(command)
            if outcome == m.DONE and command.code < SHOWING:
                done = self.ran if command.code & PERMISSIVE else self.restricted
                done.append((COMMANDS[command.code], command.number))
            return outcome

        rules.execute = listening

    async def start(self):
        await self.rack.start()
        self.url = self.rack.urls[self.device.id]

    async def stop(self):
        await self.rack.stop()

    serial = property(lambda self: self.device.identity.serial)
    locked = property(lambda self: self.device.locked)
    held = property(lambda self: self.device.condition().held)

    # ── hands ──
    def _mechanism_runs(self):
        """On to the model's next moment, which is hours away."""
        self.device.attend()
        self.unit.advance(0, self.device.due_ns())

    def press(self):
        self.table.press_button()

    def shuffle(self, count, distinct=None, compartment=0):
        """In the first compartment that is empty; `distinct`: a copy of a card is there."""
        self.device.counts_cards = count is not None
        self.device.recognises_cards = distinct is not None
        self.device.two_decks = compartment > 0
        cards = list(DECK[:count])
        if distinct is not None:
            cards[distinct:] = cards[:1] * (len(cards) - distinct)
        filler = self.table.receive("filler", cards=()) if compartment == 2 else None
        if filler is not None:
            self.device.compartments[0] = filler
        self.table.receive("red", cards=cards)
        self.table.put_into_shuffler("red")
        self._mechanism_runs()
        self.table.gather("red")
        if filler is not None:
            self.device.compartments[0] = None

    def chip(self, seat):
        self.table.place_chip(seat)

    def badge(self, number):
        self.table.show_badge(number)

    def set_mode(self, mode):
        self.device.set_mode(mode)

    lamps = property(lambda self: self.device.lamps)
    lit = property(lambda self: set(self.device.lit))
    seen = property(lambda self: [COLOURS[sign] for sign in self.device.seen])

    def take_stack(self):
        if self.held:
            return False
        self._mechanism_runs()
        self.device.take()
        return True

    def jam(self):
        self.device.attend()
        self.device._jam()

    def clear(self):
        self.device.clear()

    # ── trouble ──
    def reboot(self):
        self.device.attend()
        self.unit.power_off()

    def silence(self, on):
        self.device.attend()
        self.unit.line.be_silent(NEVER_NS if on else 0)

    def babble(self, data):
        self.rack._slots[self.device.id].port.send(data)

    async def drop(self):
        self.device.attend()
        self.unit.hang_up = True


class SimulatedTcpPeer(SimulatedPeer):
    port = "tcp"


SIMULATED = {"hwsim-pty": SimulatedPeer, "hwsim-tcp": SimulatedTcpPeer}
