"""TLS is verified, always, and nothing in the environment changes that."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from tests.client.certificates import Certificate, make_certificate
from tests.client.conftest import Connect
from tests.client.servers import RawServer, breaks_tls, echoes
from wallet_gateway.client.errors import GatewayError, NotSent, NotSentReason, OutcomeUnknown, UnknownReason
from wallet_gateway.client.http_transport import tls_context

pytestmark = pytest.mark.wire


def refused(connect: Connect, certificate: Certificate, **changes: object) -> str:
    """Send to a server with this certificate, make sure nothing arrives, and give the text of the refusal."""
    with RawServer(echoes, tls=certificate.server_context()) as server, pytest.raises(NotSent) as failure:
        connect(server.base_url, **changes).send("POST", "/", body=b"{}")
    assert failure.value.reason == NotSentReason.TLS
    assert server.requests == []
    return str(failure.value)


def test_a_trusted_certificate_is_accepted_and_its_connection_kept(
    connect: Connect, certificate: Certificate
) -> None:
    with RawServer(echoes, tls=certificate.server_context()) as server:
        transport = connect(server.base_url, ca_file=str(certificate.file))
        assert [transport.send("POST", "/", body=b"%d" % n).body for n in range(3)] == [b"0", b"1", b"2"]
    assert server.connections == 1


def test_a_certificate_nobody_vouches_for_is_refused(connect: Connect, certificate: Certificate) -> None:
    assert "self-signed certificate" in refused(connect, certificate)


def test_a_certificate_for_another_name_is_refused(connect: Connect, tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, name="gateway.example")
    assert "IP address mismatch" in refused(connect, certificate, ca_file=str(certificate.file))


def test_an_expired_certificate_is_refused(connect: Connect, tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, days_left=-1)
    assert "certificate has expired" in refused(connect, certificate, ca_file=str(certificate.file))


@pytest.mark.parametrize(
    "variable", ["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"]
)
def test_the_environment_cannot_add_an_authority(
    variable: str, connect: Connect, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = certificate.file.parent if variable.endswith("DIR") else certificate.file
    monkeypatch.setenv(variable, str(place))
    refused(connect, certificate)


def test_the_environment_cannot_have_the_session_keys_written(
    connect: Connect, certificate: Certificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    with RawServer(echoes, tls=certificate.server_context()) as server:
        connect(server.base_url, ca_file=str(certificate.file)).send("POST", "/", body=b"{}")
    assert not (tmp_path / "keys").exists()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
def test_tls_below_1_2_is_refused(connect: Connect, certificate: Certificate) -> None:
    context = certificate.server_context()
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    with RawServer(echoes, tls=context) as server, pytest.raises(NotSent) as failure:
        connect(server.base_url, ca_file=str(certificate.file)).send("POST", "/", body=b"{}")
    assert failure.value.reason == NotSentReason.TLS
    assert server.requests == []


def test_what_is_asked_of_tls_is_set_and_not_left_to_openssl() -> None:
    context = tls_context()
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.parametrize("fresh", [False, True], ids=["kept", "fresh"])
def test_a_bad_record_after_the_request_leaves_the_outcome_unknown(
    fresh: bool, connect: Connect, certificate: Certificate
) -> None:
    with RawServer(breaks_tls, tls=certificate.server_context()) as server:
        transport = connect(server.base_url, ca_file=str(certificate.file))
        with pytest.raises(OutcomeUnknown) as failure:
            transport.send("POST", "/pay", body=b"{}", fresh=fresh)
    assert failure.value.reason == UnknownReason.TLS
    assert len(server.requests) == 1


# Certificates of our own


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("ours"), name="shop.example")


@pytest.mark.parametrize("in_pair", [False, True], ids=["one file", "a pair"])
def test_a_gateway_that_asks_for_a_certificate_gets_it(
    in_pair: bool, connect: Connect, certificate: Certificate, ours: Certificate
) -> None:
    given = ours.pair() if in_pair else str(ours.file)
    with RawServer(echoes, tls=certificate.server_context(client=ours)) as server:
        transport = connect(server.base_url, ca_file=str(certificate.file), client_cert=given)
        assert transport.send("POST", "/", body=b"1").body == b"1"
        assert transport.send("POST", "/", body=b"2", fresh=True).body == b"2"


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_without_it_nothing_is_processed(
    version: ssl.TLSVersion, connect: Connect, certificate: Certificate, ours: Certificate
) -> None:
    context = certificate.server_context(client=ours)
    context.minimum_version = context.maximum_version = version
    with RawServer(echoes, tls=context) as server, pytest.raises(GatewayError) as failure:
        connect(server.base_url, ca_file=str(certificate.file)).send("POST", "/", body=b"{}")
    # TLS 1.3 lets a client write before the server has judged its certificate.
    assert isinstance(failure.value, NotSent if version is ssl.TLSVersion.TLSv1_2 else OutcomeUnknown)
    assert server.requests == []


def test_an_encrypted_key_is_refused_and_nobody_is_asked_for_a_password(ours: Certificate) -> None:
    with pytest.raises(ssl.SSLError):
        tls_context(client_cert=ours.with_encrypted_key())
