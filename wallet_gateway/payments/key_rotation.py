"""The keys that encrypt secrets at rest: which are in use, since when, and re-encryption with the newest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from wallet_gateway.email_hashes import columns_of_order, columns_of_wallet, hashed_before
from wallet_gateway.encryption import UnreadableSecret, cipher_in
from wallet_gateway.error_reports import sensitive_variables
from wallet_gateway.gateways import ciphers
from wallet_gateway.models import PaymentOrder, WalletAttempt, WalletKey

_BATCH = 500
_ENCRYPTED_COLUMNS = ("api_key", "encryption_key")
_HASHED_COLUMNS = (
    (PaymentOrder, "content", columns_of_order),
    (WalletAttempt, "given", columns_of_wallet),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """A key of the settings and the values encrypted with it."""

    fingerprint: str
    """The first eight digits of its SHA-256."""
    stored: int
    """Number of stored values that this key encrypts."""
    oldest: datetime | None
    """The time of the oldest value; encrypting it again does not change this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySurvey:
    """All keys: those of the shop in the order of the settings, then those of single gateways."""

    keys: tuple[KeyUse, ...]
    """The use of each key."""
    unreadable: int
    """The number of values that none of the keys decrypts."""
    waiting: int = 0
    """The number of values that are not under the first key, and of rows with such hashes of addresses."""


@sensitive_variables()
def survey_keys() -> KeySurvey:
    """Return how many stored secrets each of the `FERNET_KEYS` encrypts; changes nothing.

    :returns: the use of each key by its fingerprint, and what none of them opens.
    """
    known = ciphers()
    if not known:
        return KeySurvey(keys=(), unreadable=0)
    dates: dict[str, list[datetime]] = defaultdict(list)
    unreadable = waiting = 0
    for column in _ENCRYPTED_COLUMNS:
        for _key, gateway, sealed in _stored_secrets(column):
            try:
                cipher = cipher_in(known, gateway)
                place, written_at = cipher.origin(sealed)
            except UnreadableSecret:
                unreadable += 1
            else:
                dates[cipher.fingerprints[place]].append(written_at)
                waiting += place > 0
    waiting += sum(hashed_before(hashed, columns).count() for hashed, _source, columns in _HASHED_COLUMNS)
    uses = (
        KeyUse(fingerprint=name, stored=len(dates[name]), oldest=min(dates[name], default=None))
        for name in dict.fromkeys(name for cipher in known.values() for name in cipher.fingerprints)
    )
    return KeySurvey(keys=tuple(uses), unreadable=unreadable, waiting=waiting)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation:
    """The result of re-encrypting the stored values."""

    resealed: int
    """Values encrypted anew."""
    left: int
    """Values still under an older key, because they changed during the rotation: run it again."""
    unreadable: int
    """Values that none of the given keys decrypts."""


@sensitive_variables()
def rotate_keys() -> Rotation:
    """Encrypt every stored secret with the first of its gateway's `FERNET_KEYS`, or of the shop's.

    E-mail addresses, by which orders are found, are hashed again under the first of the shop's keys, or under
    `SECRET_KEY` without any. It may be interrupted and repeated.

    :returns: how many were encrypted or hashed anew, how many are left, and how many cannot be read.
    """
    known = ciphers()
    resealed = left = unreadable = 0
    for column in _ENCRYPTED_COLUMNS:
        for key, gateway, old in _stored_secrets(column):
            try:
                cipher = cipher_in(known, gateway)
                place, _written_at = cipher.origin(old)
                if place == 0:
                    continue
                new = cipher.reseal(old)
            except UnreadableSecret:
                unreadable += 1
                continue
            done = WalletKey.objects.filter(pk=key, **{column: old}).update(**{column: new})
            resealed, left = resealed + done, left + 1 - done
    for hashed, source, columns in _HASHED_COLUMNS:
        rows, names, last = hashed_before(hashed, columns).order_by("pk"), tuple(columns({})), 0
        while batch := list(rows.filter(pk__gt=last).values("pk", source, *names)[:_BATCH]):
            for row in batch:
                last = row["pk"]
                as_read = hashed._default_manager.filter(pk=last, **{name: row[name] for name in names})
                done = as_read.update(**columns(row[source]))
                resealed, left = resealed + done, left + 1 - done
    return Rotation(resealed=resealed, left=left, unreadable=unreadable)


def _stored_secrets(column: str) -> Iterator[tuple[int, str, bytes]]:
    """Yield every encrypted value of a column with its row's primary key and gateway, 500 rows at a time."""
    rows = WalletKey.objects.exclude(**{column: b""}).order_by("pk")
    last = 0
    while batch := list(rows.filter(pk__gt=last).values_list("pk", "gateway", column)[:_BATCH]):
        for key, gateway, sealed in batch:
            yield key, gateway, bytes(sealed)
        last = batch[-1][0]
