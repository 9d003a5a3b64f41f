// @ts-check
/** The wallet button as a module, for single-page apps. Its types are in `wallet_module.d.ts`. */

import { Wallet } from "./wallet/main.js";
import { NAMES, withoutNulls } from "./wallet/parameters.js";

/** What the script tells a page, and the handler that hears it here. @type {Record<News, keyof AppHandlers>} */
const HANDLERS = {
  handleWalletPayReady: "onReady",
  handlePaymentResult: "onResult",
  handlePaymentError: "onError",
  "wallet:cancelled": "onCancelled",
  "wallet:unavailable": "onUnavailable",
}
// On a page of the interface it is the only word for a closed sheet; here there is `onCancelled`.
const CLOSED = "CANCELED"

/** @type {CreateWallet} */
export function createWallet({ container, nonce, ...settings }) {
  /** @type {any} */
  let handlers = {}
  const tag = { dataset: withoutNulls(settings), nonce, where: "createWallet: " }
  const wallet = new Wallet(tag, container, (news, detail) => {
    if (news === "handleWalletPayReady") container.hidden = false
    if (news !== "handlePaymentError" || detail !== CLOSED) hand(handlers[HANDLERS[news]], detail)
    return true
  })
  return Object.freeze({
    /** @param {any} parameters @param {AppHandlers} newest */
    run(parameters, newest) {
      handlers = newest
      const run = wallet.run(NAMES.map((name) => parameters[name]))
      return Object.freeze({ destroy: () => run?.destroy() })
    },
    click: () => wallet.click(),
    destroy: () => wallet.destroy(),
  })
}

/** What a handler throws is the app's fault: it is told as one, and stops nothing. @param {any} handler @param {any} detail */
function hand(handler, detail) {
  try {
    handler?.(Object.freeze(detail))
  } catch (fault) {
    reportError(fault)
  }
}
