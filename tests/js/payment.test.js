/** What happens on the shop's page: the session, the button, the result, the way on; and every way it can go wrong. */

import assert from "node:assert/strict"
import { test } from "node:test"
import { STATIC } from "./page.js"
import { aWhile, FAILURE, open, parameters, payment, promise, ready, session, SUCCESS, until } from "./button_page.js"

const { Shop } = await import(new URL("page/shop.js", STATIC))

const APPROVED = { outcome: "APPROVED", message: "", next: "/result-page" }
const DECLINED = { outcome: "DECLINED", message: "Your bank declined", next: "" }
const LIMIT_REACHED = [403, { code: "wallet_limit_reached", detail: "Used too often." }]
const OUT_OF_DATE = "Out of date. Nothing was charged."
const UNKNOWN = [404, { code: "unknown_link", detail: OUT_OF_DATE }]
const stale = (csrfToken) => [403, { code: "stale_page", detail: OUT_OF_DATE, ...(csrfToken && { csrfToken }) }]
const NOT_PAYABLE = [409, { code: "order_not_payable", detail: "This order is already paid." }]

// --- another token, another session ---------------------------------------------------------------------------------

/** Refuses a page's questions until it has the newest token. */
const asBrowserWith = (page, token, what, answer) => () => {
  const { headers } = page.asked.filter((one) => one.what === what).at(-1)
  return headers["x-shop-token"] === token ? answer : stale(token)
}

test("after a login in another tab the open sheet is paid with the page's new token, and so is the form", async (t) => {
  const page = await ready(t)
  page.answers.result = asBrowserWith(page, "newer", "result", APPROVED)
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual(page.went, [["replace", "/result-page"]])
  assert.deepEqual(page.questions("result"), [SUCCESS, SUCCESS])
  assert.equal(page.element.querySelector("[name=csrfmiddlewaretoken]").value, "newer")
})

test("a page that was drawn for another session shows its button", async (t) => {
  const tokens = ["first", "second", ""]
  const page = await ready(t, { session: () => (tokens[0] ? stale(tokens.shift()) : session()) })
  assert.deepEqual([page.state, page.element.querySelector("[name=csrfmiddlewaretoken]").value], ["ready", "second"])
})

for (const what of ["session", "result", "price", "reference"]) {
  test(`a browser that keeps no cookie is asked for ${what} three times, and hears that nothing was charged`, async (t) => {
    const page = await open(t, { [what]: stale("lost") })
    const shop = new Shop(page.element)
    await until(() => page.questions("session").length === (what === "session" ? 3 : 1))
    const before = page.questions(what).length
    const fault = await shop.ask(what, {}).catch((fault) => fault)
    assert.deepEqual([page.questions(what).length - before, fault.message, fault.isUnclear], [3, OUT_OF_DATE, false])
  })
}

test("without a token that helps the words stand in the button's place, and the form pays", async (t) => {
  const page = await open(t, { session: stale() })
  await until(() => page.state === "unavailable")
  assert.deepEqual([page.said, page.form.inert ?? false, page.questions("session").length], [OUT_OF_DATE, false, 1])
})

test("a result of a session that has ended says that nothing was charged, and a new button comes", async (t) => {
  let opened = 0
  const page = await ready(t, { session: () => session({ reference: `REF-${++opened}` }), result: UNKNOWN })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.runs.length === 2)
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.state, page.said, page.form.inert], ["ready", OUT_OF_DATE, false])
})

test("a price of a session that has ended says so in the sheet, and after it a new button comes", async (t) => {
  const given = parameters({ callbackIntents: ["SHIPPING_OPTION"] })
  const page = await ready(t, { session: session({ parameters: given }), price: UNKNOWN })
  const update = await page.options.onPaymentDataChanged({ callbackTrigger: "SHIPPING_OPTION" })
  assert.equal(update.error.message, OUT_OF_DATE)
  page.tell("handlePaymentError", { statusCode: "CANCELED" })
  await until(() => page.runs.length === 2)
})

test("another card in the sheet of a session that has ended says so, each time it is tried", async (t) => {
  const page = await ready(t, { result: DECLINED, reference: UNKNOWN })
  const account = async (reference) => ({ ...SUCCESS, clientSystemTransactionId: await reference() })
  await page.options.onPaymentAuthorized({}, account)
  for (let card = 0; card < 2; card++) {
    const answer = await page.options.onPaymentAuthorized({}, account)
    assert.deepEqual([answer.transactionState, answer.error.message, page.said], ["ERROR", OUT_OF_DATE, OUT_OF_DATE])
  }
})

// --- opening ------------------------------------------------------------------------------------------------------

test("the session's parameters reach runWalletPay, 15 of them and in the interface's order", async (t) => {
  const page = await ready(t)
  const { optionalParams, ...given } = parameters()
  assert.equal(page.runs[0].length, 15)
  assert.deepEqual(page.runs[0].slice(0, 14), Object.values(given))
  assert.equal(page.options.emailRequired, optionalParams.emailRequired)
})

test("the button is hidden until the wallet is ready, and then shown", async (t) => {
  const page = await open(t)
  await until(() => page.runs.length)
  assert.equal(page.slot.hidden, true)
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.slot.hidden, page.state], [false, "ready"])
})

for (const [what, answer] of [
  ["the key service fails", [503, { code: "wallet_unavailable", detail: "Not now" }]],
  ["the shop is not reached", null],
  ["the shop's answer is a page of words", [200, "<html>"]],
  ["the shop breaks", [500, "<h1>Server Error</h1>"]],
]) {
  test(`when ${what}, the button stays hidden and the form beside it pays`, async (t) => {
    const page = await open(t, { session: answer })
    await until(() => page.state === "unavailable")
    assert.deepEqual([page.slot.hidden, page.form.inert ?? false, page.runs.length, page.said], [true, false, 0, "No wallet"])
  })
}

test("without wallet.js the button stays hidden", async (t) => {
  const gate = promise()
  const page = await open(t, { session: async () => (await gate.value, session()) })
  page.window.runWalletPay = undefined
  gate.resolve()
  await aWhile()
  page.passDeadline()
  assert.deepEqual([page.state, page.said], ["unavailable", "No wallet"])
})

test("a wallet.js that comes late is still asked", async (t) => {
  const gate = promise()
  const page = await open(t, { session: async () => (await gate.value, session()) })
  const { runWalletPay } = page.window
  page.window.runWalletPay = undefined
  gate.resolve()
  await aWhile()
  page.passDeadline()
  page.window.runWalletPay = runWalletPay
  await until(() => page.runs.length)
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.state, page.said, page.slot.hidden], ["ready", "", false])
})

for (const [what, answers] of [
  ["of the shop's session", { session: () => new Promise(() => {}) }],
  ["of the wallet", {}],
]) {
  test(`five seconds without news ${what} are enough for words in the button's place`, async (t) => {
    const page = await open(t, answers)
    await until(() => page.questions("session").length)
    assert.deepEqual([page.state, page.said, page.slot.parentElement.getAttribute("aria-busy")], ["loading", "Loading", "true"])
    page.passDeadline()
    assert.deepEqual([page.state, page.said, page.slot.parentElement.getAttribute("aria-busy")], ["unavailable", "No wallet", "false"])
  })
}

test("an order that must not be paid again says so", async (t) => {
  const page = await open(t, { session: NOT_PAYABLE })
  await until(() => page.state === "closed")
  assert.deepEqual([page.said, page.slot.hidden], ["This order is already paid.", true])
})

test("an order whose button was used too often says so, and the form beside it pays", async (t) => {
  const page = await open(t, { session: LIMIT_REACHED })
  await until(() => page.state === "unavailable")
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.said, page.slot.hidden, page.form.inert ?? false], ["Used too often.", true, false])
  assert.equal(page.runs.length, 0)
})

test("a result that meets the limit takes the button away, and nothing stays locked", async (t) => {
  const page = await ready(t, { result: LIMIT_REACHED })
  page.answers.session = LIMIT_REACHED
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.state === "unavailable")
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.said, page.slot.hidden, page.form.inert], ["Used too often.", true, false])
  assert.equal(page.slot.parentElement.getAttribute("aria-busy"), "false")
})

test("a price that meets the limit says so in the sheet, and the button is gone once that is closed", async (t) => {
  const given = parameters({ callbackIntents: ["OFFER"] })
  const page = await ready(t, { session: session({ parameters: given }), price: LIMIT_REACHED })
  const data = { callbackTrigger: "OFFER", offerData: { redemptionCodes: ["GUESS"] } }
  const update = await page.options.onPaymentDataChanged(data)
  assert.equal(update.error.message, "Used too often.")
  page.answers.session = LIMIT_REACHED
  page.tell("handlePaymentError", { statusCode: "CANCELED" })
  await until(() => page.state === "unavailable")
  assert.deepEqual([page.said, page.slot.hidden], ["Used too often.", true])
})

test("after a person has raised the limits, a page that comes back shows the button again", async (t) => {
  const page = await open(t, { session: LIMIT_REACHED })
  await until(() => page.state === "unavailable")
  page.answers.session = session()
  page.start()
  await until(() => page.runs.length)
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.slot.hidden, page.state], [false, "ready"])
})

test("a page that nobody looks at asks for no further session until somebody does", async (t) => {
  let opened = 0
  const page = await open(t, { session: () => session({ reference: `REF-${++opened}`, expiresIn: opened > 1 ? 600 : 0.05 }) })
  let hidden = true
  Object.defineProperty(page.document, "hidden", { get: () => hidden })
  await until(() => page.runs.length)
  await aWhile()
  assert.equal(page.runs.length, 1)
  hidden = false
  page.document.dispatchEvent(new page.window.Event("visibilitychange"))
  await until(() => page.runs.length === 2)
})

test("a wallet that is not available leaves the form beside the button", async (t) => {
  const page = await ready(t)
  page.dispatch("wallet:unavailable")
  assert.deepEqual([page.state, page.slot.hidden, page.form.inert ?? false], ["unavailable", true, false])
})

test("a session that is about to end is replaced by a new one", async (t) => {
  let opened = 0
  const page = await open(t, { session: () => session({ reference: `REF-${++opened}`, expiresIn: opened > 1 ? 600 : 0.05 }) })
  await until(() => page.runs.length === 2)
  await aWhile()
  assert.equal(page.runs.length, 2)
})

// --- the button ---------------------------------------------------------------------------------------------------

test("the shop's own button calls onMerchantButtonClick within the click", async (t) => {
  const page = await ready(t)
  page.slot.querySelector("button").click()
  assert.equal(page.clicks, 1)
})

test("functions of the page's own hear what the button hears, each thing once", async (t) => {
  const page = await open(t)
  await until(() => page.runs.length)
  const heard = []
  const ours = page.window.handlePaymentError
  page.window.handlePaymentError = (event) => (heard.push(event.detail), ours(event))
  page.slot.querySelector("button").click()
  page.tell("handleWalletPayReady")
  page.tell("handlePaymentError", "late")
  assert.deepEqual([heard, page.warnings, page.said], [["late"], ["wallet: late"], "Failed"])
})

test("a function that the page has put in place of ours does not keep the button from hearing", async (t) => {
  const page = await ready(t, { result: APPROVED })
  const heard = []
  page.window.handlePaymentResult = (event) => heard.push(event.detail)
  page.slot.querySelector("button").click()
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual([heard, page.questions("result")], [[SUCCESS], [SUCCESS]])
})

test("the script of the gateway's has one button, and a second one is told so by name", async (t) => {
  const page = await ready(t)
  const other = page.element.cloneNode(true)
  other.dataset.walletSession = "/api/another/session"
  page.document.body.append(other)
  const second = payment(other)
  second.open()
  await until(() => other.dataset.walletState === "unavailable")
  assert.match(page.warnings.join(), /<wallet-pay-button data-wallet-session="\/api\/another\/session">: .*one button on a page/)
  assert.deepEqual([page.state, page.runs.length], ["ready", 1])
  second.end()
})

for (const [what, change, words] of [
  ["has another id", (page) => (page.slot.id = "mine"), /the id merchant-google-pay-button/],
  ["is in a shadow tree", (page) => page.document.body.appendChild(page.document.createElement("div")).attachShadow({ mode: "open" }).append(page.element), /shadow tree/],
]) {
  test(`a place that ${what} is told to the developer, for the gateway's script would not find it`, async (t) => {
    const page = await ready(t)
    change(page)
    page.start()
    await until(() => page.element.dataset.walletState === "unavailable")
    assert.match(page.warnings.join(), words)
    assert.deepEqual([page.news.textContent, page.runs.length], ["No wallet", 1])
  })
}

test("after its end a button hears nothing more, and the next one is free", async (t) => {
  const page = await ready(t)
  const first = page.payment
  page.start()
  await until(() => page.runs.length === 2)
  first.hear("handlePaymentError", "old")
  assert.deepEqual([page.warnings, page.said], [[], "Loading"])
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.state, page.slot.querySelectorAll("button").length], ["ready", 1])
})

// --- results ------------------------------------------------------------------------------------------------------

test("a result goes to the shop as the wallet gave it, and the page goes where the shop says", async (t) => {
  const page = await ready(t, { result: APPROVED })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual(page.questions("result"), [SUCCESS])
  assert.deepEqual(page.went, [["replace", "/result-page"]])
})

test("while a result is under way nothing can be pressed, and a screen reader hears why", async (t) => {
  const gate = promise()
  const page = await ready(t, { result: async () => (await gate.value, APPROVED) })
  page.tell("handlePaymentResult", SUCCESS)
  assert.deepEqual([page.slot.inert, page.form.inert, page.state, page.said], [true, true, "busy", "Sending"])
  assert.equal(page.document.activeElement, page.news)
  assert.equal(page.slot.parentElement.getAttribute("aria-busy"), "true")
  page.tell("handleWalletPayReady")
  assert.equal(page.state, "busy")
  gate.resolve()
  await until(() => page.went.length)
})

test("a result that is told twice is sent once", async (t) => {
  const page = await ready(t, { result: APPROVED })
  page.tell("handlePaymentResult", SUCCESS)
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length === 2)
  assert.equal(page.questions("result").length, 1)
})

test("3-D Secure is gone to, wherever it is", async (t) => {
  const page = await ready(t, { result: { outcome: "THREE_D_SECURE", message: "", next: "https://bank.example/3ds" } })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual(page.went, [["assign", "https://bank.example/3ds"]])
})

for (const next of ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "data:text/html,x"]) {
  test(`no other outcome leads out of the shop: ${next}`, async (t) => {
    const page = await ready(t, { result: { outcome: "APPROVED", message: "", next }, status: { final: true } })
    page.tell("handlePaymentResult", SUCCESS)
    await until(() => page.went.length)
    assert.deepEqual(page.went, [["replace", "/result-page"]])
  })
}

test("3-D Secure at an address that is none is not gone to", async (t) => {
  const page = await ready(t, { result: { outcome: "THREE_D_SECURE", message: "", next: "javascript:alert(1)" }, status: { final: true } })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual(page.went, [["replace", "/result-page"]])
})

test("a decline says so and brings a new session, so that another card can be taken", async (t) => {
  let opened = 0
  const page = await ready(t, { result: DECLINED, session: () => session({ reference: `REF-${++opened}` }) })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.runs.length === 2)
  assert.deepEqual([page.said, page.state, page.slot.inert, page.went], ["Your bank declined", "ready", false, []])
})

test("the gateway's refusal of a card goes to the shop, too", async (t) => {
  const page = await ready(t, { result: { outcome: "TRY_AGAIN", message: "Try another card", next: "" } })
  page.tell("handlePaymentResult", FAILURE)
  await until(() => page.said === "Try another card")
  assert.deepEqual(page.questions("result"), [FAILURE])
})

for (const [what, answer, words] of [
  ["refused", [400, { code: "invalid_result", detail: "Not the wallet's" }], "Not the wallet's"],
  ["unknown", [404, { code: "unknown_link", detail: "No such link" }], "No such link"],
  ["one too many", [429, { code: "too_many_results", detail: "Too often" }], "Too often"],
  ["refused without words", [403, "<h1>Forbidden</h1>"], "Failed"],
]) {
  test(`a result that is ${what} leaves the order payable, with a new session`, async (t) => {
    const page = await ready(t, { result: answer })
    page.tell("handlePaymentResult", SUCCESS)
    await until(() => page.runs.length === 2)
    assert.deepEqual([page.said, page.form.inert, page.went], [words, false, []])
  })
}

for (const [what, answer] of [
  ["cut off", null],
  ["answered by a broken server", [502, "<h1>Bad Gateway</h1>"]],
  ["answered by Django, whose session was deleted meanwhile", [400, "<h1>Bad Request</h1>"]],
  ["answered by a page that is not the shop's", [200, "<h1>Welcome</h1>"]],
]) {
  test(`a result that is ${what} is never sent again: the shop's page says what became of it`, async (t) => {
    const page = await ready(t, { result: answer, status: { state: "PENDING", final: false } })
    page.tell("handlePaymentResult", SUCCESS)
    await until(() => page.went.length)
    assert.deepEqual(page.went, [["replace", "/result-page"]])
    assert.equal(page.questions("result").length, 1)
    assert.deepEqual([page.said, page.slot.inert, page.form.inert], ["Finding out", true, true])
  })
}

/** What our own wallet.js passes beside the wallet's data: makes an account under the reference that the page gives. */
const accountOf = (transactionAccountId = "ACC-1") => async (reference) => ({ ...SUCCESS, transactionAccountId, clientSystemTransactionId: await reference() })

/** The same, where the page gives no reference: the script has words of its own for that. */
const failingAccount = async (reference) => {
  await reference().catch(() => {})
  throw new Error("Take another card")
}

// --- paid elsewhere -----------------------------------------------------------------------------------------------

test("an order that another page has paid closes the sheet and leads to the result", async (t) => {
  const page = await ready(t, { result: NOT_PAYABLE })
  assert.deepEqual(await page.options.onPaymentAuthorized({}, accountOf()), { transactionState: "SUCCESS" })
  assert.deepEqual([page.went, page.said, page.state], [[["replace", "/result-page"]], "This order is already paid.", "busy"])
  page.tell("handlePaymentResult", SUCCESS)
  page.tell("handlePaymentError", "CANCELED")
  await aWhile()
  assert.deepEqual([page.went.length, page.runs.length, page.said], [1, 1, "This order is already paid."])
})

test("so does a second card, for which the shop gives no reference any more", async (t) => {
  const page = await ready(t, { result: DECLINED, reference: NOT_PAYABLE })
  await page.options.onPaymentAuthorized({}, accountOf())
  assert.deepEqual(await page.options.onPaymentAuthorized({}, accountOf("ACC-2")), { transactionState: "SUCCESS" })
  assert.deepEqual(page.went, [["replace", "/result-page"]])
})

test("so does a price, which the shop gives no more", async (t) => {
  const page = await ready(t, { session: session({ parameters: parameters(CHANGES) }), price: NOT_PAYABLE })
  const { error } = await page.options.onPaymentDataChanged({ callbackTrigger: "SHIPPING_ADDRESS" })
  assert.equal(error.message, "This order is already paid.")
  assert.deepEqual(page.went, [["replace", "/result-page"]])
})

test("and so does a result that is told after the sheet", async (t) => {
  const page = await ready(t, { result: NOT_PAYABLE })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual([page.went, page.runs.length], [[["replace", "/result-page"]], 1])
})

// --- the sheet ----------------------------------------------------------------------------------------------------

const CHANGES = { callbackIntents: ["SHIPPING_ADDRESS", "PAYMENT_AUTHORIZATION"] }

for (const [options, kind] of [[{}, "undefined"], [CHANGES, "function"]]) {
  test(`callbacks are given only where the shop asks for their intents: ${JSON.stringify(options)}`, async (t) => {
    const page = await ready(t, { session: session({ parameters: parameters(options) }) })
    assert.deepEqual([typeof page.options.onPaymentDataChanged, typeof page.options.onPaymentAuthorized], [kind, kind])
  })
}

test("what is approved in the sheet closes it, and its result is not sent a second time", async (t) => {
  const page = await ready(t, { result: APPROVED })
  assert.deepEqual(await page.options.onPaymentAuthorized({}, accountOf()), { transactionState: "SUCCESS" })
  assert.deepEqual(page.went, [])
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.equal(page.questions("result").length, 1)
})

test("from the approval on nothing else on the page can be pressed, though the account is still being made", async (t) => {
  const gate = promise()
  const page = await ready(t, { result: APPROVED })
  const answer = page.options.onPaymentAuthorized({}, async (reference) => (await gate.value, accountOf()(reference)))
  assert.deepEqual([page.state, page.slot.inert, page.form.inert, page.said], ["busy", true, true, "Sending"])
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.state, page.form.inert, page.questions("result")], ["busy", true, []])
  gate.resolve()
  assert.deepEqual([await answer, page.form.inert], [{ transactionState: "SUCCESS" }, true])
})

test("a card for which no account can be made leaves both ways to pay", async (t) => {
  const page = await ready(t, { result: APPROVED })
  await assert.rejects(page.options.onPaymentAuthorized({}, failingAccount), /Take another card/)
  assert.deepEqual([page.state, page.slot.inert, page.form.inert, page.said], ["ready", false, false, "Failed"])
  page.tell("handlePaymentError", "CANCELED")
  assert.deepEqual([page.said, page.runs.length], ["Closed", 1])
})

test("a session that ends while an account is made is replaced after the sheet", async (t) => {
  const gate = promise()
  const page = await ready(t)
  const answer = page.options.onPaymentAuthorized({}, async (reference) => (await gate.value, failingAccount(reference)))
  page.passSession()
  await aWhile()
  assert.deepEqual([page.runs.length, page.state], [1, "busy"])
  gate.resolve()
  await assert.rejects(answer, /Take another card/)
  page.tell("handlePaymentError", "CANCELED")
  await until(() => page.runs.length === 2)
})

test("an approval that fails after its button was drawn anew changes nothing there", async (t) => {
  const gate = promise()
  const page = await ready(t)
  const answer = page.options.onPaymentAuthorized({}, async () => (await gate.value, failingAccount(async () => "")))
  page.start()
  gate.resolve()
  await assert.rejects(answer, /Take another card/)
  assert.deepEqual([page.state, page.said], ["loading", "Loading"])
})

test("3-D Secure closes the sheet first", async (t) => {
  const page = await ready(t, { result: { outcome: "THREE_D_SECURE", message: "", next: "https://bank.example/3ds" } })
  assert.deepEqual(await page.options.onPaymentAuthorized({}, accountOf()), { transactionState: "SUCCESS" })
  assert.deepEqual(page.went, [])
})

test("a sheet that never says that it has closed keeps nobody from the result of the payment", async (t) => {
  const page = await ready(t, { result: APPROVED })
  await page.options.onPaymentAuthorized({}, accountOf())
  page.passDeadline()
  assert.deepEqual(page.went, [["replace", "/result-page"]])
  page.tell("handlePaymentResult", SUCCESS)
  await aWhile()
  assert.deepEqual([page.went.length, page.questions("result").length], [1, 1])
})

test("a payment in the sheet leads to its result although its button has left the page meanwhile", async (t) => {
  const gate = promise()
  const page = await ready(t, { result: async () => (await gate.value, APPROVED) })
  const answer = page.options.onPaymentAuthorized({}, accountOf())
  await until(() => page.questions("result").length)
  page.payment.end()
  gate.resolve()
  assert.deepEqual(await answer, { transactionState: "SUCCESS" })
  await until(() => page.went.length)
  assert.deepEqual(page.went, [["replace", "/result-page"]])
})

for (const [when, leave] of [
  ["before", async (page, answer, gate) => (page.payment.end(), gate.resolve(), await answer)],
  ["after", async (page, answer, gate) => (gate.resolve(), await answer, page.payment.end())],
]) {
  test(`a button that leaves the page ${when} the shop was lost leads to what became of the payment`, async (t) => {
    const gate = promise()
    const page = await ready(t, { result: async () => (await gate.value, null), status: { final: false } })
    const answer = page.options.onPaymentAuthorized({}, accountOf())
    await until(() => page.questions("result").length)
    await leave(page, answer, gate)
    await until(() => page.went.length)
    assert.deepEqual(page.went, [["replace", "/result-page"]])
  })
}

test("a sheet that outlives its order's button still leads to what became of its payment", async (t) => {
  const page = await ready(t, { session: session({ expiresIn: 0.05 }), result: null, status: { final: false } })
  page.answers.session = LIMIT_REACHED
  await until(() => page.state === "unavailable")
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual(page.went, [["replace", "/result-page"]])
})

test("a result that comes before this button's session, and is lost, lets the page itself say how it stands", async (t) => {
  let reloads = 0
  const page = await open(t, { session: () => new Promise(() => {}), result: null })
  globalThis.location.reload = () => reloads++
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => reloads)
  assert.equal(page.questions("status").length, 0)
})

test("a decline keeps the sheet open, and the next card has a fresh reference", async (t) => {
  const page = await ready(t, { result: DECLINED, reference: { reference: "REF-2" } })
  const { transactionState, error } = await page.options.onPaymentAuthorized({}, accountOf())
  assert.deepEqual([transactionState, error.intent, error.message], ["ERROR", "PAYMENT_AUTHORIZATION", "Your bank declined"])
  assert.deepEqual(page.questions("reference"), [])
  page.answers.result = APPROVED
  assert.deepEqual(await page.options.onPaymentAuthorized({}, accountOf("ACC-2")), { transactionState: "SUCCESS" })
  assert.deepEqual(page.questions("reference"), [{ after: "REF-1" }])
  assert.deepEqual(page.questions("result").map((sent) => sent.clientSystemTransactionId), ["REF-1", "REF-2"])
})

test("where the order has tried enough cards, the sheet says so in the shop's words, whatever the script's are", async (t) => {
  const page = await ready(t, { result: DECLINED, reference: LIMIT_REACHED })
  await page.options.onPaymentAuthorized({}, accountOf())
  const { error } = await page.options.onPaymentAuthorized({}, failingAccount)
  assert.equal(error.message, "Used too often.")
})

test("a sheet that is closed after a decline brings a new session", async (t) => {
  const page = await ready(t, { result: DECLINED })
  await page.options.onPaymentAuthorized({}, accountOf())
  page.tell("handlePaymentError", "CANCELED")
  await until(() => page.runs.length === 2)
})

for (const [what, act] of [
  ["in the open sheet, of the first card", async (page) => page.options.onPaymentAuthorized({}, accountOf())],
  ["in the open sheet, of the second card", async (page) => {
    page.answers.result = DECLINED
    await page.options.onPaymentAuthorized({}, accountOf())
    page.answers.result = null
    return page.options.onPaymentAuthorized({}, accountOf("ACC-2"))
  }],
  ["in a sheet that outlasts its session", async (page) => {
    page.answers.session = session({ reference: "REF-3", statusUrl: "/status/3", resultUrl: "/page/3" })
    page.passSession()
    await until(() => page.runs.length === 2)
    return page.runs[0][14].onPaymentAuthorized({}, accountOf())
  }],
]) {
  test(`a result that is lost ${what} closes it, and the shop's page of that card says what became of it`, async (t) => {
    const page = await ready(t, {
      session: session({ statusUrl: "/status/1", resultUrl: "/page/1" }),
      reference: { reference: "REF-2", statusUrl: "/status/2", resultUrl: "/page/2" },
      result: null, 1: { final: false }, 2: { final: true }, 3: { final: true },
    })
    assert.deepEqual(await act(page), { transactionState: "SUCCESS" })
    assert.deepEqual([page.said, page.state, page.form.inert, page.slot.inert], ["Finding out", "busy", true, true])
    // The sheet tells its result once more, or that it was closed; neither is news.
    page.tell("handlePaymentResult", SUCCESS)
    page.tell("handlePaymentError", "CANCELED")
    await until(() => page.went.length)
    await aWhile()
    const card = page.questions("result").at(-1).clientSystemTransactionId.replace("REF-", "")
    assert.deepEqual([page.went, page.questions(card).length], [[["replace", `/page/${card}`]], 1])
    assert.deepEqual([page.said, page.questions("reference").length], ["Finding out", card === "2" ? 1 : 0])
  })
}

test("while nobody knows what became of one card, a sheet that offers a second one is closed, too", async (t) => {
  const page = await ready(t, { result: null, reference: { reference: "REF-2" }, status: null })
  await page.options.onPaymentAuthorized({}, accountOf())
  assert.deepEqual(await page.options.onPaymentAuthorized({}, failingAccount), { transactionState: "SUCCESS" })
  assert.deepEqual([page.questions("reference"), page.questions("result").length, page.said], [[], 1, "Finding out"])
})

test("as long as the shop cannot be reached, nobody reads that nothing was charged", async (t) => {
  const gate = promise()
  const page = await ready(t, { result: null, status: async () => (await gate.value, { final: false }) })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.questions("status").length)
  await aWhile()
  assert.deepEqual([page.said, page.state, page.went], ["Finding out", "busy", []])
  gate.resolve()
  await until(() => page.went.length)
})

test("the shop's own word for the total is shown before and after the sheet is priced", async (t) => {
  const price = { total: "17.20", displayItems: [], shippingOptions: [], selectedOption: null, offers: [], errors: [] }
  const own = { ...CHANGES, additionalTransactionInfo: { displayItems: [], totalPriceLabel: "To pay today" } }
  const page = await ready(t, { session: session({ parameters: parameters(own) }), price })
  const update = await page.options.onPaymentDataChanged({})
  const shown = [page.options.additionalTransactionInfo, update.newTransactionInfo].map((info) => info.totalPriceLabel)
  assert.deepEqual(shown, ["To pay today", "To pay today"])
})

test("a change on the sheet is priced by the shop, under the reference of its card", async (t) => {
  const price = { total: "17.20", displayItems: [], shippingOptions: [], selectedOption: null, offers: [], errors: [] }
  const page = await ready(t, { session: session({ parameters: parameters(CHANGES) }), price, reference: { reference: "REF-2" }, result: DECLINED })
  const shippingAddress = { countryCode: "FR", postalCode: "75001" }
  const update = await page.options.onPaymentDataChanged({ callbackTrigger: "SHIPPING_ADDRESS", shippingAddress })
  assert.equal(update.newTransactionInfo.totalPrice, "17.20")
  for (const transactionAccountId of ["ACC-1", "ACC-2"]) await page.options.onPaymentAuthorized({}, accountOf(transactionAccountId))
  await page.options.onPaymentDataChanged({ callbackTrigger: "SHIPPING_OPTION", shippingOptionData: { id: "fast" } })
  assert.deepEqual(page.questions("price"), [
    { reference: "REF-1", shippingAddress, shippingOption: null, offers: [] },
    { reference: "REF-2", shippingAddress: null, shippingOption: "fast", offers: [] },
  ])
})

test("a closed sheet is no error: it is said, and the button has the focus", async (t) => {
  const page = await ready(t)
  page.tell("handlePaymentError", "CANCELED")
  assert.deepEqual([page.said, page.document.activeElement], ["Closed", page.slot.querySelector("button")])
  await aWhile()
  assert.equal(page.runs.length, 1)
})

test("a failure of the wallet is said in the customer's words, and told in the wallet's to the developer", async (t) => {
  const page = await ready(t)
  page.tell("handlePaymentError", "DEVELOPER_ERROR: merchantId is missing")
  assert.deepEqual([page.said, page.state], ["Failed", "ready"])
  assert.deepEqual(page.warnings, ["wallet: DEVELOPER_ERROR: merchantId is missing"])
})

test("a failure before the button was there leaves the form, without a word", async (t) => {
  const page = await open(t)
  await until(() => page.runs.length)
  page.tell("handlePaymentError", "The wallet's script could not be loaded")
  assert.deepEqual([page.state, page.said, page.slot.hidden], ["unavailable", "No wallet", true])
})

// --- a script of which only the interface is known ----------------------------------------------------------------

test("a script that passes the wallet's data alone closes the sheet first, and its result pays", async (t) => {
  const page = await ready(t, { result: APPROVED })
  assert.deepEqual(await page.options.onPaymentAuthorized({}), { transactionState: "SUCCESS" })
  assert.deepEqual([page.questions("result"), page.state, page.form.inert], [[], "busy", true])
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual([page.questions("result"), page.went], [[SUCCESS], [["replace", "/result-page"]]])
})

test("its decline is told after the sheet, and the next card has a new run and a new reference", async (t) => {
  let opened = 0
  const page = await ready(t, { result: DECLINED, session: () => session({ reference: `REF-${++opened}`, parameters: { ...parameters(), clientSystemTransactionId: `REF-${opened}` } }) })
  await page.options.onPaymentAuthorized({})
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.runs.length === 2)
  assert.deepEqual([page.said, page.state, page.slot.inert], ["Your bank declined", "ready", false])
  assert.deepEqual(page.runs.map((values) => values[2]), ["REF-1", "REF-2"])
})

test("until that run is there the old button cannot be pressed, and the form can", async (t) => {
  const gate = promise()
  let opened = 0
  const page = await ready(t, { result: DECLINED, session: async () => (opened++ && (await gate.value), session()) })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.said === "Your bank declined")
  assert.deepEqual([page.slot.inert, page.slot.hidden, page.form.inert, page.document.activeElement], [true, false, false, page.news])
  gate.resolve()
  await until(() => !page.slot.inert)
})

test("a sheet that is closed without a word leaves the button as it was", async (t) => {
  const page = await ready(t)
  page.slot.querySelector("button").click()
  await aWhile()
  assert.deepEqual([page.state, page.said, page.slot.inert, page.form.inert], ["ready", "", false, false])
})

for (const words of ["CANCELED", "PaymentsError: CANCELED: User closed the Payment Request UI.", { statusCode: "CANCELED" }]) {
  test(`a closed sheet may be told as ${JSON.stringify(words)}`, async (t) => {
    const page = await ready(t)
    page.tell("handlePaymentError", words)
    assert.deepEqual([page.said, page.warnings], ["Closed", []])
  })
}

test("an approved card of which nothing more is heard is closed by the shop before anybody reads that nothing was charged", async (t) => {
  const page = await open(t, { result: APPROVED, status: { final: true } })
  await until(() => page.runs.length)
  page.tell("handleWalletPayReady")
  const timers = []
  const { setTimeout } = globalThis
  globalThis.setTimeout = (act, pause) => (timers.push([act, pause]), 1)
  await page.options.onPaymentAuthorized({})
  globalThis.setTimeout = setTimeout
  assert.equal(page.state, "busy")
  timers.find(([, pause]) => pause === 60_000)[0]()
  assert.deepEqual([page.said, page.state, page.slot.inert], ["Finding out", "busy", true])
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  assert.deepEqual([page.went, page.questions("status").length, page.questions("result")], [[["replace", "/result-page"]], 1, []])
})

test("a script that is ready before it is asked shows the button when it has been", async (t) => {
  const gate = promise()
  const page = await open(t, { session: async () => (await gate.value, session()) })
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.slot.hidden, page.state], [true, "loading"])
  gate.resolve()
  await until(() => page.runs.length)
  assert.deepEqual([page.slot.hidden, page.state], [false, "ready"])
})

test("a session that ends while an approved card is waited for does not make the button one to press", async (t) => {
  let opened = 0
  const page = await open(t, { session: () => session({ expiresIn: opened++ ? 600 : 0.2 }) })
  await until(() => page.runs.length)
  page.tell("handleWalletPayReady")
  await page.options.onPaymentAuthorized({})
  await new Promise((go) => setTimeout(go, 300))
  assert.deepEqual([page.runs.length, page.state], [1, "busy"])
})

for (const [what, act] of [
  ["throws at a click", (page) => (page.window.onMerchantButtonClick = () => { throw new TypeError("x is undefined") })],
  ["rejects at a click", (page) => (page.window.onMerchantButtonClick = async () => { throw new TypeError("x is undefined") })],
  ["knows no click", (page) => (page.window.onMerchantButtonClick = undefined)],
]) {
  test(`a script that ${what} is told in the customer's words alone`, async (t) => {
    const page = await ready(t)
    act(page)
    page.slot.querySelector("button").click()
    await until(() => page.said === "Failed")
    assert.deepEqual([page.said, page.state], ["Failed", "ready"])
    assert.equal(page.warnings.length, 1)
  })
}

for (const [what, runWalletPay] of [
  ["throws", () => { throw new TypeError("x is undefined") }],
  ["rejects", () => Promise.reject(new TypeError("x is undefined"))],
]) {
  test(`a runWalletPay that ${what} leaves the form`, async (t) => {
    const gate = promise()
    const page = await open(t, { session: async () => (await gate.value, session()) })
    page.window.runWalletPay = runWalletPay
    gate.resolve()
    await until(() => page.state === "unavailable")
    assert.match(page.warnings.join(), /x is undefined/)
    assert.deepEqual([page.said, page.form.inert ?? false], ["No wallet", false])
  })
}

test("a script that is ready after the deadline still shows its button", async (t) => {
  const page = await open(t)
  await until(() => page.runs.length)
  page.passDeadline()
  assert.equal(page.state, "unavailable")
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.state, page.slot.hidden], ["ready", false])
  page.passDeadline()
  assert.equal(page.state, "ready")
})

test("a session that never comes after a decline leaves the form, and the decline's words", async (t) => {
  const page = await ready(t, { result: DECLINED })
  page.answers.session = () => new Promise(() => {})
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.questions("session").length === 2)
  page.passDeadline()
  assert.deepEqual([page.state, page.said, page.slot.hidden], ["unavailable", "Your bank declined", true])
})

for (const detail of [undefined, null, "ACC-1"]) {
  test(`a result that is ${detail} is a failure, and goes to nobody`, async (t) => {
    const page = await ready(t)
    page.tell("handlePaymentResult", detail)
    await until(() => page.said === "Failed")
    assert.deepEqual([page.questions("result"), page.state], [[], "ready"])
  })
}

for (const [word, reason] of [["an error", "TypeError: late"], ["a closed sheet", "CANCELED"]]) {
  test(`${word} that is told while a result is on its way does not free the page`, async (t) => {
    const gate = promise()
    const page = await ready(t, { result: async () => (await gate.value, APPROVED) })
    page.tell("handlePaymentResult", SUCCESS)
    page.tell("handlePaymentError", reason)
    assert.deepEqual([page.state, page.form.inert, page.said], ["busy", true, "Sending"])
    gate.resolve()
    await until(() => page.went.length)
  })
}

test("a price that the shop does not give is resolved as an error of the sheet, without the script's or the network's words", async (t) => {
  const page = await ready(t, { session: session({ parameters: parameters(CHANGES) }), price: null })
  const { error } = await page.options.onPaymentDataChanged({ callbackTrigger: "INITIALIZE" })
  assert.deepEqual(error, { intent: "SHIPPING_ADDRESS", reason: "OTHER_ERROR", message: "Failed" })
})

test("a button that the script has drawn is taken away before it draws the next, unless it does so itself", async (t) => {
  const page = await ready(t, { result: DECLINED })
  const draw = () => page.slot.append(page.document.createElement("button"))
  draw()
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.runs.length === 2)
  assert.equal(page.slot.querySelectorAll("button").length, 1)
  draw()
  page.window.runWalletPay.destroy = () => {}
  page.tell("handlePaymentResult", { ...SUCCESS, transactionAccountId: "ACC-2" })
  await until(() => page.runs.length === 3)
  assert.equal(page.slot.querySelectorAll("button").length, 2)
})

// --- what the shop hears of it -----------------------------------------------------------------------------------

const REPORTS = [
  ["a button that is ready", (page) => page.tell("handleWalletPayReady"), { event: "READY" }],
  ["a closed sheet", (page) => page.tell("handlePaymentError", "CANCELED"), { event: "CLOSED" }],
  ["a browser without a wallet", (page) => page.dispatch("wallet:unavailable", "not-ready"), { event: "UNAVAILABLE", message: "not-ready" }],
  ["a failure", (page) => page.tell("handlePaymentError", "No card"), { event: "ERROR", message: "No card" }],
  ["a failure of many words", (page) => page.tell("handlePaymentError", "x".repeat(9999)), { event: "ERROR", message: "x".repeat(250) }],
]

for (const [what, happen, report] of REPORTS) {
  test(`the order's timeline is told of ${what}`, async (t) => {
    const page = await open(t)
    await until(() => page.runs.length)
    happen(page)
    await until(() => page.questions("event").length)
    assert.deepEqual(page.questions("event"), [{ reference: "REF-1", ...report }])
  })
}

test("without a session there is nothing that a report could belong to", async (t) => {
  const page = await open(t, { session: NOT_PAYABLE })
  await until(() => page.state === "closed")
  page.dispatch("wallet:unavailable", "not-ready")
  await aWhile()
  assert.deepEqual(page.questions("event"), [])
})

for (const [what, answer] of [["is not reached", null], ["has heard enough", [429, { code: "throttled", detail: "" }]], ["breaks", [500, "<h1>"]]]) {
  test(`a shop that ${what} when it is told changes nothing on the page`, async (t) => {
    const page = await ready(t, { event: answer })
    await until(() => page.questions("event").length)
    await aWhile()
    assert.deepEqual([page.state, page.said, page.warnings], ["ready", "", []])
  })
}

/** A shop whose gateway refuses the key of the first session, and says so when it is told of a failure. */
const withKeys = () => {
  let opened = 0
  return {
    event: ({ event }) => (event === "ERROR" && opened === 1 ? { newSession: true } : [204, ""]),
    session: () => session({ reference: `REF-${++opened}`, parameters: { ...parameters(), publicKeyApi: `pk-${opened}` } }),
  }
}

test("where the shop says that a session cannot pay any more, the next press has the key of another one", async (t) => {
  const page = await ready(t, withKeys())
  page.tell("handlePaymentError", "Request failed with status code 401")
  await until(() => page.runs.length === 2)
  page.tell("handlePaymentError", "Another failure")
  await until(() => page.questions("event").length === 3)
  await aWhile()
  assert.deepEqual(page.runs.map((values) => values[10]), ["pk-1", "pk-2"])
  assert.deepEqual(page.questions("event").slice(1).map(({ reference }) => reference), ["REF-1", "REF-2"])
  assert.deepEqual([page.said, page.state, page.slot.inert], ["Failed", "ready", false])
})

test("a button that has left the page asks for no session, whatever the shop says", async (t) => {
  const gate = promise()
  const page = await ready(t, { event: async ({ event }) => (event === "ERROR" ? (await gate.value, { newSession: true }) : [204, ""]) })
  page.tell("handlePaymentError", "HTTP 401")
  await until(() => page.questions("event").length === 2)
  page.payment.end()
  gate.resolve()
  await aWhile()
  assert.equal(page.questions("session").length, 1)
})

// --- back and forth -----------------------------------------------------------------------------------------------

test("a page that the back button brings asks anew whether its order can be paid", async (t) => {
  const page = await ready(t, { result: APPROVED })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  page.answers.session = NOT_PAYABLE
  page.start()
  await until(() => page.state === "closed")
  assert.equal(page.slot.hidden, true)
})

test("back from 3-D Secure the button can be pressed again, if the order allows", async (t) => {
  const page = await ready(t, { result: { outcome: "THREE_D_SECURE", message: "", next: "https://bank.example/3ds" } })
  page.tell("handlePaymentResult", SUCCESS)
  await until(() => page.went.length)
  page.start()
  await until(() => page.runs.length === 2)
  page.tell("handleWalletPayReady")
  assert.deepEqual([page.state, page.slot.inert, page.form.inert], ["ready", false, false])
})

test("of a button that is swapped many times in a moment, only the first and the last ask for a session", async (t) => {
  const gate = promise()
  const page = await open(t, { session: async () => (await gate.value, session()) })
  for (let swap = 0; swap < 50; swap++) {
    page.start()
    await null
  }
  gate.resolve()
  await until(() => page.runs.length)
  assert.ok(page.questions("session").length <= 2, `${page.questions("session").length} sessions`)
})

test("of two openings the answer to the older is of no interest", async (t) => {
  const gates = [promise(), promise()]
  let asked = 0
  const page = await open(t, { session: async () => session({ reference: await gates[asked++].value }) })
  await until(() => asked === 1)
  page.start()
  await until(() => asked === 2)
  gates[1].resolve("NEW")
  await until(() => page.runs.length)
  gates[0].resolve("OLD")
  await aWhile()
  assert.equal(page.runs.length, 1)
})
