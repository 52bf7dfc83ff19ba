"""A real ser2net before ptys: one process, some lines, each by raw TCP and by RFC 2217."""

import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Self

SER2NET = shutil.which("ser2net") or "/usr/sbin/ser2net"
BOOT_S = 10.0


class Ser2net:
    """Line N is whatever FOLDER/line-N leads to when somebody connects."""

    def __init__(self, folder: Path, lines: int = 1, *, kick: bool = True) -> None:
        """`kick`: a new connection takes a line from an old one."""
        assert Path(SER2NET).exists(), "install ser2net: make debian does it"
        self._folder = folder
        probes = [socket.socket() for _ in range(2 * lines)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        ports = [probe.getsockname()[1] for probe in probes]
        for probe in probes:
            probe.close()
        self._ports = {"socket": ports[:lines], "rfc2217": ports[lines:]}
        accepters = {"socket": "tcp", "rfc2217": "telnet(rfc2217),tcp"}
        parts = [
            f"connection: &{scheme}{line}\n"
            f"  accepter: {accepters[scheme]},127.0.0.1,{port}\n"
            f"  connector: serialdev,{self.line(line)},115200n81,local\n"
            f"  options:\n    kickolduser: {str(kick).lower()}\n    chardelay: false\n"
            for scheme, of_lines in self._ports.items()
            for line, port in enumerate(of_lines)
        ]
        self._file = folder / "ser2net.yaml"
        self._file.write_text("".join(parts))
        self._process: subprocess.Popen[bytes] | None = None

    def line(self, number: int = 0) -> Path:
        """Where the line's pty gets its name."""
        return self._folder / f"line-{number}"

    def url(self, scheme: str, number: int = 0) -> str:
        """Where a host finds the line: by "socket" or "rfc2217"."""
        return f"{scheme}://127.0.0.1:{self._ports[scheme][number]}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [SER2NET, "-n", "-c", str(self._file)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        end = time.monotonic() + BOOT_S
        while not self._listens():
            assert time.monotonic() < end, "ser2net does not listen"
            time.sleep(0.02)

    def _listens(self) -> bool:
        """Whether it has opened its last port; looked up, for a connection would open the line."""
        wanted = f":{self._ports['rfc2217'][-1]:04X} "
        rows = Path("/proc/net/tcp").read_text().splitlines()
        return any(wanted in row and row.split()[3] == "0A" for row in rows)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(BOOT_S)
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
