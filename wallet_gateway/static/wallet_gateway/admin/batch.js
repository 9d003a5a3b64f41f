// Shows how far a running batch is, without loading the page anew: a person who is about to press "Pause" keeps the
// focus there. The sweep carries the batch out. The page of the person who confirmed it submits its form with each
// look, which carries out some more rows at once; any other page only looks. Without this script the page reloads itself.

"use strict";

(() => {
  const PAUSE_MS = 1000;
  const LONGEST_PAUSE_MS = 30000;
  const running = document.querySelector("[data-wallet-running]");
  const page = running?.dataset.walletPage;
  let pause = PAUSE_MS;

  function take(next) {
    document.querySelectorAll("[data-wallet-part]").forEach((part) => {
      const news = next.querySelector(`[data-wallet-part="${part.dataset.walletPart}"]`);
      if (news && part.innerHTML !== news.innerHTML) {
        part.replaceChildren(...news.childNodes);
      }
    });
  }

  function ask() {
    const form = document.querySelector("form[data-wallet-drives]");
    if (!form) {
      return fetch(page, { headers: { Accept: "text/html" } });
    }
    const body = new URLSearchParams(new FormData(form));
    body.set("carry_on", "1");
    return fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
  }

  async function look() {
    try {
      const answer = await ask();
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok || !next.querySelector("[data-wallet-running]")) {
        // It has ended, or another page is to be seen, such as the one to log in.
        window.location.assign(page);
        return;
      }
      take(next);
      pause = PAUSE_MS;
    } catch {
      // The line is cut: look again later.
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
    window.setTimeout(look, pause);
  }

  if (running) {
    look();
  }
})();
