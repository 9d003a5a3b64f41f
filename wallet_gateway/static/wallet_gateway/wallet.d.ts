/** What the script wallet.js puts on a page: two functions, the handlers that it calls, and the events on `document`. */

import type { PaymentResult, UnavailableReason, WalletParameters, WalletRun } from "./wallet_types.js"

export type * from "./wallet_types.js"

type P = WalletParameters

declare global {
  interface Window {
    readonly runWalletPay: typeof runWalletPay
    readonly onMerchantButtonClick: typeof onMerchantButtonClick
    /** The wallet can be used: show the button. */
    handleWalletPayReady?: (event: CustomEvent<null>) => void
    handlePaymentResult?: (event: CustomEvent<PaymentResult>) => void
    /** Text for developers, or `CANCELED` when the customer has closed the sheet. */
    handlePaymentError?: (event: CustomEvent<string>) => void
  }
  interface DocumentEventMap {
    handleWalletPayReady: CustomEvent<null>
    handlePaymentResult: CustomEvent<PaymentResult>
    handlePaymentError: CustomEvent<string>
    "wallet:cancelled": CustomEvent<null>
    "wallet:unavailable": CustomEvent<UnavailableReason>
  }

  const runWalletPay: {
    (
      mid: P["mid"],
      sid: P["sid"],
      clientSystemTransactionId: P["clientSystemTransactionId"],
      allowedMethods: P["allowedMethods"],
      allowedCardNetworks: P["allowedCardNetworks"],
      countryCode: P["countryCode"],
      currencyCode: P["currencyCode"],
      amountStatus: P["amountStatus"],
      amount: P["amount"],
      profile: P["profile"],
      publicKeyApi: P["publicKeyApi"],
      useWalletButton: P["useWalletButton"],
      merchantNo: P["merchantNo"],
      merchantName: P["merchantName"],
      optionalParams?: P["optionalParams"],
    ): WalletRun
    /** Ends the newest run. */
    destroy(): void
  }
  /** Opens the sheet. Call it in the customer's click, before anything is waited for. */
  function onMerchantButtonClick(): void
}
