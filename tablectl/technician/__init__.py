"""A technician's two tools: `doctor` says what is wrong and what to do, `listen` shows one device.

Neither orders a device anything: no command leaves here, and what is read only hears no byte.
"""
