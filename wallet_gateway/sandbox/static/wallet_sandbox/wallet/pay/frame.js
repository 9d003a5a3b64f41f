// @ts-check
/*
 * The sheet over the page: a modal dialog with a page of the sandbox's in it, and the talk between the two. Each
 * message carries this sheet's channel, and only the sheet's own window at the sandbox's own origin is heard.
 */

const PATIENCE_MS = { load: 15000, onPaymentDataChanged: 10000, onPaymentAuthorized: 30000 }

/** @param {string} statusCode @param {string} statusMessage */
const paymentsError = (statusCode, statusMessage) =>
  Object.assign(new Error(`${statusCode}: ${statusMessage}`), { name: "PaymentsError", statusCode, statusMessage })

class SheetFrame {
  /**
   * @param {any} request @param {google.payments.api.PaymentOptions} options
   * @param {(data: google.payments.api.PaymentData) => void} resolve @param {(error: Error) => void} reject
   */
  constructor(request, options, resolve, reject) {
    this.request = request
    this.options = options
    this.callbacks = options.paymentDataCallbacks ?? {}
    this.resolve = resolve
    this.reject = reject
    this.channel = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
    this.dialog = document.createElement("dialog")
    this.frame = document.createElement("iframe")
    this.timer = 0
    // A page that replaces its body, as many shops do to go on without a load, takes the sheet away with it.
    this.removal = new MutationObserver(() => this.dialog.isConnected || this.fail("CANCELED", "The sheet was removed from the page"))
  }

  open() {
    const address = new URL(SANDBOX.sheet, SANDBOX.origin)
    address.search = String(new URLSearchParams({ channel: this.channel, origin: location.origin }))
    this.frame.src = String(address)
    this.frame.title = WALLET_NAME
    this.dialog.setAttribute("aria-label", WALLET_NAME)
    const whole = { position: "fixed", inset: "0", margin: "0", padding: "0", border: "0", width: "100%", height: "100%", background: "transparent" }
    dress(this.dialog, { ...whole, "max-width": "none", "max-height": "none", overflow: "hidden" })
    // With another scheme than its page's, a frame is not transparent.
    dress(this.frame, { ...whole, display: "block", "color-scheme": "light dark" })
    this.dialog.append(this.frame)
    document.body.append(this.dialog)
    this.removal.observe(document, { childList: true, subtree: true })
    addEventListener("message", this.hear)
    document.addEventListener("securitypolicyviolation", this.blocked)
    // Escape pressed while the focus is not in the frame: the sheet decides, for it may be paying.
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault()
      this.say({ kind: "escape" })
    })
    this.timer = setTimeout(() => this.fail("INTERNAL_ERROR", "The wallet's sheet did not load"), PATIENCE_MS.load)
    this.dialog.showModal()
    this.frame.focus()
  }

  hear = (/** @type {MessageEvent} */ event) => {
    const isOurs = event.origin === SANDBOX.origin && event.source === this.frame.contentWindow
    if (!isOurs || event.data?.channel !== this.channel) return
    const { kind, data } = event.data
    if (kind === "ready") this.#begin()
    else if (kind === "ask") void this.#ask(event.data)
    else if (kind === "done") this.#end(() => this.resolve(data))
    else if (kind === "failed") this.fail(event.data.statusCode, event.data.statusMessage)
  }

  blocked = (/** @type {SecurityPolicyViolationEvent} */ event) => {
    if (!event.blockedURI.startsWith(SANDBOX.origin) || !event.effectiveDirective.match(/^(frame|child|default)-src$/)) return
    this.fail("DEVELOPER_ERROR", `The page's Content-Security-Policy must allow frame-src ${SANDBOX.origin}`)
  }

  #begin() {
    clearTimeout(this.timer)
    this.say({
      kind: "open",
      request: this.request,
      environment: this.options.environment ?? "TEST",
      merchantInfo: { ...this.options.merchantInfo, ...this.request.merchantInfo },
    })
    this.frame.focus()
  }

  /** @param {{id: number, callback: "onPaymentDataChanged" | "onPaymentAuthorized", data: any}} question */
  async #ask({ id, callback, data }) {
    const answer = await this.#answerOf(callback, data)
    const isUpdate = callback === "onPaymentDataChanged"
    const fault = !("answer" in answer) ? "" : isUpdate ? faultOfUpdate(answer.answer, this.request) : faultOfResult(answer.answer, this.request)
    if (fault) this.fail("DEVELOPER_ERROR", fault)
    else this.say({ kind: "answer", id, ...answer })
  }

  /** @param {"onPaymentDataChanged" | "onPaymentAuthorized"} callback @param {any} data @returns {Promise<any>} */
  async #answerOf(callback, data) {
    let timer = 0
    const late = new Promise((give) => (timer = setTimeout(() => give({ late: true }), PATIENCE_MS[callback])))
    const said = new Promise((go) => go(this.callbacks[callback]?.(data))).then((answer) => ({ answer: plain(answer) }), (thrown) => this.#thrown(callback, thrown))
    return Promise.race([said, late]).finally(() => clearTimeout(timer))
  }

  /** A rejection with a PaymentDataError is an answer; any other is the shop's fault. @param {string} callback @param {any} thrown */
  #thrown(callback, thrown) {
    const { reason, message, intent } = Object(thrown)
    const error = { reason, message, intent }
    if (thrown && !faultOfError(error, this.request)) return { answer: callback === "onPaymentAuthorized" ? { transactionState: "ERROR", error } : { error } }
    console.error(`${callback} failed`, thrown)
    return { threw: true }
  }

  /** @param {Record<string, unknown>} message */
  say(message) {
    this.frame.contentWindow?.postMessage({ channel: this.channel, ...message }, SANDBOX.origin)
  }

  /** @param {string} statusCode @param {string} statusMessage */
  fail(statusCode, statusMessage) {
    this.#end(() => this.reject(paymentsError(statusCode, statusMessage)))
  }

  /** @param {() => void} settle */
  #end(settle) {
    clearTimeout(this.timer)
    this.removal.disconnect()
    removeEventListener("message", this.hear)
    document.removeEventListener("securitypolicyviolation", this.blocked)
    // Closing gives the focus back to where it was.
    this.dialog.close()
    this.dialog.remove()
    settle()
  }
}

/** What can be sent to another window: data without functions. @param {any} value */
const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
