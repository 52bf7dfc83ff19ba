"""The exact odds of every wager: hands counted by composition, paid by the settlement itself.

Each engine sorts every deal of a game into classes that nobody's paytable tells apart, counts each
class with whole numbers, and lets the game's own settlement pay one deal of each. Nothing is
simulated, and no figure of a paytable stands here. Pure, like all of games.
"""
