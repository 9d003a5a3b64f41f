// @ts-check
/**
 * The page that waits: asks the shop, ever more seldom, whether the payment has been decided, and then goes to
 * the page that says so.
 *
 * The page carries `data-wallet-poll` on any element. `<wallet-waiting>` within that says when it comes into the document
 * and when it goes, so pages that replace their content (htmx, Turbo, a router) need nothing else.
 *
 * What does not live here: any opinion on the payment. The shop's answer says whether there is news and where
 * it stands written. Without JavaScript the page reloads itself by a `<meta>` element, and nothing is lost.
 */

/**
 * What the shop answers.
 * @typedef {{state: string, final: boolean, next: string}} Status
 */

const NAME = "wallet-waiting"
const PAGE = "[data-wallet-poll]"
const FIRST_PAUSE = 2
const LONGEST_PAUSE = 60
// Longer than the shop itself waits for the gateway; an answer that takes longer counts as none.
const PATIENCE = 45

/**
 * Seconds to wait before each question: 2, 4, 8, 16, 32, then 60 for ever.
 * @returns {Generator<number, never, void>}
 */
function* pauses() {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) yield pause
}

/**
 * Asks once. A link that the shop no longer honours is an answer, too: the result page has the words for it.
 * @param {URL} statusUrl
 * @param {URL} resultUrl
 * @param {AbortController} question ends it
 * @returns {Promise<Status>}
 */
async function ask(statusUrl, resultUrl, question) {
  AbortSignal.timeout(PATIENCE * 1000).addEventListener("abort", () => question.abort())
  const answer = await fetch(statusUrl, {
    headers: { Accept: "application/json" },
    cache: "no-store",
    signal: question.signal,
  })
  if (answer.status === 404 || answer.status === 410) return { state: "", final: true, next: resultUrl.href }
  if (!answer.ok) throw new Error(`the shop answered ${answer.status}`)
  return await answer.json()
}

/**
 * Asks, ever more seldom, until the shop can be reached, whatever it answers.
 * @param {URL} statusUrl
 * @param {URL} resultUrl
 */
export async function untilAnswered(statusUrl, resultUrl) {
  for (const pause of pauses()) {
    try {
      return await ask(statusUrl, resultUrl, new AbortController())
    } catch {
      await new Promise((go) => setTimeout(go, pause * 1000))
    }
  }
}

/** One waiting page. It asks from `start` to `stop`, and ends by itself when there is something to show. */
class Waiting {
  #isStarted = false
  #pauses = pauses()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  /** The one that is under way. @type {AbortController | undefined} */
  #question

  /** @param {HTMLElement} page the element that carries `data-wallet-poll` and `data-wallet-result` */
  constructor(page) {
    this.page = page
  }

  start() {
    if (this.#isStarted) return
    this.#isStarted = true
    document.addEventListener("visibilitychange", this.#seen)
    window.addEventListener("pageshow", this.#returned)
    this.#pauses = pauses()
    this.#schedule()
  }

  stop() {
    this.#isStarted = false
    document.removeEventListener("visibilitychange", this.#seen)
    window.removeEventListener("pageshow", this.#returned)
    clearTimeout(this.#timer)
    this.#question?.abort()
    this.#question = undefined
  }

  /** Phones suspend the timers of a page in the background. A customer who looks at it again wants to know at once. */
  #seen = () => void (document.visibilityState === "visible" && !this.#question && this.#ask())

  /** The back button brings a page as it was left: a question of that time may never be answered. @param {PageTransitionEvent} event */
  #returned = (event) => void (event.persisted && this.#ask())

  #schedule() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ask(), this.#pauses.next().value * 1000)
  }

  async #ask() {
    if (!this.#isThere) return this.stop()
    clearTimeout(this.#timer)
    this.#question?.abort()
    const question = (this.#question = new AbortController())
    try {
      const status = await ask(this.#url("poll"), this.#url("result"), question)
      if (question !== this.#question) return
      if (!this.#isThere) return this.stop()
      if (status.final) return this.#leave(status)
      this.#say("")
    } catch {
      if (question !== this.#question) return
      // Being offline, or a shop that restarts, changes nothing about the payment: say so, and keep asking.
      this.#say(this.page.dataset.walletOffline ?? "")
    }
    this.#question = undefined
    this.#schedule()
  }

  /** What a shop's own template draws may be taken away without a word. A page that was morphed may show something else. */
  get #isThere() {
    return this.page.isConnected && this.page.matches(PAGE)
  }

  /** @param {"poll" | "result"} what */
  #url(what) {
    return new URL(this.page.getAttribute(`data-wallet-${what}`) ?? "", document.baseURI)
  }

  /** @param {Status} status */
  #leave(status) {
    const next = new URL(status.next, document.baseURI)
    const target = next.origin === location.origin ? next : this.#url("result")
    this.stop()
    this.#say(this.page.dataset.walletNews ?? "")
    // `replace`: the back button must not lead to a page that waits for what has already happened.
    location.replace(target.href)
  }

  /** @param {string} text */
  #say(text) {
    const news = this.page.querySelector("[role=status]")
    // A live region that is written to speaks, even when the words are the same.
    if (news && news.textContent !== text) news.textContent = text
  }
}

/** @type {WeakMap<Element, Waiting>} */
const known = new WeakMap()

/** @param {HTMLElement | null} page */
function waitingOf(page) {
  if (!page) return
  const waiting = known.get(page) ?? new Waiting(page)
  known.set(page, waiting)
  return waiting
}

const look = () => waitingOf(document.querySelector(PAGE))?.start()

function define() {
  class WalletWaiting extends HTMLElement {
    /** @type {Waiting | undefined} */
    #waiting

    connectedCallback() {
      this.#waiting = waitingOf(this.closest(PAGE))
      this.#waiting?.start()
    }

    disconnectedCallback() {
      this.#waiting?.stop()
    }
  }
  customElements.define(NAME, WalletWaiting)
  // A template of the shop's own may lack the element. Its script runs once, but is heard each time it is put in.
  document.addEventListener("load", ({ target }) => void (target instanceof HTMLScriptElement && look()), true)
  look()
}

// The button's page imports this file under another address, and one that stays open during a deployment the next version.
if (globalThis.customElements && !customElements.get(NAME)) define()
