// A button that moves money names how much. As soon as an amount or a choice of the page changes, it no longer does
// so: it then says what it will do, which is to bring the page back with the new amount in its name.

"use strict";

(() => {
  const button = document.querySelector("button[data-wallet-unnamed]");
  const named = button?.textContent;
  const NAMED_BY = 'input[name="amount"], input[name^="amount-"], input[name^="take-"]';

  function stateOf(form) {
    return JSON.stringify(
      [...form.querySelectorAll(NAMED_BY)].map((input) => (input.type === "checkbox" ? input.checked : input.value)),
    );
  }

  if (button) {
    const asShown = stateOf(button.form);
    button.form.addEventListener("input", () => {
      button.textContent = stateOf(button.form) === asShown ? named : button.dataset.walletUnnamed;
    });
  }
})();
