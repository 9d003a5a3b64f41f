// @ts-check
/**
 * The wallet's sheet: what the customer chooses, what the shop answers, and how it ends. Nothing approves by itself.
 */

import { paymentData, priceTexts, setMode, walletState } from "./calls.js"
import { Channel, channelOf } from "./channel.js"
import { marked, say } from "./drawing.js"
import { keepFocus } from "./keyboard.js"
import { bill, codesOf, firstChoices, fittingCards, gatewayMerchant, intermediate, isAsked, keptChoices, shownPrices, updated } from "./order.js"
import { showAccounts, showAlert, showBill, showBusy, showChoices, showPhase, showWhom } from "./view.js"

const SLOWLY_MS = 2500
const DEVELOPER_ERROR = "The sandbox is told to refuse every request as wrong"

class Sheet {
  /** @type {"" | "updating" | "paying"} */
  #doing = ""
  /** What the shop objects to, until that is changed. @type {string} */
  #objection = ""
  /** @type {import("./view.js").State} */
  state = /** @type {any} */ (undefined)
  isSlow = false

  /** @param {Channel} channel */
  constructor(channel) {
    this.channel = channel
  }

  /** @param {{request: any, environment: string, merchantInfo: any}} message */
  async open({ request, environment, merchantInfo }) {
    const { mode, accounts, merchantNames } = await walletState()
    if (mode === "cancelled") return this.fail("CANCELED", "")
    if (mode === "developer_error") return this.fail("DEVELOPER_ERROR", DEVELOPER_ERROR)
    this.isSlow = mode === "slow"
    await this.#slowly()
    const stored = accounts.map((one) => (mode === "no_card" ? { ...one, cards: [] } : one))
    this.state = { request, environment, merchantInfo, accounts: stored, texts: {}, ...beginning(request, stored[0]) }
    await this.#format()
    const merchant = merchantInfo?.merchantName || merchantNames[gatewayMerchant(request)]
    showWhom(this.channel.origin, merchant, this.state)
    await this.#begin()
  }

  /** Has the sandbox write the prices: amounts look the same on all of its pages. */
  async #format() {
    const { request } = this.state
    this.state.texts = await priceTexts(bill(request).currency, shownPrices(request))
  }

  /** With an account that has just been taken. */
  async #begin() {
    const { account, cards } = this.state
    if (!cards.length) return this.#showNothing(account.cards.length > 0)
    showPhase("open")
    this.#show()
    await this.#changed("INITIALIZE")
  }

  /** @param {boolean} hasCards */
  #showNothing(hasCards) {
    showAccounts(this.state)
    marked("no-card").hidden = hasCards
    marked("no-fitting-card").hidden = !hasCards
    showPhase("nothing")
  }

  #show() {
    showAccounts(this.state)
    showChoices(this.state, (code) => this.#useCodes(this.state.choices.codes.filter((one) => one !== code)))
    showBill(this.state)
    showBusy(this.#doing, this.#canPay)
  }

  get #canPay() {
    const { request, choices } = this.state
    const isAddressed = !request.shippingAddressRequired || !!choices.address
    return isAddressed && !this.#objection
  }

  /** @param {string} name @param {string} value */
  choose(name, value) {
    const { choices, account, accounts } = this.state
    if (this.#doing) return this.#show()
    if (name === "account") {
      this.#takeAccount(accounts[Number(value)])
    } else if (name === "card") {
      choices.cardId = value
      showAlert(this.#objection)
      this.#show()
    } else if (name === "address") {
      choices.address = account.addresses[Number(value)]
      void this.#changed("SHIPPING_ADDRESS")
    } else if (name === "option") {
      choices.optionId = value
      void this.#changed("SHIPPING_OPTION")
    }
  }

  /** @param {string} code */
  addCode(code) {
    const { codes } = this.state.choices
    if (!this.#doing && code && !codes.includes(code)) this.#useCodes([...codes, code])
  }

  /** @param {string[]} codes */
  #useCodes(codes) {
    if (this.#doing) return
    this.state.choices.codes = codes
    void this.#changed("OFFER")
  }

  /** Another account of the customer's: the wallet begins anew. @param {import("./order.js").Account} account */
  #takeAccount(account) {
    Object.assign(this.state, beginning(this.state.request, account))
    this.#objection = ""
    showAlert("")
    void this.#begin()
  }

  /** Tells the shop of a change and takes in its answer; until then nothing can be approved. @param {string} trigger */
  async #changed(trigger) {
    const { state } = this
    showAlert("")
    this.#objection = ""
    if (!isAsked(state.request, trigger)) return this.#show()
    this.#doing = "updating"
    this.#show()
    await this.#slowly()
    const card = state.cards.find(({ id }) => id === state.choices.cardId)
    const { answer, late } = await this.channel.ask("onPaymentDataChanged", intermediate(trigger, state.request, state.choices, card))
    if (answer) await this.#takeIn(answer)
    else this.#object(say(late ? "late" : "failed"))
    this.#doing = ""
    this.#show()
  }

  /** @param {any} update */
  async #takeIn(update) {
    const { state } = this
    const before = showBill(state)
    state.request = updated(state.request, update)
    state.choices = keptChoices(state.request, update, state.choices)
    await this.#format()
    const amount = showBill(state)
    if (amount !== before) marked("said").textContent = say("new-total", { amount })
    if (!update.error) return
    if (update.error.intent === "OFFER") {
      // A code that is not taken stands in nobody's way.
      state.choices.codes = codesOf(state.request.offerInfo)
      showAlert(update.error.message)
    } else {
      this.#object(update.error.message)
    }
  }

  /** @param {string} message */
  #object(message) {
    this.#objection = message
    showAlert(message)
  }

  async pay() {
    if (this.#doing || !this.#canPay) return
    this.#doing = "paying"
    showAlert("")
    this.#show()
    marked("said").textContent = say("paying")
    try {
      await this.#slowly()
      const { cardId, address, optionId, codes } = this.state.choices
      const data = await paymentData(cardId, this.state.request, { shippingAddress: address, shippingOptionId: optionId, redemptionCodes: codes })
      await this.#approved(data)
    } catch (error) {
      showAlert(say("refused", { reason: /** @type {Error} */ (error).message }))
    }
    this.#doing = ""
    this.#show()
  }

  /** @param {any} data */
  async #approved(data) {
    const { request } = this.state
    if (!(request.callbackIntents ?? []).includes("PAYMENT_AUTHORIZATION")) return this.channel.say({ kind: "done", data })
    const { answer, late } = await this.channel.ask("onPaymentAuthorized", data)
    if (answer?.transactionState === "SUCCESS") return this.channel.say({ kind: "done", data })
    // The shop may still be paying: another try could charge twice.
    if (late) return this.fail("INTERNAL_ERROR", "REQUEST_TIMEOUT: onPaymentAuthorized has not answered in time")
    showAlert(answer ? (answer.error?.message ?? say("declined")) : say("failed"))
  }

  /** While the shop charges the card, there is no way back. */
  cancel() {
    if (this.#doing !== "paying") this.fail("CANCELED", "")
  }

  /** @param {string} statusCode @param {string} statusMessage */
  fail(statusCode, statusMessage) {
    this.channel.say({ kind: "failed", statusCode, statusMessage: statusMessage || "The customer has closed the sheet" })
  }

  async #slowly() {
    if (this.isSlow) await new Promise((go) => setTimeout(go, SLOWLY_MS))
  }
}

/** What an account brings along. @param {any} request @param {import("./order.js").Account} account */
function beginning(request, account) {
  const cards = fittingCards(account.cards, request)
  return { account, cards, choices: firstChoices(request, cards, account.addresses) }
}

/** @param {Sheet} sheet */
function listen(sheet) {
  marked("sheet").addEventListener("change", (/** @type {any} */ { target }) => {
    if (target.type === "radio") sheet.choose(target.name, target.value)
  })
  marked("offer-form").addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault()
    const form = /** @type {HTMLFormElement} */ (event.target)
    sheet.addCode(String(new FormData(form).get("code")).trim())
    form.reset()
  })
  marked("pay").addEventListener("click", () => sheet.pay())
  for (const mark of ["close", "scrim"]) marked(mark).addEventListener("click", () => sheet.cancel())
  for (const button of document.querySelectorAll("[data-ending]")) {
    button.addEventListener("click", () => endAs(sheet, /** @type {HTMLElement} */ (button).dataset.ending ?? ""))
  }
  keepFocus(marked("sheet"), () => sheet.cancel())
}

/** @param {Sheet} sheet @param {string} ending */
function endAs(sheet, ending) {
  if (ending === "CANCELED") sheet.cancel()
  else sheet.fail(ending, "The customer of the sandbox has chosen this ending")
}

function listenToMode() {
  marked("mode").addEventListener("change", async (/** @type {any} */ { target }) => {
    marked("mode-said").textContent = say((await setMode(target.value)) ? "mode-set" : "mode-refused")
  })
}

/** Opened by itself, the page can only set how the wallet behaves. */
function standAlone() {
  document.documentElement.dataset.alone = ""
  showPhase("alone")
  showAlert(say("alone"))
  marked("close").hidden = true
  marked("tests").open = true
}

const { id, origin } = channelOf(location)
listenToMode()
if (window.parent === window || !id || !origin) {
  standAlone()
} else {
  const channel = new Channel(window.parent, origin, id, { open: (message) => sheet.open(message), escape: () => sheet.cancel() })
  const sheet = new Sheet(channel)
  listen(sheet)
  marked("sheet").focus()
  channel.say({ kind: "ready" })
}
