// @ts-check
/** create-payment-account: the only network code, and what its answers mean. */

import { isPlain, text, withoutNulls } from "./checks.js";
import { refuse } from "./parameters.js";

export class Accounts {
  #used = false
  /** @type {Map<any, Promise<Detail>>} */
  #byToken = new Map()

  /** @param {Order} order @param {Settings} settings */
  constructor(order, settings) {
    this.order = order
    this.settings = settings
  }

  /**
   * Once for each token: what may have reached the gateway is not sent again.
   * @param {Gpay<"data">} data
   * @returns {Promise<Detail>}
   */
  of(data) {
    const token = data.paymentMethodData?.tokenizationData?.token ?? data
    const detail = this.#byToken.get(token) ?? this.#create(data)
    this.#byToken.set(token, detail)
    return detail
  }

  forget() {
    this.#byToken.clear()
  }

  /** @param {Gpay<"data">} data */
  async #create(data) {
    const reference = await this.#reference()
    const { mid: merchantId, sid: storeId } = this.order
    const body = { merchantId, storeId, clientSystemTransactionId: reference, paymentData: data }
    const [status, answer] = await this.#post(JSON.stringify(body))
    const detail = read(answer, status, reference)
    // The answer is not repeated: it may hold a cryptogram.
    if (!detail) throw new Error(`The gateway's answer (HTTP ${status}) is not one that the interface knows`)
    if ("code" in detail) return detail
    const { paymentMethodData, shippingAddress, email } = data
    return withoutNulls({ ...detail, billingAddress: paymentMethodData?.info?.billingAddress, shippingAddress, email })
  }

  /** Parameter 3 for the first card; for a later one the page's next, if it gives any. @returns {Promise<string>} */
  async #reference() {
    const { clientSystemTransactionId, optionalParams } = this.order
    if (!this.#used || !optionalParams.nextReference) {
      this.#used = true
      return clientSystemTransactionId
    }
    const reference = await optionalParams.nextReference()
    refuse(text(reference, "the answer of nextReference"))
    return reference
  }

  /** @param {string} body @returns {Promise<[number, string]>} */
  async #post(body) {
    const deadline = new AbortController()
    const { accountUrl, patience } = this.settings
    const timer = setTimeout(() => deadline.abort(), patience)
    try {
      const answer = await fetch(accountUrl, {
        method: "POST",
        headers: { Authorization: `PublicApiKey ${this.order.publicKeyApi}`, "Content-Type": "application/json" },
        body,
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
        cache: "no-store",
        signal: deadline.signal,
      })
      return [answer.status, await answer.text()]
    } catch {
      throw new Error(`The gateway ${deadline.signal.aborted ? `did not answer within ${patience / 1000} seconds` : "could not be reached"}`)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** In small letters: the interface's examples differ in case. @param {any} value @returns {any} */
function folded(value) {
  if (!isPlain(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name.toLowerCase(), folded(member)])
  const object = Object.fromEntries(members)
  if (Object.keys(object).length < members.length) throw new SyntaxError("two members of one name")
  return object
}

/** @param {string} answer @param {number} status @param {string} reference @returns {Detail | undefined} */
function read(answer, status, reference) {
  /** @type {any} */
  let members
  try {
    members = withoutNulls(folded(JSON.parse(answer)))
  } catch {}
  if (!isPlain(members)) return
  const { code, description, details, transactionaccountid, cryptogram, eciindicator } = members
  if ([code, details?.message].every(isText)) {
    return { code, ...(isText(description) && { description }), details: { message: details.message } }
  }
  const isOurs = (members.clientsystemtransactionid ?? reference) === reference && (members.transactionmethod ?? METHOD) === METHOD
  if (status >= 300 || !isOurs || !transactionaccountid) return
  if (![transactionaccountid, cryptogram ?? "", eciindicator ?? ""].every(isText)) return
  return withoutNulls({
    clientSystemTransactionId: reference,
    transactionAccountId: transactionaccountid,
    transactionMethod: METHOD,
    cryptogram,
    eciIndicator: eciindicator,
  })
}

const METHOD = "WalletPay"
const isText = (/** @type {any} */ value) => typeof value === "string"
