// @ts-check
/** What the customer sees and hears of the button. Knows no payment and no server; every word comes from the page. */

/** What `data-wallet-state` may say; the stylesheet knows them. @typedef {"loading" | "ready" | "busy" | "unavailable" | "closed"} State */

const [PLACE, OWN, NEWS] = [".wallet-button__place", "template.wallet-button__own", "[role=status]"]

export class View {
  /** @type {State} */
  #state = "loading"

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element
    this.news = find(element, NEWS)
    this.place = find(element, PLACE)
    this.isReady = false
    this.#draw()
  }

  /** @param {HTMLElement} element */
  static isDrawn(element) {
    return [PLACE, OWN, NEWS].every((selector) => element.querySelector(selector))
  }

  /** Whether the element still says what was written to it. */
  get isShown() {
    return this.element.dataset.walletState === this.#state && this.element.contains(this.place)
  }

  /** There is a place for a button, and none in it that could be pressed. */
  get isWaiting() {
    return this.#state === "loading" || (this.#state === "ready" && this.place.inert)
  }

  /** @param {string} name of a text of the page's, `data-wallet-text-<name>` */
  text(name) {
    return this.element.getAttribute(`data-wallet-text-${name}`) ?? ""
  }

  /** The button may be pressed. What was said last stays to be read. */
  showButton() {
    this.isReady = true
    this.place.hidden = false
    if (this.#state === "loading" || this.#state === "unavailable") this.#speak("")
    this.#become("ready")
  }

  /** There is no button; the form beside it pays. What was said last, if anything, stays to be read. */
  hideButton(words = this.isReady ? "" : this.text("unavailable")) {
    this.isReady = false
    this.place.hidden = true
    if (words || !this.news.textContent) this.#speak(words || this.text("unavailable"))
    this.#become("unavailable")
  }

  /** The order is not to be paid from this page any more. @param {string} words */
  close(words) {
    this.hideButton(words)
    this.#become("closed")
  }

  /** Money may be moving: nothing here can be pressed until that is known. @param {string} words */
  setBusy(words) {
    this.#become("busy")
    this.#speak(words)
    // Its element has just become inert, and focus must not fall to the page's first line.
    this.news.focus()
  }

  /** @param {string} words */
  setIdle(words) {
    if (!this.isReady) return this.hideButton(words)
    this.showButton()
    this.#speak(words)
  }

  /**
   * What the button stood for is used up; it can be pressed again after `showButton`. The form can at once.
   * @param {string} words
   */
  hold(words) {
    this.setIdle(words)
    this.place.inert = true
    this.news.focus()
  }

  focusButton() {
    /** @type {HTMLElement | null} */
    const button = this.place.querySelector("button, [role=button]")
    button?.focus()
  }

  /** As the server has drawn it: a copy of the page that was kept may have a button that opens nothing. */
  #draw() {
    const own = /** @type {HTMLTemplateElement} */ (find(this.element, OWN))
    this.place.replaceChildren(own.content.cloneNode(true))
    this.place.hidden = true
    this.#speak(this.text("loading"))
    this.#become("loading")
  }

  /** @param {State} state */
  #become(state) {
    this.#state = state
    this.element.dataset.walletState = state
    const isBusy = state === "busy"
    // Not on the whole element: a screen reader would wait with the words, too.
    this.place.parentElement?.setAttribute("aria-busy", String(isBusy || state === "loading"))
    for (const part of [this.place, this.element.querySelector("form")]) {
      if (part) part.inert = isBusy
    }
  }

  /** @param {string} words */
  #speak(words) {
    // A live region that is written to speaks, even when the words are the same.
    if (this.news.textContent !== words) this.news.textContent = words
  }
}

/** Which of the page's buttons it is, for developers. @param {HTMLElement} element */
export const nameOf = (element) => `<${element.localName} data-wallet-session="${element.dataset.walletSession}">`

/** @param {HTMLElement} element @param {string} selector @returns {HTMLElement} */
const find = (element, selector) => /** @type {HTMLElement} */ (element.querySelector(selector))
