/** create-payment-account over real HTTP: what is sent, how its answers are read, and that it happens once. */

import assert from "node:assert/strict"
import { createServer } from "node:http"
import { test } from "node:test"
import { open, parameters, paymentData, STATIC, TOKEN } from "./page.js"

const { Accounts } = await import(new URL("wallet/approvals.js", STATIC))
const { readParameters } = await import(new URL("wallet/parameters.js", STATIC))

async function accounts(t, { patience = 1000, url, options, ...world } = {}) {
  const page = await open(t)
  Object.assign(page, world)
  const order = readParameters(parameters({ optionalParams: options }), () => {})
  const accountUrl = url ?? `${page.origin}/api/v5/paymentAccounts`
  return { page, book: new Accounts(order, { accountUrl, patience }) }
}
const answering = (answer) => ({ answer: async () => answer })

test("the request is the one that the service knows", async (t) => {
  const { page, book } = await accounts(t)
  await book.of(paymentData())
  const [{ url, method, headers, json }] = page.posts
  assert.deepEqual([method, url], ["POST", "/api/v5/paymentAccounts"])
  assert.equal(headers.authorization, "PublicApiKey pk-secret-1")
  assert.equal(headers["content-type"], "application/json")
  assert.deepEqual(json, { merchantId: "M-100", storeId: "S-1", clientSystemTransactionId: "ORDER-1", paymentData: paymentData() })
})

test("users ask 15: the token is sent byte for byte, not escaped twice and not parsed", async (t) => {
  const { page, book } = await accounts(t)
  await book.of(paymentData())
  assert.ok(TOKEN.includes(String.raw`\u003d`))
  assert.equal(page.posts[0].json.paymentData.paymentMethodData.tokenizationData.token, TOKEN)
  assert.ok(page.posts[0].body.includes(JSON.stringify(TOKEN)))
})

test("the detail has the documented members; redirectData, nulls and strangers are left out", async (t) => {
  const { book } = await accounts(t, answering({ json: { clientSystemTransactionId: "ORDER-1", transactionAccountId: "A", transactionMethod: "WalletPay", cryptogram: null, eciIndicator: null, redirectData: "x", more: 1 } }))
  assert.deepEqual(await book.of(paymentData()), { clientSystemTransactionId: "ORDER-1", transactionAccountId: "A", transactionMethod: "WalletPay" })
})

test("cryptogram and eciIndicator of a device token are in the detail", async (t) => {
  const { book } = await accounts(t)
  const { cryptogram, eciIndicator } = await book.of(paymentData())
  assert.deepEqual([cryptogram, eciIndicator], ["AgAAAA==", "05"])
})

test("an extensive request adds addresses and e-mail, without members that are null", async (t) => {
  const { book } = await accounts(t)
  const billingAddress = { name: "Ada", postalCode: "10115", countryCode: "DE", phoneNumber: null }
  const shippingAddress = { name: "Ada", address1: "Weg 1", address2: null, locality: "Berlin" }
  const detail = await book.of(paymentData(TOKEN, { info: { billingAddress }, top: { shippingAddress, email: "ada@example.com" } }))
  assert.deepEqual(detail.billingAddress, { name: "Ada", postalCode: "10115", countryCode: "DE" })
  assert.deepEqual(detail.shippingAddress, { name: "Ada", address1: "Weg 1", locality: "Berlin" })
  assert.equal(detail.email, "ada@example.com")
})

test("an account is all that the answer has to name", async (t) => {
  const { book } = await accounts(t, answering({ json: { transactionAccountId: "A" } }))
  const detail = JSON.parse(JSON.stringify(await book.of(paymentData())))
  assert.deepEqual(detail, { clientSystemTransactionId: "ORDER-1", transactionAccountId: "A", transactionMethod: "WalletPay" })
})

test("names of the answer are read in any letter case", async (t) => {
  const { book } = await accounts(t, answering({ json: { TransactionAccountId: "A", ECIIndicator: "07" } }))
  assert.deepEqual(await book.of(paymentData()), { clientSystemTransactionId: "ORDER-1", transactionAccountId: "A", transactionMethod: "WalletPay", eciIndicator: "07" })
})

for (const status of [200, 400, 401, 503]) {
  test(`a documented failure with HTTP ${status} is the failed form`, async (t) => {
    const json = { code: "4000340", description: "GeneralValidationError", details: { message: "token is missing", inner: null }, transactionAccountId: null }
    const { book } = await accounts(t, answering({ status, json }))
    assert.deepEqual(await book.of(paymentData()), { code: "4000340", description: "GeneralValidationError", details: { message: "token is missing" } })
  })
}

test("a failure without description has none", async (t) => {
  const { book } = await accounts(t, answering({ status: 400, json: { code: "1", description: null, details: { message: "m" } } }))
  assert.deepEqual(await book.of(paymentData()), { code: "1", details: { message: "m" } })
})

for (const [json, detail] of [
  [{ code: "4100001" }, { code: "4100001" }],
  [{ code: "4100001", description: "GeneralValidationError" }, { code: "4100001", description: "GeneralValidationError" }],
  [{ code: "4100001", details: null }, { code: "4100001" }],
  [{ code: "4100001", details: { message: null } }, { code: "4100001" }],
  [{ code: "4100001", details: {}, transactionAccountId: null, state: null }, { code: "4100001" }],
  [{ CODE: "4100001", Details: { Message: "m" } }, { code: "4100001", details: { message: "m" } }],
]) {
  test(`${JSON.stringify(json)} is a failure, whatever else is missing`, async (t) => {
    const { book } = await accounts(t, answering({ status: 400, json }))
    assert.deepEqual(await book.of(paymentData()), detail)
  })
}

for (const [what, answer] of [
  ["no JSON", { text: "<html>SECRET" }],
  ["nothing", { text: "" }],
  ["a list", { json: [] }],
  ["null", { text: "null" }],
  ["no account", { json: { transactionMethod: "WalletPay", cryptogram: "SECRET" } }],
  ["an account that is no text", { json: { transactionAccountId: 7, cryptogram: "SECRET" } }],
  ["an empty account", { json: { transactionAccountId: "" } }],
  ["a cryptogram that is no text", { json: { transactionAccountId: "A", cryptogram: { a: "SECRET" } } }],
  ["another order's account", { json: { transactionAccountId: "A", clientSystemTransactionId: "ORDER-9" } }],
  ["another method", { json: { transactionAccountId: "A", transactionMethod: "Card" } }],
  ["one name twice", { text: '{"transactionAccountId":"A","TransactionAccountID":"B"}' }],
  ["an account with HTTP 500", { status: 500, json: { transactionAccountId: "A", cryptogram: "SECRET" } }],
  ["an empty code", { status: 400, json: { code: "", details: { message: "m" } } }],
  ["a code that is no text", { status: 400, json: { code: { a: "SECRET" }, details: { message: "m" } } }],
  ["a code whose details are no object", { status: 400, json: { code: "1", details: "SECRET" } }],
  ["a code whose message is no text", { status: 400, json: { code: "1", details: { message: ["SECRET"] } } }],
  ["a code whose description is no text", { status: 400, json: { code: "1", description: { a: "SECRET" } } }],
  ...["transactionAccountId", "state", "id", "RedirectURL"].map((name) => [`a code beside ${name}`, { json: { code: "1", details: { message: "m" }, [name]: "SECRET" } }]),
  ["an account with a code", { json: { transactionAccountId: "A", code: "0", cryptogram: "SECRET" } }],
]) {
  test(`an answer of ${what} is an error that repeats nothing of it`, async (t) => {
    const { book } = await accounts(t, answering(answer))
    await assert.rejects(book.of(paymentData()), (error) => {
      assert.match(error.message, /answer \(HTTP \d+\) is not one that the interface knows/)
      assert.ok(!error.message.includes("SECRET"))
      return true
    })
  })
}

test("a redirect is not followed", async (t) => {
  const { page, book } = await accounts(t, answering({ status: 307, location: "/elsewhere", text: "" }))
  await assert.rejects(book.of(paymentData()), /could not be reached/)
  assert.deepEqual(page.posts.map(({ url }) => url), ["/api/v5/paymentAccounts"])
})

test("a gateway that is not there is an error", async (t) => {
  const { book } = await accounts(t, { url: "http://127.0.0.1:1/api" })
  await assert.rejects(book.of(paymentData()), /The gateway could not be reached/)
})

test("a gateway that says nothing is given up at the deadline", async (t) => {
  const { book } = await accounts(t, { patience: 80, ...answering({ never: true }) })
  await assert.rejects(book.of(paymentData()), /did not answer within 0.08 seconds/)
})

test("the deadline counts for the whole answer, not for its first byte", async (t) => {
  const server = createServer((_, response) => response.writeHead(200).write("{"))
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening))
  t.after(() => (server.closeAllConnections(), server.close()))
  const { book } = await accounts(t, { patience: 80, url: `http://127.0.0.1:${server.address().port}/` })
  await assert.rejects(book.of(paymentData()), /did not answer within/)
})

test("one token makes one account, however often it is asked for", async (t) => {
  const { page, book } = await accounts(t)
  const [first, second] = await Promise.all([book.of(paymentData()), book.of(paymentData())])
  assert.deepEqual([first, page.posts.length], [second, 1])
})

test("a token whose account failed is not sent again", async (t) => {
  const { page, book } = await accounts(t, answering({ text: "?" }))
  for (let times = 0; times < 2; times++) await assert.rejects(book.of(paymentData()))
  assert.equal(page.posts.length, 1)
})

test("users ask 11: another card is another token and another account, under the reference that the page gives", async (t) => {
  let made = 0
  const { page, book } = await accounts(t)
  for (const token of ["one", "two", "three"]) await book.of(paymentData(token), async () => `ORDER-${++made}`)
  assert.deepEqual(page.posts.map(({ json }) => json.clientSystemTransactionId), ["ORDER-1", "ORDER-2", "ORDER-3"])
})

test("a reference is asked for only when an account is made", async (t) => {
  let asked = 0
  const { book } = await accounts(t)
  for (let times = 0; times < 2; times++) await book.of(paymentData("one"), () => `ORDER-${++asked}`)
  assert.equal(asked, 1)
})

test("where the page gives none, every card has the reference of the run", async (t) => {
  const { page, book } = await accounts(t)
  for (const token of ["one", "two"]) await book.of(paymentData(token))
  assert.deepEqual(page.posts.map(({ json }) => json.clientSystemTransactionId), ["ORDER-1", "ORDER-1"])
})

for (const next of [() => "", () => undefined, () => 7, () => Promise.reject(new Error("offline"))]) {
  test(`a reference given by ${next} sends nothing`, async (t) => {
    const { page, book } = await accounts(t)
    await assert.rejects(async () => book.of(paymentData("one"), next), /reference for the account must be text|offline/)
    assert.equal(page.posts.length, 0)
  })
}

test("data without a token is sent all the same: the gateway has the words for it", async (t) => {
  const { page, book } = await accounts(t, answering({ status: 400, json: { code: "4000340", details: { message: "missing" } } }))
  assert.equal((await book.of({ apiVersion: 2 })).code, "4000340")
  assert.deepEqual(page.posts[0].json.paymentData, { apiVersion: 2 })
})
