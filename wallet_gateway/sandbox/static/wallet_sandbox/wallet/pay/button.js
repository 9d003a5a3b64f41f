// @ts-check
/*
 * The wallet's own button. Every property is set through the CSSOM, which no policy forbids, and as important, so
 * that the shop's style sheets leave it alone: no style sheet, no font and no picture is loaded.
 */

const COLORS = ["default", "black", "white"]
const BUTTON_TYPES = [...TYPES, "plain", "long", "short"]
const SVG = "http://www.w3.org/2000/svg"
const FONT = '"Inter", "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Noto Sans Arabic", Arial, sans-serif'
const RING = "3px solid #6c7cff"

/** @param {HTMLElement | SVGElement} element @param {Record<string, string>} properties */
function dress(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value, "important")
}

// What the wallet documents for a button of which a page says nothing.
const DEFAULTS = { buttonColor: "default", buttonType: "buy", buttonSizeMode: "static", buttonRadius: 4, buttonBorderType: "default_border" }
const HEIGHT = "40px"

/**
 * The options, with defaults for what is absent. The wallet's own element reads them from attributes: it passes null for
 * an absent one, and numbers as text.
 * @param {any} options @returns {any}
 */
function completeOptions(options) {
  const given = Object.fromEntries(Object.entries(Object(options)).filter(([, value]) => value != null))
  const { buttonRadius, ...others } = /** @type {any} */ ({ ...DEFAULTS, ...given })
  return { ...others, buttonRadius: isText(buttonRadius) ? Number(buttonRadius) : buttonRadius }
}

/** @param {any} options as `completeOptions` gives them @returns {string} */
function faultOfButton(options) {
  const { onClick, buttonColor, buttonType, buttonSizeMode, buttonRadius, buttonBorderType, allowedPaymentMethods = [] } = options
  return firstFault(
    [typeof onClick === "function", "onClick must be a function"],
    [COLORS.includes(buttonColor), `buttonColor must be one of ${COLORS.join(", ")}`],
    [BUTTON_TYPES.includes(buttonType), `buttonType must be one of ${BUTTON_TYPES.join(", ")}`],
    [["static", "fill"].includes(buttonSizeMode), "buttonSizeMode must be static or fill"],
    [["no_border", "default_border"].includes(buttonBorderType), "buttonBorderType must be no_border or default_border"],
    [typeof buttonRadius === "number" && buttonRadius >= 0 && buttonRadius <= 100, "buttonRadius must be from 0 to 100"],
    [Array.isArray(allowedPaymentMethods), "allowedPaymentMethods must be a list"],
  ) || allowedPaymentMethods.map(faultOfMethod).find(Boolean) || ""
}

/** @param {any} options as `completeOptions` gives them @returns {HTMLElement} */
function walletButton(options) {
  const type = SAME_TYPE[options.buttonType] ?? options.buttonType
  const words = buttonWords(options.buttonLocale, type, navigator.language)
  const button = document.createElement("button")
  button.type = "button"
  button.lang = words.language
  button.dir = words.language === "ar" ? "rtl" : "ltr"
  button.setAttribute("aria-label", words.name)
  const [before, after] = words.phrase.split("%")
  // The spaces are not seen; without them what is read is not what the label says.
  button.append(plainWords(before), " ", walletMark(), " ", plainWords(after))
  dressButton(button, options)
  button.addEventListener("click", options.onClick)
  const box = document.createElement("div")
  if (options.buttonSizeMode === "fill") dress(box, { "inline-size": "100%", "block-size": "100%" })
  box.append(button)
  return box
}

/** @param {string} text */
function plainWords(text) {
  const span = document.createElement("span")
  span.textContent = text.trim()
  span.setAttribute("aria-hidden", "true")
  if (!text.trim()) span.hidden = true
  return span
}

/** @param {HTMLElement} button @param {any} options as `completeOptions` gives them */
function dressButton(button, { buttonColor, buttonSizeMode, buttonRadius, buttonBorderType }) {
  const isWhite = buttonColor === "white"
  const isFilling = buttonSizeMode === "fill"
  const colors = isWhite ? { rest: "#ffffff", over: "#f1f3f8", ink: "#1b1f2a", line: "#6b7280" } : { rest: "#000000", over: "#2e3340", ink: "#ffffff", line: "#6b7280" }
  dress(button, {
    all: "initial",
    "box-sizing": "border-box",
    display: "inline-flex",
    "align-items": "center",
    "justify-content": "center",
    gap: "8px",
    "inline-size": isFilling ? "100%" : "auto",
    "block-size": isFilling ? "100%" : HEIGHT,
    "min-inline-size": isFilling ? "0" : "152px",
    "min-block-size": HEIGHT,
    padding: "0 24px",
    border: buttonBorderType === "no_border" ? "0" : `1px solid ${colors.line}`,
    "border-radius": `${buttonRadius}px`,
    "background-color": colors.rest,
    color: colors.ink,
    font: `500 16px/1 ${FONT}`,
    "white-space": "nowrap",
    cursor: "pointer",
  })
  followPointerAndFocus(button, colors)
}

/** @param {HTMLElement} button @param {{rest: string, over: string}} colors */
function followPointerAndFocus(button, colors) {
  button.addEventListener("pointerenter", () => dress(button, { "background-color": colors.over }))
  button.addEventListener("pointerleave", () => dress(button, { "background-color": colors.rest }))
  button.addEventListener("focus", () => {
    if (button.matches(":focus-visible")) dress(button, { outline: RING, "outline-offset": "2px" })
  })
  button.addEventListener("blur", () => dress(button, { outline: "0" }))
}

function walletMark() {
  const mark = document.createElement("span")
  mark.setAttribute("aria-hidden", "true")
  mark.dir = "ltr"
  dress(mark, { display: "inline-flex", "align-items": "center", gap: "6px", "font-weight": "700" })
  const picture = document.createElementNS(SVG, "svg")
  for (const [name, value] of Object.entries({ viewBox: "0 0 24 24", width: "22", height: "22" })) picture.setAttribute(name, value)
  for (const [fill, d] of [["#6c7cff", "M3 7a3 3 0 0 1 3-3h11a2 2 0 0 1 2 2v1H6Z"], ["#35c88f", "M3 7h15a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3Z"], ["#ffffff", "M16 12h5v4h-5a2 2 0 0 1 0-4Z"]]) {
    const path = document.createElementNS(SVG, "path")
    path.setAttribute("fill", fill)
    path.setAttribute("d", d)
    picture.append(path)
  }
  mark.append(picture, WALLET_NAME)
  return mark
}
