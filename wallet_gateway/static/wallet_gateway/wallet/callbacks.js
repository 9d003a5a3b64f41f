// @ts-check
/**
 * Between the wallet's callbacks and the page's. The wallet always gets an answer: whatever fails, the sheet stays
 * open for another try.
 */

import { oneOf, pattern, record, text, withoutNulls } from "./checks.js";
import { AUTHORIZATION, displayItems, offerInfo, refuse, shippingOptions } from "./parameters.js";
import { oneOfferInfo, transactionInfo } from "./requests.js";

const REASONS = ["OFFER_INVALID", "PAYMENT_DATA_INVALID", "SHIPPING_ADDRESS_INVALID", "SHIPPING_ADDRESS_UNSERVICEABLE", "SHIPPING_OPTION_INVALID", "OTHER_ERROR"]

export class Callbacks {
  /** @type {Promise<unknown>} */
  #pricing = Promise.resolve()
  /** @type {Promise<unknown>} */
  #authorizing = Promise.resolve()
  /** @type {Ending} */
  #ending = {}

  /**
   * @param {Order} order @param {import("./accounts.js").Accounts} accounts @param {string} failedMessage
   * @param {(fault: any) => void} complain @param {() => boolean} isOver
   */
  constructor(order, accounts, failedMessage, complain, isOver) {
    this.order = order
    this.accounts = accounts
    this.failedMessage = failedMessage
    this.complain = complain
    this.isOver = isOver
    this.options = order.optionalParams
    /** @type {Gpay<"intent">[]} */
    this.intents = this.options.callbackIntents ?? []
    this.error = record({ reason: oneOf(REASONS), message: text, intent: oneOf(this.intents) })
  }

  /** @returns {Gpay<"callbacks">} */
  forWallet() {
    const { onPaymentDataChanged, onPaymentAuthorized } = this.options
    return {
      ...(onPaymentDataChanged && { onPaymentDataChanged: this.#changed }),
      ...(onPaymentAuthorized && { onPaymentAuthorized: this.#authorized }),
    }
  }

  begin() {
    this.#ending = {}
  }

  /** A slow authorization is waited for, even when the wallet has given it up. */
  async end() {
    await this.#authorizing
    return this.#ending
  }

  /** @param {Gpay<"intermediate">} data */
  #changed = (data) => {
    const answer = this.#update(data)
    this.#pricing = Promise.all([this.#pricing, answer])
    return answer
  }

  /** One card after the other, and none before its price is known. @param {Gpay<"data">} data */
  #authorized = (data) => {
    const answer = Promise.all([this.#pricing, this.#authorizing]).then(() => this.#authorize(data))
    this.#authorizing = answer
    return answer
  }

  /** @param {any} data @returns {Promise<Gpay<"update">>} */
  async #update(data) {
    const { offerData, callbackTrigger } = data
    const codes = offerData?.redemptionCodes ?? []
    // The interface has a name for one code: the one entered last.
    const both = codes[0] ? { ...data, offerData: { redemptionCode: codes[codes.length - 1], ...offerData } } : data
    try {
      return this.#readUpdate(withoutNulls((await this.options.onPaymentDataChanged(both)) ?? {}))
    } catch (thrown) {
      return { error: this.#errorFor(thrown, this.intents.includes(callbackTrigger) ? callbackTrigger : this.intents[0]) }
    }
  }

  /** @param {any} answer @returns {Gpay<"update">} */
  #readUpdate(answer) {
    const price = pattern('text such as "10.00"', /^\d{1,12}(\.\d{1,2})?$/)
    const update = {
      newOfferInfo: offerInfo,
      newTransactionInfo: record({ totalPrice: price }, { displayItems }, true),
      newShippingOptionParameters: shippingOptions,
      error: this.error,
    }
    refuse(record({}, update)(answer, "the answer of onPaymentDataChanged"))
    if (answer.newOfferInfo) answer.newOfferInfo = oneOfferInfo(answer.newOfferInfo)
    if (answer.newTransactionInfo) {
      const { currencyCode, countryCode, totalPriceStatus } = transactionInfo(this.order)
      answer.newTransactionInfo = { currencyCode, countryCode, totalPriceStatus, ...answer.newTransactionInfo }
    }
    return answer
  }

  /** @param {Gpay<"data">} data @returns {Promise<Gpay<"result">>} */
  async #authorize(data) {
    if (this.isOver()) return this.#refusal("OTHER_ERROR")
    try {
      const detail = await this.accounts.of(data)
      if ("transactionAccountId" in detail) return this.#ask(data, detail)
      this.#ending = { failure: detail }
      return this.#refusal("PAYMENT_DATA_INVALID")
    } catch (failure) {
      this.#ending = { failure }
      return this.#refusal("OTHER_ERROR")
    }
  }

  /** @param {Gpay<"data">} data @param {Detail} approved @returns {Promise<Gpay<"result">>} */
  async #ask(data, approved) {
    this.#ending = {}
    try {
      const answer = withoutNulls(await this.options.onPaymentAuthorized(data, approved))
      const result = record({ transactionState: oneOf(["SUCCESS", "ERROR"]) }, { error: this.error })
      refuse(result(answer, "the answer of onPaymentAuthorized"))
      if (answer.transactionState === "SUCCESS") this.#ending = { approved }
      return answer
    } catch (thrown) {
      return { transactionState: "ERROR", error: this.#errorFor(thrown, AUTHORIZATION) }
    }
  }

  /** @param {Gpay<"reason">} reason @returns {Gpay<"result">} */
  #refusal(reason) {
    return { transactionState: "ERROR", error: { reason, intent: AUTHORIZATION, message: this.failedMessage } }
  }

  /** @param {any} thrown @param {Gpay<"intent">} intent @returns {Gpay<"error">} */
  #errorFor(thrown, intent) {
    const { reason, message, intent: named } = Object(thrown)
    const error = { reason, message, intent: named }
    if (!this.error(error, "").length) return error
    this.complain(thrown)
    return { reason: "OTHER_ERROR", intent, message: this.failedMessage }
  }
}
