"""A verifier that shares no code with tablectl, written from docs/integrators/journal.md alone."""
# ruff: noqa: BLE001, PT018, E401, I001

import contextlib, hashlib, json, sqlite3, sys  # fmt: skip
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def canon(value):  # journals have ASCII keys only; others would sort by UTF-16 code units
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sha(salt, text, domain=b""):
    assert len(salt) == 64 and salt == salt.lower(), "not 32 bytes in lower-case hex"
    return hashlib.sha256(domain + bytes.fromhex(salt) + text.encode()).hexdigest()


def check(db, before, key, seen):
    sealed, events, opened = {}, {}, "0"  # type: ignore[var-annotated]
    meta = dict(db.execute("SELECT key, value FROM meta"))
    rec, seq = int(meta["first_record"]) - 1, int(meta["first_sequence"]) - 1
    prev, owner = meta["previous"], (meta["site"], meta["table"], meta["epoch"])
    assert len(meta) == 8 and meta["format"] == "tablectl-journal-1", "meta"
    assert before in (None, (rec, seq, prev, owner)), "segment link"
    assert (seq == 0) == (prev == "0" * 64), "the first prevhash"
    for record, commitment, salt, card in db.execute("SELECT * FROM sealed"):
        what = b"tablectl-must-hit-1" if card.isdigit() else b"tablectl-card-1"
        assert sha(salt, card, what) == commitment, "sealed value"
        sealed.setdefault(record, set()).add(commitment)
    for number, record, body in db.execute("SELECT * FROM events ORDER BY sequence"):
        events.setdefault(record, []).append((number, body))
    states = {n: sha(salt, state) for n, salt, state in db.execute("SELECT * FROM snapshots")}
    for n, first, salt, text in db.execute("SELECT * FROM records ORDER BY n"):
        given = json.loads(text)
        assert (n, first) == (rec + 1, seq + 1), "a record or event is missing"
        cards = {card.get("commitment") for card in given.get("cards", [given.get("trigger", {})])}
        assert sealed.pop(n, set()) == cards - {None}, "sealed values are missing or extra"
        state = states.pop(n, None if given["kind"] == "segment" else given.get("state"))
        assert state == given.get("state"), "the snapshot is missing or changed"
        for number, body in events.pop(n):
            event = json.loads(body)
            assert canon(event) == body and number == event["sequence"] == seq + 1, "event"
            own, data, kind = event.pop("hash"), event["data"], event["type"]
            assert event["prevhash"] == prev and own == sha(prev, canon(event)), "event hash"
            assert event["input"] == sha(salt, text), "input digest"
            assert event["id"] == f"{owner[1]}/{owner[2]}/{number}", "id"
            assert event["source"] == f"tablectl/{owner[0]}/{owner[1]}", "source"
            if kind in ("tablectl.journal.checkpoint", "tablectl.journal.segment"):
                assert (data["sequence"], data["hash"]) == (seq, prev), "it names another place"
            if kind == "tablectl.journal.checkpoint":
                assert data["key"] == (key or data["key"]), "signed with another key"
                message = seq.to_bytes(8, "big") + bytes.fromhex(prev + data["state"])
                signer = Ed25519PublicKey.from_public_bytes(bytes.fromhex(data["key"]))
                signer.verify(bytes.fromhex(data["signature"]), b"tablectl-checkpoint-1" + message)
            opened = str(number) if kind == "tablectl.table.opened" and opened == "0" else opened
            seq, prev, rec, seen[number] = number, own, n, own
    assert not (events or sealed or states) and meta["opened"] == opened, "rows left over"
    return rec, seq, prev, owner


def verify(paths, key=None, anchor=None, place=None):
    """Segments in order; key (hex) and anchor ("SEQ:HASH") may be None. None if sound, else why."""
    try:
        seen = {}  # type: ignore[var-annotated]
        for path in paths:
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
                place = check(db, place, key, seen)
        assert not anchor or seen.get(int(anchor.split(":")[0])) == anchor.split(":")[1], "anchor"
    except Exception as broken:
        return f"{type(broken).__name__}: {broken}"


if __name__ == "__main__":
    sys.exit(verify(sys.argv[1:]))
