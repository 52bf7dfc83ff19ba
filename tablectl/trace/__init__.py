"""Where each clause of the rule texts lives in this program, and the tests that prove it.

It reads its own lists and imports nothing of the other rooms: a table runs without it.
"""
