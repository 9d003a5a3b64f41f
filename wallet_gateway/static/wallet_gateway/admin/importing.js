// Sends a migration file and shows how far its check or import is. Without this script the form does the same,
// and shows the end of it.

"use strict";

(() => {
  const MOST_SHOWN = 1000;
  const form = document.querySelector("[data-wallet-import]");
  const progress = document.querySelector("[data-wallet-progress]");
  const label = progress.querySelector("label");
  const bar = progress.querySelector("progress");
  const end = document.querySelector("[data-wallet-end]");
  const failed = document.querySelector("[data-wallet-failed]");
  const bad = document.querySelector("[data-wallet-bad]");
  const caption = bad.querySelector("caption");
  const list = document.querySelector("[data-wallet-list]");
  const why = document.querySelector("[data-wallet-why]");
  const stored = document.querySelector("[data-wallet-stored]");
  let reasons = [];

  function show(step, total) {
    label.textContent = label.dataset.walletWords
      .replace("{checked}", String(step.checked))
      .replace("{stored}", String(step.stored));
    if (step.stored) {
      bar.max = total;
      bar.value = step.stored;
    }
    const body = bad.querySelector("tbody");
    step.bad.forEach(({ line, reason }) => {
      if (reasons.length < MOST_SHOWN) {
        const row = body.insertRow();
        row.insertCell().textContent = String(line);
        row.insertCell().textContent = reason;
      }
      reasons.push(`${line},"${reason.replaceAll('"', '""')}"\r\n`);
      bad.hidden = false;
    });
    const words = reasons.length > MOST_SHOWN ? caption.dataset.walletFirst : caption.dataset.walletAll;
    caption.textContent = words.replace("{shown}", String(MOST_SHOWN)).replace("{count}", String(reasons.length));
  }

  function finish(step) {
    end.textContent = step.sentence;
    form.elements.checked.value = step.token;
    const isReady = Boolean(step.token && step.checked);
    form.querySelector("[data-wallet-take]").disabled = !isReady;
    why.hidden = isReady;
    stored.hidden = !step.stored;
    bar.max = 1;
    bar.value = 1;
    if (reasons.length) {
      const text = new Blob(["line,reason\r\n", ...reasons], { type: "text/csv" });
      list.querySelector("a").href = URL.createObjectURL(text);
      list.hidden = false;
    }
  }

  async function* linesOf(answer) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      yield* lines.map((line) => JSON.parse(line));
    }
  }

  function reset() {
    reasons = [];
    bad.querySelector("tbody").replaceChildren();
    [bad, list, failed, stored].forEach((part) => {
      part.hidden = true;
    });
    end.textContent = "";
    bar.removeAttribute("value");
    progress.hidden = false;
  }

  async function send(button) {
    const data = new FormData(form, button);
    reset();
    const buttons = form.querySelectorAll("button");
    const before = [...buttons].map((each) => each.disabled);
    buttons.forEach((each) => {
      each.disabled = true;
    });
    let last = { sentence: undefined };
    try {
      const answer = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/x-ndjson" } });
      if (!answer.headers.get("Content-Type").startsWith("application/x-ndjson")) {
        // The form has a fault that the page says beside its field.
        form.submit();
        return;
      }
      for await (const step of linesOf(answer)) {
        show(step, last.checked);
        last = step;
      }
    } catch {
      // Said below: without its last line the answer has broken off.
    }
    buttons.forEach((each, index) => {
      each.disabled = before[index];
    });
    if (last.sentence === undefined) {
      failed.hidden = false;
    } else {
      finish(last);
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.submitter);
  });
})();
