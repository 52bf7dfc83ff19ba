"""The journal: every input with the events derived from it, chained, signed and durable.

It knows files and SQLite, and drives the pure core; it knows no device, no network and no clock.
"""
