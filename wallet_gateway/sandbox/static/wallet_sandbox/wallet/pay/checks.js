// @ts-check
/*
 * What a page may ask of the wallet, and what its callbacks may answer. Each check gives the first fault in words,
 * or nothing at all. No document and no network here.
 */

const AUTH_METHODS = ["PAN_ONLY", "CRYPTOGRAM_3DS"]
const NETWORKS = ["AMEX", "DISCOVER", "ELECTRON", "ELO", "ELO_DEBIT", "INTERAC", "JCB", "MAESTRO", "MASTERCARD", "VISA"]
const INTENTS = ["OFFER", "SHIPPING_ADDRESS", "SHIPPING_OPTION", "PAYMENT_AUTHORIZATION", "PAYMENT_METHOD"]
const PRICE_STATUSES = ["NOT_CURRENTLY_KNOWN", "ESTIMATED", "FINAL"]
const CHECKOUT_OPTIONS = ["DEFAULT", "COMPLETE_IMMEDIATE_PURCHASE", "CONTINUE_TO_REVIEW"]
const ITEM_TYPES = ["LINE_ITEM", "SUBTOTAL", "TAX", "DISCOUNT", "SHIPPING_OPTION"]
const REASONS = ["SHIPPING_ADDRESS_INVALID", "SHIPPING_ADDRESS_UNSERVICEABLE", "SHIPPING_OPTION_INVALID", "OFFER_INVALID", "PAYMENT_DATA_INVALID", "OTHER_ERROR"]
const INFOS = ["transactionInfo", "recurringTransactionInfo", "deferredTransactionInfo", "automaticReloadTransactionInfo"]

const isPrice = (/** @type {unknown} */ value) => typeof value === "string" && /^\d+(\.\d{1,2})?$/.test(value)
// Discounts are negative in the interface; the wallet takes them.
const isItemPrice = (/** @type {unknown} */ value) => typeof value === "string" && /^-?\d+(\.\d{1,2})?$/.test(value)
const isText = (/** @type {unknown} */ value) => typeof value === "string" && value !== ""
const isObject = (/** @type {unknown} */ value) => typeof value === "object" && value !== null && !Array.isArray(value)

/** @param {any} list @param {string[]} known */
const isListOf = (list, known) => Array.isArray(list) && list.length > 0 && list.every((one) => known.includes(one))

/** @param {...[boolean, string]} rules whether each holds, and what to say if not @returns {string} */
const firstFault = (...rules) => rules.find(([holds]) => !holds)?.[1] ?? ""

/** @param {any} request @returns {string} */
function faultOfReadiness(request) {
  if (!isObject(request)) return "The request must be an object"
  const methods = request.allowedPaymentMethods
  return firstFault(
    [request.apiVersion === 2 && typeof request.apiVersionMinor === "number", "apiVersion must be 2 and apiVersionMinor a number"],
    [Array.isArray(methods) && methods.length > 0, "allowedPaymentMethods must be a list that is not empty"],
  ) || methods.map(faultOfMethod).find(Boolean) || ""
}

/** @param {any} method @param {number} place @returns {string} */
function faultOfMethod(method, place) {
  const at = `allowedPaymentMethods[${place}]`
  // A wallet knows more kinds of payment methods than this one.
  if (method?.type !== "CARD") return isText(method?.type) ? "" : `${at}.type is missing`
  const card = method.parameters
  return firstFault(
    [isListOf(card?.allowedAuthMethods, AUTH_METHODS), `${at}.parameters.allowedAuthMethods must name ${AUTH_METHODS.join(", ")}`],
    [isListOf(card?.allowedCardNetworks, NETWORKS), `${at}.parameters.allowedCardNetworks must name some of ${NETWORKS.join(", ")}`],
    [!(card?.allowedIssuerCountryCodes && card?.blockedIssuerCountryCodes), `${at}: allowed and blocked issuer countries exclude each other`],
    [!card?.billingAddressParameters || isText(card.billingAddressParameters.format), `${at}.parameters.billingAddressParameters.format is missing`],
  )
}

/**
 * @param {any} request @param {google.payments.api.PaymentDataCallbacks} callbacks @param {string[]} gateways
 * @returns {string}
 */
function faultOfRequest(request, callbacks, gateways) {
  return (
    faultOfReadiness(request) ||
    firstFault(
      [isObject(request.merchantInfo), "merchantInfo is missing"],
      [INFOS.filter((name) => request[name]).length === 1, `Exactly one of ${INFOS.join(", ")} must be given`],
    ) ||
    faultOfTokenization(request, gateways) ||
    (request.transactionInfo ? faultOfTransaction(request.transactionInfo) : "") ||
    faultOfIntents(request, callbacks) ||
    faultOfShipping(request.shippingOptionParameters, "shippingOptionParameters") ||
    faultOfOffers(request.offerInfo, "offerInfo")
  )
}

/** @param {any} request @param {string[]} gateways @returns {string} */
function faultOfTokenization(request, gateways) {
  const method = request.allowedPaymentMethods.find((/** @type {any} */ one) => one.type === "CARD")
  const { type, parameters } = Object(method?.tokenizationSpecification)
  return firstFault(
    [!!method, "allowedPaymentMethods names no CARD"],
    [type === "PAYMENT_GATEWAY", "tokenizationSpecification.type must be PAYMENT_GATEWAY: the sandbox seals for gateways"],
    [gateways.includes(parameters?.gateway), `tokenizationSpecification.parameters.gateway must be ${gateways.join(" or ")}`],
    [isText(parameters?.gatewayMerchantId), "tokenizationSpecification.parameters.gatewayMerchantId is missing"],
  )
}

/** @param {any} info @param {string} name @returns {string} */
function faultOfTransaction(info, name = "transactionInfo") {
  const { totalPriceStatus: status, checkoutOption } = Object(info)
  return firstFault(
    [isText(info?.currencyCode) && /^[A-Z]{3}$/.test(info.currencyCode), `${name}.currencyCode must be three capitals`],
    [PRICE_STATUSES.includes(status), `${name}.totalPriceStatus must be one of ${PRICE_STATUSES.join(", ")}`],
    [isPrice(info?.totalPrice) || (status === "NOT_CURRENTLY_KNOWN" && info.totalPrice === undefined), `${name}.totalPrice must be a text such as "10.00"`],
    [checkoutOption === undefined || CHECKOUT_OPTIONS.includes(checkoutOption), `${name}.checkoutOption must be one of ${CHECKOUT_OPTIONS.join(", ")}`],
    [checkoutOption !== "COMPLETE_IMMEDIATE_PURCHASE" || status === "FINAL", `${name}: COMPLETE_IMMEDIATE_PURCHASE needs a FINAL price`],
    [!info?.displayItems || (Array.isArray(info.displayItems) && info.displayItems.every(isItem)), `${name}.displayItems must have label, type and price each`],
  )
}

/** @param {any} item */
const isItem = (item) => isText(item?.label) && ITEM_TYPES.includes(item.type) && isItemPrice(item.price)

/** @param {any} request @param {google.payments.api.PaymentDataCallbacks} callbacks @returns {string} */
function faultOfIntents(request, callbacks) {
  const intents = request.callbackIntents ?? []
  if (!Array.isArray(intents) || !intents.every((one) => INTENTS.includes(one))) return `callbackIntents must name some of ${INTENTS.join(", ")}`
  const changes = intents.some((one) => one !== "PAYMENT_AUTHORIZATION")
  return firstFault(
    [intents.includes("PAYMENT_AUTHORIZATION") === !!callbacks.onPaymentAuthorized, "PAYMENT_AUTHORIZATION and onPaymentAuthorized go together"],
    [changes === !!callbacks.onPaymentDataChanged, "onPaymentDataChanged and the intents it is called for go together"],
    [!intents.includes("SHIPPING_OPTION") || !!request.shippingOptionRequired, "SHIPPING_OPTION needs shippingOptionRequired"],
    [!intents.includes("SHIPPING_ADDRESS") || !!request.shippingAddressRequired, "SHIPPING_ADDRESS needs shippingAddressRequired"],
    [!intents.includes("OFFER") || !!request.offerInfo, "OFFER needs offerInfo"],
  )
}

/** @param {any} parameters @param {string} name @returns {string} */
function faultOfShipping(parameters, name) {
  if (parameters === undefined) return ""
  const options = parameters?.shippingOptions
  const isRight = Array.isArray(options) && options.length > 0 && options.every((one) => isText(one?.id) && isText(one.label))
  if (!isRight) return `${name}.shippingOptions must have id and label each`
  const ids = options.map((one) => one.id)
  const chosen = parameters.defaultSelectedOptionId
  return firstFault(
    [new Set(ids).size === ids.length, `${name}.shippingOptions: an id occurs twice`],
    [chosen === undefined || ids.includes(chosen), `${name}.defaultSelectedOptionId is none of its options`],
  )
}

/** @param {any} info @param {string} name @returns {string} */
function faultOfOffers(info, name) {
  if (info === undefined) return ""
  const isRight = Array.isArray(info?.offers) && info.offers.every((/** @type {any} */ one) => isText(one?.redemptionCode) && isText(one.description))
  return isRight ? "" : `${name} must be {offers: [{redemptionCode, description}]}`
}

/** @param {any} error @param {any} request @returns {string} */
function faultOfError(error, request) {
  if (error === undefined) return ""
  return firstFault(
    [REASONS.includes(error?.reason), `error.reason must be one of ${REASONS.join(", ")}`],
    [isText(error?.message), "error.message is missing"],
    [(request.callbackIntents ?? []).includes(error?.intent), "error.intent must be one of the callbackIntents"],
  )
}

/** What onPaymentDataChanged may answer. @param {any} update @param {any} request @returns {string} */
function faultOfUpdate(update, request) {
  if (!isObject(update)) return "The answer of onPaymentDataChanged must be an object"
  const info = update.newTransactionInfo
  return (
    (info === undefined ? "" : faultOfTransaction(info, "newTransactionInfo")) ||
    faultOfShipping(update.newShippingOptionParameters, "newShippingOptionParameters") ||
    faultOfOffers(update.newOfferInfo, "newOfferInfo") ||
    faultOfError(update.error, request)
  )
}

/** What onPaymentAuthorized may answer. @param {any} result @param {any} request @returns {string} */
function faultOfResult(result, request) {
  const states = ["SUCCESS", "ERROR"]
  if (!states.includes(result?.transactionState)) return "transactionState must be SUCCESS or ERROR"
  return faultOfError(result.error, request)
}
