/** The wallet's script: once on the page, tried three times, tried anew by a later run. */

import assert from "node:assert/strict"
import { test } from "node:test"
import { open, STATIC, until } from "./page.js"

const { PayScript } = await import(new URL("wallet/main.js", STATIC))

const tags = (page) => [...page.document.querySelectorAll("script[src]")]

test("it is loaded once for two that ask at the same time, and for all that ask later", async (t) => {
  const page = await open(t)
  const script = new PayScript(`${page.origin}/pay.js`, 1)
  await Promise.all([script.load(""), script.load("")])
  await script.load("")
  assert.deepEqual([page.scriptRequests.length, tags(page).length], [1, 1])
})

test("a wallet that the page has loaded by itself is used", async (t) => {
  const page = await open(t)
  page.window.google = { payments: { api: page.wallet.api } }
  await new PayScript(`${page.origin}/pay.js`).load("")
  assert.equal(page.scriptRequests.length, 0)
})

test("users ask 1 and 2: the nonce is on the tag of the script", async (t) => {
  const page = await open(t)
  await new PayScript(`${page.origin}/pay.js`).load("n0nce")
  assert.equal(tags(page)[0].nonce, "n0nce")
})

test("it is tried three times, and its tag is left on the page only when it came", async (t) => {
  const page = await open(t, { scriptFailures: 2 })
  await new PayScript(`${page.origin}/pay.js`, 1).load("")
  assert.deepEqual([page.scriptRequests.length, tags(page).length], [3, 1])
})

test("after three failures it is an error, no tag is left, and a later call tries again", async (t) => {
  const page = await open(t, { scriptFailures: 3 })
  const script = new PayScript(`${page.origin}/pay.js`, 1)
  await assert.rejects(script.load(""), /could not be loaded from http/)
  assert.deepEqual([page.scriptRequests.length, tags(page).length], [3, 0])
  await script.load("")
  assert.deepEqual([page.scriptRequests.length, tags(page).length], [4, 1])
})

test("a script that loads and brings no wallet has failed", async (t) => {
  const page = await open(t)
  delete page.window.fakeApi
  await assert.rejects(new PayScript(`${page.origin}/pay.js`, 1).load(""), /could not be loaded/)
})

test("a script that neither comes nor fails is given up", async (t) => {
  const page = await open(t)
  page.document.head.append = () => {}
  await assert.rejects(new PayScript(`${page.origin}/pay.js`, 1, 5).load(""), /could not be loaded/)
})

test("users ask 8: a script that cannot be had is told, and the button stays hidden", async (t) => {
  const page = await open(t, { attributes: { "pay-js-url": "http://127.0.0.1:1/pay.js" } })
  const original = globalThis.setTimeout
  globalThis.setTimeout = (act, pause, ...more) => original(act, Math.min(pause, 5), ...more)
  t.after(() => (globalThis.setTimeout = original))
  page.run()
  await until(() => page.faults.length)
  assert.match(page.faults[0], /The wallet's script could not be loaded/)
  assert.deepEqual([page.readies, page.container.hidden], [0, true])
})

/** A browser's trusted types, as far as wallet.js uses them; `allowed` is what `trusted-types` names. */
function trustedTypes(page, allowed) {
  const made = []
  page.window.trustedTypes = {
    createPolicy(name, rules) {
      if (!allowed.includes(name) || made.includes(name)) throw new TypeError(`Policy "${name}" disallowed.`)
      made.push(name)
      return {
        createScriptURL(url) {
          const trusted = rules.createScriptURL(url)
          return { trusted, toString: () => trusted }
        },
      }
    },
  }
  const given = []
  const { src } = Object.getOwnPropertyDescriptors(page.window.HTMLScriptElement.prototype)
  Object.defineProperty(page.window.HTMLScriptElement.prototype, "src", {
    ...src,
    set(value) {
      given.push("trusted" in Object(value) ? `trusted ${value.trusted}` : value)
      // For jsdom an empty address is that of the page; a browser loads nothing.
      if (String(value)) src.set.call(this, String(value))
    },
  })
  return { made, given }
}

/** As on a page of its own: what a module remembers is as new. */
const freshPayScript = async (name) => (await import(new URL(`wallet/main.js?${name}`, STATIC))).PayScript

test("under trusted types its address comes from one policy, however often it is tried", async (t) => {
  const page = await open(t, { scriptFailures: 2 })
  const { made, given } = trustedTypes(page, ["wallet-gateway"])
  const address = `${page.origin}/pay.js`
  await new (await freshPayScript("often"))(address, 1).load("")
  assert.deepEqual(made, ["wallet-gateway"])
  assert.deepEqual(given, Array(3).fill(`trusted ${address}`))
})

test("the policy lets no other address through", async (t) => {
  const page = await open(t, { scriptFailures: 9 })
  const { given } = trustedTypes(page, ["wallet-gateway"])
  const Script = await freshPayScript("other")
  await assert.rejects(new Script(`${page.origin}/pay.js`, 1).load(""))
  await assert.rejects(new Script(`${page.origin}/pay.js?evil`, 1, 5).load(""), /could not be loaded from .*evil/)
  assert.deepEqual(new Set(given), new Set([`trusted ${page.origin}/pay.js`, "trusted "]))
  assert.ok(!page.scriptRequests.some((url) => url.includes("evil")))
})

test("where trusted types may not be made under its name, the browser gets the text and decides", async (t) => {
  const page = await open(t)
  const { made, given } = trustedTypes(page, ["another"])
  await new (await freshPayScript("unnamed"))(`${page.origin}/pay.js`, 1).load("")
  assert.deepEqual([made, given], [[], [`${page.origin}/pay.js`]])
})
