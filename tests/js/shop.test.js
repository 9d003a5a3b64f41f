/** The way to the shop's server, and the sheet's words in both directions. */

import assert from "node:assert/strict"
import { test } from "node:test"
import { ready } from "./button_page.js"
import { STATIC } from "./page.js"

const { failedUpdate, retryUpdate, parametersOf, questionOf, updateOf } = await import(new URL("page/sheet.js", STATIC))
const { Shop } = await import(new URL("page/shop.js", STATIC))

test("a question is a POST of JSON with the token of the form, and never of a cached page", async (t) => {
  const page = await ready(t)
  const [{ method, headers, body }] = page.asked
  assert.deepEqual([method, headers["content-type"], headers["x-shop-token"], body], ["POST", "application/json", "t0ken", {}])
})

for (const [what, answer, expected] of [
  ["words of the shop", [409, { code: "order_not_payable", detail: "Paid" }], { message: "Paid", code: "order_not_payable", isUnclear: false }],
  ["a shop that says it cannot", [503, { code: "wallet_unavailable", detail: "No" }], { message: "No", code: "wallet_unavailable", isUnclear: false }],
  ["a broken shop", [500, "<html>"], { message: "", code: "", isUnclear: true }],
  ["a failure that the shop did not foresee", [500, { code: "internal_error", detail: "Oh" }], { message: "Oh", code: "internal_error", isUnclear: true }],
  ["a proxy's page", [502, "null"], { message: "", code: "", isUnclear: true }],
  ["a proxy's JSON", [503, { type: "about:blank", code: "upstream", detail: "No" }], { message: "No", code: "upstream", isUnclear: true }],
  ["a middleware's page", [400, "<html>"], { message: "", code: "", isUnclear: true }],
  ["a middleware's JSON", [401, { detail: "Log in" }], { message: "Log in", code: "", isUnclear: true }],
  ["a portal's page", [200, "<html>"], { message: "", code: "", isUnclear: true }],
  ["a portal's JSON", [200, { message: "Welcome" }], { message: "", code: "", isUnclear: true }],
  ["an empty answer", [204, ""], { message: "", code: "", isUnclear: true }],
  ["a firewall's page", [403, "<html>"], { message: "", code: "", isUnclear: false }],
  ["a firewall's JSON", [403, { detail: "No" }], { message: "No", code: "", isUnclear: true }],
  ["a redirect", [302, ""], { message: "", code: "unreachable", isUnclear: true }],
  ["a cut line", null, { message: "", code: "unreachable", isUnclear: true }],
]) {
  test(`what ${what} means for the money`, async (t) => {
    const page = await ready(t, { result: answer })
    const fault = await new Shop(page.element).ask("result", {}).catch((fault) => fault)
    const { message, code, isUnclear } = fault
    assert.deepEqual({ message, code, isUnclear }, expected)
  })
}

test("what the sheet does not tell is null", () => {
  assert.deepEqual(questionOf({}, "REF"), { reference: "REF", shippingAddress: null, shippingOption: null, offers: [] })
  const told = { shippingOptionData: { id: "fast" }, offerData: { redemptionCodes: ["A"] } }
  assert.deepEqual(questionOf(told, "REF"), { reference: "REF", shippingAddress: null, shippingOption: "fast", offers: ["A"] })
})

test("a code is read as the wallet gives it, and as the interface documents it", () => {
  assert.deepEqual(questionOf({ offerData: { redemptionCode: "A" } }, "REF").offers, ["A"])
  assert.deepEqual(questionOf({ offerData: { redemptionCode: "B", redemptionCodes: ["A", "B"] } }, "REF").offers, ["A", "B"])
})

const CALLBACKS = { price: () => {}, authorize: () => {} }
const optionsOf = (optionalParams) => parametersOf({ optionalParams }, CALLBACKS)[14]

test("a gateway's own script gets no field that the interface does not document", () => {
  const callbackIntents = ["OFFER", "PAYMENT_AUTHORIZATION"]
  const offers = { offers: [] }
  assert.deepEqual(optionsOf({ callbackIntents, offerInfo: offers }), {
    callbackIntents,
    shippingOptionRequired: false,
    offerInfo: [offers],
    onPaymentDataChanged: CALLBACKS.price,
    onPaymentAuthorized: CALLBACKS.authorize,
  })
})

test("what the shop says of a field goes before what is said where it says nothing", () => {
  const additionalTransactionInfo = { totalPriceLabel: "Sum", displayItems: [] }
  const given = { callbackIntents: ["SHIPPING_OPTION"], shippingOptionRequired: true, additionalTransactionInfo }
  assert.deepEqual(optionsOf(given), { ...given, onPaymentDataChanged: CALLBACKS.price })
  assert.deepEqual(optionsOf({}), {})
})

const GIVEN = {
  ...{ countryCode: "DE", currencyCode: "EUR", amountStatus: "FINAL" },
  optionalParams: { callbackIntents: ["SHIPPING_OPTION", "OFFER"], additionalTransactionInfo: { totalPriceLabel: "Summe" } },
}

const PRICE = {
  total: "1234.50",
  displayItems: [{ label: "Mug", type: "LINE_ITEM", price: "1234.50" }],
  shippingOptions: [
    { id: "slow", label: "Standard", amount: "0.00", amountText: "0,00\u00a0€", description: "Five days" },
    { id: "fast", label: "Express", amount: "4.90", amountText: "4,90\u00a0€", description: "" },
  ],
  selectedOption: "slow",
  offers: [{ redemptionCode: "SAVE", description: "Ten off" }],
  errors: [],
}

test("a price becomes the update of the sheet, with what an option costs in the shop's words", () => {
  const update = updateOf(PRICE, GIVEN)
  assert.deepEqual(update.newTransactionInfo, {
    countryCode: "DE",
    currencyCode: "EUR",
    totalPriceStatus: "FINAL",
    totalPrice: "1234.50",
    totalPriceLabel: "Summe",
    displayItems: PRICE.displayItems,
  })
  assert.deepEqual(update.newShippingOptionParameters, {
    defaultSelectedOptionId: "slow",
    shippingOptions: [
      { id: "slow", label: "Standard · 0,00\u00a0€", description: "Five days" },
      { id: "fast", label: "Express · 4,90\u00a0€" },
    ],
  })
  assert.deepEqual(update.newOfferInfo, { offers: PRICE.offers })
})

test("a discount without a field for codes is no offer of the sheet", () => {
  const update = updateOf(PRICE, { ...GIVEN, optionalParams: { callbackIntents: ["SHIPPING_OPTION"] } })
  assert.deepEqual(Object.keys(update), ["newTransactionInfo", "newShippingOptionParameters"])
})

test("what there is not is not sent", () => {
  const update = updateOf({ ...PRICE, shippingOptions: [], offers: [] }, { ...GIVEN, currencyCode: "JPY" })
  assert.deepEqual(Object.keys(update), ["newTransactionInfo"])
})

test("choices that cannot be priced are the sheet's error, and nothing else", () => {
  const error = { intent: "SHIPPING_ADDRESS", reason: "SHIPPING_ADDRESS_UNSERVICEABLE", message: "Not there" }
  assert.deepEqual(updateOf({ ...PRICE, errors: [error] }, GIVEN), { error })
})

for (const [callbackIntents, callbackTrigger, intent] of [
  [["SHIPPING_ADDRESS", "OFFER"], "OFFER", "OFFER"],
  [["SHIPPING_ADDRESS", "OFFER"], "INITIALIZE", "SHIPPING_ADDRESS"],
  [["PAYMENT_AUTHORIZATION", "SHIPPING_OPTION"], undefined, "SHIPPING_OPTION"],
]) {
  test(`a price that failed at ${callbackTrigger} is the error of a registered intent, ${intent}`, () => {
    const update = failedUpdate({ callbackTrigger }, { optionalParams: { callbackIntents } }, "Try again")
    assert.deepEqual(update, { error: { intent, reason: "OTHER_ERROR", message: "Try again" } })
  })
}

test("a decline is an error of the card, which keeps the sheet open", () => {
  assert.deepEqual(retryUpdate("No"), { transactionState: "ERROR", error: { intent: "PAYMENT_AUTHORIZATION", reason: "PAYMENT_DATA_INVALID", message: "No" } })
})
