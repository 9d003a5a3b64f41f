/** A shop's server as the examples of the docs ask it: sessions, results, and what it was asked. */

import { open, parameters, STATIC } from "./page.js"

const { NAMES } = await import(new URL("wallet/parameters.js", STATIC))
export const GOOD_RESULT_NEXT = "/paid"
const PAID = { outcome: "APPROVED", message: "Your payment went through", next: GOOD_RESULT_NEXT }

/** Opens a page of the shop's app. `results` are its next answers to a result; null is a lost one, `events` those to a report. */
export async function openShop(t, { optionalParams = { callbackIntents: ["PAYMENT_AUTHORIZATION"], emailRequired: true } } = {}) {
  const page = await open(t, { html: "<main><div id=place hidden></div></main>" })
  page.readiness = () => page.wallet.readiness
  const shop = { page, asked: [], results: [], events: [], prices: [], order: { sessionUrl: "/api/session/", resultUrl: "/api/result/", priceUrl: "/api/price/", eventUrl: "/api/event/", csrfToken: "t0ken" } }
  const named = Object.fromEntries(parameters({ optionalParams }).map((value, at) => [NAMES[at], value]))
  const session = {
    reference: "ORDER-1",
    parameters: named,
    script: { gatewayUrl: page.origin, gatewayName: "examplegateway", payJsUrl: `${page.origin}/pay.js`, accountPath: null },
    statusUrl: "/status",
    resultUrl: "/result-page",
    expiresIn: 600,
  }
  const { fetch } = globalThis
  globalThis.fetch = async (url, options) => {
    const what = String(url).match(/^\/api\/(\w+)\/$/)?.[1]
    if (!what) return fetch(url, options)
    shop.asked.push({ what, csrf: options.headers["X-CSRFToken"], body: JSON.parse(options.body) })
    if (what === "event") return shop.events.length ? Response.json(shop.events.shift()) : new Response(null, { status: 204 })
    const { isStale } = shop
    if (isStale && options.headers["X-CSRFToken"] === "t0ken") return Response.json({ code: "stale_page", detail: "Out of date.", csrfToken: "newer" }, { status: 403 })
    const answer = what === "session" ? session : what === "price" ? shop.prices.shift() : shop.results.length ? shop.results.shift() : PAID
    if (answer === null) throw new TypeError("Failed to fetch")
    return Response.json(answer)
  }
  t.after(() => (globalThis.fetch = fetch))
  return shop
}
