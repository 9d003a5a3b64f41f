/** The script itself: what it defines, that calls wait for the modules, how it finds its tag, and how big it all is. */

import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { brotliCompressSync } from "node:zlib"
import vm from "node:vm"
import { aWhile, open, parameters, STATIC, until } from "./page.js"

const SCRIPT = new URL("wallet.js", STATIC)
const MODULES = readdirSync(new URL("wallet/", STATIC)).filter((name) => name.endsWith(".js"))
const FILES = [SCRIPT, ...MODULES.map((name) => new URL(`wallet/${name}`, STATIC))].map((url) => readFileSync(url))

/** Runs the script as a browser would: as a classic one, at this place. */
function load(page, { from = fileURLToPath(SCRIPT), asModule = false } = {}) {
  page.document.head.append(page.tag)
  Object.defineProperty(page.document, "currentScript", { value: asModule ? null : page.tag, configurable: true })
  new vm.Script(readFileSync(SCRIPT, "utf8"), {
    filename: from,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext()
}

test("the two functions are there when the script has run, before any module is", async (t) => {
  const page = await open(t)
  load(page)
  assert.equal(typeof page.window.runWalletPay, "function")
  assert.equal(typeof page.window.onMerchantButtonClick, "function")
})

test("it adds these two names to the window and no other", async (t) => {
  const page = await open(t)
  const before = new Set(Object.getOwnPropertyNames(page.window))
  load(page)
  page.window.runWalletPay(...parameters())
  await until(() => page.readies)
  const added = Object.getOwnPropertyNames(page.window).filter((name) => !before.has(name) && name !== "google")
  assert.deepEqual(added.sort(), ["onMerchantButtonClick", "runWalletPay"])
})

test("what is public cannot be replaced or changed", async (t) => {
  const page = await open(t)
  load(page)
  const { runWalletPay, onMerchantButtonClick } = page.window
  for (const name of ["runWalletPay", "onMerchantButtonClick"]) {
    assert.throws(() => {
      "use strict"
      page.window[name] = () => {}
    }, TypeError)
    assert.throws(() => Object.defineProperty(page.window, name, { value: () => {} }), TypeError)
  }
  for (const value of [runWalletPay, onMerchantButtonClick, runWalletPay.destroy, runWalletPay(...parameters())]) {
    assert.ok(Object.isFrozen(value))
  }
  await until(() => page.readies)
})

for (const asModule of [false, true]) {
  test(`calls made before the modules are there wait for them (${asModule ? "module" : "classic"} script)`, async (t) => {
    const page = await open(t)
    load(page, { asModule })
    page.window.runWalletPay(...parameters({ amount: "1.00" }))
    page.window.runWalletPay(...parameters({ amount: "2.00" }))
    await until(() => page.readies)
    page.window.onMerchantButtonClick()
    assert.equal(page.wallet.sheet.request.transactionInfo.totalPrice, "2.00")
    assert.equal(page.readies, 1)
  })
}

test("a click before the modules are there opens nothing and says so on the console", async (t) => {
  const page = await open(t)
  load(page)
  page.window.onMerchantButtonClick()
  assert.match(page.warnings[0], /before the wallet was ready/)
  await aWhile()
})

test("modules that cannot be had are an error for every call", async (t) => {
  const page = await open(t)
  load(page, { from: "/nowhere/wallet.js" })
  page.window.runWalletPay(...parameters())
  await until(() => page.faults.length)
  assert.match(page.faults[0], /wallet.js could not be loaded/)
})

test("loaded twice, the first one stays", async (t) => {
  const page = await open(t)
  load(page)
  const { runWalletPay } = page.window
  load(page)
  assert.equal(page.window.runWalletPay, runWalletPay)
})

test("destroy of the call, and of all, takes the button away", async (t) => {
  const page = await open(t)
  load(page)
  for (const destroy of [(call) => call.destroy(), () => page.window.runWalletPay.destroy()]) {
    const before = page.readies
    const call = page.window.runWalletPay(...parameters())
    await until(() => page.readies > before)
    page.container.hidden = false
    destroy(call)
    await aWhile()
    assert.equal(page.container.hidden, true)
    page.window.onMerchantButtonClick()
    assert.equal(page.wallet.sheets.length, 0)
  }
})

test("destroy in the line after the call comes in time", async (t) => {
  const page = await open(t)
  load(page)
  page.window.runWalletPay(...parameters({ useWalletButton: true })).destroy()
  await aWhile()
  await aWhile()
  assert.deepEqual([page.readies, page.container.textContent], [0, "My own"])
})

// --- the files ----------------------------------------------------------------------------------------------------

test("the script and its modules have at most 40 kB", () => {
  assert.ok(FILES.reduce((sum, file) => sum + file.length, 0) <= 40_000)
})

test("the script and its modules have at most 12 kB with brotli, each compressed by itself as it is served", () => {
  const size = FILES.reduce((sum, file) => sum + brotliCompressSync(file).length, 0)
  assert.ok(size <= 12_000, `${size}`)
})

test("every file is checked by the type checker", () => {
  for (const file of FILES) assert.ok(file.toString().startsWith("// @ts-check\n"))
})

test("imports name files beside them in full and end in a semicolon, without which Django would not rewrite them", () => {
  for (const file of FILES) {
    for (const line of file.toString().match(/^import .*$/gm) ?? []) assert.match(line, / from "\.\/[a-z_]+\.js";$/)
  }
})
