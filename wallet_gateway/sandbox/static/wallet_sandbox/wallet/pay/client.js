// @ts-check
/* The surface the page sees: `google.payments.api.PaymentsClient`. */

const SLOWLY_MS = 2500
let isSheetOpen = false

/** @param {any} options @returns {string} */
const faultOfOptions = (options) =>
  firstFault(
    [isObject(options), "The PaymentsClient needs an object of options"],
    [[undefined, "TEST", "PRODUCTION"].includes(options?.environment), "environment must be TEST or PRODUCTION"],
  )

/** @param {google.payments.api.CardParameters} parameters */
function hasFittingCard(parameters) {
  const { allowedAuthMethods, allowedCardNetworks, allowPrepaidCards, allowCreditCards } = parameters
  return SANDBOX.cards.some(
    ({ network, authMethod, fundingSource }) =>
      allowedCardNetworks.some((one) => one === network) &&
      allowedAuthMethods.some((one) => one === authMethod) &&
      !(allowPrepaidCards === false && fundingSource === "PREPAID") &&
      !(allowCreditCards === false && fundingSource === "CREDIT"),
  )
}

class PaymentsClient {
  #options

  /** @param {google.payments.api.PaymentOptions} paymentOptions */
  constructor(paymentOptions) {
    const fault = faultOfOptions(paymentOptions)
    if (fault) throw new Error(fault)
    this.#options = paymentOptions
  }

  /** @param {google.payments.api.IsReadyToPayRequest} request @returns {Promise<google.payments.api.IsReadyToPayResponse>} */
  async isReadyToPay(request) {
    const fault = faultOfReadiness(request)
    if (fault) throw paymentsError("DEVELOPER_ERROR", fault)
    if (SANDBOX.mode === "slow") await new Promise((go) => setTimeout(go, SLOWLY_MS))
    const cards = request.allowedPaymentMethods.filter(({ type }) => type === "CARD")
    const result = SANDBOX.mode !== "not_ready" && cards.length > 0
    if (!request.existingPaymentMethodRequired) return { result }
    const isPresent = SANDBOX.mode !== "no_card" && cards.some(({ parameters }) => hasFittingCard(parameters))
    return { result, paymentMethodPresent: result && isPresent }
  }

  /** @param {google.payments.api.ButtonOptions} options @returns {HTMLElement} */
  createButton(options) {
    const complete = completeOptions(options)
    const fault = faultOfButton(complete)
    if (fault) throw new Error(fault)
    return walletButton(complete)
  }

  /** @param {google.payments.api.PaymentDataRequest} request @returns {Promise<google.payments.api.PaymentData>} */
  async loadPaymentData(request) {
    if (isSheetOpen) throw paymentsError("DEVELOPER_ERROR", "This method can only be called one at a time.")
    const asked = plain(request)
    const fault = faultOfRequest(asked, this.#options.paymentDataCallbacks ?? {}, SANDBOX.gateways) || this.#faultOfMoment()
    if (fault) throw paymentsError("DEVELOPER_ERROR", fault)
    isSheetOpen = true
    try {
      return await new Promise((resolve, reject) => new SheetFrame(asked, this.#options, resolve, reject).open())
    } finally {
      isSheetOpen = false
    }
  }

  #faultOfMoment() {
    return firstFault(
      [location.origin !== "null", "A page without an origin of its own cannot talk to the wallet"],
      // Where the wallet opens a window, the browser would block it.
      [navigator.userActivation?.isActive !== false, "loadPaymentData() must be called in the click of the customer, before anything is waited for"],
    )
  }

  /** Nothing is fetched ahead; a wrong request is told. @param {google.payments.api.PaymentDataRequest} request @returns {void} */
  prefetchPaymentData(request) {
    const fault = faultOfRequest(plain(request), this.#options.paymentDataCallbacks ?? {}, SANDBOX.gateways)
    if (fault) console.warn(`prefetchPaymentData: ${fault}`)
  }
}

/** The type definitions' class is what the page believes it has. @type {typeof google.payments.api.PaymentsClient} */
const publicClient = PaymentsClient

{
  const page = /** @type {any} */ (window)
  page.google = page.google ?? {}
  page.google.payments = page.google.payments ?? {}
  page.google.payments.api = { ...page.google.payments.api, PaymentsClient: publicClient }
}
