/** The wallet's own script in the sandbox: what it takes, what it refuses, what its button says. */

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { test } from "node:test"

const FOLDER = new URL("../../wallet_gateway/sandbox/static/wallet_sandbox/wallet/", import.meta.url)
const { amountText, approval, bill, fittingCards, firstChoices, intermediate, isAsked, isVerified, keptChoices, shownPrices, updated } = await import(new URL("sheet/order.js", FOLDER))

const pure = ["checks.js", "words.js", "button.js"].map((name) => readFileSync(new URL(`pay/${name}`, FOLDER), "utf8")).join("\n")
const names = ["faultOfReadiness", "faultOfRequest", "faultOfUpdate", "faultOfResult", "completeOptions", "faultOfButton", "buttonWords", "WORDS", "TYPES"]
const { faultOfReadiness, faultOfRequest, faultOfUpdate, faultOfResult, completeOptions, faultOfButton, buttonWords, WORDS, TYPES } = new Function(`${pure}\nreturn { ${names} }`)()

const CARD = {
  type: "CARD",
  parameters: { allowedAuthMethods: ["PAN_ONLY"], allowedCardNetworks: ["VISA"] },
  tokenizationSpecification: { type: "PAYMENT_GATEWAY", parameters: { gateway: "examplegateway", gatewayMerchantId: "M" } },
}
const INFO = { currencyCode: "EUR", countryCode: "DE", totalPriceStatus: "FINAL", totalPrice: "12.30" }
const GOOD = { apiVersion: 2, apiVersionMinor: 0, merchantInfo: {}, allowedPaymentMethods: [CARD], transactionInfo: INFO }
const fault = (changes, callbacks = {}) => faultOfRequest({ ...GOOD, ...changes }, callbacks, ["examplegateway"])
const call = () => {}

test("a good request has no fault", () => {
  assert.equal(fault({}), "")
  assert.equal(fault({ callbackIntents: ["PAYMENT_AUTHORIZATION"] }, { onPaymentAuthorized: call }), "")
  assert.equal(fault({ transactionInfo: { currencyCode: "EUR", totalPriceStatus: "NOT_CURRENTLY_KNOWN" } }), "")
  // The type definitions tie offers to no intent.
  assert.equal(fault({ offerInfo: { offers: [{ redemptionCode: "X", description: "x" }] } }), "")
})

for (const [what, changes, callbacks] of [
  ["apiVersion", { apiVersion: "2" }],
  ["allowedPaymentMethods", { allowedPaymentMethods: [] }],
  ["allowedAuthMethods", { allowedPaymentMethods: [{ ...CARD, parameters: { ...CARD.parameters, allowedAuthMethods: ["3DS"] } }] }],
  ["allowedCardNetworks", { allowedPaymentMethods: [{ ...CARD, parameters: { ...CARD.parameters, allowedCardNetworks: [] } }] }],
  ["billingAddressParameters.format", { allowedPaymentMethods: [{ ...CARD, parameters: { ...CARD.parameters, billingAddressParameters: {} } }] }],
  ["exclude each other", { allowedPaymentMethods: [{ ...CARD, parameters: { ...CARD.parameters, allowedIssuerCountryCodes: ["DE"], blockedIssuerCountryCodes: ["US"] } }] }],
  ["gateway must be", { allowedPaymentMethods: [{ ...CARD, tokenizationSpecification: { type: "PAYMENT_GATEWAY", parameters: { gateway: "other" } } }] }],
  ["PAYMENT_GATEWAY", { allowedPaymentMethods: [{ ...CARD, tokenizationSpecification: { type: "DIRECT" } }] }],
  ["names no CARD", { allowedPaymentMethods: [{ type: "PAYPAL" }] }],
  ["merchantInfo", { merchantInfo: undefined }],
  ["Exactly one", { recurringTransactionInfo: {} }],
  ["Exactly one", { transactionInfo: undefined }],
  ["currencyCode", { transactionInfo: { ...INFO, currencyCode: "eur" } }],
  ["totalPriceStatus", { transactionInfo: { ...INFO, totalPriceStatus: "final" } }],
  ["totalPrice", { transactionInfo: { ...INFO, totalPrice: 12.3 } }],
  ["totalPrice", { transactionInfo: { ...INFO, totalPrice: "12,30" } }],
  ["COMPLETE_IMMEDIATE_PURCHASE", { transactionInfo: { ...INFO, totalPriceStatus: "ESTIMATED", checkoutOption: "COMPLETE_IMMEDIATE_PURCHASE" } }],
  ["displayItems", { transactionInfo: { ...INFO, displayItems: [{ label: "x" }] } }],
  ["callbackIntents", { callbackIntents: ["PAYMENT"] }],
  ["onPaymentAuthorized", { callbackIntents: ["PAYMENT_AUTHORIZATION"] }],
  ["onPaymentAuthorized", {}, { onPaymentAuthorized: call }],
  ["onPaymentDataChanged", {}, { onPaymentDataChanged: call }],
  ["shippingOptionRequired", { callbackIntents: ["SHIPPING_OPTION"] }, { onPaymentDataChanged: call }],
  ["shippingAddressRequired", { callbackIntents: ["SHIPPING_ADDRESS"] }, { onPaymentDataChanged: call }],
  ["OFFER needs", { callbackIntents: ["OFFER"] }, { onPaymentDataChanged: call }],
  ["offerInfo must be", { offerInfo: [{ offers: [] }], callbackIntents: ["OFFER"] }, { onPaymentDataChanged: call }],
  ["id occurs twice", { shippingOptionParameters: { shippingOptions: [{ id: "a", label: "A" }, { id: "a", label: "B" }] } }],
  ["none of its options", { shippingOptionParameters: { shippingOptions: [{ id: "a", label: "A" }], defaultSelectedOptionId: "b" } }],
]) {
  test(`a request that cannot be is told: ${what} ${JSON.stringify(changes).slice(0, 40)}`, () => {
    assert.ok(fault(changes, callbacks).includes(what), fault(changes, callbacks))
  })
}

test("what is no object at all is a fault, not a crash", () => {
  for (const wrong of [undefined, null, 1, "text", [], [null]]) {
    assert.notEqual(faultOfReadiness(wrong), "")
    assert.notEqual(fault({ allowedPaymentMethods: wrong }), "")
    assert.notEqual(fault({ transactionInfo: wrong }), "")
    assert.notEqual(faultOfUpdate(wrong, GOOD), "")
    assert.notEqual(faultOfResult(wrong, GOOD), "")
  }
})

test("an error names an intent that was registered", () => {
  const error = { reason: "OTHER_ERROR", message: "No.", intent: "PAYMENT_AUTHORIZATION" }
  assert.equal(faultOfResult({ transactionState: "ERROR", error }, { callbackIntents: ["PAYMENT_AUTHORIZATION"] }), "")
  assert.match(faultOfResult({ transactionState: "ERROR", error }, { callbackIntents: [] }), /error\.intent/)
})

test("a button of which nothing is said looks as the wallet documents it; null is as good as absent", () => {
  const onClick = call
  const usual = { onClick, buttonColor: "default", buttonType: "buy", buttonSizeMode: "static", buttonRadius: 4, buttonBorderType: "default_border" }
  const absent = Object.fromEntries(Object.keys(usual).slice(1).map((name) => [name, null]))
  for (const given of [{ onClick }, { ...absent, onClick }]) {
    assert.deepEqual(completeOptions(given), usual)
    assert.equal(faultOfButton(completeOptions(given)), "")
  }
})

test("a radius may be text, as an element's attribute is, but a number it must be", () => {
  assert.equal(completeOptions({ buttonRadius: "12" }).buttonRadius, 12)
  for (const buttonRadius of ["", "round", "101", -1, NaN, true]) {
    assert.match(faultOfButton(completeOptions({ onClick: call, buttonRadius })), /buttonRadius/, `${buttonRadius}`)
  }
})

test("the cards of a dynamic button are checked as those of a request", () => {
  const said = (allowedPaymentMethods) => faultOfButton(completeOptions({ onClick: call, allowedPaymentMethods }))
  assert.equal(said([CARD]), "")
  assert.match(said([{ type: "CARD" }]), /allowedAuthMethods/)
  assert.match(said(CARD), /must be a list/)
})

test("the button has words in every language that buttonLocale names, one mark in each", () => {
  assert.equal(Object.keys(WORDS).length, 31)
  for (const [language, phrases] of Object.entries(WORDS)) {
    assert.equal(phrases.split("|").length, TYPES.length, language)
    for (const phrase of phrases.split("|")) assert.equal(phrase.split("%").length, 2, `${language}: ${phrase}`)
  }
})

test("a locale the wallet lacks gives way to the browser's, then to English", () => {
  assert.equal(buttonWords("pt-BR", "pay", "de").name, "Pagar com Sandbox Pay")
  assert.equal(buttonWords("xx", "pay", "de-AT").name, "Mit Sandbox Pay bezahlen")
  assert.equal(buttonWords(undefined, "plain", "xx").name, "Sandbox Pay")
})

const CARDS = [
  { id: "a", network: "VISA", authMethod: "PAN_ONLY", fundingSource: "CREDIT" },
  { id: "b", network: "VISA", authMethod: "PAN_ONLY", fundingSource: "PREPAID" },
  { id: "c", network: "JCB", authMethod: "CRYPTOGRAM_3DS", fundingSource: "DEBIT" },
]
const asking = (parameters) => ({ ...GOOD, allowedPaymentMethods: [{ ...CARD, parameters: { ...CARD.parameters, ...parameters } }] })

test("only fitting cards are left", () => {
  const ids = (parameters) => fittingCards(CARDS, asking(parameters)).map(({ id }) => id).join("")
  assert.equal(ids({}), "ab")
  assert.equal(ids({ allowPrepaidCards: false }), "a")
  assert.equal(ids({ allowCreditCards: false }), "b")
  assert.equal(ids({ allowedCardNetworks: ["JCB"], allowedAuthMethods: ["CRYPTOGRAM_3DS"] }), "c")
})

test("the shop is told where to, not to whom", () => {
  const address = { name: "Sam", address1: "Street", locality: "Town", postalCode: "1", countryCode: "DE", administrativeArea: "" }
  const request = { ...GOOD, shippingAddressRequired: true, shippingOptionRequired: true, offerInfo: { offers: [{ redemptionCode: "X", description: "x" }] } }
  const choices = firstChoices(request, CARDS, [address])
  assert.deepEqual(intermediate("INITIALIZE", request, choices, CARDS[2]), {
    callbackTrigger: "INITIALIZE",
    paymentMethodData: { type: "CARD", info: { cardNetwork: "JCB" } },
    shippingAddress: { locality: "Town", postalCode: "1", countryCode: "DE", administrativeArea: "" },
    shippingOptionData: { id: "shipping_option_unselected" },
    offerData: { redemptionCodes: ["X"] },
  })
})

test("the shop is asked for what it has registered, and at the beginning for any of it", () => {
  const request = { callbackIntents: ["SHIPPING_ADDRESS", "PAYMENT_AUTHORIZATION"] }
  assert.deepEqual(["INITIALIZE", "SHIPPING_ADDRESS", "OFFER"].map((trigger) => isAsked(request, trigger)), [true, true, false])
  assert.equal(isAsked({ callbackIntents: ["PAYMENT_AUTHORIZATION"] }, "INITIALIZE"), false)
})

test("new options keep the chosen one where it is still there", () => {
  const options = (...ids) => ({ newShippingOptionParameters: { shippingOptions: ids.map((id) => ({ id, label: id })) } })
  const chosen = (update) => keptChoices(updated(GOOD, update), update, { optionId: "b", codes: [] }).optionId
  assert.equal(chosen(options("a", "b")), "b")
  assert.equal(chosen(options("a", "c")), "a")
  assert.equal(chosen({ newShippingOptionParameters: { ...options("a", "b").newShippingOptionParameters, defaultSelectedOptionId: "a" } }), "a")
})

test("an update changes what it names and leaves the rest", () => {
  const request = updated(GOOD, { newTransactionInfo: { totalPrice: "1.00" } })
  assert.deepEqual(request.transactionInfo, { ...INFO, totalPrice: "1.00" })
  assert.equal(GOOD.transactionInfo.totalPrice, "12.30")
})

test("items without a label of the total are not shown", () => {
  const displayItems = [{ label: "x", type: "LINE_ITEM", price: "1.00" }]
  assert.deepEqual(bill({ transactionInfo: { ...INFO, displayItems } }).items, [])
  assert.deepEqual(bill({ transactionInfo: { ...INFO, displayItems, totalPriceLabel: "Total" } }).items, displayItems)
})

test("amounts are those that the sandbox writes, and exact without them", () => {
  assert.equal(amountText("1234.50", "EUR", { "1234.50": "1.234,50\u00a0€" }), "1.234,50\u00a0€")
  assert.equal(amountText("90071992547409.93", "EUR", {}), "90071992547409.93 EUR")
  assert.equal(amountText(undefined, "EUR", {}), "")
})

test("the prices that are shown are the total and those of the items", () => {
  const displayItems = [{ label: "x", type: "LINE_ITEM", price: "1.00" }]
  assert.deepEqual(shownPrices({ transactionInfo: { ...INFO, displayItems, totalPriceLabel: "Total" } }), ["12.30", "1.00"])
  assert.deepEqual(shownPrices({ transactionInfo: { currencyCode: "EUR", totalPriceStatus: "NOT_CURRENTLY_KNOWN" } }), [])
})

test("the approval is called what it is", () => {
  assert.equal(approval({ transactionInfo: {} }), "continue")
  assert.equal(approval({ transactionInfo: {}, callbackIntents: ["PAYMENT_AUTHORIZATION"] }), "pay")
  assert.equal(approval({ transactionInfo: { checkoutOption: "CONTINUE_TO_REVIEW" } }), "review")
})

test("only a merchant with an id, in production, is vouched for", () => {
  assert.equal(isVerified("TEST", { merchantId: "BCR2DN4TXXXXXXXX" }), false)
  assert.equal(isVerified("PRODUCTION", {}), false)
  assert.equal(isVerified("PRODUCTION", { merchantId: "BCR2DN4TXXXXXXXX" }), true)
})

const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url))

test("the wallet's type definitions fit the emulated wallet", { skip: !existsSync(compiler) && "TypeScript is not installed: run npm ci in tests/js" }, () => {
  const project = fileURLToPath(new URL("tsconfig.pay.json", import.meta.url))
  execFileSync(process.execPath, [compiler, "--project", project], { encoding: "utf8" })
})
