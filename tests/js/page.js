/**
 * A page with wallet.js on it: jsdom for the document, real HTTP for the gateway and for the wallet's script, and a
 * wallet whose sheet the test operates.
 */

import { createServer } from "node:http"
import { JSDOM } from "jsdom"

export const STATIC = new URL("../../wallet_gateway/static/wallet_gateway/", import.meta.url)
const { Wallet } = await import(new URL("wallet/main.js", STATIC))

export const TOKEN = String.raw`{"signature":"MEUC\u003d\u003d","protocolVersion":"ECv2","signedMessage":"{\"tag\":\"q\\u003d\"}"}`

/** The 15 parameters, right in every way; `changed` by name. */
export function parameters(changed = {}) {
  const all = {
    mid: "M-100",
    sid: "S-1",
    clientSystemTransactionId: "ORDER-1",
    allowedMethods: ["PAN_ONLY", "CRYPTOGRAM_3DS"],
    allowedCardNetworks: ["VISA", "MASTERCARD"],
    countryCode: "DE",
    currencyCode: "EUR",
    amountStatus: "FINAL",
    amount: "12.30",
    profile: "test",
    publicKeyApi: "pk-secret-1",
    useWalletButton: false,
    merchantNo: "12345678901234567890",
    merchantName: "Bücher & Söhne",
    optionalParams: undefined,
  }
  return Object.values({ ...all, ...changed })
}

/** What the wallet gives after approval. */
export function paymentData(token = TOKEN, more = {}) {
  return {
    apiVersion: 2,
    apiVersionMinor: 0,
    paymentMethodData: {
      type: "CARD",
      description: "Visa 1111",
      info: { cardNetwork: "VISA", cardDetails: "1111", ...more.info },
      tokenizationData: { type: "PAYMENT_GATEWAY", token },
    },
    ...more.top,
  }
}

/** Something to wait for, settled from outside. */
export function promise() {
  const it = {}
  it.value = new Promise((resolve, reject) => Object.assign(it, { resolve, reject }))
  return it
}

/** Waits, a minute at most, for what needs no more news: promises, and answers of the local server. */
export async function until(holds, what = holds) {
  for (let tries = 0; tries < 12_000; tries++) {
    if (holds()) return
    await new Promise((go) => setTimeout(go, 5))
  }
  throw new Error(`it never came true: ${what}`)
}

/** Long enough for what must not happen to have happened. */
export const aWhile = () => new Promise((go) => setTimeout(go, 60))

/** The wallet's side. One client per run, one sheet at a time. */
class FakeWallet {
  clients = []
  sheets = []
  ready = { result: true, paymentMethodPresent: true }
  readiness = []
  buttons = []

  get api() {
    const wallet = this
    return {
      PaymentsClient: class {
        constructor(options) {
          this.options = options
          wallet.clients.push(this)
        }
        isReadyToPay(request) {
          wallet.readiness.push(request)
          return typeof wallet.ready === "function" ? wallet.ready() : Promise.resolve(wallet.ready)
        }
        createButton(options) {
          if (wallet.buttonFault) throw new Error(wallet.buttonFault)
          wallet.buttons.push(options)
          const button = document.createElement("button")
          button.setAttribute("aria-label", "Buy with GPay")
          button.addEventListener("click", options.onClick)
          return button
        }
        loadPaymentData(request) {
          if (wallet.throws) throw wallet.throws
          const sheet = { request, ...promise(), callbacks: this.options.paymentDataCallbacks }
          wallet.sheets.push(sheet)
          return sheet.value
        }
      },
    }
  }

  get sheet() {
    return this.sheets.at(-1)
  }
}

const GOOD_ANSWER = (sent) => ({
  clientSystemTransactionId: sent.clientSystemTransactionId,
  transactionAccountId: `ACC-${sent.clientSystemTransactionId}`,
  transactionMethod: "WalletPay",
  cryptogram: "AgAAAA==",
  eciIndicator: "05",
  redirectData: null,
})

/** One local server: the gateway, and the wallet's script. */
async function serve(world) {
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url.startsWith("/pay.js")) {
      world.scriptRequests.push(request.url)
      const works = world.scriptRequests.length > world.scriptFailures
      response.writeHead(works ? 200 : 503, { "Content-Type": "text/javascript" })
      return response.end(works ? "window.google = { payments: { api: window.fakeApi } }" : "")
    }
    const body = Buffer.concat(chunks).toString()
    world.posts.push({ url: request.url, method: request.method, headers: request.headers, body, json: JSON.parse(body) })
    const { status = 200, text, json, location, never } = await world.answer(JSON.parse(body), world.posts.length)
    if (never) return
    response.writeHead(status, { "Content-Type": "application/json", ...(location && { Location: location }) })
    response.end(text ?? JSON.stringify(json))
  })
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening))
  return server
}

/**
 * Opens a page. It is closed after the test.
 * @param {import("node:test").TestContext} t
 */
export async function open(t, { attributes = {}, html, scriptFailures = 0 } = {}) {
  const world = {
    posts: [],
    scriptRequests: [],
    scriptFailures,
    warnings: [],
    errors: [],
    heard: [],
    answer: async (sent) => ({ json: GOOD_ANSWER(sent) }),
    wallet: new FakeWallet(),
  }
  const server = await serve(world)
  world.origin = `http://127.0.0.1:${server.address().port}`
  const given = { "gateway-url": world.origin, "pay-js-url": `${world.origin}/pay.js`, "gateway-name": "examplegateway", timeout: "1", ...attributes }
  const dom = new JSDOM(
    html ?? `<div id="merchant-google-pay-button" hidden><button>My own</button></div>`,
    { url: `${world.origin}/shop`, runScripts: "dangerously", resources: "usable" },
  )
  world.window = dom.window
  world.document = dom.window.document
  dom.window.fakeApi = world.wallet.api
  world.tag = world.document.createElement("script")
  for (const [name, value] of Object.entries(given)) if (value != null) world.tag.setAttribute(`data-${name}`, value)
  world.tag.nonce = "n0nce"
  const before = { window: globalThis.window, document: globalThis.document, CustomEvent: globalThis.CustomEvent, console: globalThis.console }
  Object.assign(globalThis, { window: dom.window, document: world.document, CustomEvent: dom.window.CustomEvent })
  globalThis.console = {
    ...console,
    warn: (...words) => world.warnings.push(words.join(" ")),
    error: (...words) => world.errors.push(words.join(" ")),
  }
  for (const name of ["handleWalletPayReady", "handlePaymentResult", "handlePaymentError"]) {
    dom.window[name] = (event) => world.heard.push({ name, detail: event.detail, event })
  }
  for (const name of ["wallet:cancelled", "wallet:unavailable"]) {
    world.document.addEventListener(name, (event) => world.heard.push({ name, detail: event.detail, event }))
  }
  world.of = (name) => world.heard.filter((one) => one.name === name).map((one) => one.detail)
  Object.defineProperties(world, {
    results: { get: () => world.of("handlePaymentResult") },
    faults: { get: () => world.of("handlePaymentError") },
    readies: { get: () => world.of("handleWalletPayReady").length },
    container: { get: () => world.document.getElementById("merchant-google-pay-button") },
  })
  world.gate = new Wallet(world.tag)
  world.run = (changed) => world.gate.run(parameters(changed))
  /** A run that is ready. */
  world.ready = async (changed) => {
    const had = world.readies
    const run = world.run(changed)
    await until(() => world.readies > had, `ready; heard ${JSON.stringify(world.heard.map((h) => [h.name, h.detail]))}`)
    return run
  }
  t.after(() => {
    Object.assign(globalThis, before)
    dom.window.close()
    server.closeAllConnections()
    server.close()
  })
  return world
}
