// @ts-check
/** Between the shop's answers and what wallet.js takes: the 15 parameters, prices, verdicts. No network, no page. */

const NAMES = [
  "mid",
  "sid",
  "clientSystemTransactionId",
  "allowedMethods",
  "allowedCardNetworks",
  "countryCode",
  "currencyCode",
  "amountStatus",
  "amount",
  "profile",
  "publicKeyApi",
  "useWalletButton",
  "merchantNo",
  "merchantName",
]
export const AUTHORIZATION = "PAYMENT_AUTHORIZATION"
// The wallet's own word for a closed sheet, wherever a script puts it.
const CLOSED = /\bCANCELED\b/

/**
 * The 15 values in their order, with nothing but what the interface documents: the script may be the gateway's own. A
 * callback is given only where the shop asks for its intent.
 * @param {any} given by name
 * @param {{price: Function, authorize: Function}} callbacks
 */
export function parametersOf(given, { price, authorize }) {
  const intents = intentsOf(given)
  const { offerInfo, ...others } = given.optionalParams ?? {}
  const options = {
    // "required when authorize-payments or dynamic price updates are supported"
    ...(intents.length && { shippingOptionRequired: false }),
    ...others,
    ...(offerInfo && { offerInfo: [offerInfo].flat() }),
    ...(intents.some((intent) => intent !== AUTHORIZATION) && { onPaymentDataChanged: price }),
    ...(intents.includes(AUTHORIZATION) && { onPaymentAuthorized: authorize }),
  }
  return [...NAMES.map((name) => given[name]), options]
}

/** @param {any} given @returns {string[]} */
export const intentsOf = (given) => given?.optionalParams?.callbackIntents ?? []

/**
 * What the sheet tells of the customer's choices. The interface has one code, the wallet a list.
 * @param {any} data @param {string} reference
 */
export function questionOf(data, reference) {
  const { redemptionCode, redemptionCodes = redemptionCode ? [redemptionCode] : [] } = data.offerData ?? {}
  return {
    reference,
    shippingAddress: data.shippingAddress ?? null,
    shippingOption: data.shippingOptionData?.id ?? null,
    offers: redemptionCodes,
  }
}

/**
 * The update of the sheet. Country, currency and status are those of the parameters, since a script may pass on what it
 * gets and no more.
 * @param {any} price as the shop's server says it @param {any} given the parameters by name
 */
export function updateOf(price, given) {
  const [error] = price.errors
  if (error) return { error }
  const { countryCode, currencyCode, amountStatus: totalPriceStatus, optionalParams } = given
  return {
    newTransactionInfo: {
      countryCode,
      currencyCode,
      totalPriceStatus,
      totalPrice: price.total,
      totalPriceLabel: optionalParams?.additionalTransactionInfo?.totalPriceLabel,
      displayItems: price.displayItems,
    },
    ...(price.shippingOptions.length && {
      newShippingOptionParameters: {
        defaultSelectedOptionId: price.selectedOption,
        // The sheet has no place for what an option costs, but in its words.
        shippingOptions: price.shippingOptions.map((/** @type {any} */ { id, label, amountText, description }) => ({
          id,
          label: `${label} · ${amountText}`,
          ...(description && { description }),
        })),
      },
    }),
    ...(price.offers.length && intentsOf(given).includes("OFFER") && { newOfferInfo: { offers: price.offers } }),
  }
}

/**
 * What a sheet says whose question the shop did not answer. Resolved, not rejected: "rejection is not meant for ordinary
 * updates and should be avoided".
 * @param {any} data the question @param {any} given the parameters by name @param {string} message
 */
export function failedUpdate({ callbackTrigger }, given, message) {
  const intents = intentsOf(given).filter((intent) => intent !== AUTHORIZATION)
  const intent = intents.includes(callbackTrigger) ? callbackTrigger : intents[0]
  return { error: { intent, reason: "OTHER_ERROR", message } }
}

/** Lets the sheet close. */
export const SUCCESS = Object.freeze({ transactionState: "SUCCESS" })

/** Keeps the sheet open for another card. @param {string} message */
export const retryUpdate = (message) => ({
  transactionState: "ERROR",
  error: { intent: AUTHORIZATION, reason: "PAYMENT_DATA_INVALID", message },
})

/** Whatever a script throws; the wallet's own faults have a code. @param {any} fault */
export const messageOf = (fault) => String(fault?.statusCode || fault?.message || fault?.code || fault)

/** @param {unknown} fault */
export const isClosed = (fault) => CLOSED.test(messageOf(fault))
