// @ts-check
/**
 * The element `<wallet-pay-button>`: one payment button with a run of its own, from the moment it is on the page until it
 * is taken away. Pages that replace their content (htmx, Turbo, a router) need nothing else.
 */

import { HostedWallet } from "./hosted_wallet.js";
import { OwnWallet } from "./own_wallet.js";
import { Payment } from "./payment.js";
import { Shop } from "./shop.js";
import { View } from "./view.js";

export class WalletPayButton extends HTMLElement {
  // What the server draws anew, and what it never draws: a page that morphs its content changes both.
  static observedAttributes = ["data-wallet-session", "data-wallet-state"]

  /** @type {Payment | undefined} */
  #payment
  #isStarting = false

  connectedCallback() {
    // The back button brings a page as it was left; since then anything may have happened.
    window.addEventListener("pageshow", this.#returned)
    this.addEventListener("turbo:before-morph-element", this.#keep)
    this.#start()
  }

  disconnectedCallback() {
    window.removeEventListener("pageshow", this.#returned)
    this.removeEventListener("turbo:before-morph-element", this.#keep)
    this.#payment?.end()
    this.#payment = undefined
  }

  /** Moved within the page by `moveBefore`: nothing ends. */
  connectedMoveCallback() {}

  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    const isOther = name === "data-wallet-session" && before !== now
    if (this.#payment && (isOther || !this.#payment.isShown)) this.#start()
  }

  /** Once the content is there and is this page's: a parser connects an element before its children. */
  #start() {
    if (this.#isStarting) return
    this.#isStarting = true
    queueMicrotask(() => {
      this.#isStarting = false
      this.#payment?.end()
      this.#payment = undefined
      // Turbo shows its copy of a page while it fetches the page itself.
      if (!this.isConnected || document.documentElement.hasAttribute("data-turbo-preview")) return
      if (View.isDrawn(this)) this.#open()
      else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.#start(), { once: true })
      else console.warn(`${nameOf(this)} has not the content that {% wallet_button %} draws`)
    })
  }

  #open() {
    const view = new View(this)
    const script = this.hasAttribute("data-wallet-hosted") ? HostedWallet : OwnWallet
    /** @type {Payment} */
    const payment = new Payment(view, new Shop(this), new script(this, view.place, (name, detail) => payment.hear(name, detail)))
    this.#payment = payment
    payment.open()
  }

  /** @param {PageTransitionEvent} event */
  #returned = (event) => void (event.persisted && this.#start())

  /** Where this order's button is, and stays, a refresh changes nothing. @param {any} event */
  #keep = (event) => {
    const fresh = event.detail?.newElement
    if (event.target === this && fresh?.getAttribute("data-wallet-session") === this.getAttribute("data-wallet-session")) event.preventDefault()
  }
}

/** @param {HTMLElement} element */
const nameOf = (element) => `<${element.localName} data-wallet-session="${element.dataset.walletSession}">`
