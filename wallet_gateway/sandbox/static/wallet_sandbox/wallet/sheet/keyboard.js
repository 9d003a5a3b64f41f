// @ts-check
/** The keyboard in the sheet: the focus stays inside, and Escape closes. */

const REACHABLE = "button, input, select, summary, [href]"

/** What the Tab key reaches, in order. @param {HTMLElement} sheet @returns {HTMLElement[]} */
function reachable(sheet) {
  const all = /** @type {HTMLElement[]} */ ([...sheet.querySelectorAll(REACHABLE)])
  return all.filter((one) => !(/** @type {any} */ (one).disabled) && one.checkVisibility() && isStop(one, all))
}

/** Of a group of radio buttons the Tab key stops at one. @param {HTMLElement} one @param {HTMLElement[]} all */
function isStop(one, all) {
  if (!(one instanceof HTMLInputElement) || one.type !== "radio" || one.checked) return true
  const group = all.filter((other) => other instanceof HTMLInputElement && other.name === one.name)
  return !group.some((other) => /** @type {HTMLInputElement} */ (other).checked) && group[0] === one
}

/** @param {HTMLElement} sheet @param {() => void} escape */
export function keepFocus(sheet, escape) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.preventDefault()
      return escape()
    }
    if (event.key !== "Tab") return
    const stops = reachable(sheet)
    const [first, last] = [stops[0], stops[stops.length - 1]]
    const leaving = event.shiftKey ? document.activeElement === first || document.activeElement === sheet : document.activeElement === last
    if (!leaving) return
    event.preventDefault()
    ;(event.shiftKey ? last : first)?.focus()
  })
}
