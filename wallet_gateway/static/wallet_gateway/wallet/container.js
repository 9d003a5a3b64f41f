// @ts-check
/** The page's element for the button: its own, or the wallet's in its place. */

const ID = "merchant-google-pay-button"

export class Container {
  /** What the page had put there. @type {[HTMLElement, ChildNode[]] | undefined} */
  #own

  /** Looked up each time: a page may put a new one in its place. */
  get element() {
    return document.getElementById(ID)
  }

  /** @param {HTMLElement} button */
  show(button) {
    const { element } = this
    if (!element) throw new Error(`The page has no element with the id ${ID}`)
    if (this.#own?.[0] !== element) this.#own = [element, Array.from(element.childNodes)]
    element.replaceChildren(button)
  }

  restore() {
    this.#own?.[0].replaceChildren(...this.#own[1])
    this.#own = undefined
  }

  /** A button that would open nothing must not be seen. */
  hide() {
    this.restore()
    if (this.element) this.element.hidden = true
  }
}
