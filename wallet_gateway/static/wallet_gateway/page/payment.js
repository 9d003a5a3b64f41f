// @ts-check
/**
 * What happens in which order: a wallet session from the shop, the wallet's button, the result to the shop, and on to
 * where the shop says.
 *
 * What does not live here: any opinion on the payment. Whatever the browser does not know, the shop's own page says.
 */

import { ask, pauses } from "../pending.js";
import { retryUpdate, parametersOf, questionOf, SUCCESS, updateOf } from "./sheet.js";
import { Refused } from "./shop.js";

/** @typedef {{reference: string, parameters: any, statusUrl: string, resultUrl: string, expiresIn: number}} Session */
/** @typedef {{outcome: string, message: string, next: string}} Verdict */

const LONGEST_TIMER = 2 ** 31 - 1

export class Payment {
  /** @type {Session | undefined} */
  #session
  #reference = ""
  /** The newest of several openings; the answers to older ones are of no interest. */
  #turn = 0
  /** One question for each card, however often its result is told. @type {Map<string, Promise<Verdict>>} */
  #verdicts = new Map()
  #isSending = false
  #isUnclear = false
  #isLeaving = false
  #hasSent = false

  /** @param {import("./view.js").View} view @param {import("./shop.js").Shop} shop */
  constructor(view, shop) {
    this.view = view
    this.shop = shop
  }

  /** Asks for a session and shows its button; without one the form beside it is there to pay. */
  async open() {
    const turn = ++this.#turn
    this.#hasSent = false
    try {
      const session = await this.shop.ask("session", {})
      if (turn === this.#turn) this.#run(session, turn)
    } catch (fault) {
      if (turn !== this.#turn) return
      if (/** @type {Refused} */ (fault).code === "order_not_payable") this.view.close(/** @type {Refused} */ (fault).message)
      else this.unavailable()
    }
  }

  /** As if the page had been loaded anew. */
  restart() {
    this.#verdicts.clear()
    this.#isSending = this.#isUnclear = this.#isLeaving = false
    this.view.isReady = false
    this.view.setIdle("")
    return this.open()
  }

  ready() {
    this.#report("READY")
    if (!this.#isSending && !this.#isLeaving) this.view.showButton()
  }

  /** @param {string} [reason] the wallet's; none where it was not asked */
  unavailable(reason) {
    if (reason) this.#report("UNAVAILABLE", reason)
    this.view.hideButton()
  }

  /** The sheet was closed by the customer. */
  cancelled() {
    this.#report("CLOSED")
    if (this.#isUnclear) return this.#recoverStatus()
    this.view.setIdle(this.view.text("cancelled"))
    this.view.focusButton()
    // What a decline has used up cannot be used for the next card.
    if (this.#hasSent) this.open()
  }

  /** The wallet, its script or the gateway failed, before the shop was told anything. @param {string} reason */
  failed(reason) {
    console.warn(`wallet: ${reason}`)
    this.#report("ERROR", reason)
    if (this.#isUnclear) return this.#recoverStatus()
    if (!this.view.isReady) return this.unavailable()
    this.view.setIdle(this.view.text("failed"))
  }

  /** The sheet has closed with a card, or with the gateway's refusal of one. @param {any} detail */
  async result(detail) {
    this.view.setBusy(this.view.text("sending"))
    try {
      this.#handleResult(await this.#send(detail))
    } catch (fault) {
      this.#recover(/** @type {Refused} */ (fault))
    }
  }

  /** @param {Session} session @param {number} turn */
  #run(session, turn) {
    this.#session = session
    this.#reference = session.reference
    const run = /** @type {any} */ (window).runWalletPay
    if (typeof run !== "function") throw new Refused("", "no_script", false)
    run(...parametersOf(session.parameters, this.view.text("total"), {
      price: (/** @type {any} */ data) => this.#price(data),
      authorize: (/** @type {any} */ _data, /** @type {any} */ detail) => this.#authorize(detail),
      nextReference: () => this.#nextReference(),
    }))
    const left = Math.min(session.expiresIn * 1000, LONGEST_TIMER)
    setTimeout(() => void (turn === this.#turn && !this.#isSending && !this.#isLeaving && this.open()), left)
  }

  /** @param {"READY" | "UNAVAILABLE" | "CLOSED" | "ERROR"} event @param {string} [message] */
  #report(event, message) {
    // Before a session there is nothing that a report could belong to.
    if (this.#reference) this.shop.tell(this.#reference, event, message)
  }

  /** @param {any} detail @returns {Promise<Verdict>} */
  #send(detail) {
    const card = detail.transactionAccountId
    const verdict = this.#verdicts.get(card) ?? this.#sent(detail)
    if (card) this.#verdicts.set(card, verdict)
    return verdict
  }

  /** @param {any} detail @returns {Promise<Verdict>} */
  async #sent(detail) {
    this.#isSending = this.#hasSent = true
    try {
      return await this.shop.ask("result", detail)
    } catch (fault) {
      this.#isUnclear = /** @type {Refused} */ (fault).isUnclear
      throw fault
    } finally {
      this.#isSending = false
    }
  }

  /** The sheet is still open: what is answered decides whether it stays so. @param {any} detail */
  async #authorize(detail) {
    this.view.setBusy(this.view.text("sending"))
    try {
      const verdict = await this.#send(detail)
      // 3-D Secure cannot be seen behind an open sheet.
      if (verdict.next) return SUCCESS
      this.view.setIdle(verdict.message)
      return retryUpdate(verdict.message)
    } catch (fault) {
      const { message, isUnclear } = /** @type {Refused} */ (fault)
      if (!isUnclear) this.view.setIdle(message || this.view.text("failed"))
      return retryUpdate(isUnclear ? this.view.text("unclear") : message || this.view.text("failed"))
    }
  }

  /** @param {any} data */
  async #price(data) {
    const { currencyCode, optionalParams } = this.#session?.parameters
    const label = optionalParams?.additionalTransactionInfo?.totalPriceLabel ?? this.view.text("total")
    const price = await this.shop.ask("price", questionOf(data, this.#reference))
    return updateOf(price, currencyCode, document.documentElement.lang, label)
  }

  async #nextReference() {
    // While nobody knows what became of one card, there is no second.
    if (this.#isUnclear) throw new Error(this.view.text("unclear"))
    const { reference } = await this.shop.ask("reference", { after: this.#reference })
    this.#reference = reference
    return reference
  }

  /** @param {Verdict} verdict */
  #handleResult({ outcome, message, next }) {
    if (!next) {
      this.view.setIdle(message)
      return void this.open()
    }
    const target = new URL(next, document.baseURI)
    const isBank = outcome === "THREE_D_SECURE" && /^https?:$/.test(target.protocol)
    this.#isLeaving = true
    this.view.setBusy(message || this.view.text("sending"))
    if (isBank) location.assign(target.href)
    // `replace`: the back button must not lead to a button that has been pressed.
    else this.#leaveTo(target)
  }

  /** @param {Refused} fault */
  #recover({ message, isUnclear }) {
    if (isUnclear) return this.#recoverStatus()
    this.view.setIdle(message || this.view.text("failed"))
    this.open()
  }

  /** Nobody here knows whether the shop has heard of the card. Once it can be reached again, its page says so. */
  async #recoverStatus() {
    const { statusUrl = "", resultUrl = "" } = this.#session ?? {}
    const [status, result] = [statusUrl, resultUrl].map((url) => new URL(url, document.baseURI))
    this.#isLeaving = true
    this.view.setBusy(this.view.text("unclear"))
    for (const pause of pauses()) {
      try {
        await ask(status, result)
        break
      } catch {
        await new Promise((go) => setTimeout(go, pause * 1000))
      }
    }
    this.#leaveTo(result)
  }

  /** @param {URL} target */
  #leaveTo(target) {
    if (target.origin === location.origin) location.replace(target.href)
    else this.#recoverStatus()
  }
}
