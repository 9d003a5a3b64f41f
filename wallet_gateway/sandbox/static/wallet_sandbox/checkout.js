// The checkout page's two comforts: the time left counted down, and a second press of a button that does nothing.
// The page is complete without this file. No words live here: they stand in data attributes, in the page's language.

const SHORT_TIME_SECONDS = 60;

function clockFace(seconds) {
  const rest = String(seconds % 60).padStart(2, "0");
  return `${Math.floor(seconds / 60)}:${rest}`;
}

function startCountdown(timer) {
  // Counted from the seconds the server gave, not from the date: the sandbox's clock need not be the browser's.
  const end = performance.now() + Number(timer.dataset.secondsLeft) * 1000;
  const text = timer.querySelector("[data-countdown-text]");
  const face = document.createElement("bdi");
  face.dir = "ltr";

  function show() {
    const left = Math.max(0, end - performance.now());
    const seconds = Math.ceil(left / 1000);
    if (seconds === 0) {
      // Said aloud only now: a timer that speaks every second would say nothing else.
      timer.setAttribute("aria-live", "polite");
      text.textContent = timer.dataset.over;
      timer.dataset.state = "over";
      for (const button of document.querySelectorAll("[data-outcomes] button:not([value='return'])")) {
        button.disabled = true;
      }
      return;
    }
    if (seconds <= SHORT_TIME_SECONDS) {
      timer.dataset.state = "short";
    }
    face.textContent = clockFace(seconds);
    text.replaceChildren(`${timer.dataset.before} `, face);
    setTimeout(show, left % 1000 || 1000);
  }

  show();
}

function pressOnce(forms) {
  let pressed = false;
  for (const form of forms) {
    form.addEventListener("submit", (event) => {
      if (pressed) {
        event.preventDefault();
      }
      pressed = true;
    });
  }
  // A page the browser kept for "back" must answer to its buttons again.
  addEventListener("pageshow", () => {
    pressed = false;
  });
}

for (const timer of document.querySelectorAll("[data-countdown]")) {
  startCountdown(timer);
}
pressOnce(document.querySelectorAll("[data-outcomes]"));
