// @ts-check
/** Showing the state of the sheet. It only shows: what happens at a press is the sheet's affair. */

import { accountPicture, accountWords, addressWords, billLine, cardPicture, cardWords, choice, element, marked, offerLine, optionWords, say } from "./drawing.js"
import { amountText, approval, bill, cardParameters, isDelivered, isVerified } from "./order.js"

/** @typedef {{request: any, environment: string, merchantInfo: any, accounts: import("./order.js").Account[], account: import("./order.js").Account, cards: import("./order.js").Card[], choices: import("./order.js").Choices, texts: Record<string, string>}} State */

const row = (/** @type {string} */ name) => /** @type {HTMLElement} */ (document.querySelector(`[data-row="${name}"]`))

/** @param {string} name @param {Node[]} now what the row says while it is closed @param {Node[]} list */
function fill(name, now, list) {
  marked("now", row(name)).replaceChildren(...now)
  const place = marked("list", row(name))
  // A list that is drawn anew must not take the focus away.
  const value = place.contains(document.activeElement) ? /** @type {any} */ (document.activeElement).value : undefined
  place.replaceChildren(...list)
  if (value !== undefined) place.querySelector(`[value="${CSS.escape(value)}"]`)?.focus()
}

/** @param {string} origin @param {string | undefined} merchant the name, if one is known @param {State} state */
export function showWhom(origin, merchant, { environment, merchantInfo }) {
  marked("title").textContent = say("pay-whom", { merchant: merchant || new URL(origin).host })
  marked("origin").textContent = new URL(origin).host
  marked("unverified").hidden = isVerified(environment, merchantInfo)
}

/** @param {State} state */
export function showAccounts({ accounts, account, request }) {
  const list = accounts.map((one, place) =>
    choice({ group: "account", value: String(place), isChosen: one === account }, accountPicture(one), accountWords(one)))
  fill("account", [accountWords(account, request.emailRequired ? say("email-shared") : undefined)], list)
}

/** @param {State} state @param {(code: string) => void} removeOffer */
export function showChoices(state, removeOffer) {
  showCards(state)
  showAddresses(state)
  showOptions(state)
  showOffers(state, removeOffer)
}

/** @param {State} state */
function showCards({ cards, choices, request, account }) {
  const chosen = cards.find(({ id }) => id === choices.cardId)
  const list = cards.map((card) => choice({ group: "card", value: card.id, isChosen: card === chosen }, cardPicture(card), cardWords(card)))
  fill("card", chosen ? [cardPicture(chosen), cardWords(chosen)] : [], list)
  row("billing").hidden = !cardParameters(request).billingAddressRequired
  marked("now", row("billing")).replaceChildren(addressWords(account.addresses[0]))
}

/** @param {State} state */
function showAddresses({ account: { addresses }, choices, request }) {
  row("address").hidden = !request.shippingAddressRequired
  if (!request.shippingAddressRequired) return
  const list = addresses.map((address, place) => {
    const isDisabled = !isDelivered(request, address)
    const note = isDisabled ? [element("span", { class: "note" }, say("not-there"))] : []
    return choice({ group: "address", value: String(place), isChosen: address === choices.address, isDisabled }, addressWords(address), ...note)
  })
  fill("address", choices.address ? [addressWords(choices.address)] : [element("span", {}, say("not-there"))], list)
}

/** @param {State} state */
function showOptions({ choices, request }) {
  const options = request.shippingOptionParameters?.shippingOptions ?? []
  row("option").hidden = !request.shippingOptionRequired || !options.length
  const chosen = options.find((/** @type {any} */ one) => one.id === choices.optionId)
  const list = options.map((/** @type {any} */ one) => choice({ group: "option", value: one.id, isChosen: one === chosen }, optionWords(one)))
  fill("option", [chosen ? optionWords(chosen) : element("span", {}, say("choose-option"))], list)
}

/** @param {State} state @param {(code: string) => void} remove */
function showOffers({ choices, request }, remove) {
  row("offer").hidden = !request.offerInfo
  const offers = (request.offerInfo?.offers ?? []).filter((/** @type {any} */ one) => choices.codes.includes(one.redemptionCode))
  const list = offers.map((/** @type {any} */ one) => offerLine(one, () => remove(one.redemptionCode)))
  const codes = offers.map((/** @type {any} */ one) => one.redemptionCode).join(", ")
  fill("offer", [codes ? element("bdi", {}, codes) : element("span", {}, say("no-offer"))], list)
}

/** Shows the price and gives it in words, empty while nobody knows it. @param {State} state @returns {string} */
export function showBill({ request, texts }) {
  const { currency, total, label, status, items } = bill(request)
  const amount = amountText(total, currency, texts)
  if (label) marked("total-label").replaceChildren(element("bdi", {}, label))
  marked("total").textContent = amount || say("unknown-price")
  marked("estimated").hidden = status !== "ESTIMATED"
  marked("items").hidden = !items.length
  marked("items").replaceChildren(...items.map((/** @type {any} */ one) => billLine(one, amountText(one.price, currency, texts))))
  const kind = approval(request)
  marked("pay-words").textContent = kind === "pay" ? say(amount ? "pay" : "pay-unknown", { amount }) : say(kind)
  return amount
}

/** @param {"loading" | "nothing" | "open" | "alone"} phase */
export function showPhase(phase) {
  marked("sheet").setAttribute("aria-busy", String(phase === "loading"))
  marked("loading").hidden = phase !== "loading"
  marked("nothing").hidden = phase !== "nothing"
  marked("endings").hidden = phase === "alone"
  for (const mark of ["choices", "bill", "bottom"]) marked(mark).hidden = phase !== "open"
  // Another account may have the card that this one lacks.
  marked("accounts").hidden = phase !== "open" && phase !== "nothing"
}

/** What the customer has to know at once; empty takes it away. @param {string} message */
export function showAlert(message) {
  marked("alert").textContent = message
  marked("alert").hidden = !message
  if (message) marked("alert").scrollIntoView({ block: "nearest" })
}

/** While something is under way nothing can be chosen or approved. @param {"" | "updating" | "paying"} doing @param {boolean} canPay */
export function showBusy(doing, canPay) {
  marked("sheet").dataset.doing = doing
  marked("sheet").setAttribute("aria-busy", String(!!doing))
  // Disabled by word, not by attribute: the focus stays where it is.
  marked("pay").setAttribute("aria-disabled", String(!!doing || !canPay))
  if (doing) marked("pay-words").textContent = say(doing)
}
