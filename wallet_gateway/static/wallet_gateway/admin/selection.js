// Adds up the amounts of the ticked rows of a list, by currency. The amounts are whole minor units; how a sum is
// written comes from the server, so that it looks like the amounts of the rows.

"use strict";

(() => {
  const line = document.querySelector("[data-wallet-ticked]");
  const form = document.querySelector("#changelist-form");

  function written(units, amount, { walletDecimal, walletGroup, walletGroups }) {
    const [last, others] = walletGroups.split(" ").map(Number);
    const decimals = Number(amount.dataset.decimals);
    const digits = String(units).padStart(decimals + 1, "0");
    const groups = [];
    for (let end = digits.length - decimals, size = last; end > 0; end -= size, size = others) {
      groups.unshift(digits.slice(Math.max(0, end - size), end));
    }
    const whole = groups.join(walletGroup);
    const text = decimals ? whole + walletDecimal + digits.slice(-decimals) : whole;
    return amount.dataset.form.replace("{}", text);
  }

  function show() {
    const amounts = [...form.querySelectorAll("input.action-select:checked")]
      .map((box) => box.closest("tr").querySelector("data.wallet-amount"))
      .filter(Boolean);
    const sums = new Map();
    for (const amount of amounts) {
      const { currency } = amount.dataset;
      const known = sums.get(currency)?.units ?? 0n;
      sums.set(currency, { units: known + BigInt(amount.value), amount });
    }
    // "Select all across pages" is more than these boxes: then the line above has the sums.
    const isAcross = form.querySelector("input.select-across")?.value === "1";
    const texts = [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
    const sum = texts
      .map(([, { units, amount }]) => written(units, amount, line.parentElement.dataset))
      .join(line.dataset.walletAnd);
    // By functions, because a dollar sign in a plain replacement may stand for something else.
    line.textContent =
      texts.length && !isAcross
        ? line.dataset.walletTicked.replace("%(count)s", () => amounts.length).replace("%(sums)s", () => sum)
        : "";
  }

  if (line && form) {
    // After Django's own script, which ticks all rows with one box.
    ["change", "click"].forEach((kind) => form.addEventListener(kind, () => window.setTimeout(show)));
    window.addEventListener("pageshow", show);
  }
})();
