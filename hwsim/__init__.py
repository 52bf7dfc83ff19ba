"""Simulated devices: models advanced by time steps, their side of the wire, seeded faults.

They are written from the protocol's specification and never import a driver's codec, or both would
share a mistake. Of tablectl only the demonstration imports this package, and no driver does.
"""
