"""What a device is: its kind, its bytes, who keeps its link alive, and how its driver is found.

It knows no table and no rule: readings go up, commands come down. Only `supervisor.py` reconnects.
"""
