// @ts-check
/**
 * The newest run, and the latch that lets one payment happen at a time.
 *
 * Imports end in a semicolon in all these files: only those does Django rewrite to hashed names.
 */

import { Container } from "./container.js";
import { readParameters, refuse } from "./parameters.js";
import { PayScript } from "./pay_script.js";
import { call, messageOf, Run } from "./run.js";

/** @type {Warn} */
const warn = (warning) => console.warn(`wallet.js: ${warning}`)

/** @param {any} tag @param {string} profile @returns {Settings} */
export function readSettings(tag, profile) {
  const {
    gatewayUrl,
    gatewayName,
    payJsUrl = "https://pay.google.com/gp/p/js/pay.js",
    accountPath = "/api/v5/paymentAccounts",
    timeout = 15,
    failedMessage = "Your payment could not be completed. Please try again or choose another card.",
  } = tag?.dataset ?? {}
  /** @type {string[]} */
  const faults = []
  /** @param {any} url @param {string} name */
  const absolute = (url, name) => {
    // Real cards travel encrypted; a laptop's sandbox has no certificate, and no real cards.
    const scheme = profile === "prod" ? /^https:/ : /^https?:/
    const { href } = Object.assign(document.createElement("a"), { href: url ?? "" })
    if (!url || !scheme.test(href)) faults.push(`${name} must be a URL (https in profile prod)`)
    return href.replace(/\/+$/, "")
  }
  const accountUrl = absolute(gatewayUrl, "data-gateway-url") + accountPath
  const settings = { accountUrl, payJsUrl: absolute(payJsUrl, "data-pay-js-url"), gatewayName, failedMessage, nonce: tag?.nonce, patience: timeout * 1000 }
  if (!gatewayName) faults.push("data-gateway-name is missing")
  if (!(timeout > 0)) faults.push("data-timeout must be seconds above zero")
  refuse(faults.map((fault) => `The script tag of wallet.js: ${fault}`))
  return settings
}

export class Wallet {
  /** @type {Run | undefined} */
  #run
  #isPaying = false
  #container = new Container()
  /** @type {Record<string, PayScript>} */
  #scripts = {}

  /** @param {Element | null} tag */
  constructor(tag) {
    this.tag = tag
  }

  /** @param {any[]} values */
  run(values) {
    this.#run?.replace()
    this.#run = undefined
    try {
      this.#run = this.#newRun(values)
      this.#run.start()
    } catch (error) {
      this.#container.hide()
      call("handlePaymentError", messageOf(error))
    }
    return this.#run
  }

  click() {
    if (this.#isPaying) return
    if (!this.#run) return call("handlePaymentError", "Clicked, but runWalletPay has not succeeded")
    if (!this.#run.isReady) return warn("clicked before the wallet was ready")
    this.#isPaying = true
    this.#run.pay().finally(() => (this.#isPaying = false))
  }

  destroy() {
    this.#run?.destroy()
  }

  /** @param {any[]} values */
  #newRun(values) {
    const order = readParameters(values, warn)
    const settings = readSettings(this.tag, order.profile)
    const script = (this.#scripts[settings.payJsUrl] ??= new PayScript(settings.payJsUrl))
    return new Run(order, { settings, script, container: this.#container, click: () => this.click() })
  }
}
