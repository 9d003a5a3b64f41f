// @ts-check
/** Making the sheet's elements. Words come from the page's template, in its language; markup is never parsed. */

import { addressText } from "./order.js"

/** @type {Record<string, string>} */
const words = {}
for (const one of /** @type {HTMLTemplateElement} */ (document.querySelector("[data-words]")).content.querySelectorAll("[data-word]")) {
  words[/** @type {HTMLElement} */ (one).dataset.word ?? ""] = one.textContent ?? ""
}

// Written from right to left, a text would part the digits of an amount from its sign.
const isolated = (/** @type {string} */ text) => (document.documentElement.dir === "rtl" ? `\u2068${text}\u2069` : text)

/** @param {string} name @param {Record<string, string>} values */
export const say = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (_, key) => isolated(values[key] ?? ""))

/** The only element that is marked so. @param {string} mark @param {ParentNode} within @returns {any} */
export const marked = (mark, within = document) => within.querySelector(`[data-${mark}]`)

/** @param {string} tag @param {Record<string, string>} attributes @param {...(Node | string)} children */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** @param {string} text */
const ltr = (text) => element("bdi", { dir: "ltr" }, text)

/** @param {import("./order.js").Card} card */
export function cardPicture({ art, network }) {
  return element("span", { class: "card-art", "data-art": art, "data-network": network, "aria-hidden": "true" }, element("span", { class: "chip" }))
}

/** A card in words: network and digits, then what it is. @param {import("./order.js").Card} card */
export function cardWords(card) {
  const seen = element("span", { "aria-hidden": "true" }, ` •••• ${card.lastFour}`)
  const heard = element("span", { class: "visually-hidden" }, " ", say("ending-in", { digits: card.lastFour }))
  const kind = [say(card.fundingSource.toLowerCase()), say(card.authMethod === "CRYPTOGRAM_3DS" ? "token" : "plain")].join(" · ")
  return element("span", { class: "words" }, element("span", { class: "main" }, element("bdi", { dir: "ltr" }, card.name, seen), heard), element("span", { class: "sub" }, kind))
}

/** @param {import("./order.js").Address} address */
export function addressWords(address) {
  return element("span", { class: "words" }, element("span", { class: "main" }, element("bdi", {}, address.name)), element("span", { class: "sub" }, element("bdi", {}, addressText(address, document.documentElement.lang))))
}

/** @param {import("./order.js").Account} account */
export function accountPicture({ name }) {
  return element("span", { class: "portrait", "aria-hidden": "true" }, name.slice(0, 1))
}

/** @param {import("./order.js").Account} account @param {string} [note] in place of the name */
export function accountWords({ email, name }, note) {
  const [user, host] = email.split("@")
  // Where it is too long for its line, it is parted there.
  const address = element("bdi", { dir: "ltr" }, `${user}@`, element("wbr"), host)
  return element("span", { class: "words" }, element("span", { class: "main" }, address), element("span", { class: "sub" }, note ?? element("bdi", {}, name)))
}

/** @param {{label: string, description?: string}} option */
export function optionWords({ label, description }) {
  const sub = description ? [element("span", { class: "sub" }, element("bdi", {}, description))] : []
  return element("span", { class: "words" }, element("span", { class: "main" }, element("bdi", {}, label)), ...sub)
}

/** One of several things to choose. @param {{group: string, value: string, isChosen: boolean, isDisabled?: boolean}} state @param {...Node} content */
export function choice({ group, value, isChosen, isDisabled = false }, ...content) {
  const input = /** @type {HTMLInputElement} */ (element("input", { type: "radio", name: group, value }))
  input.checked = isChosen
  input.disabled = isDisabled
  return element("label", { class: "choice" }, input, ...content)
}

/** @param {{label: string, price: string, type: string, status?: string}} item @param {string} amount */
export function billLine({ label, type, status }, amount) {
  const note = status === "PENDING" ? [" ", element("span", { class: "sub" }, say("pending"))] : []
  return element("div", { "data-type": type }, element("dt", {}, element("bdi", {}, label), ...note), element("dd", {}, element("bdi", {}, amount)))
}

/** @param {{redemptionCode: string, description: string}} offer @param {() => void} remove */
export function offerLine({ redemptionCode, description }, remove) {
  const button = element("button", { type: "button", class: "remove", "aria-label": say("remove-offer", { code: redemptionCode }) }, "×")
  button.addEventListener("click", remove)
  return element("li", {}, element("span", { class: "words" }, element("span", { class: "main code" }, ltr(redemptionCode)), element("span", { class: "sub" }, element("bdi", {}, description))), button)
}
