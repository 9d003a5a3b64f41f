"""Certificates for the TLS tests: made by themselves, for 127.0.0.1 unless another name is given."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certificate:
    """A self-signed certificate with its key, in one PEM file that also serves as the authority to trust."""

    file: Path

    def server_context(self, *, client: Certificate | None = None) -> ssl.SSLContext:
        """A server's side; with `client` it takes nobody without that certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        if client is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(client.file)
        return context

    def pair(self) -> tuple[str, str]:
        """The certificate alone and its key alone, as two files."""
        key, begin, certificate = self.file.read_text().partition("-----BEGIN CERTIFICATE-----")
        files = self.file.with_suffix(".crt"), self.file.with_suffix(".key")
        for file, text in zip(files, (begin + certificate, key), strict=True):
            file.write_text(text)
        return str(files[0]), str(files[1])

    def with_encrypted_key(self) -> str:
        """A file with the certificate and its key, which a password protects."""
        pem = self.file.read_bytes()
        key = serialization.load_pem_private_key(pem, None)
        encrypted = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
        file = self.file.with_suffix(".encrypted")
        file.write_bytes(encrypted + pem[pem.index(b"-----BEGIN CERTIFICATE-----") :])
        return str(file)


def make_certificate(folder: Path, *, name: str | None = None, days_left: int = 30) -> Certificate:
    """Make a certificate; `days_left` below zero makes an expired one."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name or "127.0.0.1")])
    alternative = x509.DNSName(name) if name else x509.IPAddress(IPv4Address("127.0.0.1"))
    ends = datetime.now(UTC) + timedelta(days=days_left)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(ends - timedelta(days=60))
        .not_valid_after(ends)
        .add_extension(x509.SubjectAlternativeName([alternative]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    written = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / f"{name or 'localhost'}{days_left}.pem"
    file.write_bytes(written + certificate.public_bytes(serialization.Encoding.PEM))
    return Certificate(file)
