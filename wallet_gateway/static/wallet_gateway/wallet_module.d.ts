/** The wallet button as a module, for single-page apps. */

import type { PaymentResult, UnavailableReason, WalletParameters, WalletRun } from "./wallet_types.js"

export type * from "./wallet_types.js"

/** Where everything is. The shop's server gives all but the first. */
export interface WalletSettings {
  /** The element for the button: shown when the wallet is ready, hidden while it cannot be used. Nothing else may draw in it. */
  container: HTMLElement
  /** Where the gateway is; https in profile `prod`. */
  gatewayUrl: string
  /** The gateway's name in the wallet's tokenization setting. */
  gatewayName: string
  /** The wallet's own script; Google's if absent. */
  payJsUrl?: string | null
  /** Create-payment-account, below the gateway's URL. */
  accountPath?: string | null
  /** Seconds for that call, question and answer together; 15 if absent. */
  timeout?: number | null
  /** What the customer reads in the sheet when a payment cannot go on. */
  failedMessage?: string | null
  /** Of the page's content security policy, for the wallet's script. */
  nonce?: string
}

export interface WalletHandlers {
  /** The wallet can be used; the container is shown. */
  onReady?: () => void
  /** The account is made, or the gateway has refused the card. */
  onResult: (result: PaymentResult) => void
  /** Something failed: text for developers. With wrong input it names every fault, and nothing else has happened. */
  onError: (message: string) => void
  /** The customer has closed the sheet. */
  onCancelled?: () => void
  /** This browser has no wallet, or no card where one is required. No failure; the container stays hidden. */
  onUnavailable?: (reason: UnavailableReason) => void
}

export interface Wallet {
  /** Prepares the button for a payment. The newer run takes over; a payment under way is still finished and told. */
  run(parameters: WalletParameters, handlers: WalletHandlers): WalletRun
  /** Opens the sheet, for a button of your own. Call it in the customer's click, before anything is waited for. */
  click(): void
  /** Ends the newest run and hides the container. */
  destroy(): void
}

/** What a session's page needs of the answer of `session/`. */
export interface WalletSession {
  reference: string
  parameters: WalletParameters
}

/** The body of a question to `price/`. */
export interface PriceQuestion {
  reference: string
  shippingAddress: object | null
  shippingOption: string | null
  offers: string[]
}

/**
 * The parameters of a session whose open sheet asks the shop for its price, with each of the customer's choices. `ask`
 * posts the question to `price/` and gives the answer, a refusal too. The card is charged once the sheet has closed.
 */
export function withPrices(session: WalletSession, ask: (question: PriceQuestion) => Promise<any>): WalletParameters

/** A wallet button of its own: several may be on a page, in shadow roots too. Nothing is put on `window`. */
export function createWallet(settings: WalletSettings): Wallet
