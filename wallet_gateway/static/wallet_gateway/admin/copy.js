// Copies a reference with one press. Without this script there is no button, and the reference can be selected.

"use strict";

(() => {
  const DONE_FOR_MS = 2000;
  const status = document.querySelector("[data-wallet-copied]");

  // A page without https has no clipboard, and a person may forbid it: then the text is selected for the keys.
  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text.textContent);
      return true;
    } catch {
      window.getSelection().selectAllChildren(text);
      return false;
    }
  }

  async function copy(button) {
    const isCopied = await copied(button.previousElementSibling);
    button.toggleAttribute("data-wallet-done", isCopied);
    status.textContent = isCopied ? button.dataset.walletCopy : button.dataset.walletSelected;
    window.setTimeout(() => {
      button.removeAttribute("data-wallet-done");
      status.textContent = "";
    }, DONE_FOR_MS);
  }

  document.querySelectorAll("[data-wallet-copy]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => void copy(button));
  });
})();
