"""Device drivers, one package a family: `codec.py` (bytes <-> frames, no I/O) and `driver.py`.

A family imports `tablectl.hal` and nothing else of this project, never another family, and is found
by name through the entry points `tablectl.drivers`. A driver never reconnects, sleeps or retries.
"""
