"""``make bench``: measures everything and prints one table."""

from __future__ import annotations

from bench import cart, checkout, client_call, importing, sandbox, sweep, unseal
from bench.measure import Finding


def main() -> None:
    """Measure, then print each finding beside its promise."""
    findings: list[Finding] = []
    for subject in (cart, unseal, client_call, sandbox, checkout, importing, sweep):
        for finding in subject.measure():
            findings.append(finding)
            print(f"  measured: {finding.what}: {finding.value:.2f}{finding.unit}", flush=True)
    width = max(len(finding.what) for finding in findings)
    print(f"\n{'what':<{width}}  {'measured':>9}  {'promised':<16}  result")
    for finding in findings:
        measured = f"{finding.value:.2f}{finding.unit}"
        result = "met" if finding.met else "MISSED"
        print(f"{finding.what:<{width}}  {measured:>9}  {finding.promise:<16}  {result}")


if __name__ == "__main__":
    main()
