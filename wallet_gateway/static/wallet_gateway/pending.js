// @ts-check
/**
 * The page that waits: asks the shop, ever more seldom, whether the payment has been decided, and then goes to
 * the page that says so.
 *
 * What does not live here: any opinion on the payment. The shop's answer says whether there is news and where
 * it stands written. Without JavaScript the page reloads itself by a `<meta>` element, and nothing is lost.
 */

/**
 * What the shop answers.
 * @typedef {{state: string, final: boolean, next: string}} Status
 */

const FIRST_PAUSE = 2
const LONGEST_PAUSE = 60
// Longer than the shop itself waits for the gateway; an answer that takes longer counts as none.
const PATIENCE = 45

/**
 * Seconds to wait before each question: 2, 4, 8, 16, 32, then 60 for ever.
 * @returns {Generator<number, never, void>}
 */
export function* pauses() {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) yield pause
}

/**
 * Asks once. A link that the shop no longer honours is an answer, too: the result page has the words for it.
 * @param {URL} statusUrl
 * @param {URL} resultUrl
 * @returns {Promise<Status>}
 */
export async function ask(statusUrl, resultUrl) {
  const answer = await fetch(statusUrl, {
    headers: { Accept: "application/json" },
    cache: "no-store",
    signal: AbortSignal.timeout(PATIENCE * 1000),
  })
  if (answer.status === 404 || answer.status === 410) return { state: "", final: true, next: resultUrl.href }
  if (!answer.ok) throw new Error(`the shop answered ${answer.status}`)
  return await answer.json()
}

/** One waiting page. `start` begins to ask; it ends by itself when there is something to show. */
export class Waiting {
  /** @type {Generator<number, never, void>} */
  #pauses = pauses()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  #asking = false

  /** @param {HTMLElement} page the element that carries `data-wallet-poll` and `data-wallet-result` */
  constructor(page) {
    this.page = page
    this.statusUrl = new URL(page.dataset.walletPoll ?? "", document.baseURI)
    this.resultUrl = new URL(page.dataset.walletResult ?? "", document.baseURI)
  }

  start() {
    // Phones suspend the timers of a page in the background. A customer who looks at it again wants to know at once.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#ask()
    })
    this.#schedule()
  }

  #schedule() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ask(), this.#pauses.next().value * 1000)
  }

  async #ask() {
    if (this.#asking) return
    this.#asking = true
    try {
      const status = await ask(this.statusUrl, this.resultUrl)
      if (status.final) return this.#leave(status)
      this.#say("")
    } catch {
      // Being offline, or a shop that restarts, changes nothing about the payment: say so, and keep asking.
      this.#say(this.page.dataset.walletOffline ?? "")
    }
    this.#asking = false
    this.#schedule()
  }

  /** @param {Status} status */
  #leave(status) {
    clearTimeout(this.#timer)
    this.#say(this.page.dataset.walletNews ?? "")
    const next = new URL(status.next, document.baseURI)
    const target = next.origin === location.origin ? next : this.resultUrl
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

const page = /** @type {HTMLElement | null | undefined} */ (globalThis.document?.querySelector("[data-wallet-poll]"))
if (page) new Waiting(page).start()
