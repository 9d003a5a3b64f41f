// @ts-check
/**
 * A wallet.js that the gateway hosts, of which only the interface is known: two functions and three handlers on `window`,
 * and one element with the documented id in the page itself. So one button can have it.
 */

import { nameOf } from "./view.js";

const ID = "merchant-google-pay-button"
/** @type {Handler[]} */
const HANDLERS = ["handleWalletPayReady", "handlePaymentResult", "handlePaymentError"]
const PAUSE = 50

/** The button that the page's run belongs to. @type {HostedWallet | undefined} */
let current
/** Our handlers, and the events they have told. */
const known = new WeakSet()

/** The page's own functions hear as well, in the form that the interface gives them. */
function listen() {
  const page = /** @type {any} */ (window)
  for (const name of HANDLERS) {
    const own = page[name]
    if (known.has(own)) continue
    page[name] = (/** @type {any} */ event) => {
      if (!known.has(event)) current?.hear(name, event?.detail)
      if (event) known.add(event)
      if (typeof own === "function") own.call(window, event)
    }
    known.add(page[name])
  }
}

export class HostedWallet {
  /** @type {any} */
  #run
  #isEnded = false

  /** @param {HTMLElement} element @param {HTMLElement} place @param {Hear} hear */
  constructor(element, place, hear) {
    this.element = element
    this.place = place
    this.hear = hear
    this.own = Array.from(place.childNodes)
    this.obstacle = this.#obstacle()
    if (this.obstacle) return
    current = this
    document.addEventListener("wallet:unavailable", this.#unavailable)
    // A script may be ready before it is asked.
    listen()
  }

  /** @param {any[]} parameters the 15 of `runWalletPay` */
  async run(parameters) {
    if (this.obstacle) throw new Error(`${nameOf(this.element)}: ${this.obstacle}`)
    const run = await this.#loaded()
    if (!run) return
    listen()
    // A script that knows nothing of a second run would put its button beside the one that it has drawn.
    if (!run.destroy) this.place.replaceChildren(...this.own)
    this.#run = run(...parameters)
    await this.#run
  }

  /** Its script does not tell. */
  get isPaying() {
    return false
  }

  press() {
    listen()
    return /** @type {any} */ (window).onMerchantButtonClick()
  }

  end() {
    this.#isEnded = true
    document.removeEventListener("wallet:unavailable", this.#unavailable)
    if (current !== this) return
    current = undefined
    this.#run?.destroy?.()
  }

  /** Why the script could not find this button. */
  #obstacle() {
    if (current) return "the gateway's wallet.js has one button on a page, and another one has it"
    if (this.element.getRootNode() !== document) return "the gateway's wallet.js finds no button in a shadow tree"
    if (document.getElementById(ID) !== this.place) return `the gateway's wallet.js needs its place to be the element with the id ${ID}`
  }

  /** A script that another page has brought may come later than this one. @returns {Promise<any>} */
  async #loaded() {
    const page = /** @type {any} */ (window)
    while (!this.#isEnded && typeof page.runWalletPay !== "function") await new Promise((go) => setTimeout(go, PAUSE))
    return !this.#isEnded && page.runWalletPay
  }

  /** An extra of our own script, as the sandbox serves it. @param {any} event */
  #unavailable = (event) => this.hear("wallet:unavailable", event.detail)
}
