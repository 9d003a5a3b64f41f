// @ts-check
/** Our wallet.js for one button: its modules, a run and a place of its own. Any number on a page, in any tree. */

export class OwnWallet {
  /** @type {Wallet | undefined} */
  #wallet
  #isEnded = false

  /** @param {HTMLElement} element @param {HTMLElement} place @param {Hear} hear */
  constructor(element, place, hear) {
    this.element = element
    this.place = place
    this.hear = hear
  }

  /** @param {any[]} parameters the 15 of `runWalletPay` */
  async run(parameters) {
    // Not with the page's own modules: where the gateway hosts the script, ours is not fetched.
    const { Wallet } = await import("../wallet/main.js");
    if (this.#isEnded) return
    this.#wallet ??= new Wallet(this.element, this.place, this.hear)
    const options = this.#withRoot(parameters[14])
    this.#wallet.run([...parameters.slice(0, 14), options])
  }

  get isPaying() {
    return !!this.#wallet?.isPaying
  }

  press() {
    this.#wallet?.click()
  }

  end() {
    this.#isEnded = true
    this.#wallet?.destroy()
  }

  /** The wallet puts its button's style into a shadow tree only if it is told of it. @param {any} options */
  #withRoot(options) {
    const root = this.element.getRootNode()
    return root instanceof ShadowRoot ? { ...options, buttonRootNode: root } : options
  }
}
