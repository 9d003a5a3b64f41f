/** A page with the wallet button as `{% wallet_button %}` draws it, a shop over real HTTP, and a wallet.js that only notes. */

import { createServer } from "node:http"
import { JSDOM } from "jsdom"
import { STATIC, until } from "./page.js"

export { aWhile, promise, until } from "./page.js"
const [{ HostedWallet }, { Payment }, { Shop }, { View }] = await Promise.all(
  ["hosted_wallet", "payment", "shop", "view"].map((name) => import(new URL(`page/${name}.js`, STATIC))),
)

export const SUCCESS = {
  clientSystemTransactionId: "REF-1",
  transactionAccountId: "ACC-1",
  transactionMethod: "WalletPay",
  cryptogram: "AgAAAA==",
  eciIndicator: "05",
}
export const FAILURE = { code: "4000340", description: "GeneralValidationError", details: { message: "token is missing" } }

const TEXTS = { loading: "Loading", unavailable: "No wallet", sending: "Sending", cancelled: "Closed", failed: "Failed", unclear: "Finding out" }
const HTML = `<html lang="en"><body><wallet-pay-button class="wallet-button" data-wallet-session="/api/session" data-wallet-price="/api/price"
  data-wallet-reference="/api/reference" data-wallet-result="/api/result" data-wallet-event="/api/event" data-wallet-csrf-header="X-Shop-Token"
  ${Object.entries(TEXTS).map(([name, text]) => `data-wallet-text-${name}="${text}"`).join(" ")}>
  <template class="wallet-button__own"><button class="wallet-button__pay" type="button">Pay</button></template>
  <div class="wallet-button__slot"><div class="wallet-button__place" id="merchant-google-pay-button" hidden></div></div>
  <p role="status" tabindex="-1"></p>
  <form method="post" action="/checkout"><input type="hidden" name="csrfmiddlewaretoken" value="t0ken"><button>Page</button></form>
</wallet-pay-button></body></html>`

/** A refusal of the shop has the type of its code, unless it is given another. */
const asProblem = (value) => (value.code ? { type: `urn:wallet-gateway:problem:${value.code}`, ...value } : value)

/** What the shop answers to "session"; `changed` by name. */
export function session(changed = {}) {
  return {
    reference: "REF-1",
    statusUrl: "/status",
    resultUrl: "/result-page",
    expiresIn: 600,
    parameters: parameters(),
    ...changed,
  }
}

export const parameters = (optionalParams = { callbackIntents: ["PAYMENT_AUTHORIZATION"], emailRequired: false }) => ({
  mid: "M-100",
  sid: "S-1",
  clientSystemTransactionId: "REF-1",
  allowedMethods: ["PAN_ONLY", "CRYPTOGRAM_3DS"],
  allowedCardNetworks: ["VISA"],
  countryCode: "DE",
  currencyCode: "EUR",
  amountStatus: "FINAL",
  amount: "12.30",
  profile: "test",
  publicKeyApi: "pk-1",
  useWalletButton: false,
  merchantNo: "",
  merchantName: "Shop",
  optionalParams,
})

/** What `<wallet-pay-button>` is made of. @param {HTMLElement} element */
export function payment(element) {
  const view = new View(element)
  const wallet = new HostedWallet(element, view.place, (name, detail) => made.hear(name, detail))
  const made = new Payment(view, new Shop(element), wallet)
  return made
}

/** Opens the page. `answers[what]` is a body, `[status, body]`, a function of the question, or null for a cut line. */
export async function open(t, answers = {}) {
  const page = { asked: [], runs: [], went: [], warnings: [], clicks: 0, answers: { session: session(), event: [204, ""], ...answers } }
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const what = request.url.split("/").at(-1)
    const body = Buffer.concat(parts).toString()
    page.asked.push({ what, headers: request.headers, method: request.method, body: body && JSON.parse(body) })
    const given = page.answers[what]
    const answer = typeof given === "function" ? await given(JSON.parse(body || "null")) : given
    if (answer == null) return void response.destroy()
    const [status, value] = Array.isArray(answer) ? answer : [200, answer]
    response.writeHead(status, { "Content-Type": "application/json" })
    response.end(typeof value === "string" ? value : JSON.stringify(asProblem(value)))
  })
  await new Promise((go) => server.listen(0, "127.0.0.1", go))
  const origin = `http://127.0.0.1:${server.address().port}`
  const dom = new JSDOM(HTML, { url: `${origin}/shop`, runScripts: "outside-only", pretendToBeVisual: true })
  const { window } = dom
  window.runWalletPay = (...values) => page.runs.push(values)
  window.onMerchantButtonClick = () => page.clicks++
  const location = {
    origin,
    assign: (url) => page.went.push(["assign", url.replace(origin, "")]),
    replace: (url) => page.went.push(["replace", url.replace(origin, "")]),
  }
  const names = ["window", "document", "location", "console", "setTimeout", "fetch"]
  const before = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
  Object.assign(globalThis, { window, document: window.document, location })
  globalThis.console = { ...console, warn: (...words) => page.warnings.push(words.join(" ")) }
  const timers = []
  globalThis.setTimeout = (act, pause, ...rest) => {
    const timer = before.setTimeout(act, pause, ...rest)
    if (pause === 5_000) page.passDeadline = act
    if (pause === 600_000) page.passSession = act
    timers.push(timer)
    return timer
  }
  let underway = 0
  globalThis.fetch = async (...request) => {
    underway++
    try {
      return await before.fetch(...request)
    } finally {
      underway--
    }
  }
  t.after(async () => {
    page.payment.end()
    // What this page still asks for must not be answered in the window of the next test.
    server.closeAllConnections()
    server.close()
    await until(() => underway === 0, "the last answer")
    for (let turn = 0; turn < 3; turn++) await new Promise((go) => before.setTimeout(go, 5))
    // A page of the next test must not be left by this one, and one that waits for the shop must not wait for ever.
    timers.forEach(clearTimeout)
    Object.assign(globalThis, before)
    dom.window.close()
  })
  const { document } = window
  page.window = window
  page.document = document
  page.element = document.querySelector(".wallet-button")
  page.slot = document.getElementById("merchant-google-pay-button")
  page.form = document.querySelector("form")
  page.news = document.querySelector("[role=status]")
  page.questions = (what) => page.asked.filter((one) => one.what === what).map(({ body }) => body)
  page.tell = (name, detail) => window[name](new window.CustomEvent(name, { detail }))
  page.dispatch = (name, detail) => document.dispatchEvent(new window.CustomEvent(name, { detail }))
  Object.defineProperties(page, {
    state: { get: () => page.element.dataset.walletState },
    said: { get: () => page.news.textContent },
    options: { get: () => page.runs.at(-1)[14] },
  })
  page.start = () => {
    // As the element does when it is drawn anew, or shown again by the back button.
    page.payment?.end()
    page.payment = payment(page.element)
    page.payment.open()
  }
  page.start()
  return page
}

/** A page whose button can be pressed. */
export async function ready(t, answers) {
  const page = await open(t, answers)
  await until(() => page.runs.length, "a run")
  page.tell("handleWalletPayReady")
  return page
}
