/** The examples of the docs on single-page apps run, with the real React. */

import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { pathToFileURL } from "node:url"
import ts from "typescript"
import { FOLDER } from "./app.js"
import { GOOD_RESULT_NEXT, openShop } from "./example_shop.js"
import { paymentData, until } from "./page.js"

test("plain JavaScript: the button of the example pays, is told a decline, and ends", async (t) => {
  const { mountWallet } = await import(pathToFileURL(join(FOLDER, "wallet_button.js")).href)
  const shop = await openShop(t)
  const told = []
  const left = []
  const container = shop.page.document.getElementById("place")
  const end = mountWallet(container, shop.order, { tell: (words) => told.push(words), leave: (url) => left.push(url) })
  const press = async () => {
    await until(() => container.querySelector("button") && !container.hidden)
    container.querySelector("button").click()
    return shop.page.wallet.sheet
  }
  ;(await press()).reject({ statusCode: "CANCELED" })
  await until(() => told.at(-1)?.startsWith("You closed"))
  shop.results.push({ outcome: "DECLINED", message: "Your card was declined.", next: "" })
  ;(await press()).resolve(paymentData())
  await until(() => shop.asked.filter(({ what }) => what === "session").length === 2, "another session")
  assert.equal(told.at(-1), "Your card was declined.")
  await until(() => shop.page.readiness().length === 2)
  ;(await press()).resolve(paymentData("another"))
  await until(() => left.length)
  assert.deepEqual(left, [GOOD_RESULT_NEXT])
  assert.deepEqual(shop.asked.map(({ what, csrf }) => [what, csrf]), ["session", "result", "session", "result"].map((what) => [what, "t0ken"]))
  assert.equal(shop.asked.at(-1).body.transactionAccountId, "ACC-ORDER-1")
  end()
  assert.deepEqual([container.hidden, container.childNodes.length], [true, 0])
})

const OPTIONS = [{ id: "post", label: "Post", description: "3 days" }, { id: "express", label: "Express", description: "1 day" }]
const CHOOSING = {
  callbackIntents: ["PAYMENT_AUTHORIZATION", "SHIPPING_ADDRESS", "SHIPPING_OPTION"],
  shippingAddressRequired: true,
  shippingOptionRequired: true,
  shippingOptionParameters: { defaultSelectedOptionId: "post", shippingOptions: OPTIONS },
  additionalTransactionInfo: { displayItems: [{ label: "Mug", type: "LINE_ITEM", price: "12.30" }], totalPriceLabel: "Total" },
}

test("plain JavaScript: a way of shipping that is chosen on the open sheet is priced by the shop", async (t) => {
  const { mountWallet } = await import(pathToFileURL(join(FOLDER, "wallet_button.js")).href)
  const shop = await openShop(t, { optionalParams: CHOOSING })
  const container = shop.page.document.getElementById("place")
  mountWallet(container, shop.order, { tell: () => {}, leave: () => {} })
  await until(() => container.querySelector("button") && !container.hidden)
  container.querySelector("button").click()
  const { callbacks, request } = shop.page.wallet.sheet
  assert.deepEqual(request.callbackIntents, ["SHIPPING_ADDRESS", "SHIPPING_OPTION"])
  const options = OPTIONS.map((option, at) => ({ ...option, amountText: ["€3.00", "€9.00"][at] }))
  shop.prices.push({ total: "21.30", displayItems: [], shippingOptions: options, selectedOption: "express", offers: [], errors: [] })
  const update = await callbacks.onPaymentDataChanged({ callbackTrigger: "SHIPPING_OPTION", shippingOptionData: { id: "express" } })
  assert.deepEqual(shop.asked.at(-1), { what: "price", csrf: "t0ken", body: { reference: "ORDER-1", shippingAddress: null, shippingOption: "express", offers: [] } })
  assert.deepEqual([update.newTransactionInfo.totalPrice, update.newTransactionInfo.totalPriceLabel], ["21.30", "Total"])
  assert.deepEqual(update.newShippingOptionParameters.shippingOptions.map(({ label }) => label), ["Post · €3.00", "Express · €9.00"])
  shop.prices.push({ code: "unknown_link", detail: "Out of date. Nothing was charged." })
  const refused = await callbacks.onPaymentDataChanged({ callbackTrigger: "SHIPPING_OPTION" })
  assert.deepEqual(refused.error, { reason: "OTHER_ERROR", intent: "SHIPPING_OPTION", message: "Out of date. Nothing was charged." })
})

test("plain JavaScript: after a login in another tab the button asks once more, with the new token", async (t) => {
  const { mountWallet } = await import(pathToFileURL(join(FOLDER, "wallet_button.js")).href)
  const shop = await openShop(t)
  shop.isStale = true
  const container = shop.page.document.getElementById("place")
  mountWallet(container, shop.order, { tell: () => {}, leave: () => {} })
  await until(() => container.querySelector("button") && !container.hidden)
  assert.deepEqual(shop.asked.map(({ what, csrf }) => [what, csrf]), [["session", "t0ken"], ["session", "newer"]])
})

test("plain JavaScript: when the answer is lost, the shop's own page says what became of it", async (t) => {
  const { mountWallet } = await import(pathToFileURL(join(FOLDER, "wallet_button.js")).href)
  const shop = await openShop(t)
  const left = []
  const container = shop.page.document.getElementById("place")
  mountWallet(container, shop.order, { tell: () => {}, leave: (url) => left.push(url) })
  shop.results.push(null)
  await until(() => container.querySelector("button") && !container.hidden)
  container.querySelector("button").click()
  shop.page.wallet.sheet.resolve(paymentData())
  await until(() => left.length)
  assert.deepEqual(left, ["/result-page"])
})

test("plain JavaScript: a failure is reported, and a session that cannot pay any more is replaced", async (t) => {
  const { mountWallet } = await import(pathToFileURL(join(FOLDER, "wallet_button.js")).href)
  const shop = await openShop(t)
  const told = []
  const container = shop.page.document.getElementById("place")
  mountWallet(container, shop.order, { tell: (words) => told.push(words), leave: () => {} })
  const fail = async () => {
    await until(() => container.querySelector("button") && !container.hidden)
    container.querySelector("button").click()
    shop.page.wallet.sheet.reject(new Error("HTTP 401"))
  }
  shop.events.push({ newSession: true })
  await fail()
  await until(() => shop.page.readiness().length === 2)
  await fail()
  await until(() => shop.asked.length === 4)
  assert.deepEqual(shop.asked.map(({ what }) => what), ["session", "event", "session", "event"])
  assert.deepEqual(shop.asked[1].body, { reference: "ORDER-1", event: "ERROR", message: "HTTP 401" })
  assert.deepEqual(told, Array(2).fill("Your wallet could not be used. Nothing was charged."))
})

test("React: the component pays in strict mode, and takes its button with it", async (t) => {
  const shop = await openShop(t)
  const source = readFileSync(join(FOLDER, "WalletButton.tsx"), "utf8")
  const { outputText } = ts.transpileModule(source, { compilerOptions: { jsx: ts.JsxEmit.ReactJSX, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } })
  writeFileSync(join(FOLDER, "WalletButton.js"), outputText)
  const { WalletButton } = await import(pathToFileURL(join(FOLDER, "WalletButton.js")).href)
  // Node 20 has none.
  globalThis.navigator ??= shop.page.window.navigator
  const { act, createElement, StrictMode } = await import("react")
  const { createRoot } = await import("react-dom/client")
  const left = []
  const leave = (url) => left.push(url)
  const main = shop.page.document.querySelector("main")
  const root = createRoot(main)
  root.render(createElement(StrictMode, null, createElement(WalletButton, { ...shop.order, leave })))
  await until(() => main.querySelector("button"))
  assert.equal(main.querySelectorAll("button").length, 1)
  main.querySelector("button").click()
  shop.page.wallet.sheet.resolve(paymentData())
  await until(() => left.length)
  assert.deepEqual(left, [GOOD_RESULT_NEXT])
  await until(() => main.querySelector("[role=status]").textContent === "Your payment is on its way. Please wait.")
  // Nothing of React's may be left for the window of the next test.
  globalThis.IS_REACT_ACT_ENVIRONMENT = true
  await act(() => root.unmount())
  assert.equal(main.childNodes.length, 0)
})
