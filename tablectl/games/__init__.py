"""What a hand is worth and what a wager pays, by the rules of each game.

Pure: no clock, no randomness, no I/O but for the packaged paytables that paytables.py reads.
"""
