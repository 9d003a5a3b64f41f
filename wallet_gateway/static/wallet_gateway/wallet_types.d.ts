/**
 * What wallet.js takes and gives, for TypeScript: the shapes that the script (`wallet.d.ts`) and the module
 * (`wallet_module.d.ts`) share. They stand alone, and fit those of `@types/googlepay`.
 */

export type CardAuthMethod = "PAN_ONLY" | "CRYPTOGRAM_3DS"
/** The networks that the gateway takes. Others that the wallet knows are left out, with a warning on the console. */
export type CardNetwork = "VISA" | "MASTERCARD" | "AMEX" | "DISCOVER" | "JCB"
type OtherCardNetwork = "ELECTRON" | "ELO" | "ELO_DEBIT" | "INTERAC" | "MAESTRO"

export type ChangeIntent = "OFFER" | "SHIPPING_ADDRESS" | "SHIPPING_OPTION" | "PAYMENT_METHOD"
export type CallbackIntent = ChangeIntent | "PAYMENT_AUTHORIZATION"
/** `INITIALIZE`: the sheet opens, or the customer takes another account. */
export type CallbackTrigger = ChangeIntent | "INITIALIZE"

/** Text such as `"12.30"`. */
export type Amount = string

export interface DisplayItem {
  label: string
  type: "LINE_ITEM" | "SUBTOTAL" | "TAX" | "DISCOUNT" | "SHIPPING_OPTION"
  /** May be negative: `"-2.50"`. */
  price: Amount
  status?: "FINAL" | "PENDING"
}

export interface ShippingOption {
  id: string
  label: string
  description?: string
}
export interface ShippingOptionParameters {
  shippingOptions: ShippingOption[]
  /** The id of one of them; the first if absent. */
  defaultSelectedOptionId?: string
}

export interface Offer {
  redemptionCode: string
  description: string
}
export interface OfferInfo {
  offers: Offer[]
}

export interface Address {
  name?: string
  address1?: string
  address2?: string
  address3?: string
  locality?: string
  administrativeArea?: string
  iso3166AdministrativeArea?: string
  countryCode?: string
  postalCode?: string
  sortingCode?: string
  phoneNumber?: string
}
/** What the wallet tells of an address before the customer has approved. */
export type IntermediateAddress = Pick<
  Address,
  "locality" | "administrativeArea" | "iso3166AdministrativeArea" | "countryCode" | "postalCode"
>

/** What the customer has chosen in the open sheet. */
export interface SheetChoices {
  callbackTrigger: CallbackTrigger
  shippingAddress?: IntermediateAddress
  shippingOptionData?: { id: string }
  /** `redemptionCode` is the last of the wallet's `redemptionCodes`. */
  offerData?: { redemptionCodes: string[]; redemptionCode?: string }
}

/** What the wallet gives when the customer has approved. Pass the token on untouched. */
export interface PaymentData {
  apiVersion: number
  apiVersionMinor: number
  paymentMethodData: {
    type: string
    description?: string
    info?: { cardNetwork: string; cardDetails: string; billingAddress?: Address }
    tokenizationData: { type: string; token?: string }
  }
  email?: string
  shippingAddress?: Address
  shippingOptionData?: { id: string }
  offerData?: { redemptionCodes: string[] }
}

/** Keeps the sheet open, with words for the customer. `intent` is one of the `callbackIntents`. */
export interface SheetError {
  reason:
    | "OFFER_INVALID"
    | "PAYMENT_DATA_INVALID"
    | "SHIPPING_ADDRESS_INVALID"
    | "SHIPPING_ADDRESS_UNSERVICEABLE"
    | "SHIPPING_OPTION_INVALID"
    | "OTHER_ERROR"
  message: string
  intent: CallbackIntent
}

/** The sheet after a choice; what is absent stays as it is. */
export interface SheetUpdate {
  newTransactionInfo?: {
    totalPrice: Amount
    totalPriceLabel?: string
    displayItems?: DisplayItem[]
    currencyCode?: string
    countryCode?: string
    totalPriceStatus?: "FINAL" | "ESTIMATED"
  }
  newShippingOptionParameters?: ShippingOptionParameters
  newOfferInfo?: OfferInfo | OfferInfo[]
  error?: SheetError
}
export type AuthorizationResult = { transactionState: "SUCCESS" } | { transactionState: "ERROR"; error: SheetError }

/**
 * Makes the account while the sheet is open; once for each card. `reference` gives, or promises, the one to make it
 * under, parameter 3 if absent. It is rejected with a `SheetError` where there is no account; let that pass, or answer
 * with your own.
 */
export type MakeAccount = (reference?: () => string | Promise<string>) => Promise<Readonly<PaymentAccount>>

/** The account that the gateway has made; `cryptogram` and `eciIndicator` for a device token alone. */
export interface PaymentAccount {
  clientSystemTransactionId: string
  transactionAccountId: string
  transactionMethod: "WalletPay"
  cryptogram?: string
  eciIndicator?: string
  billingAddress?: Address
  shippingAddress?: Address
  email?: string
}
/** The gateway has refused the card: its own words, for developers. */
export interface AccountRefusal {
  code: string
  description?: string
  details?: { message: string }
}
/** Tell them apart by `"code" in result`. */
export type PaymentResult = Readonly<PaymentAccount> | Readonly<AccountRefusal>

export type UnavailableReason = "not-ready" | "no-payment-method"

/** What the button looks like, and what the sheet asks for. All of it may be left out; `null` is the same. */
export interface OptionalParams {
  /** Show the button only to customers who have a card in the wallet. */
  existingPaymentMethodRequired?: boolean | null
  emailRequired?: boolean | null
  billingAddressRequired?: boolean | null
  billingAddressParameters?: { format?: "MIN" | "FULL" | "FULL-ISO3166"; phoneNumberRequired?: boolean } | null
  shippingAddressRequired?: boolean | null
  shippingAddressParameters?: {
    allowedCountryCodes?: string[]
    phoneNumberRequired?: boolean
    format?: "FULL" | "FULL-ISO3166"
  } | null
  shippingOptionRequired?: boolean | null
  shippingOptionParameters?: ShippingOptionParameters | null
  offerInfo?: OfferInfo | OfferInfo[] | null
  additionalTransactionInfo?: {
    displayItems?: DisplayItem[]
    totalPriceLabel?: string
    checkoutOption?: "DEFAULT" | "COMPLETE_IMMEDIATE_PURCHASE" | "CONTINUE_TO_REVIEW"
  } | null
  allowPrepaidCards?: boolean | null
  allowCreditCards?: boolean | null
  buttonColor?: "default" | "black" | "white" | null
  buttonLocale?: string | null
  buttonSizeMode?: "static" | "fill" | null
  buttonType?: "book" | "buy" | "checkout" | "donate" | "order" | "pay" | "plain" | "subscribe" | "long" | "short" | null
  buttonRadius?: number | null
  buttonBorderType?: "no_border" | "default_border" | null
  /** Where the button is in a shadow root, that one, without being named. */
  buttonRootNode?: Document | ShadowRoot | null
  /** A callback and its intents go together. */
  callbackIntents?: CallbackIntent[] | null
  onPaymentDataChanged?: ((choices: SheetChoices) => SheetUpdate | void | Promise<SheetUpdate | void>) | null
  onPaymentAuthorized?:
    | ((data: PaymentData, account: MakeAccount) => AuthorizationResult | Promise<AuthorizationResult>)
    | null
  nonce?: string | null
  assuranceDetailsRequired?: boolean | null
  allowedIssuerCountryCodes?: string[] | null
  blockedIssuerCountryCodes?: string[] | null
  cardNetworkParameters?: { cardNetwork: string; acquirerBin?: string; acquirerMerchantId?: string }[] | null
  cvcRequired?: boolean | null
  softwareInfo?: { id?: string; version?: string } | null
  transactionNote?: string | null
  recurringTransactionInfo?: object | null
  deferredTransactionInfo?: object | null
  automaticReloadTransactionInfo?: object | null
}

/** The 15 parameters of `runWalletPay` by name. */
export interface WalletParameters {
  mid: string
  sid: string
  clientSystemTransactionId: string
  allowedMethods: CardAuthMethod[]
  allowedCardNetworks: (CardNetwork | OtherCardNetwork)[]
  /** Two capital letters, ISO 3166. */
  countryCode: string
  /** Three capital letters, ISO 4217. */
  currencyCode: string
  amountStatus: "FINAL"
  amount: Amount
  profile: "test" | "prod"
  publicKeyApi: string
  /** Whether the wallet draws the button. */
  useWalletButton: boolean
  merchantNo?: string | null
  merchantName: string
  optionalParams?: OptionalParams | null
}

/** What a call of `runWalletPay` gives. */
export interface WalletRun {
  /** Takes the button away and tells no more; an open sheet then ends without a payment. */
  destroy(): void
}
