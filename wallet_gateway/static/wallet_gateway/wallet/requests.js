// @ts-check
/** What the wallet is asked, in its own shapes. */

import { OTHER_INFOS } from "./parameters.js";

const VERSION = { apiVersion: 2, apiVersionMinor: 0 }
const LOCALES = "en ar bg ca cs da de el es et fi fr hr id it ja ko ms nl no pl pt ru sk sl sr sv th tr uk zh".split(" ")

/** @type {(object: any, ...names: string[]) => any} */
const pick = (object, ...names) =>
  Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]]))

/** @param {Order} order @returns {Gpay<"card">} */
const card = ({ allowedMethods: allowedAuthMethods, allowedCardNetworks, optionalParams }) => ({
  type: "CARD",
  parameters: {
    allowedAuthMethods,
    allowedCardNetworks,
    ...pick(optionalParams, "allowPrepaidCards", "allowCreditCards", "allowedIssuerCountryCodes", "blockedIssuerCountryCodes", "assuranceDetailsRequired", "cardNetworkParameters", "cvcRequired"),
  },
})

/** @param {Order} order @returns {Gpay<"merchant">} */
export const merchantInfo = ({ merchantNo: merchantId, merchantName, optionalParams }) => ({
  // The types demand an id; the wallet does so in production only.
  .../** @type {{merchantId: string}} */ (merchantId ? { merchantId } : {}),
  merchantName,
  ...pick(optionalParams, "softwareInfo"),
})

/** @param {Order} order @returns {Gpay<"readiness">} */
export const readinessRequest = (order) => ({
  ...VERSION,
  allowedPaymentMethods: [card(order)],
  ...pick(order.optionalParams, "existingPaymentMethodRequired"),
})

/** @param {any} given one OfferInfo or a list of them @returns {Gpay<"offers">} */
export const oneOfferInfo = (given) => ({ offers: [given].flat().flatMap(({ offers }) => offers) })

/** @param {Order} order @returns {Gpay<"info">} */
export const transactionInfo = (order) => ({
  ...pick(order.optionalParams, "transactionNote"),
  ...order.optionalParams.additionalTransactionInfo,
  transactionId: order.clientSystemTransactionId,
  countryCode: order.countryCode,
  currencyCode: order.currencyCode,
  totalPriceStatus: order.amountStatus,
  totalPrice: order.amount,
})

/** @param {Order} order @param {string} gateway @returns {Gpay<"request">} */
export function paymentDataRequest(order, gateway) {
  const options = order.optionalParams
  const { type, parameters } = card(order)
  const parts = pick(options, "emailRequired", "shippingAddressRequired", "shippingAddressParameters", "shippingOptionRequired", "shippingOptionParameters", "callbackIntents", ...OTHER_INFOS)
  if (!OTHER_INFOS.some((name) => options[name])) parts.transactionInfo = transactionInfo(order)
  if (options.offerInfo) parts.offerInfo = oneOfferInfo(options.offerInfo)
  if (options.billingAddressRequired) {
    parameters.billingAddressRequired = true
    parameters.billingAddressParameters = { format: "MIN", ...options.billingAddressParameters }
  }
  return {
    ...VERSION,
    ...parts,
    merchantInfo: merchantInfo(order),
    allowedPaymentMethods: [
      {
        type,
        parameters,
        tokenizationSpecification: { type: "PAYMENT_GATEWAY", parameters: { gateway, gatewayMerchantId: order.mid } },
      },
    ],
  }
}

/** @param {Order} order @param {() => void} onClick @returns {Gpay<"button">} */
export function buttonOptions({ optionalParams }, onClick) {
  const language = optionalParams.buttonLocale?.split(/[-_]/)[0].toLowerCase()
  return {
    onClick,
    ...pick(optionalParams, "buttonColor", "buttonType", "buttonSizeMode", "buttonRadius", "buttonBorderType", "buttonRootNode"),
    // "pt-BR" is asked for as "pt"; for a language the wallet lacks, the browser's is used.
    ...(LOCALES.includes(language) ? { buttonLocale: language } : {}),
  }
}
