"""`tablectl demo`: a whole table on one machine, played by itself. Nothing here serves a real one.

The only room, beside the later simulation, that may import hwsim.
"""
