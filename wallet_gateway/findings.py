"""The possible findings of the checks: a code, a level, the parameters, and the message for each code.

The health view, `wallet_doctor` and the system checks show the same findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from wallet_gateway.documentation import address_of

Text = str | Promise


class Level(StrEnum):
    """The severity of a finding."""

    OK = "ok"
    WARNING = "warning"
    """It works, and a person should look at it."""
    ERROR = "error"
    """Payments are at risk or do not work."""


_RUN_SWEEP = _("Run manage.py wallet_sweep every minute, or with --loop.")
_SEE_RUNBOOK = _("See %(runbook)s")


class Code(StrEnum):
    """The codes of findings, with the message and the advice of each.

    A finding of a system check has the check's id as its code, and its message is not translated, as those of
    Django itself.
    """

    _value_: str
    message: Text
    advice: Text

    def __new__(cls, value: str, message: Text = "", advice: Text = _SEE_RUNBOOK) -> Self:
        """Keep the words beside the value."""
        code = str.__new__(cls, value)
        code._value_, code.message, code.advice = value, message, advice
        return code

    IN_ORDER = ("in_order", "", "")
    """Of every finding that a subject is in order: nobody acts by it. Its message comes from the check."""
    # The configuration: what the system checks report
    WRONG_SETTING = (
        "wallet_gateway.E001",
        "%(setting)s: %(expected)s",
        "See the settings reference in the documentation.",
    )
    URLS_MISSING = (
        "wallet_gateway.E002",
        "the URLs of wallet_gateway are not included, so customers could not come back",
        "Add path('wallet/', include('wallet_gateway.urls')) to the root URLconf.",
    )
    TIME_ZONES_OFF = (
        "wallet_gateway.E003",
        "USE_TZ is off; leases and timetables need aware instants",
        "Set USE_TZ = True.",
    )
    TABLES_ELSEWHERE = (
        "wallet_gateway.E004",
        "a router sends the tables to %(database)r; they must be in %(expected)r, also for reading",
        "Return None for wallet_gateway. A replica lags, and transactions are of one database.",
    )
    SANDBOX_SERVED = (
        "wallet_gateway.E005",
        "wallet_gateway.sandbox is in INSTALLED_APPS; its console would be open to everybody",
        "Remove it and run `python -m wallet_gateway.sandbox`, which has a process and database of its own.",
    )
    DEBUG_IN_PRODUCTION = (
        "wallet_gateway.E006",
        "DEBUG is on, and %(gateways)s has the profile 'prod': real money moves",
        "Set DEBUG = False: error pages show settings and what customers sent.",
    )
    ATOMIC_MIDDLEWARE = (
        "wallet_gateway.E008",
        "%(middleware)r in MIDDLEWARE opens a transaction around every view: no payment can begin",
        (
            "Name a subclass of RevisionMiddleware with atomic = False in its place: what is sent to the "
            "gateway must be committed before the first byte leaves."
        ),
    )
    LETTERS_MISSING = (
        "wallet_gateway.E009",
        (
            "%(place)s has the character set %(character_set)s, which lacks letters and emoji that customers "
            "and gateways write: what has one of them is not stored, and a payment fails"
        ),
        "%(remedy)s",
    )
    ATOMIC_REQUESTS = (
        "wallet_gateway.W001",
        (
            "DATABASES[%(database)r] has ATOMIC_REQUESTS: views that call wallet_gateway.payments must be "
            "decorated with django.db.transaction.non_atomic_requests"
        ),
        "What is sent to the gateway must be committed before the first byte leaves.",
    )
    SQLITE_NOT_IMMEDIATE = (
        "wallet_gateway.W002",
        "DATABASES[%(database)r]['OPTIONS']['transaction_mode'] should be 'IMMEDIATE'",
        "Otherwise a transaction that reads and then writes fails when another one writes.",
    )
    SQLITE_IN_PRODUCTION = (
        "wallet_gateway.W003",
        "DATABASES[%(database)r] is SQLite: one writer at a time, fit for one process",
        "Use PostgreSQL or MariaDB for a shop with more than one worker.",
    )
    COMMITS_NOT_DURABLE = (
        "wallet_gateway.W004",
        "a power failure may undo commits in DATABASES[%(database)r]: %(variable)s is %(value)s",
        "A request that left without a row is a payment that nobody knows of.",
    )
    MODULES_DELETED = (
        "wallet_gateway.W005",
        "WHITENOISE_KEEP_ONLY_HASHED_FILES deletes the modules of the wallet button, which never appears",
        "Derive from %(storage)s and set support_js_module_import_aggregation = True.",
    )
    STATIC_ORIGIN_DIFFERS = (
        "wallet_gateway.W006",
        (
            "static files are on another origin (%(files)s) than the shop's pages (%(pages)s): the wallet "
            "button and the page that waits for an outcome are modules, which a browser takes from there "
            "only with CORS"
        ),
        (
            "Let that host answer every script with 'Access-Control-Allow-Origin: *' (or %(pages)s), then "
            "add wallet_gateway.W006 to SILENCED_SYSTEM_CHECKS."
        ),
    )
    DEBUG_IN_PUBLIC = (
        "wallet_gateway.W007",
        "DEBUG is on, and customers reach the shop at %(origin)s",
        "Set DEBUG = False: error pages show settings and what customers sent.",
    )
    SANDBOX_MERCHANT = (
        "wallet_gateway.W008",
        "%(setting)s is the sandbox's merchant although DEBUG is off: no money moves",
        "Name your own merchant. On a staging site silence wallet_gateway.W008 (SILENCED_SYSTEM_CHECKS).",
    )
    SIGNING_KEY_PUBLISHED = (
        "wallet_gateway.W009",
        "%(setting)s is in public files: anybody can sign sessions and return addresses",
        "Make one of your own; it is refused once a gateway has the profile 'prod'.",
    )
    CLIENT_KEY_READABLE = (
        "wallet_gateway.W010",
        "%(setting)s: every user of this machine can read the key in %(file)s",
        "Let the user who runs the shop own it, and chmod it to 600.",
    )
    CLIENT_CERT_ENDS = (
        "wallet_gateway.W011",
        "%(setting)s: the certificate in %(file)s is valid until %(ends)s",
        "Renew it and restart: without it no request reaches the gateway.",
    )
    COLLECTOR_RECORDS_TOO_MUCH = (
        "wallet_gateway.W012",
        "%(collector)s records customers or secrets with %(option)s",
        "%(remedy)s. See %(monitoring)s",
    )
    NO_DEFAULT_GATEWAY = (
        "wallet_gateway.W013",
        (
            "WALLET_GATEWAY['GATEWAYS'] has no gateway 'default': create_order, refund_migrated and the "
            "{%% wallet_scripts %%} tag fail where they are not given gateway='…' (known: %(known)s)"
        ),
        (
            "Call one of them 'default', or name the gateway in every call and add wallet_gateway.W013 to "
            "SILENCED_SYSTEM_CHECKS."
        ),
    )
    GATEWAY_MISSING = (
        "wallet_gateway.W014",
        (
            "%(count)d unfinished transactions were begun at the gateway %(gateway)r, which the settings do "
            "not have"
        ),
        (
            "Nobody asks about them, and their customers read that the payment is being checked. Put the "
            "gateway back under this alias, with 'SENDING_ENABLED': False if it is to take no new payment, "
            "until this is silent."
        ),
    )
    DJANGO_VULNERABLE = (
        "wallet_gateway.W015",
        "Django %(installed)s has known vulnerabilities, which %(fixed)s mends",
        "Install Django %(fixed)s, or a later one of its series.",
    )
    NOT_CONFIGURED = (
        "not_configured",
        _("payments are not set up: manage.py check names what is wrong in the settings"),
        "",
    )
    # Work in progress
    SWEEP_LATE = ("sweep_late", _("%(gateway)s was last swept %(minutes)d minutes ago"), _RUN_SWEEP)
    NEVER_SWEPT = ("never_swept", _("%(gateway)s was never swept"), _RUN_SWEEP)
    OUTCOME_UNKNOWN = ("outcome_unknown", _("an outcome is unknown since %(since)s"))
    CONTRADICTIONS = ("contradictions", _("contradictions that wait for a decision: %(count)d"))
    TRANSACTIONS_WAITING = ("transactions_waiting", _("transactions that wait for a person: %(count)d"))
    TRANSACTIONS_UNATTENDED = (
        "transactions_unattended",
        _("transactions that neither a sweep nor a person handles: %(count)d"),
    )
    OPERATIONS_REFUSED = (
        "operations_refused",
        _("operations that were refused afterwards, not seen yet: %(count)d"),
    )
    QUERIES_BEHIND = (
        "queries_behind",
        _("%(gateway)s: status queries that are more than a day late: %(count)d"),
        _("Raise RATE in QUERIES, or lower AGAIN_DAYS: asking again falls behind."),
    )
    DISCREPANCIES_OPEN = ("discrepancies_open", _("open differences: %(count)d"))
    UNIT_MIX_UPS = (
        "unit_mix_ups",
        _("open unit mix-ups, amounts that differ by a factor of ten or more: %(count)d"),
    )
    UNDOCUMENTED_STATE = (
        "undocumented_state",
        _(
            "%(gateway)s uses the word %(word)s for a state, which the interface does not name; "
            "transactions held by it: %(count)d"
        ),
    )
    RECORDS_SHARED = (
        "records_shared",
        _(
            "%(gateway)s shows one operation in its answers about two payments, so portal operations cannot "
            "be attributed"
        ),
    )
    ORDERS_OVERPAID = ("orders_overpaid", _("overpaid orders: %(count)d"))
    ORDERS_UNRELEASED = (
        "orders_unreleased",
        _("orders that are not released long after their end: %(count)d"),
    )
    UNKNOWN_GATEWAY = (
        "unknown_gateway",
        _("transactions at gateways that the settings do not name: %(count)d"),
    )
    ACCOUNT_WRONG = (
        "account_wrong",
        _("%(gateway)s is not used, because its account is wrong: %(problems)s"),
        _("Correct the account; no restart is needed. Its payments wait until then."),
    )
    ACCOUNTS_UNREADABLE = (
        "accounts_unreadable",
        _("the accounts cannot be read; those read last stay in use: %(error)s"),
        _("See what GATEWAYS names, and the log of wallet_gateway.accounts."),
    )
    EVENTS_LATE = ("events_late", _("events that could not be delivered to the shop: %(count)d"))
    SENDING_PAUSED = ("sending_paused", _("nothing is sent to %(gateway)s"))
    BATCHES_IDLE = (
        "batches_idle",
        _("running batches that no worker drives: %(count)d"),
        _("Run manage.py wallet_sweep, or open the page of the batch."),
    )
    WALLET_BUTTONS_CLOSED = (
        "wallet_buttons_closed",
        _("orders whose wallet button was closed by a limit within the last hour: %(count)d"),
    )
    # This machine and its database
    KEYS_UNREADABLE = (
        "keys_unreadable",
        _("the newest stored secret opens with none of the FERNET_KEYS"),
        _("Put the key that was removed back behind the others, then rotate."),
    )
    DATABASE_SILENT = ("database_silent", _("does not answer: %(error)s"), "")
    ISOLATION_TOO_WEAK = (
        "isolation_too_weak",
        _("reads what is not committed (%(isolation)s)"),
        _("Set it to read committed."),
    )
    ISOLATION_STRICT = (
        "isolation_strict",
        _("isolation is %(isolation)s; conflicts are tried again"),
        _("Prefer read committed."),
    )
    CLOCK_DIFFERS = (
        "clock_differs",
        _("%(seconds)s s off this machine"),
        _("Run a time service on this machine: certificates and leases depend on its clock."),
    )
    NOT_MIGRATED = (
        "not_migrated",
        _("tables or migrations are missing: %(missing)s"),
        _("Run manage.py migrate."),
    )
    # A gateway
    SENDING_DISABLED = (
        "sending_disabled",
        _("SENDING_ENABLED is False in the settings: nothing new is sent"),
        "",
    )
    MERCHANT_ACCOUNT_CHANGED = (
        "merchant_account_changed",
        _(
            "payments of the last 180 days that were made with another account (%(merchant)s, %(store)s) and "
            "can be neither captured nor refunded: %(count)d"
        ),
        _(
            "Give this gateway its former MERCHANT_ID and STORE_ID back, and the new account an alias of its "
            "own."
        ),
    )
    LIVE_BEHIND_TEST = (
        "live_behind_test",
        _(
            "PROFILE is 'test', but payments with real money are stored, which a test account does not know: "
            "%(count)d"
        ),
        _("Set PROFILE to 'prod' again, and give the test account an alias of its own."),
    )
    GATEWAY_UNREACHABLE = (
        "gateway_unreachable",
        _("%(address)s cannot be reached: %(error)s"),
        _("See BASE_URL, PROXY, the network and certificates."),
    )
    SANDBOX_NOT_STARTED = (
        "sandbox_not_started",
        _("no sandbox answers at %(address)s: %(error)s"),
        _("Start it: %(command)s"),
    )
    CREDENTIALS_REFUSED = (
        "credentials_refused",
        _("reached, but it does not take our credentials: %(error)s"),
        _("See MERCHANT_ID, STORE_ID, USER_ID and AUTH."),
    )
    GATEWAY_BUSY = ("gateway_busy", _("reached, but it wants to be left alone: %(error)s"), "")
    UNEXPECTED_ANSWER = (
        "unexpected_answer",
        _("reached, but it does not answer as agreed: %(error)s"),
        _("See BASE_URL and PATHS."),
    )
    WALLET_KEY_REFUSED = (
        "wallet_key_refused",
        _("it no longer takes the stored wallet key, so no wallet button could pay"),
        _("Nothing to do: the next button that is shown gets a new key."),
    )
    WALLET_KEY_NOT_TRIED = (
        "wallet_key_not_tried",
        _("the stored wallet key could not be tried: %(error)s"),
        "",
    )
    # Before going live
    PROFILE_NOT_LIVE = ("profile_not_live", _("PROFILE is %(profile)s"), _("Set it to 'prod'."))
    TESTS_STORED = (
        "tests_stored",
        _("test payments are stored: %(count)d"),
        _("No figure counts them once PROFILE is 'prod'. Run manage.py wallet_forget_tests."),
    )
    NO_PAYMENT_COMPARED = (
        "no_payment_compared",
        _("no real payment was compared with the bank statement"),
        _(
            "Pay an order of a low amount, such as 1.00 EUR, compare it, and record it with "
            "--record-payment REFERENCE."
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding about one subject."""

    level: Level
    code: Code
    subject: str
    """The subject of the check: `settings`, `clock`, `gateway default`."""
    params: Mapping[str, object] = field(default_factory=dict)
    message: Text = ""
    """Of what is in order; any other finding has that of its code."""

    @property
    def text(self) -> str:
        """Return the message in the reader's language."""
        return str(self.message or self.code.message) % self.params

    @property
    def advice(self) -> str:
        """Return what to do, in the reader's language; empty if there is nothing to do."""
        pages = {
            "runbook": address_of("runbook", self.code),
            "monitoring": address_of("how-to/monitoring", "collectors-of-errors"),
        }
        return str(self.code.advice) % {**self.params, **pages}

    @property
    def docs(self) -> str:
        """Return where the documentation describes a system check; empty for another finding."""
        return address_of("reference/checks", self.code) if self.code.startswith("wallet_gateway.") else ""

    def as_dict(self) -> dict[str, object]:
        """Return the finding for programs; code and parameters are the same in every language."""
        return {
            "level": self.level.value,
            "code": str(self.code),
            "subject": self.subject,
            "params": dict(self.params),
            "text": self.text,
            "advice": self.advice,
        }


def ok(subject: str, message: Text, **params: object) -> Finding:
    """Return a finding that a subject is in order."""
    return Finding(level=Level.OK, code=Code.IN_ORDER, subject=subject, params=params, message=message)


def warning(code: Code, subject: str, **params: object) -> Finding:
    """Return a finding that a person should check."""
    return Finding(level=Level.WARNING, code=code, subject=subject, params=params)


def error(code: Code, subject: str, **params: object) -> Finding:
    """Return a finding that something is wrong."""
    return Finding(level=Level.ERROR, code=code, subject=subject, params=params)
