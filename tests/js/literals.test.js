/** What the wallet is asked and answered, written out as literals: each passes the strict check of its own definitions. */

import assert from "node:assert/strict"
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { parameters as pageParameters } from "./button_page.js"
import { parameters, STATIC } from "./page.js"

const { BUTTON, CARD, OTHER_INFOS, readParameters, SHEET } = await import(new URL("wallet/parameters.js", STATIC))
const { buttonOptions, paymentDataRequest, readinessRequest } = await import(new URL("wallet/run.js", STATIC))
const { failedUpdate, parametersOf, retryUpdate, SUCCESS, updateOf } = await import(new URL("page/sheet.js", STATIC))

const FILE = join(tmpdir(), `literals-${process.pid}.ts`)
const TYPES = fileURLToPath(new URL("node_modules/@types", import.meta.url))
after(() => rmSync(FILE, { force: true }))

const call = () => {}
const offer = { redemptionCode: "SUMMER", description: "5 off" }
const shippingOptionParameters = { shippingOptions: [{ id: "a", label: "Post", description: "3 days" }], defaultSelectedOptionId: "a" }
const SHEETS = {
  plain: {},
  looks: { buttonColor: "white", buttonType: "donate", buttonSizeMode: "fill", buttonRadius: 8, buttonBorderType: "no_border", buttonLocale: "pt-BR" },
  card: {
    allowPrepaidCards: false,
    allowCreditCards: false,
    billingAddressRequired: true,
    billingAddressParameters: { phoneNumberRequired: true },
    allowedIssuerCountryCodes: ["DE"],
    assuranceDetailsRequired: true,
    cardNetworkParameters: [{ cardNetwork: "VISA", acquirerBin: "400000", acquirerMerchantId: "1" }],
    cvcRequired: true,
    existingPaymentMethodRequired: true,
  },
  everything: {
    emailRequired: true,
    shippingAddressRequired: true,
    shippingAddressParameters: { allowedCountryCodes: ["DE"], phoneNumberRequired: true, format: "FULL-ISO3166" },
    shippingOptionRequired: true,
    shippingOptionParameters,
    offerInfo: [{ offers: [offer] }],
    transactionNote: "Thanks",
    callbackIntents: ["OFFER", "SHIPPING_ADDRESS", "SHIPPING_OPTION", "PAYMENT_METHOD", "PAYMENT_AUTHORIZATION"],
    onPaymentDataChanged: call,
    onPaymentAuthorized: call,
    softwareInfo: { id: "shop", version: "1" },
    additionalTransactionInfo: {
      displayItems: [{ label: "Sale", type: "DISCOUNT", price: "-2.70", status: "PENDING" }],
      totalPriceLabel: "Total",
      checkoutOption: "COMPLETE_IMMEDIATE_PURCHASE",
    },
  },
}
const PAGE = pageParameters({ callbackIntents: ["SHIPPING_OPTION", "OFFER", "PAYMENT_AUTHORIZATION"], shippingOptionRequired: true, shippingOptionParameters, offerInfo: { offers: [offer] } })
const PRICE = {
  total: "15.00",
  displayItems: [{ label: "Book", type: "LINE_ITEM", price: "15.00" }],
  shippingOptions: [{ id: "a", label: "Post", description: "", amount: "2.70" }],
  selectedOption: "a",
  offers: [offer],
  errors: [],
}

/** The literals by name: of which type, and what. */
function literals() {
  const found = {}
  const orders = Object.entries(SHEETS).map(([name, optionalParams]) => [name, parameters({ optionalParams })])
  orders.push(["page", parametersOf({ ...PAGE, merchantNo: "123456789012" }, { price: call, authorize: call })])
  for (const [name, values] of orders) {
    const order = readParameters(values, call)
    found[`${name}_request`] = ["PaymentDataRequest", paymentDataRequest(order, "examplegateway")]
    found[`${name}_readiness`] = ["IsReadyToPayRequest", readinessRequest(order)]
    const { onClick, ...button } = buttonOptions(order, call)
    found[`${name}_button`] = ['Omit<google.payments.api.ButtonOptions, "onClick">', button]
  }
  found.update = ["PaymentDataRequestUpdate", updateOf(PRICE, PAGE)]
  found.failed_update = ["PaymentDataRequestUpdate", failedUpdate({ callbackTrigger: "INITIALIZE" }, PAGE, "No.")]
  found.retry = ["PaymentAuthorizationResult", retryUpdate("No.")]
  found.success = ["PaymentAuthorizationResult", SUCCESS]
  return found
}

/** What the type checker says of literals, line by line. */
function complaints(found) {
  const line = ([name, [type, value]]) => `export const ${name}: ${type.includes(".") ? type : `google.payments.api.${type}`} = ${JSON.stringify(value)}`
  writeFileSync(FILE, Object.entries(found).map(line).join("\n"))
  const options = { noEmit: true, strict: true, skipDefaultLibCheck: true, types: ["googlepay"], typeRoots: [TYPES], lib: ["lib.es2020.d.ts", "lib.dom.d.ts"], target: ts.ScriptTarget.ES2020 }
  const names = Object.keys(found)
  return ts.getPreEmitDiagnostics(ts.createProgram([FILE], options)).map(({ file, start, messageText }) => {
    const at = file ? names[file.getLineAndCharacterOfPosition(start).line] : ""
    return `${at}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`
  })
}

test("every request, button and answer is what the wallet's own definitions demand; a slip would be seen", () => {
  const found = literals()
  assert.equal(Object.keys(found).length, 19)
  const slip = ["PaymentDataRequest", { ...found.plain_request[1], emailRequierd: true }]
  const said = complaints({ ...found, slip })
  assert.equal(said.length, 1, said.join("\n"))
  assert.match(said[0], /^slip: .*emailRequierd/)
})

test("every field that is handed to the wallet is in one of them", () => {
  const written = JSON.stringify(literals())
  // Allowed and blocked countries exclude each other, other transactions replace the usual one, a root is no literal.
  const others = ["blockedIssuerCountryCodes", "buttonRootNode", ...Object.keys(OTHER_INFOS)]
  for (const name of Object.keys({ ...CARD, ...BUTTON, ...SHEET })) assert.ok(others.includes(name) || written.includes(`"${name}"`), name)
})
