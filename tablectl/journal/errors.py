"""What can go wrong with a journal: one tree, each class with the situation that raises it.

JournalError
├── JournalInUse       another process holds the journal's lock
├── JournalDamaged     what the files hold contradicts itself, or SQLite cannot read it
├── WrongTable         the journal belongs to another table
├── JournalUnwritable  the disk, the folder or the key file does not let us write
├── JournalBehind      the writer fell too far behind (also a TimeoutError)
├── KeyProblem         a key file or key text cannot be used (also a ValueError)
└── Unrecordable       an input or event holds what JSON records cannot (also a ValueError)
"""


class JournalError(Exception):
    """The journal cannot do what was asked; the message says what to do next."""

    exit_code = 3


class JournalInUse(JournalError):
    """Another process holds the journal's lock."""


class JournalDamaged(JournalError):
    """What the files hold contradicts itself, or SQLite cannot read it."""


class WrongTable(JournalError):
    """The journal in this folder was written by another table."""


class JournalUnwritable(JournalError):
    """The disk, the folder or the key file does not let us write."""


class JournalBehind(JournalError, TimeoutError):
    """The queue stayed full for longer than a caller may be held up."""


class KeyProblem(JournalError, ValueError):
    """A key file or key text cannot be used."""

    exit_code = 1


class Unrecordable(JournalError, ValueError):
    """A value that canonical JSON cannot hold: a float, a huge integer, a lone surrogate."""
