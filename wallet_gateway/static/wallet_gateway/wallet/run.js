// @ts-check
/** One call of `runWalletPay`: from the question whether the wallet is there to the result of each payment. */

import { Accounts } from "./accounts.js";
import { Callbacks } from "./callbacks.js";
import { buttonOptions, merchantInfo, paymentDataRequest, readinessRequest } from "./requests.js";

/** The wallet rejects with a code and a message, everyone else with an error. @param {any} thrown */
export const messageOf = (thrown) =>
  thrown?.statusCode ? `${thrown.statusCode}: ${thrown.statusMessage}` : String(thrown?.message ?? thrown)

/** What the page's handler throws is the page's affair. @param {Handler} name @param {any} [detail] */
export function call(name, detail) {
  try {
    /** @type {any} */ (window)[name](new CustomEvent(name, { detail: Object.freeze(detail) }))
  } catch (error) {
    console.error(error)
  }
}

export class Run {
  /** @type {Gpay<"client"> | undefined} */
  #client
  #isReplaced = false
  #isDestroyed = false

  /** @param {Order} order @param {Surroundings} surroundings */
  constructor(order, surroundings) {
    const { settings } = surroundings
    this.order = order
    this.surroundings = surroundings
    this.container = surroundings.container
    this.accounts = new Accounts(order, settings)
    this.callbacks = new Callbacks(order, this.accounts, settings.failedMessage, (fault) => this.#complain(fault), () => this.#isDestroyed)
    this.request = paymentDataRequest(order, settings.gatewayName)
  }

  get isReady() {
    return !!this.#client
  }

  async start() {
    const { script, settings, click } = this.surroundings
    const { optionalParams, useWalletButton } = this.order
    const nonce = optionalParams.nonce ?? settings.nonce
    try {
      await script.load(nonce)
      if (this.#isReplaced) return
      const client = this.#newClient(nonce)
      const { result, paymentMethodPresent } = await client.isReadyToPay(readinessRequest(this.order))
      // Of two answers the older may come last.
      if (this.#isReplaced) return
      const isMissing = optionalParams.existingPaymentMethodRequired && !paymentMethodPresent
      if (!result || isMissing) {
        this.container.hide()
        return this.#announce("unavailable", result ? "no-payment-method" : "not-ready")
      }
      if (useWalletButton) this.container.show(client.createButton(buttonOptions(this.order, click)))
      else this.container.restore()
      this.#client = client
      this.#tell("handleWalletPayReady")
    } catch (thrown) {
      if (this.#isReplaced) return
      this.container.hide()
      this.#complain(thrown)
    }
  }

  /** Must run within the click, or the browser opens no sheet. */
  pay() {
    this.callbacks.begin()
    /** @type {Promise<Gpay<"data">>} */
    const sheet = new Promise((open) => open(/** @type {Gpay<"client">} */ (this.#client).loadPaymentData(this.request)))
    return this.#settle(sheet).finally(() => this.accounts.forget())
  }

  /** A newer run takes over. A payment under way is still finished and told. */
  replace() {
    this.#isReplaced = true
  }

  /** Nothing is told any more; an open sheet ends without a payment. */
  destroy() {
    if (!this.#isReplaced) this.container.hide()
    this.#client = undefined
    this.#isReplaced = this.#isDestroyed = true
  }

  /** @param {string} nonce */
  #newClient(nonce) {
    return new window.google.payments.api.PaymentsClient({
      environment: this.order.profile === "prod" ? "PRODUCTION" : "TEST",
      merchantInfo: merchantInfo(this.order),
      ...(this.callbacks.intents[0] && { paymentDataCallbacks: this.callbacks.forWallet() }),
      ...(nonce && { nonce }),
    })
  }

  /** @param {Promise<Gpay<"data">>} sheet */
  async #settle(sheet) {
    try {
      const data = await sheet
      const { approved } = await this.callbacks.end()
      if (!this.#isDestroyed) this.#tell("handlePaymentResult", approved ?? (await this.accounts.of(data)))
    } catch (thrown) {
      await this.#settleFailed(/** @type {any} */ (thrown))
    }
  }

  /** @param {any} thrown */
  async #settleFailed(thrown) {
    const { approved, failure } = await this.callbacks.end()
    // The wallet may give up waiting for a payment that then succeeds.
    if (approved) return this.#tell("handlePaymentResult", approved)
    if (failure?.code) this.#tell("handlePaymentResult", failure)
    else if (failure) this.#complain(failure)
    if (thrown?.statusCode !== "CANCELED") this.#complain(thrown)
    else this.#announce("cancelled")
  }

  /** What the interface has no handler for. @param {string} name @param {string} [detail] */
  #announce(name, detail) {
    if (!this.#isDestroyed) document.dispatchEvent(new CustomEvent(`wallet:${name}`, { detail }))
  }

  /** @param {any} fault */
  #complain(fault) {
    this.#tell("handlePaymentError", messageOf(fault))
  }

  /** @param {Handler} handler @param {any} [detail] */
  #tell(handler, detail) {
    if (!this.#isDestroyed) call(handler, detail)
  }
}
