/** The module for single-page apps: wallets of their own, each with its element and its handlers, and nothing on window. */

import assert from "node:assert/strict"
import { test } from "node:test"
import { aWhile, open, parameters, paymentData, STATIC, until } from "./page.js"

const { createWallet } = await import(new URL("wallet_module.js", STATIC))
const { NAMES } = await import(new URL("wallet/parameters.js", STATIC))

const CANCELED = { statusCode: "CANCELED", statusMessage: "closed" }
const named = (changed) => Object.fromEntries(parameters({ useWalletButton: true, ...changed }).map((value, at) => [NAMES[at], value]))

/** A page with a wallet of the module's; `news` is what its handlers have heard. */
async function opened(t, settings = {}) {
  const page = await open(t, { html: "<main><div id=first hidden></div><div id=second hidden></div></main>" })
  page.uncaught = []
  globalThis.reportError = (fault) => page.uncaught.push(fault)
  t.after(() => delete globalThis.reportError)
  page.create = (id, more = settings) => {
    const news = []
    const heard = (name) => (detail) => news.push(detail === undefined ? [name] : [name, detail])
    const container = page.document.getElementById(id)
    const wallet = createWallet({ container, gatewayUrl: page.origin, payJsUrl: `${page.origin}/pay.js`, gatewayName: "examplegateway", nonce: "n0nce", ...more })
    const handlers = Object.fromEntries(["onReady", "onResult", "onError", "onCancelled", "onUnavailable"].map((name) => [name, heard(name)]))
    return { container, handlers, news, wallet, run: (changed) => wallet.run(named(changed), handlers) }
  }
  page.ready = async (id) => {
    const shop = page.create(id)
    shop.call = shop.run()
    await until(() => shop.news.length, `ready; ${JSON.stringify(shop.news)}`)
    return shop
  }
  return page
}

test("a run shows its button, takes a card and tells its handlers, and nobody else", async (t) => {
  const page = await opened(t)
  const { container, news } = await page.ready("first")
  assert.deepEqual([container.hidden, news], [false, [["onReady"]]])
  container.querySelector("button").click()
  page.wallet.sheet.resolve(paymentData())
  await until(() => news.length === 2)
  assert.equal(news[1][0], "onResult")
  assert.equal(news[1][1].transactionAccountId, "ACC-ORDER-1")
  assert.ok(Object.isFrozen(news[1][1]))
  assert.deepEqual([page.heard, typeof page.window.runWalletPay], [[], "undefined"])
})

test("a closed sheet is told once, and is no error", async (t) => {
  const page = await opened(t)
  const { container, news } = await page.ready("first")
  container.querySelector("button").click()
  page.wallet.sheet.reject(CANCELED)
  await until(() => news.length === 2)
  await aWhile()
  assert.deepEqual(news.slice(1), [["onCancelled"]])
})

test("two wallets on a page have a button each, and one script of the wallet's", async (t) => {
  const page = await opened(t)
  const [one, two] = [page.create("first"), page.create("second")]
  one.run()
  two.run({ amount: "2.00" })
  await until(() => one.news.length && two.news.length)
  assert.equal(page.scriptRequests.length, 1)
  two.container.querySelector("button").click()
  assert.equal(page.wallet.sheet.request.transactionInfo.totalPrice, "2.00")
  page.wallet.sheet.resolve(paymentData())
  await until(() => two.news.length === 2)
  assert.deepEqual(one.news, [["onReady"]])
})

test("a button of the app's own opens the sheet by click()", async (t) => {
  const page = await opened(t)
  const { wallet, run, news } = page.create("first")
  run({ useWalletButton: false })
  await until(() => news.length)
  wallet.click()
  assert.equal(page.wallet.sheets.length, 1)
})

test("a wallet that cannot be used is told, and its place stays hidden", async (t) => {
  const page = await opened(t)
  page.wallet.ready = { result: false }
  const { container, news } = await page.ready("first")
  assert.deepEqual([news, container.hidden], [[["onUnavailable", "not-ready"]], true])
})

test("destroy takes the button away, and a component that is mounted anew has another", async (t) => {
  const page = await opened(t)
  for (const end of [({ wallet }) => wallet.destroy(), ({ call }) => call.destroy()]) {
    const shop = await page.ready("first")
    end(shop)
    assert.deepEqual([shop.container.hidden, shop.container.childNodes.length], [true, 0])
  }
  // As React's strict mode does: mounted, unmounted and mounted again, before anything has been loaded.
  const [unmounted, mounted] = [page.create("first"), page.create("first")]
  unmounted.run()
  unmounted.wallet.destroy()
  mounted.run()
  await until(() => mounted.news.length)
  await aWhile()
  assert.deepEqual([unmounted.news, mounted.news, mounted.container.querySelectorAll("button").length], [[], [["onReady"]], 1])
})

test("wrong input is named by its settings, not by a tag that is not there", async (t) => {
  const page = await opened(t)
  const { run, news } = page.create("first", { gatewayName: "", timeout: null })
  run()
  run({ amount: "1,0" })
  assert.deepEqual(news[0], ["onError", "createWallet: gateway-name is missing"])
  assert.match(news[1][1], /^amount \(parameter 9\) must be text such as/)
})

for (const [what, optionalParams] of [
  ["shippingOptionParameters needs the intent SHIPPING_OPTION", { callbackIntents: null, shippingOptionRequired: true, shippingOptionParameters: { shippingOptions: [{ id: "a", label: "Post" }] } }],
  ["offerInfo needs the intent OFFER", { offerInfo: [{ offers: [] }] }],
]) {
  test(`a choice whose callback is off is refused, and nothing is shown: ${what}`, async (t) => {
    const page = await opened(t)
    const { run, news, container } = page.create("first")
    run({ optionalParams })
    await aWhile()
    assert.match(news[0][1], new RegExp(what))
    assert.deepEqual([news.length, container.hidden, page.scriptRequests], [1, true, []])
  })
}

test("names that nobody knows are warned of: of settings, parameters and handlers, own ones only", async (t) => {
  const page = await opened(t)
  const heard = []
  const { warn } = console
  console.warn = (words) => heard.push(words)
  t.after(() => (console.warn = warn))
  const { wallet, handlers } = page.create("first", { gatewayNmae: "x", failedMessage: null })
  wallet.run(Object.assign(Object.create({ inherited: 1 }), named(), { ammount: "1.00" }), { ...handlers, onReslt: () => {} })
  assert.deepEqual(heard.slice(0, 3), [
    "wallet.js: the settings of createWallet have no gatewayNmae",
    "wallet.js: the parameters have no ammount",
    "wallet.js: the handlers have no onReslt",
  ])
})

test("what a handler throws is reported, and stops nothing", async (t) => {
  const page = await opened(t)
  const { wallet, container } = page.create("first")
  const thrown = new Error("the app's own fault")
  wallet.run(named(), {
    onReady: () => {
      throw thrown
    },
  })
  await until(() => page.uncaught.length)
  assert.deepEqual([page.uncaught, container.hidden], [[thrown], false])
})
