// @ts-check
/** The wallet button as a module, for single-page apps. Its types are in `wallet_module.d.ts`. */

import { AUTHORIZATION, failedUpdate, intentsOf, questionOf, updateOf } from "./page/sheet.js";
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
const SETTINGS = ["gatewayUrl", "gatewayName", "payJsUrl", "accountPath", "timeout", "failedMessage"]

/** Only types would tell of a name that is misspelt. @param {string} what @param {any} given @param {string[]} known */
function warnOfOthers(what, given, known) {
  for (const name of Object.keys(given)) if (!known.includes(name)) console.warn(`wallet.js: ${what} have no ${name.slice(0, 40)}`)
}

/** @type {CreateWallet} */
export function createWallet({ container, nonce, ...settings }) {
  /** @type {any} */
  let handlers = {}
  warnOfOthers("the settings of createWallet", settings, SETTINGS)
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
      warnOfOthers("the parameters", parameters, NAMES)
      warnOfOthers("the handlers", newest, Object.values(HANDLERS))
      const run = wallet.run(NAMES.map((name) => parameters[name]))
      return Object.freeze({ destroy: () => run?.destroy() })
    },
    click: () => wallet.click(),
    destroy: () => wallet.destroy(),
  })
}

/** @type {WithPrices} */
export function withPrices({ reference, parameters }, ask) {
  const callbackIntents = intentsOf(parameters).filter((intent) => intent !== AUTHORIZATION)
  /** @param {any} data */
  const onPaymentDataChanged = async (data) => {
    const price = await ask(questionOf(data, reference))
    return price.errors ? updateOf(price, given) : failedUpdate(data, given, price.detail)
  }
  /** @type {any} */
  const given = { ...parameters, optionalParams: { ...parameters.optionalParams, callbackIntents, ...(callbackIntents.length && { onPaymentDataChanged }) } }
  return given
}

/** What a handler throws is the app's fault: it is told as one, and stops nothing. @param {any} handler @param {any} detail */
function hand(handler, detail) {
  try {
    handler?.(Object.freeze(detail))
  } catch (fault) {
    reportError(fault)
  }
}
