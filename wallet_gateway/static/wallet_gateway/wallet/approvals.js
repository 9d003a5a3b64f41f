// @ts-check
/** What happens while the sheet is open. */

import { AUTHORIZATION, isPlain, isText, offerList, pick, readResult, readUpdate, refuse, sheetError, text, withoutNulls } from "./parameters.js";

const METHOD = "WalletPay"

export class Accounts {
  /** @type {Map<any, Promise<Detail>>} */
  #byToken = new Map()

  /** @param {Order} order @param {Settings} settings */
  constructor(order, settings) {
    this.order = order
    this.settings = settings
  }

  /** Once for each token: what may have reached the gateway is not sent again. @type {Accounting} */
  of(data, reference = () => this.order.clientSystemTransactionId) {
    const token = data.paymentMethodData?.tokenizationData?.token ?? data
    const detail = this.#byToken.get(token) ?? this.#create(data, reference)
    this.#byToken.set(token, detail)
    return detail
  }

  forget() {
    this.#byToken.clear()
  }

  /** @param {Gpay<"data">} data @param {() => any} nextReference */
  async #create(data, nextReference) {
    const reference = await nextReference()
    refuse(text(reference, "the reference for the account"))
    const { mid: merchantId, sid: storeId } = this.order
    const body = JSON.stringify({ merchantId, storeId, clientSystemTransactionId: reference, paymentData: data })
    const [status, answer] = await this.#post(body)
    const detail = withoutNulls(read(answer, status, reference))
    // The answer is not repeated: it may hold a cryptogram.
    if (!detail) throw new Error(`The gateway's answer (HTTP ${status}) is not one that the interface knows`)
    if ("code" in detail) return detail
    const { paymentMethodData, shippingAddress, email } = data
    return withoutNulls({ ...detail, billingAddress: paymentMethodData?.info?.billingAddress, shippingAddress, email })
  }

  /** @param {string} body @returns {Promise<[number, string]>} */
  async #post(body) {
    const { accountUrl, patience } = this.settings
    const signal = AbortSignal.timeout(patience)
    try {
      const answer = await fetch(accountUrl, {
        method: "POST",
        headers: { Authorization: `PublicApiKey ${this.order.publicKeyApi}`, "Content-Type": "application/json" },
        body,
        credentials: "omit",
        redirect: "error",
        referrerPolicy: "no-referrer",
        cache: "no-store",
        signal,
      })
      return [answer.status, await answer.text()]
    } catch {
      throw new Error(`The gateway ${signal.aborted ? `did not answer within ${patience / 1000} seconds` : "could not be reached"}`)
    }
  }
}

/** In small letters: examples differ in case. @param {any} _ @param {any} value */
function folded(_, value) {
  if (!isPlain(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name.toLowerCase(), member])
  const object = Object.fromEntries(members)
  refuse(members.slice(Object.keys(object).length))
  return object
}

/** @type {Reading} */
function read(answer, status, reference) {
  /** @type {any} */
  let members = {}
  try {
    members = Object(withoutNulls(JSON.parse(answer, folded)))
  } catch {}
  const { code, description, details = {}, transactionaccountid, clientsystemtransactionid = reference, transactionmethod = METHOD, cryptogram, eciindicator } = members
  if ("code" in members) {
    const { message } = details
    // Neither yes nor no.
    const isMixed = ["state", "id", "redirecturl", "transactionaccountid"].some((name) => name in members)
    if (isMixed || !code || ![code, description ?? "", message ?? ""].every(isText) || !isPlain(details)) return
    return { code, description, details: message && { message } }
  }
  if (status >= 300 || clientsystemtransactionid !== reference || transactionmethod !== METHOD) return
  if (!transactionaccountid || ![transactionaccountid, cryptogram ?? "", eciindicator ?? ""].every(isText)) return
  return {
    clientSystemTransactionId: reference,
    transactionAccountId: transactionaccountid,
    transactionMethod: METHOD,
    cryptogram,
    eciIndicator: eciindicator,
  }
}

export class Callbacks {
  /** @type {Promise<unknown>} */
  #pricing = Promise.resolve()
  /** @type {Promise<unknown>} */
  #authorizing = Promise.resolve()
  #undecided = 0
  /** @type {Ending} */
  #ending = {}

  /** @param {Run} run */
  constructor(run) {
    this.run = run
    this.options = run.order.optionalParams
    /** @type {Gpay<"intent">[]} */
    this.intents = this.options.callbackIntents ?? []
    this.error = sheetError(this.intents)
  }

  forWallet() {
    return this.intents[0] && pick({ onPaymentDataChanged: this.#changed, onPaymentAuthorized: this.#authorized }, this.options)
  }

  begin() {
    this.#ending = {}
  }

  get isDeciding() {
    return this.#undecided || this.#ending.approved
  }

  /** Waits for a slow authorization, even one that the wallet has given up. */
  async end() {
    await this.#authorizing
    return this.#ending
  }

  /** @param {Gpay<"intermediate">} data */
  #changed = (data) => {
    this.run.heard()
    const answer = this.#update(data)
    this.#pricing = Promise.all([this.#pricing, answer])
    return answer
  }

  /** One card after the other, and none before its price is known. @param {Gpay<"data">} data */
  #authorized = (data) => {
    this.run.heard()
    this.#undecided++
    const answer = Promise.all([this.#pricing, this.#authorizing]).then(() => this.#authorize(data)).finally(() => this.#undecided--)
    this.#authorizing = answer
    return answer
  }

  /** @param {any} data @returns {Promise<Gpay<"update">>} */
  async #update(data) {
    const { offerData, callbackTrigger } = data
    const [redemptionCode] = offerData?.redemptionCodes?.slice(-1) ?? []
    const both = { ...data, ...(redemptionCode && { offerData: { redemptionCode, ...offerData } }) }
    try {
      return this.#readUpdate(withoutNulls((await this.options.onPaymentDataChanged(both)) ?? {}))
    } catch (thrown) {
      return { error: this.#errorFor(thrown, this.intents.includes(callbackTrigger) ? callbackTrigger : this.intents[0]) }
    }
  }

  /** @param {any} answer @returns {Gpay<"update">} */
  #readUpdate(answer) {
    readUpdate(answer, this.error)
    const { newOfferInfo: offers, newTransactionInfo: info } = answer
    const { currencyCode, countryCode, amountStatus: totalPriceStatus } = this.run.order
    return {
      ...answer,
      ...(offers && { newOfferInfo: offerList(offers) }),
      ...(info && { newTransactionInfo: { currencyCode, countryCode, totalPriceStatus, ...info } }),
    }
  }

  /** @param {Gpay<"data">} data @returns {Promise<Gpay<"result">>} */
  async #authorize(data) {
    this.#ending = {}
    try {
      if (this.run.isDestroyed) throw this.#failed("OTHER_ERROR")
      const answer = withoutNulls(await this.options.onPaymentAuthorized(data, this.#account.bind(this, data)))
      readResult(answer, this.error)
      if (answer.transactionState === "SUCCESS") this.#ending.approved = this.#ending.made
      return answer
    } catch (thrown) {
      return { transactionState: "ERROR", error: this.#errorFor(thrown, AUTHORIZATION) }
    }
  }

  /** For a page that decides while the sheet is open. @type {Accounting} */
  async #account(data, reference) {
    try {
      const detail = await this.run.accounts.of(data, reference)
      this.#ending = { ["code" in detail ? "refused" : "made"]: detail }
    } catch (fault) {
      this.#ending = { fault }
    }
    const { made, refused } = this.#ending
    if (made) return Object.freeze(made)
    throw this.#failed(refused ? "PAYMENT_DATA_INVALID" : "OTHER_ERROR")
  }

  /** @param {Gpay<"reason">} reason @param {Gpay<"intent">} intent @returns {Gpay<"error">} */
  #failed(reason, intent = AUTHORIZATION) {
    return { reason, intent, message: this.run.settings.failedMessage }
  }

  /** @param {any} thrown @param {Gpay<"intent">} intent @returns {Gpay<"error">} */
  #errorFor(thrown, intent) {
    const { reason, message, intent: named } = Object(thrown)
    const error = { reason, message, intent: named }
    if (!this.error(error, "").length) return error
    this.run.complain(thrown)
    return this.#failed("OTHER_ERROR", intent)
  }
}
