"""The daemon's room: today the configuration and its check; the loop, people and health come later.

It may use everything below it. Nothing here decides a rule of a game.
"""
