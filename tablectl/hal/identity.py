"""Is it the device that belongs here? What the configuration pins, against what the device says.

A device speaks for itself: this finds a mix-up or an old version, not a forger. A key does more.
"""

import re
from typing import Final

from tablectl.hal.kinds import DevicePlan, Identity

_PARTS: Final = re.compile(r"\d{1,18}|[A-Za-z]+")


def version_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Order versions as people read them: 4.0.018 = 4.0.18 < 4.1 < 4.10, and 2.1b < 2.1."""
    parts = [
        (2, int(part), "") if part.isdigit() else (0, 0, part.lower())
        for part in _PARTS.findall(text)
    ]
    while parts and parts[-1] == (2, 0, ""):  # 4.0 is 4
        parts.pop()
    return (*parts, (1, 0, ""))


def refusal(plan: DevicePlan, identity: Identity) -> str | None:
    """Why this device must not serve here, as a sentence that says what to do; None if it may."""
    if identity.kind != plan.kind:
        return (
            f"it should be a {plan.kind}, but a {identity.kind} answers at its port: "
            "check the cables and [devices] in the configuration"
        )
    said = {"serial": identity.serial, "model": identity.model}
    for name, wanted in plan.identity.items():
        if name not in said:
            known = ", ".join(said)
            return f"its identity pins {name!r}, which no device tells: pin {known} instead"
        if said[name] != wanted:
            return (
                f"it should have {name} {wanted}, but {said[name] or 'none'} answers: "
                "connect the right device, or have a technician change the pinned identity"
            )
    for name, least in plan.minimum_versions.items():
        has = identity.versions.get(name)
        if has is None:
            return f"it tells no version of {name}, and at least {least} is required"
        if version_key(has) < version_key(least):
            return f"it has {name} {has}, and at least {least} is required: have it updated"
    return None
