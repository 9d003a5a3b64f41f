// @ts-check
/**
 * The page with the wallet button on it: gives wallet.js its handlers, and starts.
 *
 * What lives in `page/`: the way to the shop (`shop.js`), what is seen and heard (`view.js`), the sheet's questions
 * (`sheet.js`), and what happens in which order (`payment.js`). Without JavaScript the form beside the button pays.
 */

import { Payment } from "./page/payment.js";
import { Shop } from "./page/shop.js";
import { View } from "./page/view.js";

/** @param {HTMLElement} element the one that `{% wallet_button %}` has drawn */
export function start(element) {
  const view = new View(element)
  const payment = new Payment(view, new Shop(element))
  const handlers = {
    handleWalletPayReady: () => payment.ready(),
    /** @param {CustomEvent} event */
    handlePaymentResult: (event) => payment.result(event.detail),
    /** @param {CustomEvent} event */
    handlePaymentError: (event) => payment.failed(event.detail),
  }
  for (const [name, handler] of Object.entries(handlers)) {
    // Whoever could replace them would see what the customer pays with.
    Object.defineProperty(window, name, { value: Object.freeze(handler), writable: false, configurable: false })
  }
  // An extra of our own wallet.js; the gateway's says nothing then, and its button is not waited for.
  document.addEventListener("wallet:unavailable", (event) => payment.unavailable(/** @type {CustomEvent} */ (event).detail))
  view.button?.addEventListener("click", () => payment.press())
  // The back button brings a page as it was left; since then anything may have happened.
  window.addEventListener("pageshow", (event) => void (event.persisted && payment.restart()))
  payment.open()
  return Object.freeze(payment)
}

const element = /** @type {HTMLElement | null | undefined} */ (globalThis.document?.querySelector("[data-wallet-session]"))
if (element) start(element)
