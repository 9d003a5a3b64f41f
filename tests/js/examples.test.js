/** The npm package, and the examples of the docs on single-page apps: they have its types, and they run. */

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"
import ts from "typescript"
import { GOOD_RESULT_NEXT, openShop } from "./example_shop.js"
import { paymentData, STATIC, until } from "./page.js"

const PACKAGE = fileURLToPath(STATIC)
const DOCS = readFileSync(new URL("../../docs/how-to/single-page-apps.md", import.meta.url), "utf8")
const INSTALLED = fileURLToPath(new URL("node_modules", import.meta.url))
const FOLDER = mkdtempSync(join(tmpdir(), "wallet-app-"))
const MODULES = join(FOLDER, "node_modules")
after(() => rmSync(FOLDER, { recursive: true }))

// What npm would pack is what the app has, and no file beside it.
const [{ files, version }] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", PACKAGE], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
const NAMES = files.map(({ path }) => path).sort()
for (const name of NAMES) cpSync(join(PACKAGE, name), join(MODULES, "django-wallet-gateway", name))
mkdirSync(join(MODULES, "@types"))
for (const name of ["react", "react-dom", "csstype", "@types/react", "@types/googlepay"]) symlinkSync(join(INSTALLED, name), join(MODULES, name))

const BLOCKS = [...DOCS.matchAll(/^```(js|tsx|ts)\n([^]*?)^```/gm)].map(([, kind, text], at) => {
  const name = text.match(/^\/\/ (\S+)\n/)?.[1] ?? `example_${at}.${kind}`
  writeFileSync(join(FOLDER, name), text)
  return name
})

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
  assert.deepEqual(NAMES, ["LICENSE", "package.json", "wallet.d.ts", "wallet.js", ...modules, "wallet_module.d.ts", "wallet_module.js", "wallet_types.d.ts"].sort())
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

test("plain JavaScript: the button of the example pays, is told a decline, and ends", async (t) => {
  const { mountWallet } = await import(pathToFileURL(join(FOLDER, "wallet_button.js")).href)
  const shop = await openShop(t)
  const told = []
  const left = []
  const container = shop.page.document.getElementById("place")
  const end = mountWallet(container, shop.order, { tell: (words) => told.push(words), leave: (url) => left.push(url) })
  const press = async () => {
    await until(() => container.querySelector("button") && !container.hidden)
    container.querySelector("button").click()
    return shop.page.wallet.sheet
  }
  ;(await press()).reject({ statusCode: "CANCELED" })
  await until(() => told.at(-1)?.startsWith("You closed"))
  shop.results.push({ outcome: "DECLINED", message: "Your card was declined.", next: "" })
  ;(await press()).resolve(paymentData())
  await until(() => shop.asked.filter(({ what }) => what === "session").length === 2, "another session")
  assert.equal(told.at(-1), "Your card was declined.")
  await until(() => shop.page.readiness().length === 2)
  ;(await press()).resolve(paymentData("another"))
  await until(() => left.length)
  assert.deepEqual(left, [GOOD_RESULT_NEXT])
  assert.deepEqual(shop.asked.map(({ what, csrf }) => [what, csrf]), ["session", "result", "session", "result"].map((what) => [what, "t0ken"]))
  assert.equal(shop.asked.at(-1).body.transactionAccountId, "ACC-ORDER-1")
  end()
  assert.deepEqual([container.hidden, container.childNodes.length], [true, 0])
})

test("plain JavaScript: when the answer is lost, the shop's own page says what became of it", async (t) => {
  const { mountWallet } = await import(pathToFileURL(join(FOLDER, "wallet_button.js")).href)
  const shop = await openShop(t)
  const left = []
  const container = shop.page.document.getElementById("place")
  mountWallet(container, shop.order, { tell: () => {}, leave: (url) => left.push(url) })
  shop.results.push(null)
  await until(() => container.querySelector("button") && !container.hidden)
  container.querySelector("button").click()
  shop.page.wallet.sheet.resolve(paymentData())
  await until(() => left.length)
  assert.deepEqual(left, ["/result-page"])
})

test("React: the component pays in strict mode, and takes its button with it", async (t) => {
  const shop = await openShop(t)
  const source = readFileSync(join(FOLDER, "WalletButton.tsx"), "utf8")
  const { outputText } = ts.transpileModule(source, { compilerOptions: { jsx: ts.JsxEmit.ReactJSX, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } })
  writeFileSync(join(FOLDER, "WalletButton.js"), outputText)
  const { WalletButton } = await import(pathToFileURL(join(FOLDER, "WalletButton.js")).href)
  // Node 20 has none.
  globalThis.navigator ??= shop.page.window.navigator
  const { act, createElement, StrictMode } = await import("react")
  const { createRoot } = await import("react-dom/client")
  const left = []
  const leave = (url) => left.push(url)
  const main = shop.page.document.querySelector("main")
  const root = createRoot(main)
  root.render(createElement(StrictMode, null, createElement(WalletButton, { ...shop.order, leave })))
  await until(() => main.querySelector("button"))
  assert.equal(main.querySelectorAll("button").length, 1)
  main.querySelector("button").click()
  shop.page.wallet.sheet.resolve(paymentData())
  await until(() => left.length)
  assert.deepEqual(left, [GOOD_RESULT_NEXT])
  await until(() => main.querySelector("[role=status]").textContent === "Your payment is on its way. Please wait.")
  // Nothing of React's may be left for the window of the next test.
  globalThis.IS_REACT_ACT_ENVIRONMENT = true
  await act(() => root.unmount())
  assert.equal(main.childNodes.length, 0)
})
