"""The outbox: everything that leaves the table by MQTT, and the few commands that come in by it.

It reads the journal and never writes it; nothing leaves before its record is durable.
"""
