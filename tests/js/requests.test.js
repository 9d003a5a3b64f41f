/** What the wallet is asked: its own shapes, from the interface's. */

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { parameters, STATIC } from "./page.js"

const { readParameters } = await import(new URL("wallet/parameters.js", STATIC))
const { buttonOptions, merchantInfo, paymentDataRequest, readinessRequest } = await import(new URL("wallet/run.js", STATIC))

const order = (optionalParams, changed) => readParameters(parameters({ ...changed, optionalParams }), () => {})
const { version } = JSON.parse(readFileSync(new URL("package.json", STATIC), "utf8"))
const softwareInfo = { id: "django-wallet-gateway", version }
const request = (optionalParams) => paymentDataRequest(order(optionalParams), "examplegateway")

test("the plain request has what the wallet demands and nothing else", () => {
  assert.deepEqual(request(), {
    apiVersion: 2,
    apiVersionMinor: 0,
    merchantInfo: { merchantId: "12345678901234567890", merchantName: "Bücher & Söhne", softwareInfo },
    allowedPaymentMethods: [
      {
        type: "CARD",
        parameters: { allowedAuthMethods: ["PAN_ONLY", "CRYPTOGRAM_3DS"], allowedCardNetworks: ["VISA", "MASTERCARD"] },
        tokenizationSpecification: {
          type: "PAYMENT_GATEWAY",
          parameters: { gateway: "examplegateway", gatewayMerchantId: "M-100" },
        },
      },
    ],
    transactionInfo: {
      transactionId: "ORDER-1",
      countryCode: "DE",
      currencyCode: "EUR",
      totalPriceStatus: "FINAL",
      totalPrice: "12.30",
    },
  })
})

test("a billing address is asked in the format MIN unless another is named", () => {
  const card = (optionalParams) => request(optionalParams).allowedPaymentMethods[0].parameters
  assert.deepEqual(card({ billingAddressRequired: true }).billingAddressParameters, { format: "MIN" })
  const full = { format: "FULL", phoneNumberRequired: true }
  assert.deepEqual(card({ billingAddressRequired: true, billingAddressParameters: full }).billingAddressParameters, full)
})

test("a list of OfferInfo, as the interface has it, becomes the one that the wallet has", () => {
  const [one, two] = ["ONE", "TWO"].map((redemptionCode) => ({ redemptionCode, description: "Off" }))
  assert.deepEqual(request({ offerInfo: [{ offers: [one] }, { offers: [two] }] }).offerInfo, { offers: [one, two] })
  assert.deepEqual(request({ offerInfo: { offers: [one] } }).offerInfo, { offers: [one] })
})

test("additionalTransactionInfo is spread into the transaction, and cannot change its price", () => {
  const displayItems = [{ label: "Book", type: "LINE_ITEM", price: "12.30" }]
  const info = request({
    additionalTransactionInfo: { displayItems, totalPriceLabel: "Total", checkoutOption: "DEFAULT" },
    transactionNote: "Thanks",
  }).transactionInfo
  assert.deepEqual([info.displayItems, info.totalPriceLabel, info.checkoutOption], [displayItems, "Total", "DEFAULT"])
  assert.deepEqual([info.transactionNote, info.totalPrice], ["Thanks", "12.30"])
  const changed = request({ additionalTransactionInfo: { totalPrice: "0.01", currencyCode: "JPY" } }).transactionInfo
  assert.deepEqual([changed.totalPrice, changed.currencyCode], ["12.30", "EUR"])
})

test("fields that only the wallet knows pass through to where it wants them", () => {
  const passed = request({
    assuranceDetailsRequired: true,
    allowedIssuerCountryCodes: ["DE"],
    cardNetworkParameters: [{ cardNetwork: "VISA", acquirerBin: "400000" }],
    cvcRequired: true,
    softwareInfo: { id: "shop", version: "1" },
  })
  const card = passed.allowedPaymentMethods[0].parameters
  assert.deepEqual([card.assuranceDetailsRequired, card.cvcRequired], [true, true])
  assert.deepEqual([card.allowedIssuerCountryCodes, card.cardNetworkParameters[0].acquirerBin], [["DE"], "400000"])
  assert.deepEqual(passed.merchantInfo.softwareInfo, { id: "shop", version: "1" })
})

test("a recurring transaction takes the place of the usual one", () => {
  const passed = request({ recurringTransactionInfo: { currencyCode: "EUR" } })
  assert.deepEqual(passed.recurringTransactionInfo, { currencyCode: "EUR" })
  assert.ok(!("transactionInfo" in passed))
})

test("addresses, options, e-mail and intents stand in the request, callbacks do not", () => {
  const optionalParams = {
    emailRequired: true,
    shippingAddressRequired: true,
    shippingAddressParameters: { allowedCountryCodes: ["DE"], format: "FULL-ISO3166" },
    shippingOptionRequired: true,
    shippingOptionParameters: { shippingOptions: [{ id: "a", label: "Post" }] },
    callbackIntents: ["SHIPPING_OPTION"],
  }
  const passed = request({ ...optionalParams, onPaymentDataChanged: () => ({}) })
  for (const [name, value] of Object.entries(optionalParams)) assert.deepEqual(passed[name], value, name)
  assert.ok(!("onPaymentDataChanged" in passed))
})

test("merchantNo is left out where there is none", () => {
  assert.deepEqual(merchantInfo(order({}, { merchantNo: "" })), { merchantName: "Bücher & Söhne", softwareInfo })
})

test("whether a stored card is needed is asked of isReadyToPay, prepaid and credit of the card", () => {
  const asked = readinessRequest(order({ existingPaymentMethodRequired: true, allowPrepaidCards: false, allowCreditCards: false }))
  assert.equal(asked.existingPaymentMethodRequired, true)
  assert.deepEqual(asked.allowedPaymentMethods[0].parameters.allowPrepaidCards, false)
  assert.deepEqual(asked.allowedPaymentMethods[0].parameters.allowCreditCards, false)
})

for (const [given, sent] of [
  ["de", "de"],
  ["pt-BR", "pt"],
  ["zh_Hant", "zh"],
  ["DE", "de"],
  ["fil", undefined],
  ["xx", undefined],
  [undefined, undefined],
]) {
  test(`the button's locale ${given} is asked of the wallet as ${sent}`, () => {
    assert.equal(buttonOptions(order({ buttonLocale: given }), () => {}).buttonLocale, sent)
  })
}

test("every field of the button reaches createButton", () => {
  const fields = { buttonColor: "white", buttonType: "donate", buttonSizeMode: "fill", buttonRadius: 8, buttonBorderType: "no_border" }
  const onClick = () => {}
  const card = { type: "CARD", parameters: { allowedAuthMethods: ["PAN_ONLY", "CRYPTOGRAM_3DS"], allowedCardNetworks: ["VISA", "MASTERCARD"] } }
  // Of all cards in the wallet, the button shows one that the shop takes.
  assert.deepEqual(buttonOptions(order(fields), onClick), { onClick, allowedPaymentMethods: [card], ...fields })
})

test("a button in a shadow root is told its root, unless the page has named another", () => {
  const root = { host: {}, getRootNode: () => root, [Symbol.toStringTag]: "ShadowRoot" }
  const slot = { getRootNode: () => root }
  assert.equal(buttonOptions(order(), () => {}, slot).buttonRootNode, root)
  const other = { ...root, host: {} }
  assert.equal(buttonOptions(order({ buttonRootNode: other }), () => {}, slot).buttonRootNode, other)
  assert.ok(!("buttonRootNode" in buttonOptions(order(), () => {}, { getRootNode: () => ({}) })))
})
