"""Getting in: passwords, certificates, the access list that we ship, and commands by the broker."""

import json
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tablectl.outbox.broker import BadBroker, Broker
from tablectl.outbox.commands import Key
from tablectl.outbox.reports import (
    CommandRefused,
    ConfirmationDiffers,
    Connected,
    Disconnected,
    Ordered,
    Trouble,
)
from tests.outbox.desk import Desk
from tests.outbox.fakes import ROOT
from tests.outbox.mosquitto import Mosquitto, Watcher, until
from tests.outbox.signing import KEY, STRANGER, UNKNOWN, command, public

SHIPPED = Path(__file__).parents[2] / "config/mosquitto"
HALT = {"reason": "a fight at seat 3"}
READER = Key("reader", public(STRANGER), frozenset({"replay"}))


# ── the address ──
@pytest.mark.parametrize(
    ("url", "host", "port", "tls"),
    [
        ("mqtt://127.0.0.1:1884", "127.0.0.1", 1884, False),
        ("mqtts://broker.pit:8884", "broker.pit", 8884, True),
        ("mqtt://[::1]:1883", "::1", 1883, False),
        ("mqtts://broker", "broker", 8883, True),
    ],
)
def test_an_address(url: str, host: str, port: int, tls: bool) -> None:
    broker = Broker.at(url)
    assert (broker.host, broker.port, broker.tls) == (host, port, tls)


@pytest.mark.parametrize(
    "url", ["", "localhost:1883", "http://x:1", "mqtt://", "mqtt://u:p@x:1", "mqtt://x:99999", "x"]
)
def test_no_address(url: str) -> None:
    with pytest.raises(BadBroker) as refused:
        Broker.at(url)
    assert "p@" not in str(refused.value)


def test_a_password_is_the_first_line_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    broker = Broker.at("mqtt://x", username="tcp-12", password_file=file)
    with pytest.raises(BadBroker, match="cannot be read"):
        broker.password()
    file.write_bytes(b"s3cret \r\nnext line\n")
    assert broker.password() == "s3cret "
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(BadBroker, match="not UTF-8"):
        broker.password()


# ── the access list that we ship ──
@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Mosquitto]:
    passwords = tmp_path / "passwords"
    people = ("tcp-12", "archive", "surveillance", "dashboard")
    passwords.write_text("".join(f"{name}:{name}-secret\n" for name in people))
    passwords.chmod(0o600)
    subprocess.run(["mosquitto_passwd", "-U", str(passwords)], check=True)
    lines = f"allow_anonymous false\npassword_file {passwords}\nacl_file {SHIPPED / 'acl'}"
    mosquitto = Mosquitto(tmp_path, *lines.split("\n"), own_security=True)
    yield mosquitto
    mosquitto.stop()


def test_the_shipped_access_list(tmp_path: Path, guarded: Mosquitto) -> None:
    secret = tmp_path / "password"
    secret.write_text("tcp-12-secret\n")
    archive = Watcher(guarded.port, username="archive", password="archive-secret")
    dashboard = Watcher(guarded.port, username="dashboard", password="dashboard-secret")
    desk = Desk(
        tmp_path / "data", guarded.port, broker={"username": "tcp-12", "password_file": secret}
    )
    desk.connected()
    desk.say(20)
    desk.published()
    until(lambda: archive.latest("action/done"), "the archive reads")
    topic = ROOT + "cmd/confirm"
    args = {"sequence": 1, "hash": json.loads(archive.heard("/event/")[0].payload)["hash"]}
    archive.send(topic, command("confirm", args, expires=int(time.time()) + 60, id="good"))
    until(lambda: archive.latest("reply/good"), "the archive confirms")
    evil = command("confirm", args, expires=int(time.time()) + 60, id="evil")
    for where, payload in ((topic, evil), (ROOT + "status", b"gone")):
        # Mosquitto acknowledges what it forbids, and hangs up.
        forger = Watcher(guarded.port, username="dashboard", password="dashboard-secret")
        forger.client.publish(where, payload, 1, retain=True)
        time.sleep(0.2)
        forger.close()
    assert archive.latest("reply/evil") is None
    assert b"online" in (archive.latest("/status") or b"")
    assert not [report for report in desk.told if isinstance(report, Trouble)]
    desk.stop()
    until(lambda: b"offline" in (dashboard.latest("/status") or b""), "the table may say goodbye")
    archive.close()
    dashboard.close()


def test_a_wrong_password_is_told(tmp_path: Path, guarded: Mosquitto) -> None:
    secret = tmp_path / "password"
    secret.write_text("wrong\n")
    settings = {"username": "tcp-12", "password_file": secret}
    desk = Desk(tmp_path / "data", guarded.port, broker=settings)
    what = desk.hear(Disconnected).what
    assert "refuses us: not authorized" in what
    assert "wrong" not in what
    secret.write_text("tcp-12-secret\n")
    desk.connected()
    desk.stop()


def test_a_table_that_may_not_publish_says_where_to_look(
    tmp_path: Path, guarded: Mosquitto
) -> None:
    secret = tmp_path / "password"
    secret.write_text("dashboard-secret\n")
    settings = {"username": "dashboard", "password_file": secret}
    desk = Desk(tmp_path / "data", guarded.port, broker=settings)
    assert "access list" in desk.hear(Disconnected).what
    desk.stop()


def test_the_shipped_configuration_has_no_websockets_and_no_strangers() -> None:
    lines = [
        line
        for line in (SHIPPED / "tablectl.conf").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    assert "allow_anonymous false" in lines
    assert not [line for line in lines if "websockets" in line or line.startswith("protocol")]


# ── certificates ──
def certificates(folder: Path) -> None:
    """A CA of our own, and a broker's certificate from it for localhost."""
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Pit CA")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]

    def builder(name: x509.Name, public_key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        made = x509.CertificateBuilder().subject_name(name).issuer_name(issuer)
        made = made.public_key(public_key).serial_number(x509.random_serial_number())
        made = made.not_valid_before(now - timedelta(days=1))
        return made.not_valid_after(now + timedelta(days=1))

    basic = x509.BasicConstraints(ca=True, path_length=None)
    ca = builder(issuer, ca_key.public_key()).add_extension(basic, critical=True)
    server = builder(subject, key.public_key()).add_extension(
        x509.SubjectAlternativeName(names), critical=False
    )
    pem = serialization.Encoding.PEM
    (folder / "ca.crt").write_bytes(ca.sign(ca_key, hashes.SHA256()).public_bytes(pem))
    (folder / "server.crt").write_bytes(server.sign(ca_key, hashes.SHA256()).public_bytes(pem))
    (folder / "server.key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Mosquitto]:
    certificates(tmp_path)
    lines = (
        f"cafile {tmp_path}/ca.crt\ncertfile {tmp_path}/server.crt\nkeyfile {tmp_path}/server.key"
    )
    mosquitto = Mosquitto(tmp_path, *lines.split("\n"))
    yield mosquitto
    mosquitto.stop()


def test_a_broker_with_tls_is_trusted_by_its_ca_alone(tmp_path: Path, sealed: Mosquitto) -> None:
    stranger = Desk(tmp_path / "first", sealed.port, scheme="mqtts")
    assert "is not trusted" in stranger.hear(Disconnected).what
    stranger.stop()
    missing = {"ca_file": tmp_path / "none.crt"}
    unsure = Desk(tmp_path / "second", sealed.port, scheme="mqtts", broker=missing)
    assert "cannot be used" in unsure.hear(Disconnected).what
    unsure.stop()
    trusting = {"ca_file": tmp_path / "ca.crt"}
    desk = Desk(tmp_path / "third", sealed.port, scheme="mqtts", broker=trusting)
    desk.connected()
    desk.say(200)
    desk.published()
    desk.stop()


# ── commands, all the way ──
def answer(watcher: Watcher, command_id: str) -> dict[str, object]:
    until(lambda: watcher.latest(f"reply/{command_id}"), f"{command_id} is answered")
    found: dict[str, object] = json.loads(watcher.latest(f"reply/{command_id}") or b"")
    return found


def test_commands_of_every_kind(tmp_path: Path, broker: Mosquitto, watcher: Watcher) -> None:
    now = int(time.time())
    topic = ROOT + "cmd/halt_table"
    kept_back = command("halt_table", HALT, expires=now + 60, id="retained")
    watcher.send(topic, kept_back, retain=True)
    desk = Desk(tmp_path / "data", broker.port, keys=(KEY, READER))
    desk.connected()
    assert "retained" in str(answer(watcher, "retained")["why"])
    watcher.send(topic, b"", retain=True)
    bad = {
        "expired": command("halt_table", HALT, expires=now - 1, id="expired"),
        "too-far": command("halt_table", HALT, expires=now + 4000, id="too-far"),
        "wrong-key": command("halt_table", HALT, expires=now + 60, id="wrong-key", private=UNKNOWN),
        "may-not": command("halt_table", HALT, expires=now + 60, id="may-not", private=STRANGER),
        "unsigned": json.dumps({"id": "unsigned", "args": HALT}).encode(),
        "bad-args": command("halt_table", {"card": "AS"}, expires=now + 60, id="bad-args"),
    }
    for command_id, payload in bad.items():
        watcher.send(topic, payload)
        assert answer(watcher, command_id)["ok"] is False, command_id
    watcher.send(ROOT + "cmd/open_table", command("open_table", {}, expires=now + 60, id="none"))
    assert "there is no command" in str(answer(watcher, "none")["why"])
    for payload in (b"{", b"x" * 5000, b"\xff" * 100):
        watcher.send(topic, payload)
    good = command("halt_table", HALT, expires=now + 60, id="good")
    watcher.send(topic, good)
    order = desk.hear(Ordered).order
    assert (order.name, order.key, order.args) == ("halt_table", "archive", HALT)
    assert answer(watcher, "good")["ok"] is True
    watcher.send(topic, good)
    until(lambda: len(watcher.heard("reply/good")) == 2, "the repeat is answered")
    assert "used before" in str(answer(watcher, "good")["why"])
    desk.hear(CommandRefused)
    refused = [report for report in desk.told if isinstance(report, CommandRefused)]
    assert sum(report.count for report in refused) == len(bad) + 1 + 1 + 1 + 3 + 1
    assert len([report for report in desk.told if isinstance(report, Ordered)]) == 1
    desk.stop()


def test_a_confirmation_that_differs_reaches_the_owner(
    tmp_path: Path, broker: Mosquitto, watcher: Watcher
) -> None:
    desk = Desk(tmp_path / "data", broker.port)
    desk.connected()
    desk.say(10)
    desk.published()
    args = {"sequence": 5, "hash": "ab" * 32}
    wrong = command("confirm", args, expires=int(time.time()) + 60, id="differs")
    watcher.send(ROOT + "cmd/confirm", wrong)
    report = desk.hear(ConfirmationDiffers)
    assert (report.sequence, report.theirs) == (5, "ab" * 32)
    assert "was changed" in report.what
    assert answer(watcher, "differs")["ok"] is False
    desk.stop()


def test_a_flood_of_nonsense_delays_nothing_for_long(
    tmp_path: Path, broker: Mosquitto, watcher: Watcher
) -> None:
    desk = Desk(tmp_path / "data", broker.port)
    desk.connected()
    for n in range(3000):
        body = {"id": f"x-{n}", "actor": "x", "expires": 1, "args": {}, "signature": "00" * 64}
        watcher.client.publish(ROOT + "cmd/halt_table", json.dumps(body), 1)
    desk.say(200)
    good = command("halt_table", HALT, expires=int(time.time()) + 60, id="good")
    watcher.send(ROOT + "cmd/halt_table", good)
    assert desk.hear(Ordered).order.id == "good"
    desk.published()
    assert not [report for report in desk.told if isinstance(report, Disconnected)]
    assert [report for report in desk.told if isinstance(report, Connected)]
    desk.stop()
