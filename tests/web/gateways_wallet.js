/**
 * A wallet.js as a gateway would host it, written from the interface document alone: documented names, documented
 * arguments, documented events, and a complaint about everything else. Its wallet is operated by the test: `approve`,
 * `change` and `closeSheet` on the window; `sheets`, `runs` and attributes of the document say how far it is.
 *
 * GATEWAY is written in by the server of the file, as a gateway's own file knows its gateway.
 */
;(function () {
  "use strict"
  var GATEWAY = "@GATEWAY@"
  // "optionalParams fields"
  var FIELDS = {
    existingPaymentMethodRequired: "boolean",
    emailRequired: "boolean",
    billingAddressRequired: "boolean",
    billingAddressParameters: { format: "string", phoneNumberRequired: "boolean" },
    callbackIntents: "array",
    shippingAddressRequired: "boolean",
    shippingAddressParameters: { allowedCountryCodes: "array", phoneNumberRequired: "boolean" },
    shippingOptionRequired: "boolean",
    shippingOptionParameters: { defaultSelectedOptionId: "string", shippingOptions: "array" },
    additionalTransactionInfo: { displayItems: "array", totalPriceLabel: "string", checkoutOption: "string" },
    allowPrepaidCards: "boolean",
    allowCreditCards: "boolean",
    offerInfo: "array",
    buttonColor: "string",
    buttonLocale: "string",
    buttonSizeMode: "string",
    buttonType: "string",
    onPaymentDataChanged: "function",
    onPaymentAuthorized: "function",
  }
  var INTENTS = ["OFFER", "PAYMENT_AUTHORIZATION", "SHIPPING_ADDRESS", "SHIPPING_OPTION"]
  var UPDATE = { newOfferInfo: "object", newTransactionInfo: "object", newShippingOptionParameters: "object", error: "object" }
  var run
  window.sheets = 0
  window.runs = []

  function demand(holds, words) {
    if (!holds) throw new Error("gateways wallet.js: " + words)
  }

  function check(value, fields, path) {
    Object.keys(value).forEach(function (name) {
      var wanted = fields[name]
      demand(wanted, path + " has no field " + name)
      if (typeof wanted === "object") return check(value[name], wanted, path + "." + name)
      var kind = Array.isArray(value[name]) ? "array" : typeof value[name]
      demand(kind === wanted, path + "." + name + " must be " + wanted)
    })
  }

  function tell(name, detail) {
    window[name](new CustomEvent(name, { detail: detail }))
  }

  // "String with the raw exception message"
  function fail(error) {
    tell("handlePaymentError", error.message)
  }

  window.runWalletPay = function (
    mid, sid, clientSystemTransactionId, allowedMethods, allowedCardNetworks, countryCode, currencyCode, amountStatus,
    amount, profile, publicKeyApi, useWalletButton, merchantNo, merchantName, optionalParams
  ) {
    demand(arguments.length === 15, "there are 15 parameters")
    demand(allowedMethods.join() === "PAN_ONLY,CRYPTOGRAM_3DS" && amountStatus === "FINAL", "methods and status")
    demand(/^\d+\.\d\d$/.test(amount) && /^[A-Z]{2}$/.test(countryCode) && /^[A-Z]{3}$/.test(currencyCode), "the amount")
    demand(allowedCardNetworks.length && (profile === "test" || profile === "prod") && merchantName !== undefined, "the rest")
    check(optionalParams, FIELDS, "optionalParams")
    var intents = optionalParams.callbackIntents || []
    demand(intents.every(function (intent) { return INTENTS.indexOf(intent) >= 0 }), "an intent")
    if (intents.length) {
      demand("shippingOptionRequired" in optionalParams, "shippingOptionRequired is required")
      demand(optionalParams.additionalTransactionInfo.displayItems.length, "displayItems are required")
    }
    window.runs.push(clientSystemTransactionId)
    document.documentElement.dataset.runs = window.runs.length
    run = {
      ids: { merchantId: mid, storeId: sid, clientSystemTransactionId: clientSystemTransactionId },
      amount: amount, currencyCode: currencyCode, key: publicKeyApi, options: optionalParams, intents: intents,
    }
    if (useWalletButton) {
      var button = document.createElement("button")
      button.textContent = "Buy with the wallet"
      button.addEventListener("click", open)
      document.getElementById("merchant-google-pay-button").appendChild(button)
    }
    if (!window.walletIsSilent) setTimeout(tell, 0, "handleWalletPayReady")
  }

  window.onMerchantButtonClick = open

  function open() {
    var mine = run
    if (window.scriptIsBroken) throw new TypeError("Cannot read properties of undefined (reading 'sheet')")
    window.sheets++
    document.documentElement.dataset.sheet = "open"
    window.closeSheet = function () {
      // The document names no event for it.
      document.documentElement.dataset.sheet = "closed"
    }
    window.change = function (data) {
      return mine.options.onPaymentDataChanged(data).then(function (update) {
        check(update, UPDATE, "the update")
        return update
      })
    }
    window.approve = function (data) {
      var asked = mine.intents.indexOf("PAYMENT_AUTHORIZATION") >= 0
      var answer = asked ? mine.options.onPaymentAuthorized(data) : Promise.resolve({ transactionState: "SUCCESS" })
      return answer.then(function (result) {
        demand(result.transactionState === "SUCCESS" || result.transactionState === "ERROR", "the transactionState")
        // "On SUCCESS the sheet closes"
        if (result.transactionState === "SUCCESS") return makeAccount(mine, data)
        return result
      })
    }
  }

  function makeAccount(mine, data) {
    window.closeSheet()
    var body = Object.assign({ paymentData: data }, mine.ids)
    return fetch(GATEWAY + "/api/v5/paymentAccounts", {
      method: "POST",
      headers: { Authorization: "PublicApiKey " + mine.key, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    })
      .then(function (response) {
        return response.json()
      })
      .then(function (account) {
        // "null properties are omitted"
        Object.keys(account).forEach(function (name) {
          if (account[name] === null) delete account[name]
        })
        // "An extensive request also adds to the detail"
        var billing = data.paymentMethodData.info.billingAddress
        if (billing) account.billingAddress = billing
        if (data.shippingAddress) account.shippingAddress = data.shippingAddress
        if (data.email) account.email = data.email
        tell("handlePaymentResult", account)
      })
      .catch(fail)
  }
})()
