// Fetches the figures of the dashboard once the page stands: they count a month of payments, and what needs a person
// does not wait for that. Without this script, or where the request fails, a link leads to the page with the figures.

"use strict";

(() => {
  const place = document.querySelector("[data-wallet-figures]");
  if (!place) {
    return;
  }
  // Unlike fetch, it reads a page by itself: no text becomes HTML here, which Trusted Types would refuse.
  const request = new XMLHttpRequest();
  request.open("GET", place.dataset.walletFigures);
  request.responseType = "document";
  request.setRequestHeader("Accept", "text/html");
  request.addEventListener("load", () => {
    const figures = request.response;
    // Another page is the one to log in, or an error; the link leads there.
    if (request.status === 200 && figures?.querySelector("form.wallet-range")) {
      place.replaceChildren(...figures.body.childNodes);
      document.dispatchEvent(new Event("wallet:figures"));
    }
  });
  request.addEventListener("loadend", () => place.removeAttribute("aria-busy"));
  place.setAttribute("aria-busy", "true");
  request.send();
})();
