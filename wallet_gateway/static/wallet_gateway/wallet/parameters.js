// @ts-check
/** The 15 parameters of `runWalletPay`: what each must be, and which go together. */

import { callable, country, flag, list, must, object, oneOf, pattern, record, text, withoutNulls } from "./checks.js";

export const AUTHORIZATION = "PAYMENT_AUTHORIZATION"
const CHANGES = ["OFFER", "SHIPPING_ADDRESS", "SHIPPING_OPTION", "PAYMENT_METHOD"]
const NETWORKS = ["VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB"]
const METHODS = ["PAN_ONLY", "CRYPTOGRAM_3DS"]
/** Each takes the place of the usual description of the transaction. */
export const OTHER_INFOS = ["recurringTransactionInfo", "deferredTransactionInfo", "automaticReloadTransactionInfo"]

const OFFER_INFO = record({ offers: list(record({ redemptionCode: text, description: text })) })
/** One as the wallet has it, or a list as the interface has it. @type {Check} */
export const offerInfo = (value, path) => (Array.isArray(value) ? list(OFFER_INFO) : OFFER_INFO)(value, path)

const SHIPPING = record(
  { shippingOptions: list(record({ id: text, label: text }, { description: text }), 1) },
  { defaultSelectedOptionId: text },
)
/** @type {Check} */
export const shippingOptions = (value, path) => {
  const faults = SHIPPING(value, path)
  const chosen = value?.defaultSelectedOptionId
  if (faults.length || chosen == null || value.shippingOptions.some((/** @type {any} */ { id }) => id === chosen)) return faults
  return [`${path}.defaultSelectedOptionId must be the id of one of shippingOptions`]
}

export const displayItems = list(
  record(
    {
      label: text,
      type: oneOf(["LINE_ITEM", "SUBTOTAL", "TAX", "DISCOUNT", "SHIPPING_OPTION"]),
      price: pattern('text such as "10.00" or "-2.50"', /^-?\d{1,12}(\.\d{1,2})?$/),
    },
    { status: oneOf(["FINAL", "PENDING"]) },
  ),
)

const OPTIONS = record(
  {},
  {
    existingPaymentMethodRequired: flag,
    emailRequired: flag,
    billingAddressRequired: flag,
    billingAddressParameters: record({}, { format: oneOf(["MIN", "FULL", "FULL-ISO3166"]), phoneNumberRequired: flag }),
    callbackIntents: list(oneOf([...CHANGES, AUTHORIZATION])),
    shippingAddressRequired: flag,
    shippingAddressParameters: record(
      {},
      { allowedCountryCodes: list(country, 1), phoneNumberRequired: flag, format: oneOf(["FULL", "FULL-ISO3166"]) },
    ),
    shippingOptionRequired: flag,
    shippingOptionParameters: shippingOptions,
    additionalTransactionInfo: record(
      {},
      {
        displayItems,
        totalPriceLabel: text,
        checkoutOption: oneOf(["DEFAULT", "COMPLETE_IMMEDIATE_PURCHASE", "CONTINUE_TO_REVIEW"]),
      },
    ),
    allowPrepaidCards: flag,
    allowCreditCards: flag,
    offerInfo,
    buttonColor: oneOf(["default", "black", "white"]),
    buttonLocale: text,
    buttonSizeMode: oneOf(["static", "fill"]),
    buttonType: oneOf("book buy checkout donate order pay plain subscribe long short".split(" ")),
    onPaymentDataChanged: callable,
    onPaymentAuthorized: callable,
    // Ours: a promise of the reference for the account of a second card.
    nextReference: callable,
    // The wallet knows these, the interface does not.
    nonce: text,
    buttonRadius: must("a number from 0 on", (value) => Number.isFinite(value) && value >= 0),
    buttonBorderType: oneOf(["no_border", "default_border"]),
    buttonRootNode: must("a document or shadow root", (value) => callable(value.getRootNode, "").length === 0),
    assuranceDetailsRequired: flag,
    allowedIssuerCountryCodes: list(country, 1),
    blockedIssuerCountryCodes: list(country, 1),
    cardNetworkParameters: list(object, 1),
    cvcRequired: flag,
    softwareInfo: object,
    transactionNote: text,
    ...Object.fromEntries(OTHER_INFOS.map((name) => [name, object])),
  },
)

/** @type {(check: Check) => Check} */
const optional = (check) => (value, path) => (value == null ? [] : check(value, path))

/** In the order of the interface. @type {Checks} */
const PARAMETERS = {
  mid: text,
  sid: text,
  clientSystemTransactionId: text,
  allowedMethods: must(`['${METHODS.join("','")}']`, (value) => Array.isArray(value) && value.length === 2 && METHODS.every((method) => value.includes(method))),
  allowedCardNetworks: list(text, 1),
  countryCode: country,
  currencyCode: pattern("three capital letters", /^[A-Z]{3}$/),
  amountStatus: oneOf(["FINAL"]),
  amount: pattern('text such as "10.00", above zero', /^(?=.*[1-9])\d{1,12}(\.\d\d)?$/),
  profile: oneOf(["test", "prod"]),
  // A key belongs in no message.
  publicKeyApi: (value, path) => (pattern("", /^[!-~]{1,4096}$/)(value, "").length ? [`${path} must be the public API key`] : []),
  useWalletButton: flag,
  merchantNo: optional(must("text", (value) => typeof value === "string")),
  merchantName: text,
  optionalParams: optional(OPTIONS),
}
const NAMES = Object.keys(PARAMETERS)

/** @param {any} options @returns {string[]} */
function combinationFaults(options) {
  const has = (/** @type {string} */ intent) => (options.callbackIntents ?? []).includes(intent)
  const { onPaymentDataChanged: changed, onPaymentAuthorized: authorized } = options
  const changes = CHANGES.filter(has)
  /** @type {[any, string][]} */
  const rules = [
    [changes[0] && !changed, `the intents ${changes} need onPaymentDataChanged`],
    [changed && !changes[0], `onPaymentDataChanged needs one of the intents ${CHANGES}`],
    [has(AUTHORIZATION) && !authorized, `the intent ${AUTHORIZATION} needs onPaymentAuthorized`],
    [authorized && !has(AUTHORIZATION), `onPaymentAuthorized needs the intent ${AUTHORIZATION}`],
    [has("OFFER") && !options.offerInfo, "the intent OFFER needs offerInfo"],
    [has("SHIPPING_ADDRESS") && !options.shippingAddressRequired, "the intent SHIPPING_ADDRESS needs shippingAddressRequired: true"],
    [has("SHIPPING_OPTION") && !options.shippingOptionRequired, "the intent SHIPPING_OPTION needs shippingOptionRequired: true"],
    [options.allowedIssuerCountryCodes && options.blockedIssuerCountryCodes, "allowedIssuerCountryCodes and blockedIssuerCountryCodes exclude each other"],
    [OTHER_INFOS.filter((name) => options[name])[1], `${OTHER_INFOS} exclude each other`],
  ]
  return rules.filter(([broken]) => broken).map(([, rule]) => `optionalParams: ${rule}`)
}

/** @param {any} options @param {Warn} warn */
function warnOfNoEffect(options, warn) {
  for (const name of ["billingAddress", "shippingAddress", "shippingOption"]) {
    if (options[`${name}Parameters`] && !options[`${name}Required`]) warn(`${name}Parameters has no effect without ${name}Required: true`)
  }
  const { displayItems: items, totalPriceLabel } = options.additionalTransactionInfo ?? {}
  if (items && !totalPriceLabel) warn("the wallet shows displayItems only with totalPriceLabel")
}

/** @param {any[]} values as they were passed @param {Warn} warn @returns {Order} */
export function readParameters(values, warn) {
  /** @type {any} */
  const order = Object.fromEntries(NAMES.map((name, at) => [name, withoutNulls(values[at])]))
  const options = (order.optionalParams ??= {})
  const faults = NAMES.flatMap((name, at) => PARAMETERS[name](values[at], at < 14 ? `${name} (parameter ${at + 1})` : name))
  if (values.length > 15) faults.push(`runWalletPay takes 15 parameters, not ${values.length}`)
  if (order.profile === "prod" && !/^.{12,18}$/u.test(order.merchantNo)) faults.push("merchantNo (parameter 13) must have 12 to 18 characters in profile prod")
  if (!faults.length) faults.push(...combinationFaults(options))
  refuse(faults)
  warnOfNoEffect(options, warn)
  /** @type {string[]} */
  const asked = order.allowedCardNetworks
  const out = asked.filter((network) => !NETWORKS.includes(network))
  if (out[0]) warn(`the gateway does not take ${out}: left out of allowedCardNetworks`)
  order.allowedCardNetworks = NETWORKS.filter((network) => asked.includes(network))
  if (!order.allowedCardNetworks[0]) refuse([`allowedCardNetworks (parameter 5) must name one of ${NETWORKS}`])
  return order
}

/** @param {string[]} faults */
export function refuse(faults) {
  if (faults.length) throw new Error(faults.join("; "))
}
