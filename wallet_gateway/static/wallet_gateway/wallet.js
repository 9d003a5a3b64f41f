// @ts-check
/** Defines the two functions at once; calls wait for the modules that do the work. */
;(() => {
  if (typeof window.runWalletPay === "function") return
  /** @type {any} */
  const tag = document.currentScript ?? document.querySelector('script[data-gateway-url], script[src*="wallet.js"]')

  /** @type {Wallet | undefined} */
  let wallet
  const loading = import("./wallet/main.js")
    .catch(() => import(new URL("./wallet/main.js", tag.src).href))
    .then(({ Wallet }) => (wallet = new Wallet(tag)))
  loading.catch(() => {})

  /** @param {(wallet: Wallet) => void} act */
  const whenLoaded = (act) =>
    void loading.then(act, ({ message }) => {
      /** @type {any} */
      const handler = window.handlePaymentError
      document.addEventListener("handlePaymentError", handler, { once: true })
      document.dispatchEvent(new CustomEvent("handlePaymentError", { detail: `wallet.js could not be loaded: ${message}` }))
    })

  /** @param {...any} parameters */
  function runWalletPay(...parameters) {
    /** @type {Run | undefined} */
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
    Object.defineProperty(window, value.name, { value: Object.freeze(value), writable: false })
  }
})()
