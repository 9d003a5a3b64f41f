// @ts-check
/**
 * The element `<wallet-pay-button>`: one payment button with a run of its own, from the moment it is on the page until it
 * is taken away. Pages that replace their content (htmx, Turbo, a router) need nothing else.
 */

import { HostedWallet } from "./hosted_wallet.js";
import { OwnWallet } from "./own_wallet.js";
import { Payment } from "./payment.js";
import { Shop } from "./shop.js";
import { nameOf, View } from "./view.js";

/** Taken from its place in this task. What is only moved within the page is in another place before the task ends. @type {Set<WalletPayButton>} */
const taken = new Set()

export class WalletPayButton extends HTMLElement {
  // What the server draws anew, and what it never draws: a page that morphs its content changes both.
  static observedAttributes = ["data-wallet-session", "data-wallet-state"]

  /** @type {Payment | undefined} */
  #payment
  #isStarting = false
  /** @type {Node | undefined} */
  #root

  connectedCallback() {
    // The back button brings a page as it was left; since then anything may have happened.
    window.addEventListener("pageshow", this.#returned)
    document.addEventListener("turbo:before-morph-element", this.#keep)
    // Moved, with its sheet open perhaps, of whose end it has to tell. A button in another tree needs its style there.
    const isMoved = this.#payment?.isShown && this.#root === this.getRootNode()
    if (!isMoved) this.#start()
  }

  disconnectedCallback() {
    window.removeEventListener("pageshow", this.#returned)
    document.removeEventListener("turbo:before-morph-element", this.#keep)
    taken.add(this)
    queueMicrotask(WalletPayButton.#endTaken)
  }

  static #endTaken() {
    for (const element of taken) if (!element.isConnected) element.#end()
    taken.clear()
  }

  #end() {
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
      // A gateway's script has one button: the one that has gone makes room first.
      WalletPayButton.#endTaken()
      this.#end()
      // Turbo shows its copy of a page while it fetches the page itself.
      if (!this.isConnected || document.documentElement.hasAttribute("data-turbo-preview")) return
      if (View.isDrawn(this)) this.#open()
      else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.#start(), { once: true })
      else console.warn(`${nameOf(this)} has not the content that {% wallet_button %} draws`)
    })
  }

  #open() {
    this.#root = this.getRootNode()
    const view = new View(this)
    const script = this.hasAttribute("data-wallet-hosted") ? HostedWallet : OwnWallet
    /** What an ended run still tells is for its own payment. @type {Payment | undefined} */
    let payment
    /** @type {Hear} */
    const hear = (name, detail) => void payment?.hear(name, detail)
    payment = this.#payment = new Payment(view, new Shop(this), new script(this, view.place, hear))
    payment.open()
  }

  /** @param {PageTransitionEvent} event */
  #returned = (event) => void (event.persisted && this.#start())

  /** Where this order's button is, and stays, a refresh changes nothing. @param {any} event */
  #keep = (event) => {
    const { target, detail } = event
    const fresh = detail?.newElement
    const isButton = target === this && fresh?.getAttribute("data-wallet-session") === this.getAttribute("data-wallet-session")
    // The wallet puts its sheet into the body, where no server has drawn it.
    const isSheet = !fresh && target.parentElement === document.body && this.#payment?.wallet.isPaying
    if (isButton || isSheet) event.preventDefault()
  }
}
