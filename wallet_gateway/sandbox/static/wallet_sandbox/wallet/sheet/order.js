// @ts-check
/** What is paid, and what the customer chooses in the wallet: plain values in, plain values out. No document and no network here. */

/** @typedef {{id: string, name: string, network: string, authMethod: string, fundingSource: string, lastFour: string, description: string, art: string}} Card */
/** @typedef {Record<string, string>} Address */
/** @typedef {{email: string, name: string, cards: Card[], addresses: Address[]}} Account */
/** @typedef {{cardId: string, address: Address | undefined, optionId: string, codes: string[]}} Choices */

export const UNSELECTED = "shipping_option_unselected"

/** @param {any} request */
export const cardParameters = (request) =>
  request.allowedPaymentMethods.find((/** @type {any} */ one) => one.type === "CARD").parameters

/** The merchant's id at the gateway. @param {any} request @returns {string} */
export const gatewayMerchant = (request) =>
  request.allowedPaymentMethods.find((/** @type {any} */ one) => one.type === "CARD").tokenizationSpecification?.parameters?.gatewayMerchantId

/** The cards a request lets the customer choose from. @param {Card[]} cards @param {any} request */
export function fittingCards(cards, request) {
  const { allowedCardNetworks, allowedAuthMethods, allowPrepaidCards, allowCreditCards } = cardParameters(request)
  return cards.filter(
    ({ network, authMethod, fundingSource }) =>
      allowedCardNetworks.includes(network) &&
      allowedAuthMethods.includes(authMethod) &&
      !(allowPrepaidCards === false && fundingSource === "PREPAID") &&
      !(allowCreditCards === false && fundingSource === "CREDIT"),
  )
}

/** @param {any} request @param {Address} address */
export function isDelivered(request, { countryCode }) {
  const allowed = request.shippingAddressParameters?.allowedCountryCodes
  return !allowed || allowed.includes(countryCode)
}

/** What is chosen before the customer has chosen. @param {any} request @param {Card[]} cards @param {Address[]} addresses @returns {Choices} */
export function firstChoices(request, cards, addresses) {
  return {
    cardId: cards[0]?.id ?? "",
    address: request.shippingAddressRequired ? addresses.find((one) => isDelivered(request, one)) : undefined,
    optionId: defaultOption(request.shippingOptionParameters),
    codes: codesOf(request.offerInfo),
  }
}

/** @param {any} parameters @returns {string} */
export const defaultOption = (parameters) =>
  parameters?.defaultSelectedOptionId ?? parameters?.shippingOptions?.[0]?.id ?? UNSELECTED

/** @param {any} info @returns {string[]} */
export const codesOf = (info) => (info?.offers ?? []).map((/** @type {any} */ one) => one.redemptionCode)

/** Whether the shop is asked at such a change. @param {any} request @param {string} trigger */
export function isAsked(request, trigger) {
  const intents = (request.callbackIntents ?? []).filter((/** @type {string} */ one) => one !== "PAYMENT_AUTHORIZATION")
  return trigger === "INITIALIZE" ? intents.length > 0 : intents.includes(trigger)
}

/** What the shop is told before approval: no name, no street. @param {string} trigger @param {any} request @param {Choices} choices @param {Card | undefined} card */
export function intermediate(trigger, request, choices, card) {
  const { administrativeArea, countryCode, locality, postalCode } = choices.address ?? {}
  return {
    callbackTrigger: trigger,
    paymentMethodData: { type: "CARD", info: { cardNetwork: card?.network } },
    ...(choices.address && { shippingAddress: { administrativeArea, countryCode, locality, postalCode } }),
    ...(request.shippingOptionRequired && { shippingOptionData: { id: choices.optionId } }),
    ...(request.offerInfo && { offerData: { redemptionCodes: choices.codes } }),
  }
}

/** The request after an answer of the shop. @param {any} request @param {any} update */
export function updated(request, { newTransactionInfo, newShippingOptionParameters, newOfferInfo }) {
  return {
    ...request,
    ...(newTransactionInfo && { transactionInfo: { ...request.transactionInfo, ...newTransactionInfo } }),
    ...(newShippingOptionParameters && { shippingOptionParameters: newShippingOptionParameters }),
    ...(newOfferInfo && { offerInfo: newOfferInfo }),
  }
}

/** The choices that an updated request leaves possible. @param {any} request @param {any} update @param {Choices} choices @returns {Choices} */
export function keptChoices(request, update, choices) {
  const options = request.shippingOptionParameters?.shippingOptions ?? []
  const isThere = options.some((/** @type {any} */ one) => one.id === choices.optionId)
  const named = update.newShippingOptionParameters?.defaultSelectedOptionId
  return {
    ...choices,
    optionId: named ?? (isThere ? choices.optionId : defaultOption(request.shippingOptionParameters)),
    codes: update.newOfferInfo ? codesOf(update.newOfferInfo) : choices.codes,
  }
}

/** What is paid, whichever kind of order it is. @param {any} request */
export function bill(request) {
  const info = request.transactionInfo
  if (info) {
    const isShown = info.totalPriceLabel && info.displayItems
    return { currency: info.currencyCode, total: info.totalPrice, label: info.totalPriceLabel, status: info.totalPriceStatus, items: isShown ? info.displayItems : [] }
  }
  const other = request.recurringTransactionInfo ?? request.deferredTransactionInfo ?? request.automaticReloadTransactionInfo
  return { currency: other.currencyCode, total: other.immediateTotalPrice, label: other.label, status: "FINAL", items: other.immediateDisplayItems ?? [] }
}

/** Every price that is shown. @param {any} request @returns {string[]} */
export function shownPrices(request) {
  const { total, items } = bill(request)
  return [total, ...items.map((/** @type {any} */ { price }) => price)].filter((one) => one !== undefined)
}

/** @param {string | undefined} price @param {string} currency @param {Record<string, string>} texts as the sandbox formats them */
export const amountText = (price, currency, texts) => (price === undefined ? "" : (texts[price] ?? `${price} ${currency}`))

/** @param {any} request @returns {"pay" | "continue" | "review"} */
export function approval(request) {
  const option = request.transactionInfo?.checkoutOption
  if (option === "CONTINUE_TO_REVIEW") return "review"
  const pays = option === "COMPLETE_IMMEDIATE_PURCHASE" || (request.callbackIntents ?? []).includes("PAYMENT_AUTHORIZATION")
  return pays ? "pay" : "continue"
}

/** Whether the wallet vouches for the merchant. @param {string} environment @param {any} merchant */
export const isVerified = (environment, merchant) => environment === "PRODUCTION" && /^[A-Za-z0-9]{12,20}$/.test(merchant?.merchantId ?? "")

/** An address on one line, with the country's name. @param {Address} address @param {string} language */
export function addressText({ address1, address2, locality, postalCode, countryCode }, language) {
  const country = new Intl.DisplayNames(language, { type: "region" }).of(countryCode)
  return [address1, address2, `${postalCode} ${locality}`.trim(), country].filter(Boolean).join(", ")
}
