/** The npm package and its types: the examples of the docs on single-page apps pass the strict type checker. */

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import ts from "typescript"
import { BLOCKS, DOCS, FOLDER, NAMES, version } from "./app.js"

/** The complaints of the type checker about files in the app's folder. */
function complaints(names) {
  const options = {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    skipDefaultLibCheck: true,
    jsx: ts.JsxEmit.ReactJSX,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  }
  const program = ts.createProgram(names.map((name) => join(FOLDER, name)), options)
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    return `${file?.fileName.replace(FOLDER, "")}:${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`
  })
}

test("the package has the scripts, their types and the licence, and nothing else of the static files", () => {
  const modules = ["approvals", "main", "parameters", "run"].map((name) => `wallet/${name}.js`)
  assert.deepEqual(NAMES, ["LICENSE", "package.json", "page/sheet.js", "wallet.d.ts", "wallet.js", ...modules, "wallet_module.d.ts", "wallet_module.js", "wallet_types.d.ts"].sort())
  assert.ok(DOCS.includes(`django-wallet-gateway-${version}.tgz`))
})

test("on a server, where there is no page, the module can be imported", async () => {
  const script = 'import("django-wallet-gateway").then(({ createWallet }) => process.exit(typeof createWallet === "function" ? 0 : 1))'
  execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: FOLDER })
})

const USES = `
import { createWallet, type AuthorizationResult, type DisplayItem, type OfferInfo, type OptionalParams, type PaymentData, type SheetChoices, type SheetUpdate, type WalletParameters } from "django-wallet-gateway"
import "django-wallet-gateway/wallet"

type Google<K extends keyof GoogleTypes> = GoogleTypes[K]
interface GoogleTypes {
  data: google.payments.api.PaymentData
  choices: google.payments.api.IntermediatePaymentData
  error: google.payments.api.PaymentDataError
  shipping: google.payments.api.ShippingOptionParameters
  offers: google.payments.api.OfferInfo
  item: google.payments.api.DisplayItem
  result: google.payments.api.PaymentAuthorizationResult
  color: google.payments.api.ButtonColor
  type: google.payments.api.ButtonType
  intents: google.payments.api.CallbackIntent[]
}
type Given<T> = NonNullable<T>
// What Google's wallet gives fits what a page is told, and what a page may say fits what Google's takes.
export const told = (data: Google<"data">, choices: Google<"choices">): [PaymentData, SheetChoices] => [data, choices]
export const said = (
  update: Required<SheetUpdate>, item: DisplayItem, offers: OfferInfo, result: AuthorizationResult,
): [Google<"error">, Google<"shipping">, Google<"item">, Google<"offers">, Google<"result">] => [
  update.error, update.newShippingOptionParameters, item, offers, result,
]
export const look = (options: { [K in keyof OptionalParams]-?: Given<OptionalParams[K]> }): [Google<"color">, Google<"type">, Google<"intents">] => [
  options.buttonColor, options.buttonType, options.callbackIntents,
]

declare const parameters: WalletParameters
const wallet = createWallet({ container: document.body, gatewayUrl: "/", gatewayName: "x", timeout: null })
wallet.run(parameters, {
  onResult(result) {
    if ("code" in result) return void result.description?.trim()
    // @ts-expect-error a result cannot be changed
    result.transactionAccountId = ""
  },
  onError: (message) => message.trim(),
}).destroy()
// @ts-expect-error without handlers nobody would hear of a payment
wallet.run(parameters)
// @ts-expect-error no amount is a number
wallet.run({ ...parameters, amount: 12.3 }, { onResult() {}, onError() {} })
// @ts-expect-error a wallet is drawn somewhere
createWallet({ gatewayUrl: "/", gatewayName: "x" })

window.handlePaymentError = ({ detail }) => detail.trim()
document.addEventListener("wallet:unavailable", ({ detail }) => detail === "not-ready")
// @ts-expect-error the interface calls it handlePaymentResult
window.handlePaymentResults = () => {}
onMerchantButtonClick()
const run = runWalletPay("M", "S", "R", ["PAN_ONLY", "CRYPTOGRAM_3DS"], ["VISA"], "DE", "EUR", "FINAL", "1.00", "test", "key", true, "", "Shop", {
  callbackIntents: ["PAYMENT_AUTHORIZATION", "SHIPPING_OPTION"],
  onPaymentDataChanged: ({ shippingOptionData }) => ({ newTransactionInfo: { totalPrice: shippingOptionData?.id === "a" ? "1.00" : "2.00" } }),
  onPaymentAuthorized: async (_, account) => {
    const { transactionAccountId } = await account(() => "R-2")
    return transactionAccountId ? { transactionState: "SUCCESS" } : { transactionState: "ERROR", error: { intent: "PAYMENT_AUTHORIZATION", reason: "OTHER_ERROR", message: "No." } }
  },
})
run.destroy()
runWalletPay.destroy()
// @ts-expect-error the profile is test or prod
runWalletPay("M", "S", "R", ["PAN_ONLY"], ["VISA"], "DE", "EUR", "FINAL", "1.00", "TEST", "key", true, "", "Shop")
`

test("the examples and every use of the types pass the strict type checker; wrong ones do not", () => {
  writeFileSync(join(FOLDER, "uses.ts"), `/// <reference types="googlepay" />\n${USES}`)
  assert.deepEqual(complaints([...BLOCKS, "uses.ts"]), [])
})
