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
const AUTHORIZATION = "PAYMENT_AUTHORIZATION"

/**
 * The 15 values in their order. A callback is given only where the shop asks for its intent.
 * @param {any} given by name @param {string} totalPriceLabel without which the wallet shows no lines
 * @param {{price: Function, authorize: Function, nextReference: Function}} callbacks
 */
export function parametersOf(given, totalPriceLabel, { price, authorize, nextReference }) {
  /** @type {string[]} */
  const intents = given.optionalParams?.callbackIntents ?? []
  const options = {
    ...given.optionalParams,
    additionalTransactionInfo: { totalPriceLabel, ...given.optionalParams?.additionalTransactionInfo },
    nextReference,
    ...(intents.some((intent) => intent !== AUTHORIZATION) && { onPaymentDataChanged: price }),
    ...(intents.includes(AUTHORIZATION) && { onPaymentAuthorized: authorize }),
  }
  return [...NAMES.map((name) => given[name]), options]
}

/** What the sheet tells of the customer's choices. @param {any} data @param {string} reference */
export function questionOf(data, reference) {
  return {
    reference,
    shippingAddress: data.shippingAddress ?? null,
    shippingOption: data.shippingOptionData?.id ?? null,
    offers: data.offerData?.redemptionCodes ?? [],
  }
}

/**
 * The update of the sheet. Its currency and its status are those of the parameters.
 * @param {any} price as the shop's server says it @param {string} currency @param {string} language
 * @param {string} totalPriceLabel
 */
export function updateOf(price, currency, language, totalPriceLabel) {
  const [error] = price.errors
  if (error) return { error }
  const money = new Intl.NumberFormat(language || undefined, { style: "currency", currency })
  return {
    newTransactionInfo: { totalPrice: price.total, totalPriceLabel, displayItems: price.displayItems },
    ...(price.shippingOptions.length && {
      newShippingOptionParameters: {
        defaultSelectedOptionId: price.selectedOption,
        // The sheet has no place for what an option costs, but in its words.
        shippingOptions: price.shippingOptions.map((/** @type {any} */ { id, label, amount, description }) => ({
          id,
          label: `${label} · ${money.format(amount)}`,
          ...(description && { description }),
        })),
      },
    }),
    ...(price.offers.length && { newOfferInfo: { offers: price.offers } }),
  }
}

/** Lets the sheet close. */
export const SUCCESS = Object.freeze({ transactionState: "SUCCESS" })

/** Keeps the sheet open for another card. @param {string} message */
export const retryUpdate = (message) => ({
  transactionState: "ERROR",
  error: { intent: AUTHORIZATION, reason: "PAYMENT_DATA_INVALID", message },
})
