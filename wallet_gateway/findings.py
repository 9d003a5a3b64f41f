"""The possible findings of the checks: a code, a level, the parameters, and the message for each code.

The health view, `wallet_doctor` and the system checks show the same findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

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


class Code(StrEnum):
    """The codes of findings. A finding of a system check has the check's id as its code."""

    IN_ORDER = "in_order"
    """Of every finding that a subject is in order: nobody acts by it. Its message comes from the check."""
    # The configuration: what the system checks report
    WRONG_SETTING = "wallet_gateway.E001"
    URLS_MISSING = "wallet_gateway.E002"
    TIME_ZONES_OFF = "wallet_gateway.E003"
    TABLES_ELSEWHERE = "wallet_gateway.E004"
    SANDBOX_SERVED = "wallet_gateway.E005"
    DEBUG_IN_PRODUCTION = "wallet_gateway.E006"
    PACKAGE_MISSING = "wallet_gateway.E007"
    ATOMIC_MIDDLEWARE = "wallet_gateway.E008"
    LETTERS_MISSING = "wallet_gateway.E009"
    ATOMIC_REQUESTS = "wallet_gateway.W001"
    SQLITE_NOT_IMMEDIATE = "wallet_gateway.W002"
    SQLITE_IN_PRODUCTION = "wallet_gateway.W003"
    COMMITS_NOT_DURABLE = "wallet_gateway.W004"
    MODULES_DELETED = "wallet_gateway.W005"
    STATIC_ORIGIN_DIFFERS = "wallet_gateway.W006"
    DEBUG_IN_PUBLIC = "wallet_gateway.W007"
    SANDBOX_MERCHANT = "wallet_gateway.W008"
    SIGNING_KEY_PUBLISHED = "wallet_gateway.W009"
    CLIENT_KEY_READABLE = "wallet_gateway.W010"
    CLIENT_CERT_ENDS = "wallet_gateway.W011"
    COLLECTOR_RECORDS_TOO_MUCH = "wallet_gateway.W012"
    NO_DEFAULT_GATEWAY = "wallet_gateway.W013"
    GATEWAY_MISSING = "wallet_gateway.W014"
    DJANGO_VULNERABLE = "wallet_gateway.W015"
    NOT_CONFIGURED = "not_configured"
    # Work in progress
    SWEEP_LATE = "sweep_late"
    NEVER_SWEPT = "never_swept"
    OUTCOME_UNKNOWN = "outcome_unknown"
    CONTRADICTIONS = "contradictions"
    TRANSACTIONS_WAITING = "transactions_waiting"
    TRANSACTIONS_UNATTENDED = "transactions_unattended"
    OPERATIONS_REFUSED = "operations_refused"
    QUERIES_BEHIND = "queries_behind"
    DISCREPANCIES_OPEN = "discrepancies_open"
    UNIT_MIX_UPS = "unit_mix_ups"
    UNDOCUMENTED_STATE = "undocumented_state"
    RECORDS_SHARED = "records_shared"
    ORDERS_OVERPAID = "orders_overpaid"
    ORDERS_UNRELEASED = "orders_unreleased"
    UNKNOWN_GATEWAY = "unknown_gateway"
    ACCOUNT_WRONG = "account_wrong"
    ACCOUNTS_UNREADABLE = "accounts_unreadable"
    EVENTS_LATE = "events_late"
    SENDING_PAUSED = "sending_paused"
    BATCHES_IDLE = "batches_idle"
    WALLET_BUTTONS_CLOSED = "wallet_buttons_closed"
    # This machine and its database
    KEYS_UNREADABLE = "keys_unreadable"
    DATABASE_SILENT = "database_silent"
    ISOLATION_TOO_WEAK = "isolation_too_weak"
    ISOLATION_STRICT = "isolation_strict"
    CLOCK_DIFFERS = "clock_differs"
    NOT_MIGRATED = "not_migrated"
    # A gateway
    SENDING_DISABLED = "sending_disabled"
    MERCHANT_ACCOUNT_CHANGED = "merchant_account_changed"
    LIVE_BEHIND_TEST = "live_behind_test"
    GATEWAY_UNREACHABLE = "gateway_unreachable"
    SANDBOX_NOT_STARTED = "sandbox_not_started"
    CREDENTIALS_REFUSED = "credentials_refused"
    GATEWAY_BUSY = "gateway_busy"
    UNEXPECTED_ANSWER = "unexpected_answer"
    WALLET_KEY_REFUSED = "wallet_key_refused"
    WALLET_KEY_NOT_TRIED = "wallet_key_not_tried"
    # Before going live
    PROFILE_NOT_LIVE = "profile_not_live"
    TESTS_STORED = "tests_stored"
    NO_PAYMENT_COMPARED = "no_payment_compared"


# The messages of the system checks are not translated, as those of Django itself.
_MESSAGES: Mapping[Code, Text] = MappingProxyType(
    {
        Code.WRONG_SETTING: "%(setting)s: %(expected)s",
        Code.URLS_MISSING: "the URLs of wallet_gateway are not included, so customers could not come back",
        Code.TIME_ZONES_OFF: "USE_TZ is off; leases and timetables need aware instants",
        Code.TABLES_ELSEWHERE: (
            "a database router sends the tables of wallet_gateway to %(database)r; they must be in "
            "%(expected)r, for writing and for reading"
        ),
        Code.PACKAGE_MISSING: "the package %(package)s cannot be imported: %(problem)s",
        Code.LETTERS_MISSING: (
            "%(place)s has the character set %(character_set)s, which lacks letters and emoji that customers "
            "and gateways write: what has one of them is not stored, and a payment fails"
        ),
        Code.SANDBOX_SERVED: (
            "wallet_gateway.sandbox is in INSTALLED_APPS; its console would be open to everybody"
        ),
        Code.ATOMIC_REQUESTS: (
            "DATABASES[%(database)r] has ATOMIC_REQUESTS: views that call wallet_gateway.payments must be "
            "decorated with django.db.transaction.non_atomic_requests"
        ),
        Code.ATOMIC_MIDDLEWARE: (
            "MIDDLEWARE has %(middleware)r, which opens a database transaction around every view: no payment "
            "can begin"
        ),
        Code.SQLITE_NOT_IMMEDIATE: (
            "DATABASES[%(database)r]['OPTIONS']['transaction_mode'] should be 'IMMEDIATE'"
        ),
        Code.SQLITE_IN_PRODUCTION: (
            "DATABASES[%(database)r] is SQLite: one writer at a time, fit for one process"
        ),
        Code.COMMITS_NOT_DURABLE: (
            "DATABASES[%(database)r] may lose what it has committed when the power fails: "
            "%(variable)s is %(value)s"
        ),
        Code.MODULES_DELETED: (
            "WHITENOISE_KEEP_ONLY_HASHED_FILES deletes the wallet button's modules, so it would never appear"
        ),
        Code.STATIC_ORIGIN_DIFFERS: (
            "static files are on another origin (%(files)s) than the shop's pages (%(pages)s): the wallet "
            "button and the page that waits for an outcome are modules, which a browser takes from there "
            "only with CORS"
        ),
        Code.DEBUG_IN_PRODUCTION: "DEBUG is on, and %(gateways)s has the profile 'prod': real money moves",
        Code.DEBUG_IN_PUBLIC: "DEBUG is on, and customers reach the shop at %(origin)s",
        Code.SANDBOX_MERCHANT: (
            "%(setting)s is that of the sandbox's merchant although DEBUG is off: no money moves"
        ),
        Code.SIGNING_KEY_PUBLISHED: (
            "%(setting)s is in public files: anybody can sign sessions and return addresses of this shop"
        ),
        Code.CLIENT_KEY_READABLE: "%(setting)s: every user of this machine can read the key in %(file)s",
        Code.CLIENT_CERT_ENDS: "%(setting)s: the certificate in %(file)s is valid until %(ends)s",
        Code.NO_DEFAULT_GATEWAY: (
            "WALLET_GATEWAY['GATEWAYS'] has no gateway 'default': create_order, refund_migrated and the "
            "{%% wallet_scripts %%} tag fail where they are not given gateway='…' (known: %(known)s)"
        ),
        Code.COLLECTOR_RECORDS_TOO_MUCH: "%(collector)s records customers or secrets with %(option)s",
        Code.DJANGO_VULNERABLE: "Django %(installed)s has known vulnerabilities, which %(fixed)s mends",
        Code.GATEWAY_MISSING: (
            "%(count)d unfinished transactions were begun at the gateway %(gateway)r, which the settings do "
            "not have"
        ),
        Code.NOT_CONFIGURED: _(
            "payments are not set up: manage.py check names what is wrong in the settings"
        ),
        Code.SWEEP_LATE: _("%(gateway)s was last swept %(minutes)d minutes ago"),
        Code.NEVER_SWEPT: _("%(gateway)s was never swept"),
        Code.OUTCOME_UNKNOWN: _("an outcome is unknown since %(since)s"),
        Code.CONTRADICTIONS: _("contradictions that wait for a decision: %(count)d"),
        Code.TRANSACTIONS_WAITING: _("transactions that wait for a person: %(count)d"),
        Code.TRANSACTIONS_UNATTENDED: _("transactions that neither a sweep nor a person handles: %(count)d"),
        Code.OPERATIONS_REFUSED: _("operations that were refused afterwards, not seen yet: %(count)d"),
        Code.QUERIES_BEHIND: _("%(gateway)s: status queries that are more than a day late: %(count)d"),
        Code.DISCREPANCIES_OPEN: _("open differences: %(count)d"),
        Code.UNIT_MIX_UPS: _("open unit mix-ups, amounts that differ by a factor of ten or more: %(count)d"),
        Code.UNDOCUMENTED_STATE: _(
            "%(gateway)s uses the word %(word)s for a state, which the interface does not name; "
            "transactions held by it: %(count)d"
        ),
        Code.RECORDS_SHARED: _(
            "%(gateway)s shows one operation in its answers about two payments, so portal operations cannot "
            "be attributed"
        ),
        Code.ORDERS_OVERPAID: _("overpaid orders: %(count)d"),
        Code.ORDERS_UNRELEASED: _("orders that are not released long after their end: %(count)d"),
        Code.UNKNOWN_GATEWAY: _("transactions at gateways that the settings do not name: %(count)d"),
        Code.ACCOUNT_WRONG: _("%(gateway)s is not used, because its account is wrong: %(problems)s"),
        Code.ACCOUNTS_UNREADABLE: _("the accounts cannot be read; those read last stay in use: %(error)s"),
        Code.EVENTS_LATE: _("events that could not be delivered to the shop: %(count)d"),
        Code.SENDING_PAUSED: _("nothing is sent to %(gateway)s"),
        Code.BATCHES_IDLE: _("running batches that no worker drives: %(count)d"),
        Code.WALLET_BUTTONS_CLOSED: _(
            "orders whose wallet button was closed by a limit within the last hour: %(count)d"
        ),
        Code.KEYS_UNREADABLE: _("the newest stored secret opens with none of the FERNET_KEYS"),
        Code.DATABASE_SILENT: _("does not answer: %(error)s"),
        Code.ISOLATION_TOO_WEAK: _("reads what is not committed (%(isolation)s)"),
        Code.ISOLATION_STRICT: _("isolation is %(isolation)s; conflicts are tried again"),
        Code.NOT_MIGRATED: _("tables or migrations are missing: %(missing)s"),
        Code.CLOCK_DIFFERS: _("%(seconds)s s off this machine"),
        Code.SENDING_DISABLED: _("SENDING_ENABLED is False in the settings: nothing new is sent"),
        Code.MERCHANT_ACCOUNT_CHANGED: _(
            "payments of the last 180 days that were made with another account (%(merchant)s, %(store)s) and "
            "can be neither captured nor refunded: %(count)d"
        ),
        Code.LIVE_BEHIND_TEST: _(
            "PROFILE is 'test', but payments with real money are stored, which a test account does not know: "
            "%(count)d"
        ),
        Code.GATEWAY_UNREACHABLE: _("%(address)s cannot be reached: %(error)s"),
        Code.SANDBOX_NOT_STARTED: _("no sandbox answers at %(address)s: %(error)s"),
        Code.CREDENTIALS_REFUSED: _("reached, but it does not take our credentials: %(error)s"),
        Code.GATEWAY_BUSY: _("reached, but it wants to be left alone: %(error)s"),
        Code.UNEXPECTED_ANSWER: _("reached, but it does not answer as agreed: %(error)s"),
        Code.WALLET_KEY_REFUSED: _("it no longer takes the stored wallet key, so no wallet button could pay"),
        Code.WALLET_KEY_NOT_TRIED: _("the stored wallet key could not be tried: %(error)s"),
        Code.PROFILE_NOT_LIVE: _("PROFILE is %(profile)s"),
        Code.TESTS_STORED: _("test payments are stored: %(count)d"),
        Code.NO_PAYMENT_COMPARED: _("no real payment was compared with the bank statement"),
    }
)
_RUN_SWEEP = _("Run manage.py wallet_sweep every minute, or with --loop.")
_SEE_RUNBOOK = _("See %(runbook)s")
_ADVICE: Mapping[Code, Text] = MappingProxyType(
    {
        Code.WRONG_SETTING: "See the settings reference in the documentation.",
        Code.URLS_MISSING: "Add path('wallet/', include('wallet_gateway.urls')) to the root URLconf.",
        Code.TIME_ZONES_OFF: "Set USE_TZ = True.",
        Code.PACKAGE_MISSING: "Install django-wallet-gateway with all that it depends on.",
        Code.LETTERS_MISSING: "%(remedy)s",
        Code.TABLES_ELSEWHERE: (
            "Return None for wallet_gateway. A replica lags, and transactions are of one database."
        ),
        Code.SANDBOX_SERVED: (
            "Remove it and run `python -m wallet_gateway.sandbox`, which has a process and a database of its "
            "own."
        ),
        Code.ATOMIC_REQUESTS: ("What is sent to the gateway must be committed before the first byte leaves."),
        Code.ATOMIC_MIDDLEWARE: (
            "Name a subclass of RevisionMiddleware with atomic = False in its place: what is sent to the "
            "gateway must be committed before the first byte leaves."
        ),
        Code.SQLITE_NOT_IMMEDIATE: (
            "Otherwise a transaction that reads and then writes fails when another one writes."
        ),
        Code.SQLITE_IN_PRODUCTION: "Use PostgreSQL or MariaDB for a shop with more than one worker.",
        Code.COMMITS_NOT_DURABLE: ("A request that left without a row is a payment that nobody knows of."),
        Code.MODULES_DELETED: (
            "Derive from %(storage)s and set support_js_module_import_aggregation = True."
        ),
        Code.STATIC_ORIGIN_DIFFERS: (
            "Let that host answer every script with 'Access-Control-Allow-Origin: *' (or %(pages)s), then "
            "add wallet_gateway.W006 to SILENCED_SYSTEM_CHECKS."
        ),
        Code.DEBUG_IN_PRODUCTION: "Set DEBUG = False: error pages show settings and what customers sent.",
        Code.DEBUG_IN_PUBLIC: "Set DEBUG = False: error pages show settings and what customers sent.",
        Code.SANDBOX_MERCHANT: (
            "Name your own merchant. On a staging site add wallet_gateway.W008 to SILENCED_SYSTEM_CHECKS."
        ),
        Code.SIGNING_KEY_PUBLISHED: (
            "Make one of your own; it is refused once a gateway has the profile 'prod'."
        ),
        Code.CLIENT_KEY_READABLE: "Let the user who runs the shop own it, and chmod it to 600.",
        Code.CLIENT_CERT_ENDS: "Renew it and restart: without it no request reaches the gateway.",
        Code.NO_DEFAULT_GATEWAY: (
            "Call one of them 'default', or name the gateway in every call and add wallet_gateway.W013 to "
            "SILENCED_SYSTEM_CHECKS."
        ),
        Code.DJANGO_VULNERABLE: "Install Django %(fixed)s, or a later one of its series.",
        Code.GATEWAY_MISSING: (
            "Nobody asks about them, and their customers read that the payment is being checked. Put the "
            "gateway back under this alias, with 'SENDING_ENABLED': False if it is to take no new payment, "
            "until this is silent."
        ),
        Code.COLLECTOR_RECORDS_TOO_MUCH: "%(remedy)s. See %(monitoring)s",
        Code.SWEEP_LATE: _RUN_SWEEP,
        Code.NEVER_SWEPT: _RUN_SWEEP,
        Code.OUTCOME_UNKNOWN: _SEE_RUNBOOK,
        Code.CONTRADICTIONS: _SEE_RUNBOOK,
        Code.TRANSACTIONS_WAITING: _SEE_RUNBOOK,
        Code.TRANSACTIONS_UNATTENDED: _SEE_RUNBOOK,
        Code.OPERATIONS_REFUSED: _SEE_RUNBOOK,
        Code.QUERIES_BEHIND: _("Raise RATE in QUERIES, or lower AGAIN_DAYS: asking again falls behind."),
        Code.DISCREPANCIES_OPEN: _SEE_RUNBOOK,
        Code.UNIT_MIX_UPS: _SEE_RUNBOOK,
        Code.UNDOCUMENTED_STATE: _SEE_RUNBOOK,
        Code.RECORDS_SHARED: _SEE_RUNBOOK,
        Code.ORDERS_OVERPAID: _SEE_RUNBOOK,
        Code.ORDERS_UNRELEASED: _SEE_RUNBOOK,
        Code.UNKNOWN_GATEWAY: _SEE_RUNBOOK,
        Code.ACCOUNT_WRONG: _("Correct the account; no restart is needed. Its payments wait until then."),
        Code.ACCOUNTS_UNREADABLE: _("See what GATEWAYS names, and the log of wallet_gateway.accounts."),
        Code.EVENTS_LATE: _SEE_RUNBOOK,
        Code.SENDING_PAUSED: _SEE_RUNBOOK,
        Code.WALLET_BUTTONS_CLOSED: _SEE_RUNBOOK,
        Code.BATCHES_IDLE: _("Run manage.py wallet_sweep, or open the page of the batch."),
        Code.KEYS_UNREADABLE: _("Put the key that was removed back behind the others, then rotate."),
        Code.ISOLATION_TOO_WEAK: _("Set it to read committed."),
        Code.ISOLATION_STRICT: _("Prefer read committed."),
        Code.CLOCK_DIFFERS: _(
            "Run a time service on this machine: certificates and leases depend on its clock."
        ),
        Code.NOT_MIGRATED: _("Run manage.py migrate."),
        Code.MERCHANT_ACCOUNT_CHANGED: _(
            "Give this gateway its former MERCHANT_ID and STORE_ID back, and the new account an alias of its "
            "own."
        ),
        Code.LIVE_BEHIND_TEST: _(
            "Set PROFILE to 'prod' again, and give the test account an alias of its own."
        ),
        Code.SANDBOX_NOT_STARTED: _("Start it: %(command)s"),
        Code.GATEWAY_UNREACHABLE: _("See BASE_URL, PROXY, the network and certificates."),
        Code.CREDENTIALS_REFUSED: _("See MERCHANT_ID, STORE_ID, USER_ID and AUTH."),
        Code.UNEXPECTED_ANSWER: _("See BASE_URL and PATHS."),
        Code.WALLET_KEY_REFUSED: _("Nothing to do: the next button that is shown gets a new key."),
        Code.TESTS_STORED: _(
            "No figure counts them once PROFILE is 'prod'. Run manage.py wallet_forget_tests."
        ),
        Code.PROFILE_NOT_LIVE: _("Set it to 'prod'."),
        Code.NO_PAYMENT_COMPARED: _(
            "Pay an order of a low amount, such as 1.00 EUR, compare it, and record it with "
            "--record-payment REFERENCE."
        ),
    }
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
        return str(self.message or _MESSAGES[self.code]) % self.params

    @property
    def advice(self) -> str:
        """Return what to do, in the reader's language; empty if there is nothing to do."""
        pages = {
            "runbook": address_of("runbook", self.code),
            "monitoring": address_of("how-to/monitoring", "collectors-of-errors"),
        }
        return str(_ADVICE.get(self.code, "")) % {**self.params, **pages}

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
