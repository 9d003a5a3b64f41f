// Lets a running batch go on and shows how far it is, without loading the page anew: whoever is about to press
// "Stop" keeps the focus there. Each look carries out some more rows. Without this script the page reloads itself.

"use strict";

(() => {
  const PAUSE_MS = 1000;
  const LONGEST_PAUSE_MS = 30000;
  let pause = PAUSE_MS;

  function take(next) {
    document.querySelectorAll("[data-wallet-part]").forEach((part) => {
      const news = next.querySelector(`[data-wallet-part="${part.dataset.walletPart}"]`);
      if (news && part.innerHTML !== news.innerHTML) {
        part.replaceChildren(...news.childNodes);
      }
    });
  }

  async function look() {
    try {
      const answer = await fetch(window.location.href, { headers: { Accept: "text/html" } });
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok || !next.querySelector("[data-wallet-running]")) {
        // It has ended, or another page is to be seen, such as the one to log in.
        window.location.reload();
        return;
      }
      take(next);
      pause = PAUSE_MS;
    } catch {
      // The line is cut: the batch waits for the next look.
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
    window.setTimeout(look, pause);
  }

  if (document.querySelector("[data-wallet-running]")) {
    window.setTimeout(look, PAUSE_MS);
  }
})();
