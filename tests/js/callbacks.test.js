/** Callbacks: what the page's get, what the wallet gets back, and what becomes of a decline, a fault, a slow answer. */

import assert from "node:assert/strict"
import { test } from "node:test"
import { aWhile, open, paymentData, promise, until } from "./page.js"

const AUTHORIZE = ["PAYMENT_AUTHORIZATION"]
const CANCELED = { statusCode: "CANCELED" }
const SUCCESS = { transactionState: "SUCCESS" }
const DECLINED = { transactionState: "ERROR", error: { reason: "PAYMENT_DATA_INVALID", intent: "PAYMENT_AUTHORIZATION", message: "Abgelehnt" } }
const TRY_AGAIN = "Your payment could not be completed. Please try again or choose another card."
const refused = (reason) => ({ transactionState: "ERROR", error: { reason, intent: "PAYMENT_AUTHORIZATION", message: TRY_AGAIN } })

/** Pages that decide while the sheet is open, with the account. */
const decide = (answer) => async (_, account) => (typeof answer === "function" ? answer(await account()) : (await account(), answer))

/** A page whose sheet is open and asks the page to authorize. */
async function authorizing(t, onPaymentAuthorized, { attributes, ...more } = {}) {
  const page = await open(t, { attributes })
  const seen = []
  const handler = (...given) => (seen.push(given), onPaymentAuthorized(...given))
  await page.ready({ optionalParams: { callbackIntents: AUTHORIZE, onPaymentAuthorized: handler, ...more } })
  page.gate.click()
  return Object.assign(page, { seen, approve: (token) => page.wallet.sheet.callbacks.onPaymentAuthorized(paymentData(token)) })
}

/** A page whose sheet is open and asks about changes. */
async function changing(t, onPaymentDataChanged, more = {}) {
  const page = await open(t)
  const optionalParams = {
    callbackIntents: ["SHIPPING_ADDRESS", "OFFER"],
    shippingAddressRequired: true,
    offerInfo: { offers: [] },
    onPaymentDataChanged,
    ...more,
  }
  await page.ready({ optionalParams })
  page.gate.click()
  return Object.assign(page, { change: (data) => page.wallet.sheet.callbacks.onPaymentDataChanged({ callbackTrigger: "SHIPPING_ADDRESS", ...data }) })
}

// --- authorization ------------------------------------------------------------------------------------------------

test("a run without callbacks gives the wallet none", async (t) => {
  const page = await open(t)
  await page.ready()
  assert.ok(!("paymentDataCallbacks" in page.wallet.clients[0].options))
})

test("a page that follows the interface is asked before anything is sent, and gets the wallet's data untouched", async (t) => {
  const page = await authorizing(t, async () => SUCCESS)
  assert.deepEqual(await page.approve("one"), SUCCESS)
  assert.deepEqual([page.seen[0][0], page.posts], [paymentData("one"), []])
})

test("after its SUCCESS the sheet closes, the account is made, and the result told", async (t) => {
  const page = await authorizing(t, async () => SUCCESS)
  await page.approve("one")
  page.wallet.sheet.resolve(paymentData("one"))
  await until(() => page.results.length)
  await aWhile()
  assert.deepEqual([page.results.length, page.posts.length, page.results[0].transactionAccountId], [1, 1, "ACC-ORDER-1"])
})

test("tries that the page refuses leave no account behind", async (t) => {
  const page = await authorizing(t, (data) => (data.paymentMethodData.tokenizationData.token === "three" ? SUCCESS : DECLINED))
  for (const token of ["one", "two", "three"]) await page.approve(token)
  page.wallet.sheet.resolve(paymentData("three"))
  await until(() => page.results.length)
  assert.deepEqual(page.posts.map(({ json }) => json.paymentData.paymentMethodData.tokenizationData.token), ["three"])
})

test("a card that the gateway refuses after such a SUCCESS is a result in its failed form", async (t) => {
  const page = await authorizing(t, async () => SUCCESS)
  page.answer = async () => ({ status: 400, json: { code: "4000340" } })
  await page.approve("one")
  page.wallet.sheet.resolve(paymentData("one"))
  await until(() => page.results.length)
  assert.deepEqual([page.results, page.faults], [[{ code: "4000340" }], []])
})

test("a sheet that has given up before such a SUCCESS is no payment: no account is made", async (t) => {
  const slow = promise()
  const page = await authorizing(t, () => slow.value)
  page.approve("one")
  await until(() => page.seen.length)
  page.wallet.sheet.reject({ statusCode: "INTERNAL_ERROR", statusMessage: "REQUEST_TIMEOUT" })
  slow.resolve(SUCCESS)
  await until(() => page.faults.length)
  assert.deepEqual([page.faults, page.results, page.posts], [["INTERNAL_ERROR: REQUEST_TIMEOUT"], [], []])
})

test("a page that decides in the sheet asks for the account, and gets what its result will be", async (t) => {
  const seen = []
  const page = await authorizing(t, decide((detail) => (seen.push(detail), SUCCESS)))
  assert.deepEqual(await page.approve("one"), SUCCESS)
  assert.equal(seen[0].transactionAccountId, "ACC-ORDER-1")
  assert.throws(() => (seen[0].transactionAccountId = "other"), TypeError)
  page.wallet.sheet.resolve(paymentData("one"))
  await until(() => page.results.length)
  assert.deepEqual(page.results, seen)
})

test("users ask 12: the result is told after the sheet has resolved, once, without a second account", async (t) => {
  const page = await authorizing(t, decide(SUCCESS))
  await page.approve("one")
  await aWhile()
  assert.equal(page.results.length, 0)
  page.wallet.sheet.resolve(paymentData("one"))
  await until(() => page.results.length)
  await aWhile()
  assert.deepEqual([page.results.length, page.posts.length, page.results[0].transactionAccountId], [1, 1, "ACC-ORDER-1"])
})

test("a callback may answer at once, without a promise", async (t) => {
  const page = await authorizing(t, () => SUCCESS)
  assert.deepEqual(await page.approve("one"), SUCCESS)
})

test("users ask 11: a decline keeps the sheet open, and another card has its own token, account and reference", async (t) => {
  let cards = 0
  const page = await authorizing(t, async (_, account) => {
    const { transactionAccountId } = await account(async () => `ORDER-${++cards}`)
    return transactionAccountId === "ACC-ORDER-1" ? DECLINED : SUCCESS
  })
  assert.deepEqual(await page.approve("one"), DECLINED)
  assert.deepEqual([page.results, page.faults], [[], []])
  assert.deepEqual(await page.approve("two"), SUCCESS)
  page.wallet.sheet.resolve(paymentData("two"))
  await until(() => page.results.length)
  assert.equal(page.results[0].clientSystemTransactionId, "ORDER-2")
  assert.deepEqual(page.posts.map(({ json }) => json.paymentData.paymentMethodData.tokenizationData.token), ["one", "two"])
})

test("a wallet that asks twice about one token gets one account", async (t) => {
  const page = await authorizing(t, decide(DECLINED))
  await page.approve("one")
  await page.approve("one")
  assert.deepEqual([page.posts.length, page.seen.length], [1, 2])
})

for (const [what, answer] of [["before", async () => DECLINED], ["after", decide(DECLINED)]]) {
  test(`a card that was declined ${what} it had an account, and then a closed sheet, is a closed sheet and no result`, async (t) => {
    const page = await authorizing(t, answer)
    await page.approve("one")
    page.wallet.sheet.reject(CANCELED)
    await until(() => page.faults.length)
    assert.deepEqual([page.results, page.faults, page.of("wallet:cancelled").length], [[], ["CANCELED"], 1])
  })
}

test("an account that the gateway refuses keeps the sheet open, and is the result when it is closed", async (t) => {
  const page = await authorizing(t, decide(SUCCESS))
  const json = { code: "4000340", details: { message: "token missing" } }
  page.answer = async () => ({ status: 400, json })
  assert.deepEqual(await page.approve("one"), refused("PAYMENT_DATA_INVALID"))
  assert.deepEqual([page.results, page.faults], [[], []])
  page.wallet.sheet.reject(CANCELED)
  await until(() => page.of("wallet:cancelled").length)
  assert.deepEqual([page.results, page.faults], [[json], []])
})

test("a page may say in its own words that a card has no account", async (t) => {
  const page = await authorizing(t, async (_, account) => account().then(() => SUCCESS, () => DECLINED))
  page.answer = async () => ({ status: 400, json: { code: "4000340" } })
  assert.deepEqual(await page.approve("one"), DECLINED)
})

test("a gateway that cannot be reached keeps the sheet open; the page hears of it when the sheet is closed", async (t) => {
  const page = await authorizing(t, decide(SUCCESS))
  page.answer = async () => ({ text: "?" })
  assert.deepEqual(await page.approve("one"), refused("OTHER_ERROR"))
  assert.deepEqual(page.faults, [])
  page.wallet.sheet.reject(CANCELED)
  await until(() => page.of("wallet:cancelled").length)
  assert.match(page.faults.join(), /^The gateway's answer \(HTTP 200\) is not one that the interface knows$/)
})

test("a reference that the page fails to give is its error, even one with a code, and no refusal of the gateway's", async (t) => {
  const reference = () => Promise.reject(Object.assign(new Error("offline"), { code: "no_reference" }))
  const page = await authorizing(t, async (_, account) => (await account(reference), SUCCESS))
  assert.deepEqual(await page.approve("one"), refused("OTHER_ERROR"))
  page.wallet.sheet.reject(CANCELED)
  await until(() => page.of("wallet:cancelled").length)
  assert.deepEqual([page.results, page.faults], [[], ["offline"]])
})

test("what failed with one card is forgotten when another one pays", async (t) => {
  const page = await authorizing(t, decide(SUCCESS))
  const works = page.answer
  page.answer = async (sent, count) => (count === 1 ? { text: "?" } : works(sent))
  await page.approve("one")
  await page.approve("two")
  page.wallet.sheet.resolve(paymentData("two"))
  await until(() => page.results.length)
  assert.deepEqual([page.faults, page.results.length], [[], 1])
})

test("what failed with one card is not told when the page has declined another", async (t) => {
  const page = await authorizing(t, decide(DECLINED))
  const works = page.answer
  page.answer = async (sent, count) => (count === 1 ? { text: "?" } : works(sent))
  await page.approve("one")
  await page.approve("two")
  page.wallet.sheet.reject(CANCELED)
  await until(() => page.faults.length)
  assert.deepEqual(page.faults, ["CANCELED"])
})

test("the words for the customer come from the script's tag, in the page's language", async (t) => {
  const page = await authorizing(t, decide(SUCCESS), { attributes: { "failed-message": "Bitte andere Karte" } })
  page.answer = async () => ({ text: "?" })
  assert.equal((await page.approve("one")).error.message, "Bitte andere Karte")
})

test("users ask 13: a payment that the sheet gave up waiting for is still told when it succeeds", async (t) => {
  const slow = promise()
  const page = await authorizing(t, decide(() => slow.value))
  const answer = page.approve("one")
  await until(() => page.seen.length)
  page.wallet.sheet.reject({ statusCode: "INTERNAL_ERROR", statusMessage: "REQUEST_TIMEOUT" })
  await aWhile()
  assert.deepEqual(page.faults, [])
  slow.resolve(SUCCESS)
  await answer
  await until(() => page.results.length)
  assert.deepEqual([page.faults, page.results.length], [[], 1])
})

test("until such a payment is known, a click opens no second sheet", async (t) => {
  const slow = promise()
  const page = await authorizing(t, () => slow.value)
  page.approve("one")
  await until(() => page.seen.length)
  page.wallet.sheet.reject({ statusCode: "CANCELED" })
  await aWhile()
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 1)
  slow.resolve(DECLINED)
  await until(() => page.of("wallet:cancelled").length)
})

test("two cards are authorized one after the other, never beside each other", async (t) => {
  const slow = promise()
  const page = await authorizing(t, (data) => (data.paymentMethodData.tokenizationData.token === "one" ? slow.value : SUCCESS))
  page.approve("one")
  const second = page.approve("two")
  await aWhile()
  assert.equal(page.seen.length, 1)
  slow.resolve(DECLINED)
  assert.deepEqual(await second, SUCCESS)
})

test("a rejected PaymentDataError reaches the sheet in the wallet's form", async (t) => {
  for (const rejected of [DECLINED.error, Object.assign(new Error("Abgelehnt"), DECLINED.error)]) {
    const page = await authorizing(t, () => Promise.reject(rejected))
    assert.deepEqual(await page.approve("one"), DECLINED)
    assert.deepEqual(page.faults, [])
  }
})

for (const [what, answer, words] of [
  ["nothing", undefined, "the answer of onPaymentAuthorized must be an object"],
  ["an unknown state", { transactionState: "OK" }, "transactionState must be one of SUCCESS, ERROR"],
  ["an unknown reason", { transactionState: "ERROR", error: { ...DECLINED.error, reason: "BROKE" } }, "error.reason must be one of OFFER_INVALID"],
  ["an intent that is not registered", { transactionState: "ERROR", error: { ...DECLINED.error, intent: "OFFER" } }, "error.intent must be one of PAYMENT_AUTHORIZATION"],
  ["an error without words", { transactionState: "ERROR", error: { ...DECLINED.error, message: "" } }, "error.message must be text"],
  ["more than it should", { transactionState: "SUCCESS", amount: "0.01" }, "has no field amount"],
]) {
  test(`a callback that answers ${what} is told to the page, and the sheet stays open`, async (t) => {
    const page = await authorizing(t, async () => answer)
    assert.deepEqual(await page.approve("one"), refused("OTHER_ERROR"))
    assert.equal(page.faults.length, 1)
    assert.ok(page.faults[0].includes(words), page.faults[0])
  })
}

test("a callback that throws is told to the page, and the sheet stays open", async (t) => {
  const page = await authorizing(t, () => {
    throw new Error("the shop is offline")
  })
  assert.deepEqual(await page.approve("one"), refused("OTHER_ERROR"))
  assert.deepEqual(page.faults, ["the shop is offline"])
})

test("after destroy an approval in the open sheet makes no account and no payment", async (t) => {
  const page = await authorizing(t, async () => SUCCESS)
  page.gate.destroy()
  assert.equal((await page.approve("one")).transactionState, "ERROR")
  assert.deepEqual([page.posts, page.seen], [[], []])
})

test("nor does it where the run was replaced behind its open sheet", async (t) => {
  const page = await authorizing(t, async () => SUCCESS)
  await page.ready()
  page.gate.destroy()
  assert.equal((await page.approve("one")).transactionState, "ERROR")
  assert.deepEqual([page.posts, page.seen], [[], []])
})

test("a second sheet of the same run starts afresh", async (t) => {
  const page = await authorizing(t, async () => SUCCESS)
  await page.approve("one")
  page.wallet.sheet.resolve(paymentData("one"))
  await until(() => page.results.length)
  await aWhile()
  page.gate.click()
  page.wallet.sheet.reject({ statusCode: "CANCELED" })
  await until(() => page.of("wallet:cancelled").length)
  assert.equal(page.results.length, 1)
})

// --- changes ------------------------------------------------------------------------------------------------------

test("users ask 5 and 6: an approval waits for the prices that are still being asked for", async (t) => {
  const prices = [promise(), promise()]
  let asked = 0
  let authorized = 0
  const page = await changing(t, () => prices[asked++].value, {
    callbackIntents: ["SHIPPING_ADDRESS", ...AUTHORIZE],
    onPaymentAuthorized: async () => (authorized++, SUCCESS),
  })
  page.change({ callbackTrigger: "INITIALIZE" })
  page.change({ callbackTrigger: "INITIALIZE" })
  const answer = page.wallet.sheet.callbacks.onPaymentAuthorized(paymentData("one"))
  prices[1].resolve({})
  await aWhile()
  assert.equal(authorized, 0)
  prices[0].resolve({})
  assert.deepEqual(await answer, SUCCESS)
})

test("an update goes to the wallet with what it leaves out filled from the run", async (t) => {
  const page = await changing(t, async () => ({ newTransactionInfo: { totalPrice: "15.00" } }))
  assert.deepEqual(await page.change(), {
    newTransactionInfo: { currencyCode: "EUR", countryCode: "DE", totalPriceStatus: "FINAL", totalPrice: "15.00" },
  })
})

test("what an update says itself is sent as it says it", async (t) => {
  const info = { currencyCode: "EUR", countryCode: "FR", totalPriceStatus: "ESTIMATED", totalPrice: "15.0", totalPriceLabel: "Total" }
  const options = { shippingOptions: [{ id: "a", label: "Post" }], defaultSelectedOptionId: "a" }
  const page = await changing(t, async () => ({ newTransactionInfo: info, newShippingOptionParameters: options }))
  assert.deepEqual(await page.change(), { newTransactionInfo: info, newShippingOptionParameters: options })
})

test("new offers may be one OfferInfo or a list of them", async (t) => {
  const offers = [{ redemptionCode: "A", description: "Off" }]
  for (const newOfferInfo of [{ offers }, [{ offers }]]) {
    const page = await changing(t, async () => ({ newOfferInfo }))
    assert.deepEqual(await page.change(), { newOfferInfo: { offers } })
  }
})

test("an offer code reaches the page under both names", async (t) => {
  const seen = []
  const page = await changing(t, async (data) => void seen.push(data))
  assert.deepEqual(await page.change({ callbackTrigger: "OFFER", offerData: { redemptionCodes: ["OLD", "NEW"] } }), {})
  assert.deepEqual(seen[0].offerData, { redemptionCode: "NEW", redemptionCodes: ["OLD", "NEW"] })
})

test("what the wallet says of address, option and card network reaches the page untouched", async (t) => {
  const seen = []
  const page = await changing(t, async (data) => void seen.push(data))
  const data = {
    callbackTrigger: "INITIALIZE",
    shippingAddress: { locality: "Berlin" },
    shippingOptionData: { id: "shipping_option_unselected" },
    paymentMethodData: { type: "CARD", info: { cardNetwork: "VISA" } },
  }
  await page.change(data)
  assert.deepEqual(seen, [data])
})

test("an error in the answer, or rejected, is shown in the sheet", async (t) => {
  const error = { reason: "SHIPPING_ADDRESS_UNSERVICEABLE", intent: "SHIPPING_ADDRESS", message: "Nicht dorthin" }
  for (const answer of [() => ({ error }), () => Promise.reject(error)]) {
    const page = await changing(t, answer)
    assert.deepEqual(await page.change(), { error })
    assert.deepEqual(page.faults, [])
  }
})

for (const [what, answer, words] of [
  ["text", "15.00", "must be an object"],
  ["a field of its own", { amount: "15.00" }, "has no field amount"],
  ["a price with a comma", { newTransactionInfo: { totalPrice: "15,00" } }, "newTransactionInfo.totalPrice must be text"],
  ["a price that is a number", { newTransactionInfo: { totalPrice: 15 } }, "newTransactionInfo.totalPrice must be text"],
  ["no price", { newTransactionInfo: {} }, "newTransactionInfo.totalPrice must be text"],
  ["no options", { newShippingOptionParameters: { shippingOptions: [] } }, "shippingOptions must be a list of 1"],
  ["a choice that is not listed", { newShippingOptionParameters: { shippingOptions: [{ id: "a", label: "A" }], defaultSelectedOptionId: "b" } }, "must be the id of one of"],
  ["an intent that is not registered", { error: { reason: "OTHER_ERROR", intent: "SHIPPING_OPTION", message: "No" } }, "error.intent must be one of SHIPPING_ADDRESS, OFFER"],
]) {
  test(`an update of ${what} is told to the page and shown as an error of the right intent`, async (t) => {
    const page = await changing(t, async () => answer)
    assert.deepEqual(await page.change({ callbackTrigger: "OFFER" }), { error: { reason: "OTHER_ERROR", intent: "OFFER", message: TRY_AGAIN } })
    assert.ok(page.faults[0].includes(words), page.faults[0])
  })
}

test("a fault at INITIALIZE is shown under an intent that the page has registered", async (t) => {
  const page = await changing(t, async () => {
    throw new Error("no prices")
  })
  assert.equal((await page.change({ callbackTrigger: "INITIALIZE" })).error.intent, "SHIPPING_ADDRESS")
  assert.deepEqual(page.faults, ["no prices"])
})
