"""How long something may take in a test: more where the machine has other work as well."""

import os


def within(seconds: float) -> float:
    """A time limit for a machine that is its own; longer by as much as others use it."""
    return seconds * max(1.0, 1.5 * os.getloadavg()[0] / (os.cpu_count() or 1))
