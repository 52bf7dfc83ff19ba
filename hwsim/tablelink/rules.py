"""Section 6 of the page: what restricts is done every time, what permits is done once.

It keeps the last command of each sort that was executed, and within a session the fence and the
last command that showed something.
"""

from typing import Any

from hwsim.devices.device import Device
from hwsim.tablelink import messages as m
from hwsim.tablelink.speech import COMMANDS, PERMISSIVE, SHOWING, command_arguments


class CommandRules:
    """Judges commands of the running session, and has the model carry them out."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.permit = m.NEVER
        self.restrict = m.NEVER
        self.fence: m.Number | None = None
        self.shown: m.Number | None = None
        self._refused: dict[m.Number, int] = {}

    def power_on(self, forget: bool) -> None:
        """Boot; `forget`: nothing was kept through the loss of power."""
        if forget:
            self.permit = self.restrict = m.NEVER
        self.session_begins()

    def session_begins(self) -> None:
        self.fence = self.shown = None
        self._refused.clear()

    def check(self, command: m.Command) -> None:
        """Raise Malformed where a known command lacks its arguments, or a permission its number.

        What restricts is never refused for its form.
        """
        if command.code & PERMISSIVE and command.number.n == 0:
            raise m.Malformed("n 0 is never used")
        command_arguments(COMMANDS.get(command.code, ""), command.arguments)

    def execute(self, command: m.Command) -> int:
        """Do what the rules allow; the outcome for the RESULT."""
        name = COMMANDS.get(command.code)
        if name is None or name not in self.device.commands:
            return m.NOT_KNOWN_HERE
        if not command.code & PERMISSIVE:
            self.device.do(name)
            self.restrict = self.fence = command.number
            return m.DONE
        args = command_arguments(name, command.arguments)
        if command.code >= SHOWING:
            return self._show(command.number, name, args)
        outcome = self._judge(command.number, name, args)
        if outcome == m.DONE:
            self.permit = command.number  # before the act: power that fails never gives it twice
            self.device.do(name, **args)
        return outcome

    def _show(self, number: m.Number, name: str, args: dict[str, Any]) -> int:
        if self.shown and number.boot == self.shown.boot and number.n < self.shown.n:
            return m.STALE
        if not self.device.has(name, **args):
            return m.NOT_KNOWN_HERE
        self.shown = number
        self.device.do(name, **args)
        return m.DONE

    def _judge(self, number: m.Number, name: str, args: dict[str, Any]) -> int:
        if number == self.permit:
            return m.DONE_BEFORE
        if number.boot == self.permit.boot and number.n < self.permit.n:
            return m.STALE
        if self.fence and (number.boot != self.fence.boot or number.n < self.fence.n):
            return m.STALE
        # A copy of a command that was refused may still be under way when the host takes the
        # refusal: it gets the same answer, also when the reason is gone by then.
        if number in self._refused:
            return self._refused[number]
        if not self.device.can(name, **args):
            self._refused = {number: m.CANNOT}
            return m.CANNOT
        return m.DONE
