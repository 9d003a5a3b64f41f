// @ts-check
/** One call of `runWalletPay`. */

import { Accounts, Callbacks } from "./approvals.js";
import { BUTTON, CARD, OTHER_INFOS, SHEET, localeOf, offerList, pick, withoutNulls } from "./parameters.js";

const VERSION = { apiVersion: 2, apiVersionMinor: 0 }
const SOFTWARE = { id: "django-wallet-gateway", version: "0.1.0" }
const CANCELED = "CANCELED"
// Of a sheet that is open no click comes to the page, but for those of an impatient customer while it opens.
const LOST_AFTER = 15_000

/** @type {Asking<"card">} */
const card = ({ allowedMethods: allowedAuthMethods, allowedCardNetworks, optionalParams }) => ({
  type: "CARD",
  parameters: { allowedAuthMethods, allowedCardNetworks, ...pick(optionalParams, CARD) },
})

/** @type {Asking<"merchant">} */
export const merchantInfo = ({ merchantNo, merchantName, optionalParams: { softwareInfo = SOFTWARE } }) =>
  withoutNulls({ merchantId: merchantNo || null, merchantName, softwareInfo })

/** @type {Asking<"readiness">} */
export const readinessRequest = (order) =>
  withoutNulls({
    ...VERSION,
    allowedPaymentMethods: [card(order)],
    existingPaymentMethodRequired: order.optionalParams.existingPaymentMethodRequired,
  })

/** @type {(order: Order, gateway: string) => Gpay<"request">} */
export function paymentDataRequest(order, gateway) {
  const { billingAddressRequired, billingAddressParameters, offerInfo, transactionNote, additionalTransactionInfo, ...options } = order.optionalParams
  const { type, parameters } = card(order)
  return withoutNulls({
    ...VERSION,
    ...pick(options, SHEET),
    transactionInfo: Object.keys(pick(options, OTHER_INFOS)).length ? null : {
      transactionNote,
      ...additionalTransactionInfo,
      transactionId: order.clientSystemTransactionId,
      countryCode: order.countryCode,
      currencyCode: order.currencyCode,
      totalPriceStatus: order.amountStatus,
      totalPrice: order.amount,
    },
    offerInfo: offerInfo && offerList(offerInfo),
    merchantInfo: merchantInfo(order),
    allowedPaymentMethods: [
      {
        type,
        parameters: {
          ...parameters,
          ...(billingAddressRequired && { billingAddressRequired, billingAddressParameters: { format: "MIN", ...billingAddressParameters } }),
        },
        tokenizationSpecification: { type: "PAYMENT_GATEWAY", parameters: { gateway, gatewayMerchantId: order.mid } },
      },
    ],
  })
}

/** @type {(order: Order, onClick: () => void, slot?: Element | null) => Gpay<"button">} */
export function buttonOptions(order, onClick, slot) {
  const { optionalParams } = order
  const buttonLocale = localeOf(optionalParams)
  /** @type {any} */
  const buttonRootNode = slot?.getRootNode()
  return {
    onClick,
    allowedPaymentMethods: [card(order)],
    ...(buttonRootNode?.host && { buttonRootNode }),
    ...pick(optionalParams, BUTTON),
    ...(buttonLocale && { buttonLocale }),
  }
}

/** The wallet rejects with a code. @param {any} thrown */
export const messageOf = (thrown) =>
  thrown?.statusCode ? `${thrown.statusCode}: ${thrown.statusMessage ?? ""}` : String(thrown?.message ?? thrown)

/** @type {Tell} */
export function call(name, detail, element) {
  /** @type {any} */
  const handler = window[/** @type {Handler} */ (name)]
  document.addEventListener(name, handler, { once: true })
  if (!element && !handler && name === "handlePaymentError") console.warn(`wallet.js: no ${name} hears: ${detail}`)
  const event = new CustomEvent(name, { detail: Object.freeze(detail), bubbles: true, composed: true })
  ;(element?.isConnected ? element : document).dispatchEvent(event)
}

export class Run {
  /** @type {any} */
  #client
  #isReplaced = false
  isDestroyed = false
  /** @type {Element | undefined} */
  #slot
  #isOpen = false
  #heardAt = 0

  /** @param {Order} order @param {Settings} settings @param {Surroundings} page */
  constructor(order, settings, page) {
    this.order = order
    this.settings = settings
    this.page = page
    this.container = page.container
    this.accounts = new Accounts(order, settings)
    this.callbacks = new Callbacks(this)
    this.request = paymentDataRequest(order, settings.gatewayName)
  }

  get isReady() {
    return !!this.#client
  }

  async start() {
    const { script, click } = this.page
    const { optionalParams, useWalletButton } = this.order
    const nonce = optionalParams.nonce ?? this.settings.nonce
    try {
      await script.load(nonce)
      if (this.#isReplaced) return
      const client = this.#newClient(nonce)
      const { result, paymentMethodPresent } = await client.isReadyToPay(readinessRequest(this.order))
      // Of two answers the older may come last.
      if (this.#isReplaced) return
      if (!result || (optionalParams.existingPaymentMethodRequired && !paymentMethodPresent)) {
        this.container.hide()
        return this.#report("wallet:unavailable", result ? "no-payment-method" : "not-ready")
      }
      if (useWalletButton) this.container.show(client.createButton(buttonOptions(this.order, click, this.container.element)))
      else this.container.restore()
      this.#client = client
      this.#prefetch()
      this.#report("handleWalletPayReady")
    } catch (thrown) {
      if (this.#isReplaced) return
      this.container.hide()
      this.complain(thrown)
    }
  }

  get isPaying() {
    return this.#isReplaced ? this.#slot?.isConnected : this.#slot
  }

  /** The sheet is said to be open, and the wallet has long been silent. Where a card was approved there, its result counts. */
  get isLost() {
    return this.#isOpen && this.#heardAt + LOST_AFTER < Date.now() && !this.callbacks.isDeciding
  }

  /** The wallet is there: it asks something. */
  heard() {
    this.#heardAt = Date.now()
  }

  /** Must run within the click, or the browser opens no sheet. */
  async pay() {
    this.#slot = this.container.element ?? document.body
    this.callbacks.begin()
    this.heard()
    this.#isOpen = true
    try {
      const data = await this.#client.loadPaymentData(this.request)
      this.#isOpen = false
      const { approved } = await this.callbacks.end()
      if (!this.isDestroyed) this.#report("handlePaymentResult", approved ?? (await this.accounts.of(data)))
    } catch (thrown) {
      this.#isOpen = false
      await this.#settleFailed(thrown)
    }
    this.accounts.forget()
    this.#slot = undefined
  }

  replace() {
    this.#isReplaced = true
  }

  destroy() {
    if (!this.#isReplaced) this.container.hide()
    this.#client = this.#slot = undefined
    this.#isOpen = false
    this.#isReplaced = this.isDestroyed = true
  }

  /** @param {string} nonce */
  #newClient(nonce) {
    const options = {
      environment: this.order.profile === "prod" ? "PRODUCTION" : "TEST",
      merchantInfo: merchantInfo(this.order),
      paymentDataCallbacks: this.callbacks.forWallet(),
      nonce: nonce || null,
    }
    return new window.google.payments.api.PaymentsClient(withoutNulls(options))
  }

  /** @param {any} thrown */
  async #settleFailed(thrown) {
    const { approved, refused, fault } = await this.callbacks.end()
    if (approved) return this.#report("handlePaymentResult", approved)
    if (refused) this.#report("handlePaymentResult", refused)
    if (fault) this.complain(fault)
    if (thrown?.statusCode !== CANCELED) return this.complain(thrown)
    this.#report("wallet:cancelled")
    if (!refused && !fault) this.complain(CANCELED)
  }

  /** For a sheet that opens sooner. What the page answers to a sheet as it opens cannot be had before. */
  #prefetch() {
    if (this.order.optionalParams.onPaymentDataChanged) return
    try {
      this.#client.prefetchPaymentData(this.request)
    } catch {
      // What is wrong with the request, the sheet says.
    }
  }

  /** @param {any} fault */
  complain(fault) {
    this.#report("handlePaymentError", messageOf(fault))
  }

  /** @type {Tell} */
  #report = (handler, detail) => {
    if (!this.isDestroyed) this.page.tell(handler, detail)
  }
}
