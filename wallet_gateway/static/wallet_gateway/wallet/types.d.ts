/**
 * The shapes that the modules of wallet.js share. For the type checker and the reader; no browser loads this file.
 * Shapes of the wallet itself come from `@types/googlepay`.
 */

type Gpay<K extends keyof GpayTypes> = GpayTypes[K];
interface GpayTypes {
  client: google.payments.api.PaymentsClient;
  data: google.payments.api.PaymentData;
  intermediate: google.payments.api.IntermediatePaymentData;
  update: google.payments.api.PaymentDataRequestUpdate;
  result: google.payments.api.PaymentAuthorizationResult;
  request: google.payments.api.PaymentDataRequest;
  readiness: google.payments.api.IsReadyToPayRequest;
  ready: google.payments.api.IsReadyToPayResponse;
  options: google.payments.api.PaymentOptions;
  button: google.payments.api.ButtonOptions;
  merchant: google.payments.api.MerchantInfo;
  info: google.payments.api.TransactionInfo;
  callbacks: google.payments.api.PaymentDataCallbacks;
  intent: google.payments.api.CallbackIntent;
  reason: google.payments.api.ErrorReason;
  error: google.payments.api.PaymentDataError;
  offers: google.payments.api.OfferInfo;
  card: google.payments.api.IsReadyToPayPaymentMethodSpecification;
  shipping: google.payments.api.ShippingOptionParameters;
}

/** Takes a value and its path, gives the faults it finds as sentences. */
type Check = (value: any, path: string) => string[];
type Checks = Record<string, Check>;
/** Hears, for the console, what is left out or has no effect. */
type Warn = (warning: string) => void;

/**
 * The 15 parameters by name, checked. `allowedCardNetworks` has only those the gateway takes; `optionalParams` is
 * always there, without members that are null.
 */
interface Order {
  mid: string;
  sid: string;
  clientSystemTransactionId: string;
  allowedMethods: google.payments.api.CardAuthMethod[];
  allowedCardNetworks: google.payments.api.CardNetwork[];
  countryCode: string;
  currencyCode: string;
  amountStatus: "FINAL";
  amount: string;
  profile: "test" | "prod";
  publicKeyApi: string;
  useWalletButton: boolean;
  merchantNo?: string;
  merchantName: string;
  optionalParams: any;
}

/** What the tag of the script says. `failedMessage` is for the customer, `patience` in milliseconds. */
interface Settings {
  gatewayName: string;
  payJsUrl: string;
  accountUrl: string;
  nonce: string;
  failedMessage: string;
  patience: number;
}

/** The detail of `handlePaymentResult`. */
interface Success {
  clientSystemTransactionId: string;
  transactionAccountId: string;
  transactionMethod: "WalletPay";
  cryptogram?: string;
  eciIndicator?: string;
  billingAddress?: object;
  shippingAddress?: object;
  email?: string;
}
/** Its failed form. */
interface Failure {
  code: string;
  description?: string;
  details: { message: string };
}
type Detail = Success | Failure;

/** What a run needs of the wallet it belongs to. */
interface Surroundings {
  settings: Settings;
  container: import("./container.js").Container;
  script: import("./pay_script.js").PayScript;
  click: () => void;
}

/** What becomes known of a sheet's authorization. `failure` is what kept the last card from having an account. */
interface Ending {
  approved?: Detail;
  failure?: any;
}
type Handler = "handleWalletPayReady" | "handlePaymentResult" | "handlePaymentError";
