// @ts-check
/** What the customer sees and hears of the button. Knows no payment and no server; every word comes from the page. */

/** What `data-wallet-state` may say; the stylesheet knows them. @typedef {"opening" | "ready" | "busy" | "unavailable" | "closed"} State */

export class View {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element
    this.news = /** @type {HTMLElement} */ (element.querySelector("[role=status]"))
    /** The shop's own button; the wallet may put its own in its place. */
    this.button = element.querySelector("#merchant-google-pay-button button")
    this.own = Array.from(this.slot?.childNodes ?? [])
    this.isReady = false
  }

  /** Nothing has been shown yet but an empty place. */
  get isOpening() {
    return !this.element.dataset.walletState
  }

  /** Where the button is; looked up each time, for wallet.js changes what is in it. */
  get slot() {
    return document.getElementById("merchant-google-pay-button")
  }

  /** @param {string} name of a text of the page's, `data-wallet-text-<name>` */
  text(name) {
    return this.element.getAttribute(`data-wallet-text-${name}`) ?? ""
  }

  /** The button may be pressed. What was said last stays to be read. */
  showButton() {
    this.isReady = true
    if (this.slot) this.slot.hidden = false
    this.#become("ready")
  }

  /** There is no button; the form beside it pays. */
  hideButton() {
    this.isReady = false
    if (this.slot) this.slot.hidden = true
    this.#become("unavailable")
  }

  /** No button for this order any more; the form still pays. @param {string} words */
  retire(words) {
    this.hideButton()
    this.#speak(words)
  }

  /** The order is not to be paid from this page any more. @param {string} words */
  close(words) {
    this.hideButton()
    this.#become("closed")
    this.#speak(words)
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
    if (this.isReady) this.showButton()
    else this.hideButton()
    this.#speak(words)
  }

  /**
   * What the button stood for is used up; it can be pressed again after `showButton`. The form can at once.
   * @param {string} words
   */
  hold(words) {
    this.setIdle(words)
    if (this.slot) this.slot.inert = true
    this.news.focus()
  }

  /** A script that knows nothing of a second run would put its button beside the one that it has drawn. */
  restoreSlot() {
    this.slot?.replaceChildren(...this.own)
  }

  focusButton() {
    /** @type {HTMLElement | null | undefined} */
    const button = this.slot?.querySelector("button, [role=button]")
    button?.focus()
  }

  /** @param {State} state */
  #become(state) {
    this.element.dataset.walletState = state
    const isBusy = state === "busy"
    this.element.setAttribute("aria-busy", String(isBusy))
    for (const part of [this.slot, this.element.querySelector("form")]) {
      if (part) part.inert = isBusy
    }
  }

  /** @param {string} words */
  #speak(words) {
    // A live region that is written to speaks, even when the words are the same.
    if (this.news.textContent !== words) this.news.textContent = words
  }
}
