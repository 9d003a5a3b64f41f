// A button that moves money names how much. As soon as an amount or a choice of the page changes, it no longer does
// so: it then says what it will do, which is to bring the page back with the new amount in its name.

"use strict";

(() => {
  const button = document.querySelector("button[data-wallet-unnamed]");
  const named = button?.textContent;
  const NAMED_BY = 'input[name="amount"], input[name^="amount-"], input[name^="take-"]';

  const isAsShown = (input) =>
    input.type === "checkbox" ? input.checked === input.defaultChecked : input.value === input.defaultValue;

  function name() {
    const inputs = [...button.form.querySelectorAll(NAMED_BY)];
    button.textContent = inputs.every(isAsShown) ? named : button.dataset.walletUnnamed;
  }

  if (button) {
    button.form.addEventListener("input", name);
    // A quick person, or a browser that restores a form, may have changed something before.
    window.addEventListener("pageshow", name);
    name();
  }
})();
