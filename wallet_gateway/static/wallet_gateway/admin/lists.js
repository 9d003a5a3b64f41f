// Turns the rows of a list into cards while the list has no room for its columns: beside a sidebar, on a phone, in a
// language of long words. Each cell gets the heading of its column, which lists.css shows in a card.

"use strict";

(() => {
  const list = document.querySelector("#changelist-form #result_list");
  if (!list) return;
  const box = list.parentElement;
  let width;

  const headings = [...(list.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent.trim());
  for (const row of list.tBodies[0]?.rows ?? []) {
    [...row.cells].forEach((cell, column) => (cell.dataset.walletHeading = headings[column] ?? ""));
  }

  function fit() {
    // Cards are of another height; only another width asks for another look.
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    list.classList.remove("wallet-cards");
    list.classList.toggle("wallet-cards", box.scrollWidth > width);
  }

  fit();
  new ResizeObserver(fit).observe(box);
})();
