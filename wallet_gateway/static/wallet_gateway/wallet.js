// @ts-check
/**
 * Defines `runWalletPay` and `onMerchantButtonClick` at once; calls wait for the modules that do the work. A classic
 * script, so that a page may call in its next line; `type="module"` works too.
 */
;(() => {
  const page = /** @type {any} */ (window)
  if (typeof page.runWalletPay === "function") return
  const tag = document.currentScript ?? document.querySelector("script[data-gateway-url]")

  /** @type {import("./wallet/main.js").Wallet | undefined} */
  let wallet
  // Written out: Django puts the hashed name here, where told to.
  const loading = import("./wallet/main.js").then(({ Wallet }) => (wallet = new Wallet(tag)))
  loading.catch(() => {})

  /** @param {(wallet: import("./wallet/main.js").Wallet) => void} act */
  const whenLoaded = (act) =>
    void loading.then(act, ({ message }) => {
      const detail = `wallet.js could not be loaded: ${message}`
      page.handlePaymentError?.(new CustomEvent("handlePaymentError", { detail }))
    })

  /** @param {...any} parameters the 15 of the interface; a newer call replaces an older one */
  function runWalletPay(...parameters) {
    /** @type {import("./wallet/run.js").Run | undefined} */
    let run
    whenLoaded((wallet) => void (run = wallet.run(parameters)))
    return Object.freeze({ destroy: () => whenLoaded(() => run?.destroy()) })
  }
  runWalletPay.destroy = Object.freeze(() => whenLoaded((wallet) => wallet.destroy()))

  function onMerchantButtonClick() {
    if (wallet) wallet.click()
    else console.warn("wallet.js: clicked before the wallet was ready")
  }

  for (const value of [runWalletPay, onMerchantButtonClick]) {
    // Whoever could replace them would see what the customer pays with.
    Object.defineProperty(window, value.name, { value: Object.freeze(value), writable: false })
  }
})()
