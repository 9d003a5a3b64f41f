// @ts-check
/** The wallet's own script: on the page once, and tried again after a failure. */

const isThere = () => typeof window.google?.payments?.api?.PaymentsClient === "function"

export class PayScript {
  /** @type {Promise<void> | undefined} */
  #loading

  /** @param {string} url @param {number} pause @param {number} patience in milliseconds */
  constructor(url, pause = 1000, patience = 10000) {
    this.url = url
    this.pause = pause
    this.patience = patience
  }

  /** A failure is not remembered: who asks again, tries again. @param {string} nonce @returns {Promise<void>} */
  load(nonce) {
    this.#loading ??= this.#threeTimes(nonce).finally(() => (this.#loading = undefined))
    return this.#loading
  }

  /** @param {string} nonce */
  async #threeTimes(nonce) {
    for (let left = 3; left && !isThere(); left--) {
      if (left < 3) await new Promise((go) => setTimeout(go, this.pause))
      await this.#once(nonce)
    }
    if (!isThere()) throw new Error(`The wallet's script could not be loaded from ${this.url}`)
  }

  /** @param {string} nonce */
  async #once(nonce) {
    const script = Object.assign(document.createElement("script"), { src: this.url, nonce })
    let timer = 0
    await new Promise((done) => {
      script.onload = script.onerror = done
      timer = setTimeout(done, this.patience)
      document.head.append(script)
    })
    clearTimeout(timer)
    if (!isThere()) script.remove()
  }
}
