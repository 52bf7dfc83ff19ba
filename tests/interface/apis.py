"""The HTTP API as OpenAPI 3.1 and the topics as AsyncAPI 3.0, over the schemas beside them."""

from typing import Any, Final

from tablectl import __version__
from tablectl.outbox.commands import COMMANDS
from tablectl.outbox.topics import QOS, ROOT

Document = dict[str, Any]
_TABLE: Final = f"{ROOT}/{{site}}/{{table}}/"


def _json(name: str) -> Document:
    return {"application/json": {"schema": {"$ref": f"{name}.json"}}}


def _answer(what: str, name: str) -> Document:
    return {"description": what, "content": _json(name)}


def _failed(*statuses: int) -> Document:
    what = {
        400: "It makes no sense.", 401: "The name, the credential or the session is wrong.",
        403: "Not this person's role; or a foreign Host or Origin.",
        408: "The body did not come in time.", 409: "Not now: the rules or the procedure forbid.",
        503: "It could not be made durable, or too many listen.",
    }  # fmt: skip
    return {str(status): _answer(what[status], "act-answer") for status in statuses}


def openapi() -> Document:
    """The daemon's HTTP API."""
    events = "text/event-stream"
    after = {
        "name": "after", "in": "query", "required": False,
        "schema": {"type": "integer", "minimum": 0},
        "description": "Begin after this sequence; Last-Event-ID counts more.",
    }  # fmt: skip
    stream = {"description": "Each event as it becomes durable; `id` is its sequence.",
              "content": {events: {"schema": {"type": "string"}}}}  # fmt: skip
    return {
        "openapi": "3.1.0",
        "info": {"title": "tablectl, one table", "version": __version__,
                 "description": "See ../http.md for what is promised."},
        "servers": [{"url": "http://127.0.0.1:8080"}],
        "paths": {
            "/api/state": {"get": {
                "summary": "The table as it is now",
                "responses": {"200": _answer("The state.", "state"), **_failed(403)},
            }},
            "/api/events": {"get": {
                "summary": "Every event, then each as it comes",
                "parameters": [after],
                "responses": {"200": stream, **_failed(400, 403, 503)},
            }},
            "/api/act": {"post": {
                "summary": "Somebody does something at the table",
                "requestBody": {"required": True, "content": _json("act")},
                "responses": {
                    "200": _answer("Done, and durable; or a ruling to be confirmed.", "act-answer"),
                    **_failed(400, 401, 403, 408, 409, 503),
                },
            }},
            "/api/session": {
                "post": {
                    "summary": "Somebody signs on",
                    "requestBody": {"required": True, "content": _json("session")},
                    "responses": {
                        "200": _answer("The session.", "session-answer"),
                        **_failed(400, 401, 403, 408, 503),
                    },
                },
                "delete": {
                    "summary": "And off",
                    "requestBody": {"required": True, "content": _json("session-end")},
                    "responses": {
                        "200": _answer("Signed off.", "session-answer"),
                        **_failed(400, 401, 403, 408, 503),
                    },
                },
            },
            "/healthz": {"get": {
                "summary": "Whether the journal writes",
                "responses": {"200": _answer("It does.", "health"),
                              "503": _answer("It does not.", "health")},
            }},
            "/metrics": {"get": {
                "summary": "Figures for Prometheus",
                "responses": {"200": {
                    "description": "Text format 0.0.4.",
                    "content": {"text/plain": {"schema": {"type": "string"}}},
                }},
            }},
        },
    }  # fmt: skip


# Topic -> (parameters beside site and table, the schema, whether it is retained, what it is).
TOPICS: Final[dict[str, tuple[tuple[str, ...], str, bool, str]]] = {
    "status": ((), "status", True, "Whether the table is there; also the will."),
    "state": ((), "state", True, "The table as it is now."),
    "event/{area}/{name}": (("area", "name"), "event", False, "Every event, in order."),
    "alarm/{id}": (("id",), "alarm", True, "An alarm while it lasts; empty when it is over."),
    "meter/{name}": (("name",), "meter", True, "A progressive meter."),
    "device/{id}": (("id",), "device", True, "A device."),
    "reply/{id}": (("id",), "reply", False, "The answer to the command of that id."),
    "replay/{id}": (("id",), "event", False, "Events that the command of that id asked for."),
}


def asyncapi() -> Document:
    """The topics of one table, and the commands that it takes."""
    channels: Document = {}
    operations: Document = {}
    for topic, (names, schema, retained, what) in TOPICS.items():
        key = topic.partition("/")[0]
        channels[key] = _channel(_TABLE + topic, names, schema, what)
        operations[key] = _operation("send", key, retained)
    for name in COMMANDS:
        key = f"cmd_{name}"
        what = "A signed command; the answer comes on reply/{id}."
        channels[key] = _channel(f"{_TABLE}cmd/{name}", (), "cmd", what)
        operations[key] = _operation("receive", key, False)
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "tablectl, one table", "version": __version__,
                 "description": "MQTT 3.1.1. See ../mqtt.md for what is promised."},
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
    }  # fmt: skip


def _channel(address: str, names: tuple[str, ...], schema: str, what: str) -> Document:
    return {
        "address": address,
        "description": what,
        "parameters": {name: {} for name in ("site", "table", *names)},
        "messages": {schema: {"payload": {"$ref": f"{schema}.json"}}},
    }


def _operation(action: str, channel: str, retained: bool) -> Document:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "bindings": {"mqtt": {"qos": QOS, "retain": retained}},
    }
