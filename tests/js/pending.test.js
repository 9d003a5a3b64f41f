/** The page that waits: whom it asks and when, on a page that stays open while its content is replaced. */

import assert from "node:assert/strict"
import { createServer } from "node:http"
import { test } from "node:test"
import { JSDOM } from "jsdom"
import { aWhile, promise, STATIC, until } from "./page.js"

const WAITS = { state: "PENDING", final: false, next: "" }
const PAID = { state: "PAID", final: true, next: "/thanks" }
const GLOBALS = ["window", "document", "location", "customElements", "HTMLElement", "HTMLScriptElement", "setTimeout", "clearTimeout"]
let loads = 0

/** What `_waiting.html` draws. */
const card = (name = "1", inside = "<wallet-waiting hidden></wallet-waiting>") => `<section data-wallet-poll="/status/${name}" data-wallet-result="/result/${name}"
  data-wallet-news="News" data-wallet-offline="Offline"><p role="status"></p>${inside}<script type="module" src="/pending.js"></script></section>`
/** What a template of a shop's own draws that is older than the element. */
const oldCard = (name) => card(name, "")

/** Opens a page. `page.answer` is a body, `[status, body]`, a function of the address, or null for a cut line. */
async function open(t, html = card()) {
  const page = { asked: [], cut: [], went: [], timers: new Map(), answer: WAITS }
  const server = createServer(async (request, response) => {
    page.asked.push(request.url)
    response.on("close", () => response.writableFinished || page.cut.push(request.url))
    const answer = typeof page.answer === "function" ? await page.answer(request.url) : page.answer
    if (answer === null) return void response.destroy()
    const [status, body] = Array.isArray(answer) ? answer : [200, answer]
    response.writeHead(status, { "Content-Type": "application/json" })
    response.end(JSON.stringify(body))
  })
  await new Promise((go) => server.listen(0, "127.0.0.1", go))
  const origin = `http://127.0.0.1:${server.address().port}`
  const { window } = new JSDOM(html, { url: `${origin}/wallet` })
  const { document, customElements, HTMLElement, HTMLScriptElement } = window
  const before = Object.fromEntries(GLOBALS.map((name) => [name, globalThis[name]]))
  const location = { origin, replace: (url) => page.went.push(url.replace(origin, "")) }
  Object.assign(globalThis, { window, document, location, customElements, HTMLElement, HTMLScriptElement })
  globalThis.setTimeout = (act, pause, ...rest) => {
    // The others are the network's and the test's.
    if (!new Error().stack.includes("/pending.js?")) return before.setTimeout(act, pause, ...rest)
    const timer = Symbol()
    page.timers.set(timer, { act, pause })
    return timer
  }
  globalThis.clearTimeout = (timer) => void (page.timers.delete(timer) || before.clearTimeout(timer))
  t.after(async () => {
    document.body.replaceChildren()
    server.closeAllConnections()
    server.close()
    await aWhile()
    Object.assign(globalThis, before)
    window.close()
  })
  page.document = document
  /** Evaluates the file, as each address of it is evaluated once in a document. */
  page.load = () => import(new URL(`pending.js?${++loads}`, STATIC))
  /** Lets the pause before the next question pass, and tells how many seconds it was. */
  page.pass = () => {
    const [[timer, { act, pause }]] = page.timers
    page.timers.delete(timer)
    act()
    return pause / 1000
  }
  /** Until the last question was answered and the next one has its time. */
  page.rests = () => until(() => page.timers.size, "a pause")
  /** As the libraries do it: other content, whose scripts are put in once more and loaded, but not evaluated. */
  page.swap = (html) => {
    document.body.innerHTML = html
    document.querySelector("script")?.dispatchEvent(new window.Event("load"))
  }
  page.show = (persisted) => window.dispatchEvent(Object.assign(new window.Event("pageshow"), { persisted }))
  Object.defineProperty(page, "said", { get: () => document.querySelector("[role=status]")?.textContent })
  await page.load()
  return page
}

// --- asking -------------------------------------------------------------------------------------------------------

test("it asks ever more seldom", async (t) => {
  const page = await open(t)
  const pauses = []
  for (let asked = 1; asked <= 7; asked++) {
    pauses.push(page.pass())
    await page.rests()
  }
  assert.deepEqual(pauses, [2, 4, 8, 16, 32, 60, 60])
  assert.equal(page.asked.length, 7)
})

for (const [what, answer, target] of [
  ["news", PAID, "/thanks"],
  ["news that is told in another shop", { ...PAID, next: "https://evil.example/" }, "/result/1"],
  ["a link that is not honoured any more", [410, { code: "expired_link" }], "/result/1"],
]) {
  test(`${what} leads on, and nothing is asked after it`, async (t) => {
    const page = await open(t)
    page.answer = answer
    page.pass()
    await until(() => page.went.length)
    page.show(true)
    await aWhile()
    assert.deepEqual([page.went, page.said, page.asked.length, page.timers.size], [[target], "News", 1, 0])
  })
}

for (const [what, answer] of [
  ["does not answer", null],
  ["is broken", [500, {}]],
  ["leads nowhere", { ...PAID, next: "https://" }],
]) {
  test(`a shop that ${what} is said, and asked again`, async (t) => {
    const page = await open(t)
    page.answer = answer
    page.pass()
    await until(() => page.said === "Offline")
    page.answer = WAITS
    await page.rests()
    assert.equal(page.pass(), 4)
    await until(() => page.said === "")
    assert.deepEqual(page.went, [])
  })
}

// --- a page whose content is replaced -----------------------------------------------------------------------------

for (const [whose, html] of [["the plugin's", card], ["a shop's older", oldCard]]) {
  test(`${whose} page that was left asks no more`, async (t) => {
    const page = await open(t, html())
    page.pass()
    await page.rests()
    page.swap("<h1>The shop</h1>")
    if (page.timers.size) page.pass()
    page.show(true)
    await aWhile()
    assert.deepEqual([page.asked.length, page.timers.size], [1, 0])
  })

  test(`${whose} page that was left while it asked leads nobody away`, async (t) => {
    const page = await open(t, html())
    const gate = promise()
    page.answer = async () => (await gate.value, PAID)
    page.pass()
    await until(() => page.asked.length)
    page.swap("<h1>The shop</h1>")
    gate.resolve()
    await aWhile()
    assert.deepEqual([page.went, page.timers.size], [[], 0])
  })

  test(`${whose} second page in the same document asks for its own payment, from the shortest pause on`, async (t) => {
    const page = await open(t, html("1"))
    page.pass()
    await page.rests()
    page.swap("<h1>The shop</h1>")
    page.swap(html("2"))
    if (page.timers.size > 1) page.pass()
    assert.equal(page.pass(), 2)
    await page.rests()
    assert.deepEqual([page.asked, page.timers.size], [["/status/1", "/status/2"], 1])
  })

  test(`${whose} page that shows something else by the same element asks no more`, async (t) => {
    const page = await open(t, html())
    page.document.querySelector("section").removeAttribute("data-wallet-poll")
    page.pass()
    await aWhile()
    assert.deepEqual([page.asked, page.timers.size], [[], 0])
  })

  test(`${whose} page asks once where the file is loaded under two addresses`, async (t) => {
    const page = await open(t, html())
    await page.load()
    page.document.querySelector("script").dispatchEvent(new window.Event("load"))
    assert.equal(page.timers.size, 1)
  })
}

test("a page that comes into a document whose head had the script begins to ask, with no script of its own", async (t) => {
  const page = await open(t, "<h1>The shop</h1>")
  page.document.body.innerHTML = card("2")
  page.pass()
  await page.rests()
  assert.deepEqual(page.asked, ["/status/2"])
})

test("the question that is under way ends with its page", async (t) => {
  const page = await open(t)
  page.answer = () => new Promise(() => {})
  page.pass()
  await until(() => page.asked.length)
  page.swap("<h1>The shop</h1>")
  await until(() => page.cut.length)
  assert.equal(page.timers.size, 0)
})

test("a page that is only moved goes on", async (t) => {
  const page = await open(t)
  page.document.body.prepend(page.document.querySelector("section"))
  assert.equal(page.timers.size, 1)
  page.pass()
  await page.rests()
  assert.equal(page.asked.length, 1)
})

test("a refresh that morphs the page is asked after at the new address", async (t) => {
  const page = await open(t)
  page.document.querySelector("section").setAttribute("data-wallet-poll", "/status/fresh")
  page.pass()
  await page.rests()
  assert.deepEqual(page.asked, ["/status/fresh"])
})

// --- back and forth -----------------------------------------------------------------------------------------------

test("a page that the back button brings asks at once", async (t) => {
  const page = await open(t)
  page.answer = PAID
  page.show(true)
  await until(() => page.went.length)
  assert.deepEqual([page.asked.length, page.timers.size], [1, 0])
})

test("and does not wait for what was asked before it was left", async (t) => {
  const page = await open(t)
  page.answer = () => new Promise(() => {})
  page.pass()
  await until(() => page.asked.length)
  page.answer = WAITS
  page.show(true)
  await page.rests()
  assert.deepEqual([page.asked.length, page.cut.length, page.said, page.timers.size], [2, 1, "", 1])
})

test("a page that is shown for the first time asks after the pause", async (t) => {
  const page = await open(t)
  page.show(false)
  await aWhile()
  assert.deepEqual([page.asked, page.timers.size], [[], 1])
})

test("a customer who looks at the page again has it ask at once, but not twice", async (t) => {
  const page = await open(t)
  Object.defineProperty(page.document, "visibilityState", { value: "visible" })
  for (let look = 0; look < 2; look++) page.document.dispatchEvent(new window.Event("visibilitychange"))
  await page.rests()
  assert.deepEqual([page.asked.length, page.cut.length, page.timers.size], [1, 0, 1])
})
