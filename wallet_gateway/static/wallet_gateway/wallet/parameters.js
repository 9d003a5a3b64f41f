// @ts-check
/** What a page may say. */

/** @param {any} value */
export const isPlain = (value) => Object.prototype.toString.call(value) === "[object Object]"
/** @param {any} value */
export const isText = (value) => typeof value === "string"

/** @type {(value: any) => any} */
export const withoutNulls = (value) => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isPlain(value)) return value
  const members = Object.entries(value).filter(([, member]) => member != null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]))
}

/** @type {(options: any, table: Checks) => any} */
export const pick = (options, table) => Object.fromEntries(Object.entries(options).filter(([name]) => Object.keys(table).includes(name)))

/** @type {(faults: any[]) => void} */
export const refuse = (faults) => {
  if (faults.length) throw new Error(faults.join("; "))
}

/** @param {any} value */
const shown = (value) => (value == null ? "missing" : `the ${typeof value} ${(JSON.stringify(value) ?? "").slice(0, 40)}`)

/** @type {Rule<(value: any) => boolean>} */
const must = (rule, holds) => (value, path) => (holds(value) ? [] : [`${path} must be ${rule}, but is ${shown(value)}`])

/** @type {Rule<RegExp>} */
const pattern = (rule, expression) => must(rule, (value) => isText(value) && expression.test(value))

/** @type {(...words: string[]) => Check} */
const oneOf = (...words) => must(`one of ${words.join(", ")}`, (value) => words.includes(value))

export const text = pattern("text of 1 to 1000 characters", /^(?=[^]*\S)[^]{1,1000}$/)
const country = pattern("two capital letters", /^[A-Z]{2}$/)
const flag = must("true or false", (value) => typeof value === "boolean")
const callable = must("a function", (value) => typeof value === "function")
const object = must("an object", isPlain)

/** @type {Wrapping} */
const list = (check, least = 0) => (value, path, warn) =>
  Array.isArray(value) && value.length >= least && value.length <= 500
    ? Array.from(value, (entry, at) => check(entry, `${path}[${at}]`, warn)).flat()
    : [`${path} must be a list of ${least} to 500 entries`]

/** @type {Wrapping} */
const optional = (check) => (value, path, warn) => (value == null ? [] : check(value, path, warn))

/** @type {Recording} */
const record = (required, others = {}) => (value, path, warn) => {
  if (!isPlain(value)) return object(value, path)
  const known = { ...required }
  for (const name in others) known[name] = optional(others[name])
  const unknown = Object.keys(value).filter((name) => !Object.keys(known).includes(name)).map((name) => `${path} has no field ${name.slice(0, 40)}`)
  if (warn) unknown.splice(0).forEach(warn)
  return [...unknown, ...Object.entries(known).flatMap(([name, check]) => check(value[name], `${path}.${name}`, warn))]
}

export const AUTHORIZATION = "PAYMENT_AUTHORIZATION"
const CHANGES = ["OFFER", "SHIPPING_ADDRESS", "SHIPPING_OPTION", "PAYMENT_METHOD"]
const NETWORKS = ["VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB"]

const OFFER_INFO = record({ offers: list(record({ redemptionCode: text, description: text })) })
/** @type {Check} */
const offerInfo = (value, path, warn) => (isPlain(value) ? OFFER_INFO : list(OFFER_INFO))(value, path, warn)

/** @type {(given: any) => Gpay<"offers">} */
export const offerList = (given) => ({ offers: [given].flat().flatMap(({ offers }) => offers) })

const SHIPPING = record(
  { shippingOptions: list(record({ id: text, label: text }, { description: text }), 1) },
  { defaultSelectedOptionId: text },
)
/** @type {Check} */
const shippingOptions = (value, path, warn) => {
  const faults = SHIPPING(value, path, warn)
  if (faults.length) return faults
  const ids = value.shippingOptions.map((/** @type {any} */ { id }) => id)
  return ids.includes(value.defaultSelectedOptionId ?? ids[0]) ? [] : [`${path}.defaultSelectedOptionId must be the id of one of shippingOptions`]
}

const displayItems = list(
  record(
    {
      label: text,
      type: oneOf("LINE_ITEM", "SUBTOTAL", "TAX", "DISCOUNT", "SHIPPING_OPTION"),
      price: pattern('text such as "10.00" or "-2.50"', /^-?\d{1,12}(\.\d{1,2})?$/),
    },
    { status: oneOf("FINAL", "PENDING") },
  ),
)

const LOCALES = "en ar bg ca cs da de el es et fi fr hr id it ja ko ms nl no pl pt ru sk sl sr sv th tr uk zh"
/** The button's language, as the wallet names it; nothing for one that it has not. @type {(options: any) => string | undefined} */
export const localeOf = ({ buttonLocale = "" }) => LOCALES.split(" ").find((locale) => locale === buttonLocale.split(/[-_]/)[0].toLowerCase())

// What the wallet is asked is made of these, too.
export const CARD = {
  allowPrepaidCards: flag,
  allowCreditCards: flag,
  allowedIssuerCountryCodes: list(country, 1),
  blockedIssuerCountryCodes: list(country, 1),
  assuranceDetailsRequired: flag,
  cardNetworkParameters: list(object, 1),
  cvcRequired: flag,
}
export const BUTTON = {
  buttonColor: oneOf("default", "black", "white"),
  buttonSizeMode: oneOf("static", "fill"),
  buttonType: oneOf("book", "buy", "checkout", "donate", "order", "pay", "plain", "subscribe", "long", "short"),
  buttonRadius: must("a number from 0 on", (value) => Number.isFinite(value) && value >= 0),
  buttonBorderType: oneOf("no_border", "default_border"),
  buttonRootNode: must("a document or shadow root", (value) => typeof value.getRootNode === "function"),
}
export const OTHER_INFOS = {
  recurringTransactionInfo: object,
  deferredTransactionInfo: object,
  automaticReloadTransactionInfo: object,
}
export const SHEET = {
  ...OTHER_INFOS,
  emailRequired: flag,
  shippingAddressRequired: flag,
  shippingAddressParameters: record(
    {},
    { allowedCountryCodes: list(country, 1), phoneNumberRequired: flag, format: oneOf("FULL", "FULL-ISO3166") },
  ),
  shippingOptionRequired: flag,
  shippingOptionParameters: shippingOptions,
  callbackIntents: list(oneOf(...CHANGES, AUTHORIZATION)),
}
const OPTIONS = {
  ...CARD,
  ...BUTTON,
  ...SHEET,
  existingPaymentMethodRequired: flag,
  billingAddressRequired: flag,
  billingAddressParameters: record({}, { format: oneOf("MIN", "FULL", "FULL-ISO3166"), phoneNumberRequired: flag }),
  additionalTransactionInfo: record(
    {},
    { displayItems, totalPriceLabel: text, checkoutOption: oneOf("DEFAULT", "COMPLETE_IMMEDIATE_PURCHASE", "CONTINUE_TO_REVIEW") },
  ),
  offerInfo,
  buttonLocale: text,
  onPaymentDataChanged: callable,
  onPaymentAuthorized: callable,
  nonce: text,
  softwareInfo: object,
  transactionNote: text,
}

/** In the order of the interface. @type {Checks} */
const PARAMETERS = {
  mid: text,
  sid: text,
  clientSystemTransactionId: text,
  allowedMethods: must("['PAN_ONLY','CRYPTOGRAM_3DS']", (value) => Array.isArray(value) && JSON.stringify([...value].sort()) === '["CRYPTOGRAM_3DS","PAN_ONLY"]'),
  allowedCardNetworks: list(text, 1),
  countryCode: country,
  currencyCode: pattern("three capital letters", /^[A-Z]{3}$/),
  amountStatus: oneOf("FINAL"),
  amount: pattern('text such as "10.00", above zero', /^(?=.*[1-9])\d{1,12}(\.\d\d)?$/),
  profile: oneOf("test", "prod"),
  // A key belongs in no message.
  publicKeyApi: (value, path) => (isText(value) && /^[!-~]{1,4096}$/.test(value) ? [] : [`${path} must be the public API key`]),
  useWalletButton: flag,
  merchantNo: optional(must("text", isText)),
  merchantName: text,
  optionalParams: optional(record({}, OPTIONS)),
}
export const NAMES = Object.keys(PARAMETERS)

/** @type {(intents: string[]) => Check} */
export const sheetError = (intents) =>
  record({
    reason: oneOf("OFFER_INVALID", "PAYMENT_DATA_INVALID", "SHIPPING_ADDRESS_INVALID", "SHIPPING_ADDRESS_UNSERVICEABLE", "SHIPPING_OPTION_INVALID", "OTHER_ERROR"),
    message: text,
    intent: oneOf(...intents),
  })
/** The wallet knows more fields. @type {Check} */
const newTransactionInfo = (value, path) => record({ totalPrice: pattern('text such as "10.00"', /^\d{1,12}(\.\d{1,2})?$/) }, { displayItems })(value, path, () => {})

/** @type {Answering} */
export const readUpdate = (answer, error) =>
  refuse(record({}, { newOfferInfo: offerInfo, newTransactionInfo, newShippingOptionParameters: shippingOptions, error })(answer, "the answer of onPaymentDataChanged"))

/** @type {Answering} */
export const readResult = (answer, error) =>
  refuse(record({ transactionState: oneOf("SUCCESS", "ERROR") }, { error })(answer, "the answer of onPaymentAuthorized"))

/** @param {any} options */
function combinationFaults(options) {
  const { callbackIntents = [], onPaymentDataChanged: changed, onPaymentAuthorized: authorized } = options
  const changes = CHANGES.filter((intent) => callbackIntents.includes(intent))
  const needs = (/** @type {string} */ intent, /** @type {string} */ name, value = "") => [callbackIntents.includes(intent) && !options[name], `the intent ${intent} needs ${name}${value}`]
  return [
    [changes[0] && !changed, `the intents ${changes} need onPaymentDataChanged`],
    [changed && !changes[0], `onPaymentDataChanged needs one of the intents ${CHANGES}`],
    [authorized && !callbackIntents.includes(AUTHORIZATION), `onPaymentAuthorized needs the intent ${AUTHORIZATION}`],
    needs(AUTHORIZATION, "onPaymentAuthorized"),
    needs("OFFER", "offerInfo"),
    needs("SHIPPING_ADDRESS", "shippingAddressRequired", ": true"),
    needs("SHIPPING_OPTION", "shippingOptionRequired", ": true"),
    [options.allowedIssuerCountryCodes && options.blockedIssuerCountryCodes, "allowedIssuerCountryCodes and blockedIssuerCountryCodes exclude each other"],
    [Object.keys(pick(options, OTHER_INFOS))[1], `${Object.keys(OTHER_INFOS)} exclude each other`],
  ].flatMap(([isBroken, rule]) => (isBroken ? `optionalParams: ${rule}` : []))
}

/** Choices on the sheet of which nobody is told. @param {any} options */
const lostChoices = ({ callbackIntents = [], shippingOptionRequired, shippingOptionParameters, offerInfo }) =>
  [
    ["SHIPPING_OPTION", "shippingOptionParameters", shippingOptionRequired && shippingOptionParameters],
    ["OFFER", "offerInfo", offerInfo],
  ].flatMap(([intent, name, isShown]) => (isShown && !callbackIntents.includes(intent) ? `optionalParams: ${name} needs the intent ${intent}, or what the customer chooses is lost` : []))

/** @param {any} options @param {Warn} warn */
function warnOfNoEffect(options, warn) {
  for (const name of ["billingAddress", "shippingAddress", "shippingOption"]) {
    if (options[`${name}Parameters`] && !options[`${name}Required`]) warn(`${name}Parameters has no effect without ${name}Required: true`)
  }
  if (options.shippingOptionRequired && !options.shippingOptionParameters) warn("shippingOptionRequired has no effect without shippingOptionParameters")
  const ids = options.shippingOptionParameters?.shippingOptions.map((/** @type {any} */ { id }) => id) ?? []
  for (const id of new Set(ids.filter((/** @type {string} */ id, /** @type {number} */ at) => ids.indexOf(id) < at))) warn(`shippingOptions has the id ${id.slice(0, 40)} more than once`)
  const [other] = Object.keys(pick(options, OTHER_INFOS))
  for (const name of ["additionalTransactionInfo", "transactionNote"]) if (other && options[name]) warn(`${name} has no effect with ${other}`)
  if (options.buttonLocale && !localeOf(options)) warn(`the wallet has no button in ${options.buttonLocale.slice(0, 40)}: buttonLocale is left out`)
  const { displayItems: items, totalPriceLabel } = options.additionalTransactionInfo ?? {}
  if (items && !totalPriceLabel) warn("the wallet shows displayItems only with totalPriceLabel")
  if (!items && options.callbackIntents?.[0]) warn("callbackIntents need displayItems")
}

/** @param {any[]} values as they were passed @param {Warn} warn @param {boolean} [isOurs] whether the page is not one of the interface @returns {Order} */
export function readParameters(values, warn, isOurs = false) {
  /** @type {any} */
  const order = Object.fromEntries(NAMES.map((name, at) => [name, withoutNulls(values[at])]))
  const options = (order.optionalParams ??= {})
  const faults = NAMES.flatMap((name, at) => PARAMETERS[name](values[at], at < 14 ? `${name} (parameter ${at + 1})` : name, warn))
  if (values.length > 15) warn(`runWalletPay takes 15 parameters, not ${values.length}`)
  if (order.profile === "prod" && !/^.{12,18}$/u.test(order.merchantNo)) faults.push("merchantNo (parameter 13) must have 12 to 18 characters in profile prod")
  refuse(faults)
  const lost = lostChoices(options)
  refuse([...combinationFaults(options), ...(isOurs ? lost : [])])
  lost.forEach(warn)
  warnOfNoEffect(options, warn)
  const out = new Set(order.allowedCardNetworks)
  order.allowedCardNetworks = NETWORKS.filter((network) => out.delete(network))
  if (out.size) warn(`the gateway does not take ${[...out]}: left out of allowedCardNetworks`)
  if (!order.allowedCardNetworks[0]) refuse([`allowedCardNetworks (parameter 5) must name one of ${NETWORKS}`])
  return order
}
