/** One run and the next: readiness, the button, the click, the sheet's end, and what the page hears of each. */

import assert from "node:assert/strict"
import { test } from "node:test"
import { aWhile, open, paymentData, promise, TOKEN, until } from "./page.js"

const CANCELED = { statusCode: "CANCELED", statusMessage: "closed" }
const names = (page) => page.heard.map(({ name }) => name)

// --- readiness ----------------------------------------------------------------------------------------------------

test("the ready handler is called with a CustomEvent once the wallet says it can be used", async (t) => {
  const page = await open(t)
  await page.ready()
  assert.ok(page.heard[0].event instanceof page.window.CustomEvent)
  assert.deepEqual(names(page), ["handleWalletPayReady"])
})

test("unhiding the button is the page's part", async (t) => {
  const page = await open(t)
  await page.ready()
  assert.equal(page.container.hidden, true)
})

for (const [profile, environment] of [["test", "TEST"], ["prod", "PRODUCTION"]]) {
  test(`profile ${profile} is the wallet's ${environment}`, async (t) => {
    const page = await open(t, { attributes: { "gateway-url": "https://gateway.example", "pay-js-url": "https://pay.example/pay.js" } })
    page.window.google = { payments: { api: page.wallet.api } }
    await page.ready({ profile, merchantNo: "1".repeat(12) })
    assert.equal(page.wallet.clients[0].options.environment, environment)
  })
}

test("users ask 1 and 2: the nonce reaches the wallet; that of optionalParams comes first", async (t) => {
  const page = await open(t)
  await page.ready()
  await page.ready({ optionalParams: { nonce: "mine" } })
  assert.deepEqual(page.wallet.clients.map(({ options }) => options.nonce), ["n0nce", "mine"])
})

test("a wallet that is not ready is announced, is no error, and the button is hidden", async (t) => {
  const page = await open(t)
  page.wallet.ready = { result: false }
  page.container.hidden = false
  page.run()
  await until(() => page.heard.length)
  assert.deepEqual([names(page), page.of("wallet:unavailable"), page.container.hidden], [["wallet:unavailable"], ["not-ready"], true])
})

for (const paymentMethodPresent of [false, undefined]) {
  test(`users ask 10: paymentMethodPresent ${paymentMethodPresent} hides the button only where a stored card is required`, async (t) => {
    const page = await open(t)
    page.wallet.ready = { result: true, paymentMethodPresent }
    await page.ready()
    page.run({ optionalParams: { existingPaymentMethodRequired: true } })
    await until(() => page.of("wallet:unavailable").length)
    assert.deepEqual([page.of("wallet:unavailable"), page.readies], [["no-payment-method"], 1])
  })
}

test("a wallet that rejects is an error with its code", async (t) => {
  const page = await open(t)
  page.wallet.ready = () => Promise.reject({ statusCode: "DEVELOPER_ERROR", statusMessage: "bad request" })
  page.run()
  await until(() => page.faults.length)
  assert.deepEqual(page.faults, ["DEVELOPER_ERROR: bad request"])
})

test("the button is ready after one question to the wallet", async (t) => {
  const page = await open(t)
  await page.ready()
  assert.deepEqual([page.wallet.readiness.length, page.posts.length, page.scriptRequests.length], [1, 0, 1])
})

test("handlers are looked up when they are called", async (t) => {
  const page = await open(t)
  const heard = promise()
  const run = page.run()
  page.window.handleWalletPayReady = () => heard.resolve(run)
  assert.ok(await heard.value)
})

test("a handler that throws stops nothing: it is the page's fault, told as one", async (t) => {
  const page = await open(t)
  const uncaught = []
  page.window.addEventListener("error", (event) => (event.preventDefault(), uncaught.push(event.message)))
  page.window.handleWalletPayReady = () => {
    throw new Error("the page's own fault")
  }
  const run = page.run()
  await until(() => run.isReady)
  assert.match(uncaught[0], /the page's own fault/)
})

test("what a page without handlePaymentError would have heard is on the console", async (t) => {
  const page = await open(t)
  delete page.window.handlePaymentError
  page.run({ mid: "" })
  assert.match(page.warnings[0], /no handlePaymentError hears: mid \(parameter 1\) must be text/)
})

for (const [what, listen] of [
  ["has no function of the name", (page) => delete page.window.handlePaymentResult],
  ["has another function of the name", () => {}],
]) {
  test(`a page that ${what} may listen on the document`, async (t) => {
    const page = await open(t)
    const heard = []
    page.document.addEventListener("handlePaymentResult", (event) => heard.push(event.detail.transactionAccountId))
    listen(page)
    await page.ready()
    page.gate.click()
    page.wallet.sheet.resolve(paymentData())
    await until(() => heard.length)
    await aWhile()
    assert.deepEqual(heard, ["ACC-ORDER-1"])
  })
}

test("a function that listens as well hears of each payment once", async (t) => {
  const page = await open(t)
  page.document.addEventListener("handlePaymentResult", page.window.handlePaymentResult)
  await page.ready()
  for (const times of [1, 2]) {
    page.gate.click()
    page.wallet.sheet.resolve(paymentData())
    await until(() => page.results.length === times)
    await aWhile()
  }
  assert.equal(page.results.length, 2)
})

test("a function that the page has put in another's place is the only one that hears", async (t) => {
  const page = await open(t)
  await page.ready()
  let heard = 0
  page.window.handleWalletPayReady = () => heard++
  page.run()
  await until(() => heard)
  assert.deepEqual([page.readies, heard], [1, 1])
})

// --- runs ---------------------------------------------------------------------------------------------------------

test("users ask 9: a late answer to an older run changes nothing", async (t) => {
  const page = await open(t)
  const [old, fresh] = [promise(), promise()]
  const answers = [old.value, fresh.value]
  page.wallet.ready = () => answers.shift()
  page.run({ useWalletButton: true })
  await until(() => page.wallet.readiness.length === 1)
  page.run({ useWalletButton: true, clientSystemTransactionId: "ORDER-2" })
  await until(() => page.wallet.readiness.length === 2)
  fresh.resolve({ result: true })
  await until(() => page.readies === 1)
  const button = page.container.firstChild
  old.resolve({ result: true })
  await aWhile()
  assert.deepEqual([page.readies, page.container.children.length, page.container.firstChild === button], [1, 1, true])
})

test("an older run that fails late is not heard of", async (t) => {
  const page = await open(t)
  const old = promise()
  page.wallet.ready = () => old.value
  page.run()
  await until(() => page.wallet.readiness.length === 1)
  page.wallet.ready = { result: true }
  await page.ready()
  old.reject(new Error("late"))
  await aWhile()
  assert.deepEqual(page.faults, [])
})

test("running again replaces the wallet's button, never adds one", async (t) => {
  const page = await open(t)
  for (let times = 0; times < 3; times++) await page.ready({ useWalletButton: true })
  assert.equal(page.container.querySelectorAll("button").length, 1)
})

test("the newest run is the one that a click pays", async (t) => {
  const page = await open(t)
  await page.ready()
  await page.ready({ amount: "99.00" })
  page.gate.click()
  assert.equal(page.wallet.sheet.request.transactionInfo.totalPrice, "99.00")
})

test("a refused run takes the older one's place: nobody pays the old price by mistake", async (t) => {
  const page = await open(t)
  await page.ready()
  page.container.hidden = false
  page.run({ amount: "wrong" })
  page.gate.click()
  assert.deepEqual([page.wallet.sheets.length, page.container.hidden], [0, true])
  assert.match(page.faults[1], /runWalletPay has not succeeded/)
})

test("users ask 7: after the page has changed its content, a new run fills the new container", async (t) => {
  const page = await open(t)
  await page.ready({ useWalletButton: true })
  const old = page.container
  page.document.body.innerHTML = `<div id="merchant-google-pay-button" hidden></div>`
  await page.ready({ useWalletButton: true })
  assert.notEqual(page.container, old)
  assert.deepEqual([page.readies, page.container.querySelectorAll("button").length], [2, 1])
})

test("a page without the container is told so, when the wallet's button should stand in it", async (t) => {
  const page = await open(t, { html: "<p>nothing</p>" })
  page.run({ useWalletButton: true })
  await until(() => page.faults.length)
  assert.match(page.faults[0], /no element with the id merchant-google-pay-button/)
})

test("destroy hides the button, puts the page's own back and is silent ever after", async (t) => {
  const page = await open(t)
  const run = await page.ready({ useWalletButton: true })
  page.container.hidden = false
  run.destroy()
  assert.deepEqual([page.container.hidden, page.container.textContent], [true, "My own"])
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 0)
})

test("destroy of a run that has been replaced leaves the new one alone", async (t) => {
  const page = await open(t)
  const old = await page.ready()
  await page.ready({ useWalletButton: true })
  page.container.hidden = false
  old.destroy()
  assert.deepEqual([page.container.hidden, page.container.textContent], [false, ""])
})

test("destroy before the wallet has answered leaves no button behind", async (t) => {
  const page = await open(t)
  const late = promise()
  page.wallet.ready = () => late.value
  const run = page.run({ useWalletButton: true })
  await until(() => page.wallet.readiness.length)
  run.destroy()
  late.resolve({ result: true })
  await aWhile()
  assert.deepEqual([page.heard, page.container.textContent], [[], "My own"])
})

test("a sheet that is open at destroy makes no account", async (t) => {
  const page = await open(t)
  const run = await page.ready()
  page.gate.click()
  run.destroy()
  page.wallet.sheet.resolve(paymentData())
  await aWhile()
  assert.deepEqual([page.posts.length, names(page)], [0, ["handleWalletPayReady"]])
})

test("a new run after destroy works", async (t) => {
  const page = await open(t)
  ;(await page.ready()).destroy()
  await page.ready()
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 1)
})

// --- the button ---------------------------------------------------------------------------------------------------

test("users ask 14: the wallet's button keeps its own accessible name, and the container gets no role", async (t) => {
  const page = await open(t)
  await page.ready({ useWalletButton: true })
  const button = page.container.firstChild
  assert.deepEqual([button.tagName, button.getAttribute("aria-label")], ["BUTTON", "Buy with GPay"])
  assert.deepEqual([page.container.getAttribute("role"), page.container.getAttribute("aria-label")], [null, null])
})

test("the page's own button is left as it is when it is the one to use", async (t) => {
  const page = await open(t)
  await page.ready()
  assert.equal(page.container.textContent, "My own")
  await page.ready({ useWalletButton: true })
  await page.ready()
  assert.equal(page.container.textContent, "My own")
})

test("a button that the wallet refuses to make is an error, not a ready page", async (t) => {
  const page = await open(t)
  page.wallet.buttonFault = "no such type"
  page.run({ useWalletButton: true })
  await until(() => page.faults.length)
  assert.deepEqual([page.faults, page.readies], [["no such type"], 0])
})

test("the wallet's button opens the sheet as the page's own does", async (t) => {
  const page = await open(t)
  await page.ready({ useWalletButton: true })
  page.container.firstChild.click()
  assert.equal(page.wallet.sheets.length, 1)
})

// --- the click ----------------------------------------------------------------------------------------------------

test("the sheet is opened within the click, before anything else can happen", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 1)
})

test("users ask 3 and 4: a double click opens one sheet and makes one account and one result", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  page.gate.click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.results.length)
  await aWhile()
  assert.deepEqual([page.wallet.sheets.length, page.posts.length, page.results.length], [1, 1, 1])
})

test("a click while the account is being made opens no second sheet", async (t) => {
  const page = await open(t)
  const slow = promise()
  page.answer = () => slow.value
  await page.ready()
  page.gate.click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.posts.length)
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 1)
  slow.resolve({ json: { transactionAccountId: "A" } })
  await until(() => page.results.length)
})

test("a newer run does not open a second sheet beside one that is open, and hears of its payment", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  await page.ready({ clientSystemTransactionId: "ORDER-2" })
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 1)
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.results.length)
  assert.equal(page.results[0].clientSystemTransactionId, "ORDER-1")
})

const leave = (page) => page.document.body.replaceChildren(Object.assign(page.document.createElement("div"), { id: "merchant-google-pay-button" }))

for (const [what, free] of [
  ["destroy of its run", (page, run) => run.destroy()],
  ["destroy of the page's run", (page) => page.gate.destroy()],
  ["the end of the page it was on", leave],
]) {
  test(`a sheet of which the wallet never says that it has ended keeps no click from a new run after ${what}`, async (t) => {
    const page = await open(t)
    const run = await page.ready()
    page.gate.click()
    free(page, run)
    await page.ready({ amount: "2.00" })
    page.gate.click()
    assert.deepEqual(page.wallet.sheets.map(({ request }) => request.transactionInfo.totalPrice), ["12.30", "2.00"])
  })
}

test("where a session was renewed behind an open sheet, destroy lets the next run be paid, too", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  await page.ready()
  page.gate.destroy()
  await page.ready()
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 2)
})

test("a run opens no second sheet beside its own, even where its page is gone", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  leave(page)
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 1)
})

test("what an abandoned sheet brings late neither opens nor closes the way for the sheet after it", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  const [abandoned] = page.wallet.sheets
  leave(page)
  await page.ready()
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 2)
  abandoned.reject(CANCELED)
  await until(() => page.of("wallet:cancelled").length)
  await aWhile()
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 2)
  page.wallet.sheet.reject(CANCELED)
  await until(() => page.of("wallet:cancelled").length === 2)
  await aWhile()
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 3)
})

test("a click during a payment says on the console why nothing happens", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  page.gate.click()
  assert.deepEqual([page.wallet.sheets.length, page.faults], [1, []])
  assert.match(page.warnings[0], /clicked during a payment/)
})

const LOST = "The wallet did not say how its sheet ended"

/** Lets the clock run on by seconds. */
const wait = (t, seconds) => {
  const now = Date.now
  const before = now()
  t.mock.method(Date, "now", () => before + seconds * 1000)
}

test("a click after long silence of the wallet says so, and the next one opens a sheet", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  wait(t, 16)
  page.gate.click()
  assert.deepEqual([page.faults, page.wallet.sheets.length], [[LOST], 1])
  await until(() => page.of("handleWalletPayReady").length === 2)
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 2)
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.results.length)
})

for (const [what, settle] of [
  ["approved", (sheet) => sheet.resolve(paymentData())],
  ["closed", (sheet) => sheet.reject(CANCELED)],
]) {
  test(`a sheet that was lost, and is ${what} after all, makes no account and is not heard of`, async (t) => {
    const page = await open(t)
    await page.ready()
    page.gate.click()
    wait(t, 16)
    page.gate.click()
    settle(page.wallet.sheets[0])
    await aWhile()
    assert.deepEqual([page.posts, page.results, page.faults], [[], [], [LOST]])
  })
}

test("a card that is approved in a lost sheet after all is told there that it cannot be, and has no account", async (t) => {
  const authorize = async (_data, account) => (await account(), { transactionState: "SUCCESS" })
  const page = await open(t)
  await page.ready({ optionalParams: { callbackIntents: ["PAYMENT_AUTHORIZATION"], onPaymentAuthorized: authorize } })
  page.gate.click()
  wait(t, 16)
  page.gate.click()
  const { transactionState } = await page.wallet.sheets[0].callbacks.onPaymentAuthorized(paymentData())
  assert.deepEqual([transactionState, page.posts], ["ERROR", []])
})

for (const what of ["is being decided on", "was approved", "has its account made after the sheet"]) {
  test(`no sheet is lost whose card ${what}`, async (t) => {
    const gate = promise()
    const page = await open(t)
    const inSheet = async (_data, account) => (await account(), await gate.value, { transactionState: "SUCCESS" })
    const own = { callbackIntents: ["PAYMENT_AUTHORIZATION"], onPaymentAuthorized: inSheet }
    await page.ready(what.endsWith("sheet") ? {} : { optionalParams: own })
    page.gate.click()
    if (what.endsWith("sheet")) {
      const { answer } = page
      page.answer = async (sent) => (await gate.value, answer(sent))
      page.wallet.sheet.resolve(paymentData())
    } else {
      const answer = page.wallet.sheet.callbacks.onPaymentAuthorized(paymentData())
      if (what === "was approved") await (gate.resolve(), answer)
    }
    await until(() => page.posts.length)
    wait(t, 16)
    page.gate.click()
    assert.deepEqual(page.faults, [])
    assert.match(page.warnings.at(-1), /clicked during a payment/)
    gate.resolve()
    if (what.endsWith("sheet")) await until(() => page.results.length)
  })
}

test("a wallet that asks for a price is there", async (t) => {
  const page = await open(t)
  await page.ready({ optionalParams: { callbackIntents: ["OFFER"], offerInfo: { offers: [] }, onPaymentDataChanged: async () => ({}) } })
  page.gate.click()
  wait(t, 16)
  await page.wallet.sheet.callbacks.onPaymentDataChanged({ callbackTrigger: "INITIALIZE" })
  page.gate.click()
  assert.deepEqual(page.faults, [])
})

test("a page without the slot of the button, too, opens one sheet at a time", async (t) => {
  const page = await open(t, { html: "<p>a page that calls onMerchantButtonClick by itself</p>" })
  await page.ready()
  page.gate.click()
  page.gate.click()
  assert.equal(page.wallet.sheets.length, 1)
})

for (const end of ["resolve", "reject"]) {
  test(`after a payment has ended (${end}) the next click opens a sheet`, async (t) => {
    const page = await open(t)
    await page.ready()
    page.gate.click()
    page.wallet.sheet[end](end === "resolve" ? paymentData() : CANCELED)
    await until(() => page.heard.length > 1)
    await aWhile()
    page.gate.click()
    assert.equal(page.wallet.sheets.length, 2)
  })
}

test("a click before the wallet is ready opens nothing and says so on the console", async (t) => {
  const page = await open(t)
  page.run()
  page.gate.click()
  assert.deepEqual([page.wallet.sheets.length, page.faults], [0, []])
  assert.match(page.warnings[0], /before the wallet was ready/)
  await until(() => page.readies)
})

test("a click without any run is an error, not a silence", async (t) => {
  const page = await open(t)
  page.gate.click()
  assert.match(page.faults[0], /runWalletPay has not succeeded/)
})

// --- the end of the sheet -----------------------------------------------------------------------------------------

test("without authorization by callback the account is made after the sheet, and its detail told", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  await aWhile()
  assert.equal(page.posts.length, 0)
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.results.length)
  assert.deepEqual(page.results, [
    { clientSystemTransactionId: "ORDER-1", transactionAccountId: "ACC-ORDER-1", transactionMethod: "WalletPay", cryptogram: "AgAAAA==", eciIndicator: "05" },
  ])
  assert.equal(page.posts[0].json.paymentData.paymentMethodData.tokenizationData.token, TOKEN)
})

test("the detail cannot be changed on its way", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.results.length)
  assert.throws(() => (page.results[0].transactionAccountId = "other"), TypeError)
})

test("a closed sheet is told in the wallet's own word, and as an event of ours", async (t) => {
  const page = await open(t)
  await page.ready()
  page.gate.click()
  page.wallet.sheet.reject(CANCELED)
  await until(() => page.of("wallet:cancelled").length)
  assert.deepEqual(names(page), ["handleWalletPayReady", "wallet:cancelled", "handlePaymentError"])
  assert.deepEqual(page.faults, ["CANCELED"])
})

for (const [thrown, words] of [
  [{ statusCode: "DEVELOPER_ERROR", statusMessage: "This method can only be called one at a time" }, "DEVELOPER_ERROR: This method can only be called one at a time"],
  [{ statusCode: "BUYER_ACCOUNT_ERROR", statusMessage: "" }, "BUYER_ACCOUNT_ERROR: "],
  [{ statusCode: "INTERNAL_ERROR" }, "INTERNAL_ERROR: "],
  [new Error("no idea"), "no idea"],
  ["just text", "just text"],
]) {
  test(`a sheet that fails is told as ${words}`, async (t) => {
    const page = await open(t)
    await page.ready()
    page.gate.click()
    page.wallet.sheet.reject(thrown)
    await until(() => page.faults.length)
    assert.deepEqual(page.faults, [words])
  })
}

test("a wallet that throws instead of rejecting does not keep the latch", async (t) => {
  const page = await open(t)
  await page.ready()
  page.wallet.throws = new Error("thrown at once")
  page.gate.click()
  await until(() => page.faults.length)
  await aWhile()
  page.wallet.throws = undefined
  page.gate.click()
  assert.deepEqual([page.faults, page.wallet.sheets.length], [["thrown at once"], 1])
})

test("what one sheet was given is forgotten with it: in the next one the same token makes an account anew", async (t) => {
  const page = await open(t)
  await page.ready()
  for (const times of [1, 2]) {
    page.gate.click()
    page.wallet.sheet.resolve(paymentData())
    await until(() => page.results.length === times)
    await aWhile()
  }
  assert.equal(page.posts.length, 2)
})

for (const json of [
  { code: "4000340", description: "GeneralValidationError", details: { message: "token missing" } },
  { code: "4000340", description: "GeneralValidationError" },
  { code: "4000340" },
  { code: "4000340", details: null },
  { code: "4000340", details: { message: null } },
]) {
  test(`a failure of the gateway is a result in its failed form: ${JSON.stringify(json)}`, async (t) => {
    const page = await open(t)
    page.answer = async () => ({ status: 400, json })
    await page.ready()
    page.gate.click()
    page.wallet.sheet.resolve(paymentData())
    await until(() => page.results.length)
    const expected = json.details?.message ? json : { code: json.code, ...(json.description && { description: json.description }) }
    assert.deepEqual([page.results, page.faults], [[expected], []])
  })
}

test("a gateway that does not answer is an error, and the page may let the customer try again", async (t) => {
  const page = await open(t, { attributes: { timeout: "0.05" } })
  page.answer = async () => ({ never: true })
  await page.ready()
  page.gate.click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.faults.length)
  assert.deepEqual([page.faults, page.results], [["The gateway did not answer within 0.05 seconds"], []])
})

test("the path of the service is a setting", async (t) => {
  const page = await open(t, { attributes: { "account-path": "/v9/accounts" } })
  await page.ready()
  page.gate.click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.results.length)
  assert.equal(page.posts[0].url, "/v9/accounts")
})

test("slashes at the end of the gateway's URL change nothing", async (t) => {
  const page = await open(t, { attributes: { "gateway-url": "/gateway//" } })
  await page.ready()
  page.gate.click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.results.length)
  assert.equal(page.posts[0].url, "/gateway/api/v5/paymentAccounts")
})

test("neither key, token nor cryptogram is ever written to the console", async (t) => {
  const page = await open(t)
  delete page.window.handlePaymentResult
  await page.ready()
  page.gate.click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => page.posts.length)
  await aWhile()
  page.run({ mid: "", publicKeyApi: "pk secret 1" })
  const written = [...page.errors, ...page.warnings].join()
  for (const secret of ["secret", "AgAAAA==", "MEUC"]) assert.ok(!written.includes(secret))
})
