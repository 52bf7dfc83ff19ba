"""While the daemon runs, its devices are its own: what it tells of them itself, over HTTP.

Nothing is asked that /api/state and /metrics do not tell everybody on this box.
"""

import http.client
import json
import re
import ssl
from typing import Any, Final

from tablectl.daemon.config import Config
from tablectl.hal.kinds import DevicePlan
from tablectl.technician.findings import Examined, Finding
from tablectl.technician.shapes import How

PATIENCE_S: Final = 3.0
_ANSWER_MAXIMUM: Final = 4_000_000
_SAMPLE: Final = re.compile(r'tablectl_device_(\w+?)_total\{device="([\w-]+)"\} (\d+)')
_HEALTH: Final[dict[str, tuple[How, str]]] = {
    "online": ("fine", "online"),
    "offline": ("wrong", "offline: the daemon tries it again and again"),
    "fault": ("wrong", "online, with a fault"),
    "out_of_order": ("note", "marked out of order"),
    "unknown": ("note", "not heard yet"),
}


class _Silent(Exception):
    """The daemon does not answer; why."""


def seen(config: Config, plans: list[DevicePlan]) -> tuple[Finding, list[Examined]]:
    """How the daemon answers, and its devices as it sees them."""
    listen = config.http.listen
    try:
        health = json.loads(_get(config, "/healthz"))
        state = json.loads(_get(config, "/api/state"))
        figures = _get(config, "/metrics")
    except (_Silent, ValueError) as error:
        what = f"the daemon runs, and does not answer on {listen}: {error}"
        do = "see its log (journalctl -u tablectl@…); is http.listen the one that it started with?"
        return Finding("http", "unknown", what, do), [_unseen(plan) for plan in plans]
    counters: dict[str, dict[str, int]] = {}
    for figure, device, count in _SAMPLE.findall(figures):
        counters.setdefault(device, {})[figure] = int(count)
    devices = state["devices"]
    examined = [_device(plan, devices, counters.get(plan.id, {})) for plan in plans]
    if health["journal"] != "writes":
        what = f"the daemon's journal has failed: {health['journal']}"
        return Finding("http", "wrong", what, "see to the disk, then start it again"), examined
    return Finding("http", "fine", f"the daemon answers on {listen}"), examined


def _get(config: Config, path: str) -> str:
    host, _, port = config.http.listen.rpartition(":")
    host = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104 - compared
    connection = _connection(config, host.strip("[]"), int(port))
    try:
        headers = {"Host": config.http.hosts[0]} if host not in config.http.listen else {}
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read(_ANSWER_MAXIMUM).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException) as error:
        raise _Silent(getattr(error, "strerror", None) or str(error)) from None
    finally:
        connection.close()
    if answer.status not in (200, 503):
        raise _Silent(f"it says {answer.status}")
    return body


def _connection(config: Config, host: str, port: int) -> http.client.HTTPConnection:
    if config.http.cert_file is None:
        return http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
    context = ssl.create_default_context(cafile=config.http.cert_file)
    context.check_hostname = False  # it is this box; the certificate is the configured one
    return http.client.HTTPSConnection(host, port, timeout=PATIENCE_S, context=context)


def _device(plan: DevicePlan, devices: dict[str, Any], counters: dict[str, int]) -> Examined:
    health = str(devices.get(plan.id, {}).get("health", "unknown"))
    how, what = _HEALTH.get(health, ("note", health))
    do = "its log says why; stop the daemon, and doctor tries the device itself"
    return _as_seen(plan, how, f"the daemon has it: {what}", do if how == "wrong" else "", counters)


def _unseen(plan: DevicePlan) -> Examined:
    what = "not tried: the daemon runs, and has it"
    return _as_seen(plan, "unknown", what, "stop the daemon to have it tried", {})


def _as_seen(plan: DevicePlan, how: How, found: str, do: str, counters: dict[str, int]) -> Examined:
    return Examined(
        device=plan.id,
        kind=plan.kind,
        driver=plan.driver,
        url=plan.url,
        how=how,
        found=found,
        do=do,
        pinned={**plan.identity, **plan.versions},
        minimum_versions=plan.minimum_versions,
        counters=counters,
    )
