/** The 15 parameters and the fields of optionalParams: what is refused, with which words, and what is only warned of. */

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { aWhile, open, parameters, paymentData, STATIC, until } from "./page.js"

const { BUTTON, CARD, readParameters, SHEET } = await import(new URL("wallet/parameters.js", STATIC))

const callback = async () => ({})
const refusal = (changed) => {
  try {
    readParameters(parameters(changed), () => {})
  } catch (error) {
    return error.message
  }
  return ""
}
const warnings = (changed) => {
  const heard = []
  readParameters(parameters(changed), (warning) => heard.push(warning))
  return heard
}
const OPTIONS = [{ id: "a", label: "Post" }]

test("the parameters of the interface are taken", () => assert.equal(refusal(), ""))

for (const [name, value, words] of [
  ["mid", "", "mid (parameter 1) must be text"],
  ["mid", 12, "the number 12"],
  ["mid", "  ", "mid (parameter 1)"],
  ["mid", "x".repeat(1001), "1 to 1000 characters"],
  ["sid", null, "sid (parameter 2) must be text of 1 to 1000 characters, but is missing"],
  ["clientSystemTransactionId", undefined, "clientSystemTransactionId (parameter 3)"],
  ["clientSystemTransactionId", {}, "clientSystemTransactionId (parameter 3)"],
  ["allowedMethods", ["PAN_ONLY"], "allowedMethods (parameter 4) must be ['PAN_ONLY','CRYPTOGRAM_3DS']"],
  ["allowedMethods", "PAN_ONLY", "allowedMethods (parameter 4)"],
  ["allowedMethods", ["PAN_ONLY", "PAN_ONLY"], "allowedMethods (parameter 4)"],
  ["allowedCardNetworks", [], "allowedCardNetworks (parameter 5) must be a list of 1 to 500 entries"],
  ["allowedCardNetworks", "VISA", "allowedCardNetworks (parameter 5) must be a list"],
  ["allowedCardNetworks", [5], "allowedCardNetworks (parameter 5)[0] must be text"],
  ["allowedCardNetworks", [, "VISA"], "allowedCardNetworks (parameter 5)[0] must be text"],
  ["allowedCardNetworks", ["INTERAC"], "must name one of VISA,MASTERCARD,AMEX,DISCOVER,JCB"],
  ["allowedCardNetworks", Array(501).fill("VISA"), "1 to 500 entries"],
  ["countryCode", "DEU", "countryCode (parameter 6) must be two capital letters"],
  ["countryCode", "de", "countryCode (parameter 6)"],
  ["currencyCode", "EURO", "currencyCode (parameter 7) must be three capital letters"],
  ["amountStatus", "ESTIMATED", "amountStatus (parameter 8) must be one of FINAL"],
  ["amount", "10,00", 'amount (parameter 9) must be text such as "10.00"'],
  ["amount", 10, "the number 10"],
  ["amount", "10.0", "amount (parameter 9)"],
  ["amount", "10.000", "amount (parameter 9)"],
  ["amount", "-1.00", "amount (parameter 9)"],
  ["amount", "1e3", "amount (parameter 9)"],
  ["amount", "0.00", "above zero"],
  ["amount", "١٠.٠٠", "amount (parameter 9)"],
  ["amount", "10.00\n", "amount (parameter 9)"],
  ["amount", "€10.00", "amount (parameter 9)"],
  ["amount", "1".repeat(13), "amount (parameter 9)"],
  ["profile", "TEST", "profile (parameter 10) must be one of test, prod"],
  ["publicKeyApi", "", "publicKeyApi (parameter 11) must be the public API key"],
  ["publicKeyApi", "a\r\nX-Evil: 1", "publicKeyApi (parameter 11)"],
  ["useWalletButton", "true", "useWalletButton (parameter 12) must be true or false"],
  ["merchantNo", 123456789012, "merchantNo (parameter 13) must be text"],
  ["merchantName", "", "merchantName (parameter 14) must be text"],
  ["optionalParams", [], "optionalParams must be an object"],
  ["optionalParams", "emailRequired", "optionalParams must be an object"],
]) {
  test(`${name} of ${JSON.stringify(value)?.slice(0, 30)} is refused with words that help`, () => {
    assert.ok(refusal({ [name]: value }).includes(words), refusal({ [name]: value }))
  })
}

test("a whole amount without decimals is taken, for currencies that have none", () => {
  assert.equal(refusal({ amount: "1200", currencyCode: "JPY" }), "")
})

test("every fault is named, not only the first", () => {
  const words = refusal({ mid: "", amount: "1,0", optionalParams: { emailRequired: "yes", buttonType: "big" } })
  for (const name of ["mid", "amount", "optionalParams.emailRequired", "optionalParams.buttonType"]) {
    assert.ok(words.includes(name), words)
  }
})

test("a sixteenth parameter, of a newer interface perhaps, is a warning", () => {
  const warnings = []
  readParameters([...parameters(), 1], (warning) => warnings.push(warning))
  assert.deepEqual(warnings, ["runWalletPay takes 15 parameters, not 16"])
})

test("a call without any parameter names the thirteen that are needed", () => {
  assert.throws(() => readParameters([], () => {}), (error) => error.message.split("; ").length === 13)
})

test("the key is in no message, even when it is wrong", () => {
  assert.ok(!refusal({ publicKeyApi: "secret key", mid: "" }).includes("secret"))
})

test("merchantNo needs 12 to 18 characters in profile prod only", () => {
  assert.equal(refusal({ merchantNo: undefined }), "")
  assert.equal(refusal({ merchantNo: "1".repeat(12), profile: "prod" }), "")
  assert.equal(refusal({ merchantNo: "1".repeat(18), profile: "prod" }), "")
  for (const merchantNo of [undefined, "", "1".repeat(11), "1".repeat(19)]) {
    assert.match(refusal({ merchantNo, profile: "prod" }), /12 to 18 characters in profile prod/)
  }
})

test("INTERAC and networks the gateway does not take are left out with a warning", () => {
  const heard = []
  const order = readParameters(parameters({ allowedCardNetworks: ["INTERAC", "VISA", "ELO", "VISA"] }), (w) => heard.push(w))
  assert.deepEqual(order.allowedCardNetworks, ["VISA"])
  assert.deepEqual(heard, ["the gateway does not take INTERAC,ELO: left out of allowedCardNetworks"])
})

test("null is the same as absent, at any depth", () => {
  const optionalParams = { emailRequired: null, billingAddressRequired: true, billingAddressParameters: { format: null } }
  const order = readParameters(parameters({ optionalParams }), () => {})
  assert.deepEqual(order.optionalParams, { billingAddressRequired: true, billingAddressParameters: {} })
})

for (const [optionalParams, words] of [
  [{ existingPaymentMethodRequired: 1 }, "existingPaymentMethodRequired must be true or false"],
  [{ billingAddressParameters: { format: "LONG" } }, "format must be one of MIN, FULL"],
  [{ billingAddressParameters: true }, "billingAddressParameters must be an object"],
  [{ callbackIntents: ["OFER"] }, "callbackIntents[0] must be one of OFFER"],
  [{ shippingAddressParameters: { allowedCountryCodes: ["DEU"] } }, "allowedCountryCodes[0] must be two capital letters"],
  [{ shippingOptionParameters: {} }, "shippingOptionParameters.shippingOptions must be a list of 1"],
  [{ shippingOptionParameters: { shippingOptions: [] } }, "must be a list of 1"],
  [{ shippingOptionParameters: { shippingOptions: [{ id: "a" }] } }, "shippingOptions[0].label"],
  [{ shippingOptionParameters: { shippingOptions: OPTIONS, defaultSelectedOptionId: "b" } }, "must be the id of one of shippingOptions"],
  [{ additionalTransactionInfo: { displayItems: [{ label: "A", type: "LINE", price: "1" }] } }, "displayItems[0].type"],
  [{ additionalTransactionInfo: { displayItems: [{ label: "A", type: "LINE_ITEM", price: "1,0" }] } }, "displayItems[0].price"],
  [{ additionalTransactionInfo: { displayItems: [{ label: "A", type: "LINE_ITEM", price: "1", status: "X" }] } }, "displayItems[0].status"],
  [{ additionalTransactionInfo: { checkoutOption: "NOW" } }, "checkoutOption must be one of DEFAULT"],
  [{ offerInfo: { offers: [{ redemptionCode: "A" }] } }, "offerInfo.offers[0].description"],
  [{ offerInfo: [{ offers: [{ description: "A" }] }] }, "offerInfo[0].offers[0].redemptionCode"],
  [{ offerInfo: "SAVE" }, "offerInfo must be a list"],
  [{ buttonColor: "red" }, "buttonColor must be one of default, black, white"],
  [{ buttonSizeMode: "big" }, "buttonSizeMode must be one of static, fill"],
  [{ buttonType: "buy now" }, "buttonType must be one of book"],
  [{ buttonRadius: "4" }, "buttonRadius must be a number"],
  [{ buttonRadius: NaN }, "buttonRadius must be a number"],
  [{ buttonRootNode: "body" }, "buttonRootNode must be a document"],
  [{ onPaymentDataChanged: "f", callbackIntents: ["OFFER"] }, "onPaymentDataChanged must be a function"],
  // What does not go together.
  [{ callbackIntents: ["PAYMENT_AUTHORIZATION"] }, "the intent PAYMENT_AUTHORIZATION needs onPaymentAuthorized"],
  [{ onPaymentAuthorized: callback }, "onPaymentAuthorized needs the intent PAYMENT_AUTHORIZATION"],
  [{ onPaymentDataChanged: callback }, "onPaymentDataChanged needs one of the intents"],
  [{ callbackIntents: ["SHIPPING_ADDRESS"], shippingAddressRequired: true }, "the intents SHIPPING_ADDRESS need onPaymentDataChanged"],
  [{ callbackIntents: ["OFFER"], onPaymentDataChanged: callback }, "the intent OFFER needs offerInfo"],
  [{ callbackIntents: ["SHIPPING_OPTION"], onPaymentDataChanged: callback }, "needs shippingOptionRequired: true"],
  [{ callbackIntents: ["SHIPPING_ADDRESS"], onPaymentDataChanged: callback }, "needs shippingAddressRequired: true"],
  [{ allowedIssuerCountryCodes: ["DE"], blockedIssuerCountryCodes: ["US"] }, "exclude each other"],
  [{ recurringTransactionInfo: {}, deferredTransactionInfo: {} }, "exclude each other"],
]) {
  test(`optionalParams ${JSON.stringify(optionalParams).slice(0, 70)} is refused: ${words}`, () => {
    const message = refusal({ optionalParams })
    assert.ok(message.includes(words), message)
  })
}

for (const [optionalParams, words] of [
  [{ emailRequred: true }, "optionalParams has no field emailRequred"],
  [{ constructor: true }, "optionalParams has no field constructor"],
  [JSON.parse('{"__proto__": 1}'), "optionalParams has no field __proto__"],
  [{ ["x".repeat(99)]: 1 }, `optionalParams has no field ${"x".repeat(40)}`],
  [{ billingAddressRequired: true, billingAddressParameters: { fromat: "MIN" } }, "optionalParams.billingAddressParameters has no field fromat"],
  [{ offerInfo: [{ offers: [{ redemptionCode: "A", description: "B", icon: "C" }] }] }, "optionalParams.offerInfo[0].offers[0] has no field icon"],
]) {
  test(`a field that is not known, or not yet, is warned of and keeps nobody from paying: ${words}`, () => {
    assert.equal(warnings({ optionalParams })[0], words)
  })
}

test("a fault beside an unknown field is still a fault", () => {
  assert.match(refusal({ optionalParams: { emailRequired: "yes", newField: 1 } }), /^optionalParams.emailRequired must be/)
})

test("every documented field with a right value is taken", () => {
  const optionalParams = {
    existingPaymentMethodRequired: true,
    emailRequired: true,
    billingAddressRequired: true,
    billingAddressParameters: { format: "FULL", phoneNumberRequired: true },
    callbackIntents: ["OFFER", "PAYMENT_AUTHORIZATION", "SHIPPING_ADDRESS", "SHIPPING_OPTION"],
    shippingAddressRequired: true,
    shippingAddressParameters: { allowedCountryCodes: ["DE", "FR"], phoneNumberRequired: true },
    shippingOptionRequired: true,
    shippingOptionParameters: { defaultSelectedOptionId: "a", shippingOptions: [{ ...OPTIONS[0], description: "2 days" }] },
    additionalTransactionInfo: {
      displayItems: [{ label: "Book", type: "LINE_ITEM", price: "12.30", status: "FINAL" }, { label: "Off", type: "SUBTOTAL", price: "-1.5" }],
      totalPriceLabel: "Total",
      checkoutOption: "COMPLETE_IMMEDIATE_PURCHASE",
    },
    allowPrepaidCards: false,
    allowCreditCards: false,
    offerInfo: [{ offers: [{ redemptionCode: "SAVE", description: "10 % off" }] }],
    buttonColor: "black",
    buttonLocale: "de",
    buttonSizeMode: "fill",
    buttonType: "checkout",
    onPaymentDataChanged: callback,
    onPaymentAuthorized: callback,
  }
  assert.equal(refusal({ optionalParams }), "")
  assert.deepEqual(warnings({ optionalParams }), [])
})

test("what has no effect is warned of, and the run goes on", () => {
  const shipping = { shippingOptions: OPTIONS }
  const items = [{ label: "Book", type: "LINE_ITEM", price: "1.00" }]
  assert.deepEqual(warnings({ optionalParams: { billingAddressParameters: {}, shippingAddressParameters: {}, shippingOptionParameters: shipping, additionalTransactionInfo: { displayItems: items } } }), [
    "billingAddressParameters has no effect without billingAddressRequired: true",
    "shippingAddressParameters has no effect without shippingAddressRequired: true",
    "shippingOptionParameters has no effect without shippingOptionRequired: true",
    "the wallet shows displayItems only with totalPriceLabel",
  ])
})

const UNHEARD = { shippingOptionRequired: true, shippingOptionParameters: { shippingOptions: OPTIONS } }
const OFFERS = { offers: [{ redemptionCode: "SAVE", description: "Off" }] }
for (const [what, optionalParams, expected] of [
  ["a language that the wallet has not", { buttonLocale: "xx" }, ["the wallet has no button in xx: buttonLocale is left out"]],
  ["the name of a language", { buttonLocale: "german" }, ["the wallet has no button in german: buttonLocale is left out"]],
  ["a name that every object has", { buttonLocale: "constructor" }, ["the wallet has no button in constructor: buttonLocale is left out"]],
  ["a flag without its options", { shippingOptionRequired: true }, ["shippingOptionRequired has no effect without shippingOptionParameters"]],
  ["options without the callback", UNHEARD, ["optionalParams: shippingOptionParameters needs the intent SHIPPING_OPTION, or what the customer chooses is lost"]],
  ["offers without the callback", { offerInfo: OFFERS }, ["optionalParams: offerInfo needs the intent OFFER, or what the customer chooses is lost"]],
  [
    "an id that is there three times",
    { ...UNHEARD, callbackIntents: ["SHIPPING_OPTION"], onPaymentDataChanged: callback, shippingOptionParameters: { shippingOptions: [...OPTIONS, ...OPTIONS, ...OPTIONS, { id: "b", label: "B" }] }, additionalTransactionInfo: { displayItems: [], totalPriceLabel: "Total" } },
    ["shippingOptions has the id a more than once"],
  ],
  [
    "lines beside a recurring payment",
    { recurringTransactionInfo: {}, transactionNote: "Thanks", additionalTransactionInfo: { totalPriceLabel: "Total" } },
    ["additionalTransactionInfo has no effect with recurringTransactionInfo", "transactionNote has no effect with recurringTransactionInfo"],
  ],
  ["a name that every object has, as a field", { toString: "x" }, ["optionalParams has no field toString"]],
]) {
  test(`${what}: the warning names it`, () => {
    assert.deepEqual(warnings({ optionalParams }), expected)
  })
}

test("a language of the wallet needs no warning, however it is written", () => {
  for (const buttonLocale of ["de", "de-AT", "PT_br"]) assert.deepEqual(warnings({ optionalParams: { buttonLocale } }), [])
})

for (const [optionalParams, words] of [
  [UNHEARD, /shippingOptionParameters needs the intent SHIPPING_OPTION/],
  [{ offerInfo: OFFERS }, /offerInfo needs the intent OFFER/],
  [{ ...UNHEARD, callbackIntents: ["SHIPPING_ADDRESS"], shippingAddressRequired: true, onPaymentDataChanged: callback }, /SHIPPING_OPTION/],
]) {
  test(`outside a page of the interface a choice that is lost is refused: ${words}`, () => {
    assert.throws(() => readParameters(parameters({ optionalParams }), () => {}, true), words)
  })
}

test("callbacks without the lines of the sheet are warned of: the interface requires displayItems then", () => {
  const optionalParams = { callbackIntents: ["PAYMENT_AUTHORIZATION"], onPaymentAuthorized: callback }
  assert.deepEqual(warnings({ optionalParams }), ["callbackIntents need displayItems"])
})

test("the gateway is where the script comes from, when its tag says nothing else", async (t) => {
  const page = await open(t, { attributes: { "gateway-url": undefined } })
  page.tag.src = `${page.origin}/wallet.js?v=7`
  await page.ready()
  page.gate.click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.results.length)
  assert.equal(page.posts[0].url, "/api/v5/paymentAccounts")
})

test("wrong input reaches handlePaymentError as one text, and nothing else happens", async (t) => {
  const page = await open(t)
  page.run({ amount: "10,00", mid: "" })
  await aWhile()
  assert.equal(page.heard.length, 1)
  assert.equal(typeof page.faults[0], "string")
  assert.match(page.faults[0], /mid .*; amount/)
  assert.deepEqual([page.scriptRequests, page.wallet.clients, page.posts], [[], [], []])
})

test("when no network is left the page is told before the wallet is asked", async (t) => {
  const page = await open(t)
  page.run({ allowedCardNetworks: ["INTERAC", "MAESTRO"] })
  await aWhile()
  assert.match(page.faults[0], /allowedCardNetworks .* must name one of/)
  assert.deepEqual(page.scriptRequests, [])
})

for (const [attributes, words] of [
  [{ "gateway-url": undefined }, "data-gateway-url"],
  [{ "gateway-url": "javascript:alert(1)" }, "data-gateway-url"],
  [{ "gateway-name": undefined }, "data-gateway-name is missing"],
  [{ "pay-js-url": "data:text/javascript,1" }, "data-pay-js-url"],
  [{ timeout: "soon" }, "data-timeout must be seconds"],
]) {
  test(`a script tag with ${JSON.stringify(attributes)} is named as the fault`, async (t) => {
    const page = await open(t, { attributes })
    page.run()
    assert.match(page.faults[0], new RegExp(`The script tag of wallet.js: ${words}`))
  })
}

test("profile prod talks to https only", async (t) => {
  const page = await open(t)
  page.run({ profile: "prod", merchantNo: "1".repeat(12) })
  assert.match(page.faults[0], /data-gateway-url must be a URL \(https in profile prod\).*data-pay-js-url/)
})

test("the reference names every parameter and every field", () => {
  const reference = readFileSync(new URL("../../docs/reference/wallet-js.md", import.meta.url), "utf8")
  const code = readFileSync(new URL("wallet/parameters.js", STATIC), "utf8")
  const [, options] = code.match(/^const OPTIONS = \{\n([^]*?)\n\}/m)
  const [, positional] = code.match(/^const PARAMETERS = \{\n([^]*?)\n\}/m)
  const names = (text) => Array.from(text.matchAll(/^  (\w+)[:,]/gm), ([, name]) => name)
  const known = [...names(options), ...names(positional), ...Object.keys({ ...CARD, ...BUTTON, ...SHEET })]
  assert.ok(known.length > 40)
  for (const name of known) assert.match(reference, new RegExp(`\`${name}[\`.]`), name)
})
