// @ts-check
/**
 * What happens in which order: a wallet session from the shop, the wallet's button, the result to the shop, and on to
 * where the shop says.
 *
 * What does not live here: any opinion on the payment. Whatever the browser does not know, the shop's own page says. Of a
 * result that has not reached the shop, that page says so only once the shop would refuse it.
 *
 * The script may be the gateway's own, of which only the interface is known: three handlers, callbacks of one argument,
 * and silence where it has no words, as when a sheet is closed. Nothing here waits for such news without an end. Our own
 * wallet.js gives `onPaymentAuthorized` a second argument, the way to the account, so that the shop decides while the
 * sheet is open. Without it the sheet closes first, and `handlePaymentResult` pays.
 */

import { untilAnswered } from "../pending.js";
import { failedUpdate, isClosed, messageOf, parametersOf, questionOf, retryUpdate, SUCCESS, updateOf } from "./sheet.js";
import { LIMIT_REACHED, NOT_PAYABLE, Refused, refusedBy, STALE, UNKNOWN } from "./shop.js";

/** Where the shop says what became of a reference's card. @typedef {{statusUrl: string, resultUrl: string}} Pages */
/** @typedef {Pages & {reference: string, parameters: any, expiresIn: number}} Session */
/**
 * One run's sheet: its newest card's reference, whether that is taken, and why there is none for another card.
 * @typedef {{reference: string, isTaken: boolean, refusal?: string}} Sheet
 */
/** @typedef {{outcome: string, message: string, next: string}} Verdict */
/** Either kind of wallet.js. @typedef {import("./own_wallet.js").OwnWallet | import("./hosted_wallet.js").HostedWallet} Script */

const LONGEST_TIMER = 2 ** 31 - 1
// For everything between the page and a button: the session, each script, the wallet's answer.
const READY_WITHIN = 5_000
// From the sheet's end to the account.
const RESULT_WITHIN = 60_000
// From a payment in the sheet to the sheet's end, which is only looked at.
const CLOSED_WITHIN = 5_000

export class Payment {
  /** @type {Session | undefined} */
  #session
  #reference = ""
  /** By reference: a sheet may outlast its session. @type {Map<string, Pages>} */
  #pages = new Map()
  /** Runs out when an approved card is never told as a result. @type {ReturnType<typeof setTimeout> | undefined} */
  #resultTimer
  /** Runs out when there is no button yet. @type {ReturnType<typeof setTimeout> | undefined} */
  #deadline
  /** Runs out with the session. @type {ReturnType<typeof setTimeout> | undefined} */
  #renewal
  /** The newest of several openings; the answers to older ones are of no interest. */
  #turn = 0
  /** One question for each card, however often its result is told. @type {Map<string, Promise<Verdict>>} */
  #verdicts = new Map()
  #isSending = false
  #isLeaving = false
  /** What the session stands for cannot be used again: the next try asks for a new one. */
  #isUsedUp = false
  /** The order's button is closed; a sheet that is open may still bring a result. */
  #isRetired = false
  #isEnded = false

  /** @param {import("./view.js").View} view @param {import("./shop.js").Shop} shop @param {Script} wallet */
  constructor(view, shop, wallet) {
    this.view = view
    this.shop = shop
    this.wallet = wallet
    view.place.addEventListener("click", this.#press)
  }

  /** Whether what is on the page is still this payment's. A page that was morphed has lost it, unless money may be moving. */
  get isShown() {
    return this.view.isShown || this.#isBusy
  }

  /** Asks for a session and shows its button; without one the form beside it is there to pay. */
  async open() {
    const turn = ++this.#turn
    this.#isUsedUp = false
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => void (this.view.isWaiting && this.unavailable("no button within five seconds")), READY_WITHIN)
    try {
      const session = await this.shop.ask("session", {}, () => turn === this.#turn)
      if (turn === this.#turn) this.#run(session, turn)
    } catch (fault) {
      if (turn !== this.#turn) return
      if (!(fault instanceof Refused)) this.#note(fault)
      const { code, message } = refusedBy(fault)
      if (code === NOT_PAYABLE) this.view.close(message)
      else if (code === LIMIT_REACHED) this.#retire(message)
      else this.view.hideButton(code === STALE ? message : undefined)
    }
  }

  /** The element has left the page. What was sent is still followed to its end, for it may have moved money. */
  end() {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#turn++
    this.#stopWaiting()
    clearTimeout(this.#deadline)
    clearTimeout(this.#renewal)
    document.removeEventListener("visibilitychange", this.#seen)
    this.view.place.removeEventListener("click", this.#press)
    this.wallet.end()
  }

  /** News of the wallet, by the names that the interface gives them. @param {string} name @param {any} [detail] */
  hear(name, detail) {
    if (this.#isEnded) return
    if (name === "handleWalletPayReady") this.ready()
    else if (name === "handlePaymentResult") this.result(detail)
    else if (name === "handlePaymentError") this.failed(detail)
    else if (name === "wallet:unavailable") this.unavailable(detail)
  }

  ready() {
    this.#report("READY")
    this.view.isReady = true
    this.#show()
  }

  /** Within the click itself, or the browser opens no sheet. A button that the wallet has drawn needs none of it. */
  #press = async (/** @type {any} */ { target }) => {
    if (!target.closest(".wallet-button__pay")) return
    try {
      await this.wallet.press()
    } catch (fault) {
      this.failed(fault)
    }
  }

  /** @param {string} [reason] the wallet's; none where it was not asked */
  unavailable(reason) {
    if (reason) this.#report("UNAVAILABLE", reason)
    this.view.hideButton()
  }

  /** The sheet was closed by the customer. */
  cancelled() {
    this.#report("CLOSED")
    if (this.#isSending || this.#isLeaving) return
    this.#stopWaiting()
    this.#tryAgain(this.view.text("cancelled"))
    this.view.focusButton()
  }

  /**
   * The wallet, its script or the gateway failed, before the shop was told anything; or the sheet was closed.
   * @param {unknown} fault for developers; no customer reads it
   */
  failed(fault) {
    if (isClosed(fault)) return this.cancelled()
    this.#note(fault)
    if (this.#isSending || this.#isLeaving) return
    this.#stopWaiting()
    if (!this.view.isReady) return this.unavailable()
    this.#tryAgain(this.view.text("failed"))
  }

  /** The sheet has closed with a card, or with the gateway's refusal of one. @param {any} detail */
  async result(detail) {
    if (this.#isLeaving) return
    this.#stopWaiting()
    if (!detail || typeof detail !== "object") return this.failed("handlePaymentResult had no detail")
    this.view.setBusy(this.view.text("sending"))
    try {
      this.#handleResult(await this.#send(detail))
    } catch (fault) {
      this.#recover(refusedBy(fault), detail.clientSystemTransactionId)
    }
  }

  /** @param {Session} session @param {number} turn */
  #run(session, turn) {
    this.#session = session
    this.#isRetired = false
    this.#reference = session.reference
    this.#pages.set(session.reference, session)
    const sheet = { reference: session.reference, isTaken: false }
    const begun = this.wallet.run(parametersOf(session.parameters, {
      price: (/** @type {any} */ data) => this.#price(data, session, sheet),
      authorize: (/** @type {any} */ _data, /** @type {any} */ account) => this.#authorize(account, sheet),
    }))
    begun.catch((fault) => void (this.#isEnded || this.failed(fault)))
    if (this.view.isReady) this.#show()
    clearTimeout(this.#renewal)
    this.#renewal = setTimeout(() => this.#renew(turn), Math.min(session.expiresIn * 1000, LONGEST_TIMER))
  }

  /** A page that nobody looks at needs no new button: each one counts for its order. @param {number} turn */
  #renew(turn) {
    if (turn !== this.#turn) return
    if (this.#isBusy) this.#isUsedUp = true
    else if (document.hidden) document.addEventListener("visibilitychange", this.#seen, { once: true })
    else this.open()
  }

  #seen = () => this.#renew(this.#turn)

  /** Not even a script that is ready late shows the button again. @param {string} words */
  #retire(words) {
    this.#isRetired = true
    this.view.hideButton(words)
  }

  get #isBusy() {
    return this.#isSending || this.#isLeaving || this.#resultTimer !== undefined
  }

  /** Not before there is a run: a script may be ready earlier. */
  #show() {
    if (this.#session && !this.#isRetired && !this.#isBusy) this.view.showButton()
  }

  /** What a decline has used up cannot be used for the next card. @param {string} words */
  #tryAgain(words) {
    if (this.#isEnded) return
    if (!this.#isUsedUp) return this.view.setIdle(words)
    this.view.hold(words)
    this.open()
  }

  /** For developers and the order's timeline. @param {unknown} fault */
  async #note(fault) {
    const reason = messageOf(fault)
    console.warn(`wallet: ${reason}`)
    const said = await this.#report("ERROR", reason)
    // The gateway refuses the session's key: a new session has another one.
    if (said?.newSession && !this.#isEnded) this.#renew(this.#turn)
  }

  /** @param {"READY" | "UNAVAILABLE" | "CLOSED" | "ERROR"} event @param {string} [message] */
  async #report(event, message) {
    // Before a session there is nothing that a report could belong to.
    return this.#reference ? this.shop.tell(this.#reference, event, message) : undefined
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
    this.#isSending = this.#isUsedUp = true
    try {
      return await this.shop.ask("result", detail)
    } finally {
      this.#isSending = false
    }
  }

  /**
   * The sheet is still open: what is answered decides whether it stays so.
   * @param {unknown} account makes the account, where the script lets us decide; it says itself what fails with that
   * @param {Sheet} sheet
   */
  async #authorize(account, sheet) {
    if (typeof account !== "function") return this.#awaitResult(sheet)
    this.#isSending = true
    // From the approval on the form must not begin another payment. A page that is being left is locked already.
    if (!this.#isLeaving) this.view.setBusy(this.view.text("sending"))
    try {
      return await this.#decide(await account(() => this.#referenceOfCard(sheet)))
    } catch (fault) {
      if (this.#isLeaving) return SUCCESS
      this.#free(sheet.refusal || this.view.text("failed"))
      // The script has words of its own for it, which ask for another card. The shop's are right.
      if (sheet.refusal) return retryUpdate(sheet.refusal)
      throw fault
    } finally {
      this.#isSending = false
    }
  }

  /** @param {any} detail the account of an approved card */
  async #decide(detail) {
    try {
      const verdict = await this.#send(detail)
      // 3-D Secure cannot be seen behind an open sheet.
      if (verdict.next) return this.#awaitClosing(verdict)
      this.#free(verdict.message)
      return retryUpdate(verdict.message)
    } catch (fault) {
      const { code, message, isUnclear } = refusedBy(fault)
      // The sheet would offer to pay again.
      if (code === NOT_PAYABLE) return this.#leavePaid(message)
      if (isUnclear) {
        if (!this.#isLeaving) void this.#recoverStatus(detail.clientSystemTransactionId)
        return SUCCESS
      }
      this.#free(message || this.view.text("failed"))
      return retryUpdate(message || this.view.text("failed"))
    }
  }

  /** The sheet is open for another card, and so is the form. @param {string} words */
  #free(words) {
    if (!this.#isEnded && !this.#isLeaving) this.view.setIdle(words)
  }

  /** The sheet's result leads on; where none comes, of a sheet that hangs or has lost its page, this. @param {Verdict} verdict */
  #awaitClosing(verdict) {
    setTimeout(() => void (this.#isLeaving || this.#handleResult(verdict)), this.#isEnded ? 0 : CLOSED_WITHIN)
    return SUCCESS
  }

  /** Nothing is decided here: the sheet closes, and `handlePaymentResult` or `handlePaymentError` comes. @param {Sheet} sheet */
  #awaitResult({ reference }) {
    this.#stopWaiting()
    this.#resultTimer = setTimeout(() => this.#miss(reference), RESULT_WITHIN)
    this.view.setBusy(this.view.text("sending"))
    return SUCCESS
  }

  /** A result may still be told: until the shop would refuse it, nobody can say that nothing was charged. @param {string} reference */
  #miss(reference) {
    this.#note("nothing was heard of an approved card")
    if (!this.#isLeaving) void this.#recoverStatus(reference)
  }

  #stopWaiting() {
    clearTimeout(this.#resultTimer)
    this.#resultTimer = undefined
  }

  /** @param {any} data @param {Session} session @param {Sheet} sheet */
  async #price(data, { parameters: given }, sheet) {
    try {
      const price = await this.shop.ask("price", questionOf(data, sheet.reference))
      return updateOf(price, given)
    } catch (fault) {
      this.#note(fault)
      const { code, message } = refusedBy(fault)
      this.#isUsedUp ||= code === LIMIT_REACHED || code === UNKNOWN
      if (code === NOT_PAYABLE) this.#leavePaid(message)
      return failedUpdate(data, given, message || this.view.text("failed"))
    }
  }

  /** @param {Sheet} sheet */
  async #referenceOfCard(sheet) {
    if (!sheet.isTaken) {
      sheet.isTaken = true
      return sheet.reference
    }
    // While nobody knows what became of one card, there is no second.
    if (this.#isLeaving) throw new Error("the page is being left")
    try {
      const { reference, ...pages } = await this.shop.ask("reference", { after: sheet.reference })
      this.#reference = sheet.reference = reference
      this.#pages.set(reference, pages)
      sheet.refusal = ""
      return reference
    } catch (fault) {
      const { code, message } = refusedBy(fault)
      sheet.refusal = message
      this.#isUsedUp ||= code === UNKNOWN
      if (code === NOT_PAYABLE) this.#leavePaid(message)
      throw fault
    }
  }

  /** @param {Verdict} verdict */
  #handleResult({ outcome, message, next }) {
    if (!next) return this.#tryAgain(message)
    const target = new URL(next, document.baseURI)
    const isBank = outcome === "THREE_D_SECURE" && /^https?:$/.test(target.protocol)
    this.#isLeaving = true
    this.view.setBusy(message || this.view.text("sending"))
    if (isBank) location.assign(target.href)
    // `replace`: the back button must not lead to a button that has been pressed.
    else this.#leaveTo(target)
  }

  /** @param {Refused} fault @param {string} reference */
  #recover({ code, message, isUnclear }, reference) {
    if (this.#isLeaving) return
    if (code === NOT_PAYABLE) return void this.#leavePaid(message)
    if (isUnclear) return this.#recoverStatus(reference)
    this.#tryAgain(message || this.view.text("failed"))
  }

  /**
   * Nobody here knows whether the shop has heard of the card. Once it can be reached again, its page says so.
   * @param {string} [reference] the card's; a refusal by the gateway has none
   */
  async #recoverStatus(reference = this.#reference) {
    const pages = this.#pages.get(reference)
    // A gateway's script may tell the result of another button's sheet; then the page itself knows most.
    if (!pages) return location.reload()
    const [status, result] = [pages.statusUrl, pages.resultUrl].map((url) => new URL(url, document.baseURI))
    this.#isLeaving = true
    this.#stopWaiting()
    this.view.setBusy(this.view.text("unclear"))
    await untilAnswered(status, result)
    this.#leaveTo(result)
  }

  /** Another page has paid the order: the result page says so. @param {string} words */
  #leavePaid(words) {
    this.#isLeaving = true
    this.view.setBusy(words)
    this.#leaveTo(new URL(this.#session?.resultUrl ?? "", document.baseURI))
    return SUCCESS
  }

  /** @param {URL} target */
  #leaveTo(target) {
    if (target.origin === location.origin) location.replace(target.href)
    else this.#recoverStatus()
  }
}
