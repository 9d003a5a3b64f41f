// @ts-check
/** The talk with the page that opened the sheet: only that window is heard, at the origin it named, on one channel. */

export class Channel {
  #next = 1
  /** @type {Map<number, (answer: any) => void>} */
  #waiting = new Map()

  /**
   * @param {Window} page @param {string} origin @param {string} id
   * @param {{open: (message: any) => void, escape: () => void}} heard
   */
  constructor(page, origin, id, heard) {
    this.page = page
    this.origin = origin
    this.id = id
    this.heard = heard
    addEventListener("message", (event) => this.#hear(event))
  }

  /** @param {MessageEvent} event */
  #hear({ source, origin, data }) {
    if (source !== this.page || origin !== this.origin || data?.channel !== this.id) return
    if (data.kind === "open") this.heard.open(data)
    if (data.kind === "escape") this.heard.escape()
    if (data.kind === "answer") {
      this.#waiting.get(data.id)?.(data)
      this.#waiting.delete(data.id)
    }
  }

  /** @param {Record<string, unknown>} message */
  say(message) {
    this.page.postMessage({ channel: this.id, ...message }, this.origin)
  }

  /**
   * Has one of the shop's callbacks asked.
   * @param {"onPaymentDataChanged" | "onPaymentAuthorized"} callback @param {any} data
   * @returns {Promise<{answer?: any, late?: boolean, threw?: boolean}>}
   */
  ask(callback, data) {
    const id = this.#next++
    return new Promise((settle) => {
      this.#waiting.set(id, settle)
      this.say({ kind: "ask", id, callback, data })
    })
  }
}

/** The channel that the address names; none where the page was opened by itself. @param {Location} address */
export function channelOf(address) {
  const given = new URLSearchParams(address.search)
  return { id: given.get("channel") ?? "", origin: given.get("origin") ?? "" }
}
