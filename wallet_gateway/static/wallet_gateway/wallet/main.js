// @ts-check

import { readParameters, refuse } from "./parameters.js";
import { call, messageOf, Run } from "./run.js";

const ID = "merchant-google-pay-button"

/** @type {Warn} */
const warn = (warning) => console.warn(`wallet.js: ${warning}`)

/** @type {(tag: any, profile: string) => Settings} */
function readSettings(tag, profile) {
  const {
    gatewayUrl = tag?.src && new URL(tag.src).origin,
    gatewayName,
    payJsUrl = "https://pay.google.com/gp/p/js/pay.js",
    accountPath = "/api/v5/paymentAccounts",
    timeout = 15,
    failedMessage = "Your payment could not be completed. Please try again or choose another card.",
  } = tag?.dataset ?? {}
  /** @type {string[]} */
  const faults = []
  const where = tag?.where ?? "The script tag of wallet.js: data-"
  const demand = (/** @type {any} */ holds, /** @type {string} */ fault) => void (holds || faults.push(where + fault))
  const absolute = (/** @type {any} */ url, /** @type {string} */ name) => {
    const scheme = profile === "prod" ? /^https:/ : /^https?:/
    const { href } = Object.assign(document.createElement("a"), { href: url ?? "" })
    demand(url && scheme.test(href), `${name}-url must be a URL (https in profile prod)`)
    return href.replace(/^(.*[^/])\/*$/, "$1")
  }
  const accountUrl = absolute(gatewayUrl, "gateway") + accountPath
  const settings = { accountUrl, payJsUrl: absolute(payJsUrl, "pay-js"), gatewayName, failedMessage, nonce: tag?.nonce, patience: timeout * 1000 }
  demand(gatewayName, "gateway-name is missing")
  demand(timeout > 0, "timeout must be seconds above zero")
  refuse(faults)
  return settings
}

/** @type {any} */
let policy

/** @param {string} url */
function trusted(url) {
  try {
    policy ??= window.trustedTypes.createPolicy("wallet-gateway", { createScriptURL: (asked) => (asked === url ? url : "") })
    return policy.createScriptURL(url)
  } catch {
    return url
  }
}

const isThere = () => typeof window.google?.payments?.api?.PaymentsClient === "function"

export class PayScript {
  /** @type {Promise<void> | undefined} */
  #loading

  /** @param {string} url @param {number} pause @param {number} patience */
  constructor(url, pause = 1000, patience = 10000) {
    this.url = url
    this.pause = pause
    this.patience = patience
  }

  /** @param {string} nonce */
  load(nonce) {
    return (this.#loading ??= this.#threeTimes(nonce).finally(() => (this.#loading = undefined)))
  }

  /** @param {string} nonce */
  async #threeTimes(nonce) {
    for (let left = 3; left && !isThere(); left--) {
      if (left < 3) await new Promise((go) => setTimeout(go, this.pause))
      await this.#once(nonce)
    }
    if (!isThere()) throw new Error(`The wallet's script could not be loaded from ${this.url}`)
  }

  /** @param {string} nonce */
  async #once(nonce) {
    const script = Object.assign(document.createElement("script"), { src: trusted(this.url), nonce })
    let timer = 0
    await new Promise((done) => {
      script.onload = script.onerror = done
      timer = setTimeout(done, this.patience)
      document.head.append(script)
    })
    clearTimeout(timer)
    if (!isThere()) script.remove()
  }
}

export class Container {
  /** @type {[HTMLElement, ChildNode[]] | undefined} */
  #own

  /** @param {HTMLElement} [place] */
  constructor(place) {
    this.place = place
  }

  get element() {
    return this.place ?? document.getElementById(ID)
  }

  /** @param {HTMLElement} button */
  show(button) {
    const { element } = this
    if (!element) throw new Error(`The page has no element with the id ${ID}`)
    if (this.#own?.[0] !== element) this.#own = [element, Array.from(element.childNodes)]
    element.replaceChildren(button)
  }

  restore() {
    this.#own?.[0].replaceChildren(...this.#own[1])
    this.#own = undefined
  }

  hide() {
    this.restore()
    if (this.element) this.element.hidden = true
  }
}

/** @type {Record<string, PayScript>} */
const scripts = {}

export class Wallet {
  /** @type {Run | undefined} */
  #run
  /** @type {Run | undefined} */
  #paying
  /** @type {any[]} */
  #values = []
  #container
  /** @type {Tell} */
  #tell

  /** @param {any} tag @param {HTMLElement} [place] @param {Hear} [hear] */
  constructor(tag, place, hear) {
    this.tag = tag
    this.hear = hear
    this.#container = new Container(place)
    this.#tell = (name, detail) => {
      if (!hear?.(name, detail)) call(name, detail, hear && tag)
    }
  }

  /** @param {any[]} values */
  run(values) {
    this.#values = values
    this.#run?.replace()
    this.#run = undefined
    try {
      this.#run = this.#newRun(values)
      this.#run.start()
    } catch (error) {
      this.#container.hide()
      this.#tell("handlePaymentError", messageOf(error))
    }
    return this.#run
  }

  click() {
    const paying = this.#paying
    if (paying?.isLost) return this.#startOver(paying)
    if (paying?.isPaying) return warn("clicked during a payment")
    if (!this.#run) return this.#tell("handlePaymentError", "Clicked, but runWalletPay has not succeeded")
    if (!this.#run.isReady) return warn("clicked before the wallet was ready")
    this.#paying = this.#run
    this.#run.pay()
  }

  get isPaying() {
    return !!this.#paying?.isPaying
  }

  destroy() {
    this.#run?.destroy()
    // It may have been replaced behind its open sheet.
    this.#paying?.destroy()
    this.#paying = undefined
  }

  /** Another click in this one could open a second sheet: the lost one first loses its way to an account. @param {Run} lost */
  #startOver(lost) {
    lost.replace()
    lost.destroy()
    this.#tell("handlePaymentError", "The wallet did not say how its sheet ended")
    if (lost === this.#run) this.run(this.#values)
  }

  /** @param {any[]} values */
  #newRun(values) {
    const order = readParameters(values, warn, !!this.hear)
    const settings = readSettings(this.tag, order.profile)
    const script = (scripts[settings.payJsUrl] ??= new PayScript(settings.payJsUrl))
    return new Run(order, settings, { script, container: this.#container, tell: this.#tell, click: () => this.click() })
  }
}
