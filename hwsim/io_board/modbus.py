"""The board's side of Modbus RTU, from the public specification: coils and discrete inputs."""

from typing import Final

from hwsim.io_board.board import PINS, Board

ADDRESS: Final = 1
ILLEGAL_FUNCTION, ILLEGAL_PIN, ILLEGAL_VALUE = 1, 2, 3
MOST: Final = 512  # bytes kept


def check(data: bytes) -> bytes:
    """CRC-16/MODBUS by its table-free definition, low byte first."""
    register = 0xFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            low = register & 1
            register >>= 1
            if low:
                register ^= 0xA001
    return bytes((register & 0xFF, register >> 8))


class ModbusWire:
    """Requests in, answers out. What is none is skipped byte by byte."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self._rest = b""

    def changed(self) -> bytes:
        """Such a board tells nothing by itself."""
        return b""

    def forget(self) -> None:
        self._rest = b""

    def receive(self, data: bytes) -> list[bytes]:
        rest, answers = (self._rest + data)[-MOST:], []
        while len(rest) >= 8:
            length = 9 + rest[6] if rest[1] == 0x0F else 8
            if rest[0] != ADDRESS or length > 64:
                rest = rest[1:]
            elif len(rest) < length:
                break
            elif check(rest[: length - 2]) != rest[length - 2 : length]:
                rest = rest[1:]
            else:
                answers.append(self._answer(rest[1 : length - 2]))
                rest = rest[length:]
        self._rest = rest
        return answers

    def _answer(self, request: bytes) -> bytes:
        function, first = request[0], int.from_bytes(request[1:3], "big")
        second = int.from_bytes(request[3:5], "big")
        count = 1 if function == 5 else second
        if function not in (1, 2, 5, 15):
            body = bytes((function | 0x80, ILLEGAL_FUNCTION))
        elif not count or first + count > PINS:
            body = bytes((function | 0x80, ILLEGAL_PIN))
        elif function == 5 and second not in (0, 0xFF00):
            body = bytes((function | 0x80, ILLEGAL_VALUE))
        elif function in (1, 2):
            levels = self.board.outputs if function == 1 else self.board.inputs
            text = "".join("01"[level] for level in reversed(levels[first : first + count]))
            size = (count + 7) // 8
            body = bytes((function, size)) + int(text, 2).to_bytes(size, "little")
        else:
            bits = request[6:] if function == 15 else bytes((second == 0xFF00,))
            for at in range(count):
                self.board.set(first + at, bool(bits[at // 8] & 1 << at % 8))
            body = request[:5]
        frame = bytes((ADDRESS,)) + body
        return frame + check(frame)
