// @ts-check
/** The way to the shop's own server: one question, one answer, and what a failure means for the money. */

// Longer than the shop itself waits for the gateway, reads and the authorization together.
const PATIENCE = 90
const LONGEST_REPORT = 250
// The button of the order was used too often; the form beside it still pays.
export const LIMIT_REACHED = "wallet_limit_reached"
// The page's token is not the browser's any more, and the shop has given no other that works: a browser without cookies.
export const STALE = "stale_page"
// Not this browser's any more, after a logout or without its cookie: another session is.
export const UNKNOWN = "unknown_link"
// Paid, or being paid, by another page.
export const NOT_PAYABLE = "order_not_payable"
// The code of a failure that nobody foresaw: the card may have been charged.
const UNEXPECTED = "internal_error"
// What the type of every refusal by the shop begins with; a proxy's or a middleware's has another, or none.
const PROBLEM = "urn:wallet-gateway:problem:"
const VERDICT = ["outcome", "message", "next"]
/** @type {[number, any]} */
const NOT_ASKED = [0, undefined]
// Two buttons of one page do not wait longer than this for each other.
const TURN = 1000
// A login in another tab has changed the token. Of two questions without a cookie, each is given one, and one token counts.
const RENEWALS = 2

/**
 * The browser's first session brings the cookie that its payments are tied to: of two that are asked for at once, the
 * second would take the first one's cookie away.
 * @type {Promise<unknown>}
 */
let before = Promise.resolve()

export class Refused extends Error {
  /**
   * `isUnclear`: the shop may have heard the question, and acted on it.
   * @param {string} message for the customer; empty where the shop gave none @param {string} code @param {boolean} isUnclear
   */
  constructor(message, code, isUnclear) {
    super(message)
    this.code = code
    this.isUnclear = isUnclear
  }
}

/** What was not said by the shop is not for the customer to read. @param {unknown} fault */
export const refusedBy = (fault) => (fault instanceof Refused ? fault : new Refused("", "", false))

export class Shop {
  /** @param {HTMLElement} element carries `data-wallet-session`, `-price`, `-reference`, `-result` and `-event`: addresses */
  constructor(element) {
    this.element = element
  }

  /**
   * `isWanted` is asked when it is a session's turn: of pages that are swapped fast only the last one needs a session.
   * @param {"session" | "price" | "reference" | "result"} what @param {object} body @param {() => boolean} [isWanted]
   * @returns {Promise<any>}
   */
  async ask(what, body, isWanted = () => true) {
    const [status, answer] = await (what === "session" ? this.#inTurn(body, isWanted) : this.#post(this.#address(what), body))
    if (status >= 200 && status < 300 && (what === "result" ? isVerdict(answer) : answer)) return answer
    const { type = "", code = "", detail = "" } = answer ?? {}
    const isRefusal = String(type).startsWith(PROBLEM) && code !== UNEXPECTED
    // A bare 403 is that of a firewall: it comes before the shop hears anything.
    throw new Refused(String(detail), String(code), !isRefusal && !(status === 403 && !answer))
  }

  /** @param {object} body @param {() => boolean} isWanted @returns {Promise<[number, any]>} */
  async #inTurn(body, isWanted) {
    const asked = before.then(() => (isWanted() ? this.#post(this.#address("session"), body) : NOT_ASKED))
    before = Promise.race([asked, new Promise((go) => setTimeout(go, TURN))]).catch(() => {})
    return asked
  }

  /**
   * For the order's timeline. After an error the shop may say that this session cannot pay any more.
   * @param {string} reference @param {"READY" | "UNAVAILABLE" | "CLOSED" | "ERROR"} event @param {unknown} [message]
   * @returns {Promise<{newSession?: boolean} | undefined>} nothing where the shop has no more to say, or is not reached
   */
  async tell(reference, event, message) {
    const report = { reference, event, ...(message ? { message: String(message).slice(0, LONGEST_REPORT) } : {}) }
    try {
      const [status, answer] = await this.#post(this.#address("event"), report)
      return status === 200 ? answer : undefined
    } catch {}
  }

  /** @param {string} what */
  #address(what) {
    return new URL(this.element.getAttribute(`data-wallet-${what}`) ?? "", document.baseURI)
  }

  /** The form beside the button has the token, wherever else the project keeps it. @returns {HTMLInputElement | null} */
  get #token() {
    return this.element.querySelector("input[name=csrfmiddlewaretoken]")
  }

  /** @param {URL} url @param {object} body @param {number} [left] @returns {Promise<[number, any]>} */
  async #post(url, body, left = RENEWALS) {
    const field = this.#token
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: {
          "Accept": "application/json",
          "Content-Type": "application/json",
          [this.element.dataset.walletCsrfHeader ?? "X-CSRFToken"]: field?.value ?? "",
        },
        body: JSON.stringify(body),
        credentials: "same-origin",
        mode: "same-origin",
        redirect: "error",
        cache: "no-store",
        signal: AbortSignal.timeout(PATIENCE * 1000),
      })
      const said = await read(answer)
      if (!left || !field || said?.code !== STALE || !said.csrfToken) return [answer.status, said]
      field.value = said.csrfToken
      return this.#post(url, body, left - 1)
    } catch {
      throw new Refused("", "unreachable", true)
    }
  }
}

/** Whatever else comes with a success, from a portal perhaps, does not say what became of the card. @param {any} answer */
const isVerdict = (answer) => VERDICT.every((name) => typeof answer?.[name] === "string")

/** A page of words, from a proxy perhaps, is no answer. @param {Response} answer @returns {Promise<any>} */
async function read(answer) {
  const text = await answer.text()
  try {
    const value = JSON.parse(text)
    return value && typeof value === "object" ? value : undefined
  } catch {
    return undefined
  }
}
