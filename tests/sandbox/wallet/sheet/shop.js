// The shop's part of a page: a button of the wallet's, and callbacks that the test answers. Everything is noted.
const card = {
  type: "CARD",
  parameters: { allowedAuthMethods: ["PAN_ONLY", "CRYPTOGRAM_3DS"], allowedCardNetworks: ["VISA", "MASTERCARD", "AMEX", "DISCOVER", "JCB"] },
  tokenizationSpecification: { type: "PAYMENT_GATEWAY", parameters: { gateway: "examplegateway", gatewayMerchantId: "SANDBOX-MERCHANT" } },
}
const order = {
  apiVersion: 2,
  apiVersionMinor: 0,
  merchantInfo: { merchantName: "Bücher & Söhne" },
  allowedPaymentMethods: [card],
  transactionInfo: { currencyCode: "EUR", countryCode: "DE", totalPriceStatus: "FINAL", totalPrice: "12.30" },
}
const asked = []
const ends = []
let pending
window.shop = { asked, ends, order, card, changed: async () => ({}), authorized: async () => ({ transactionState: "SUCCESS" }) }

shop.load = () => {
  pending = shop.client.loadPaymentData(shop.request).then(
    (data) => ends.push({ data }),
    ({ statusCode, statusMessage, message }) => ends.push({ statusCode, statusMessage: statusMessage ?? message }),
  )
  return pending
}
shop.offer = (changes, parameters) => {
  const intents = changes.callbackIntents ?? []
  const on = (name) => async (data) => {
    asked.push(data)
    return shop[name](data)
  }
  shop.callbacks = {}
  if (intents.some((one) => one !== "PAYMENT_AUTHORIZATION")) shop.callbacks.onPaymentDataChanged = on("changed")
  if (intents.includes("PAYMENT_AUTHORIZATION")) shop.callbacks.onPaymentAuthorized = on("authorized")
  shop.request = { ...order, allowedPaymentMethods: [{ ...card, parameters: { ...card.parameters, ...parameters } }], ...changes }
}
shop.sell = async (changes = {}, { parameters = {}, environment = "TEST", button = {} } = {}) => {
  shop.offer(changes, parameters)
  shop.client = new google.payments.api.PaymentsClient({ environment, merchantInfo: shop.request.merchantInfo, paymentDataCallbacks: shop.callbacks })
  document.getElementById("button").replaceChildren(shop.client.createButton({ onClick: shop.load, buttonLocale: "en", ...button }))
}
if (location.pathname === "/unasked") void shop.sell().then(shop.load)
