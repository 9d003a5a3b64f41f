/**
 * The map of wallet.js and the shapes that its modules share. For the type checker and the reader; no browser loads
 * this file. Shapes of the wallet itself come from `@types/googlepay`.
 *
 * - `wallet.js` is a classic script, so that a page may call in its next line; `type="module"` works too. Its two
 *   functions cannot be replaced: a replacement would see what the customer pays with. A classic script that was fetched
 *   from another host without `crossorigin` has the base URL about:blank, so its relative `import()` fails; it is then
 *   tried once more from the `src` of its tag. The first form is the one that Django rewrites to a hashed name.
 * - `main.js`: what a page has once: the script's tag, the wallet's own script, the element for the button, the newest
 *   run, and the one that is paying: one payment happens at a time. Where a page demands trusted types, the address of a
 *   script comes from a policy (`trusted`). Ours is made once, and lets through the first address that was asked for and
 *   makes all others empty. A browser that knows no trusted types, or a page that does not name our policy, gets the text.
 *   The element for the button is looked up each time, because a page may put a new one in its place; it is hidden
 *   whenever the button in it would open nothing. Addresses may be http in profile test, for a local sandbox has no
 *   certificate. All times are in milliseconds.
 * - `run.js`: one call of `runWalletPay`: what the wallet is asked, and what comes of it. After `replace` a payment under
 *   way is still finished and told; after `destroy` nothing is told, and an open sheet ends without a payment. A run is
 *   paying (`isPaying`) until the wallet says that the sheet has ended, or `destroy` is called. A wallet whose sheet was
 *   taken away with the page may never say so; hence a run that a newer one has replaced is paying only while its
 *   button's slot is on the page, and a click ends one whose wallet has long been silent (`isLost`). `call` tells the page of a classic script: its function becomes a listener of the
 *   document for one event, so that a function which the page has made a listener itself hears of a payment once, and
 *   what it throws is the page's affair. What goes to the page of `wallet_module.js`, that module says.
 * - `approvals.js`: while the sheet is open: the account at the gateway, and the callbacks between wallet and page.
 *   `Accounts` has the only network code. A page that decides while the sheet is open asks for the account itself; for
 *   all others it is made once the sheet has closed, so that no try that the page refuses leaves one behind. The wallet
 *   always gets an answer: whatever fails, the sheet stays open for another try.
 * - `parameters.js`: what a page may say: the 15 parameters, and the answers of its callbacks. Its tables also say what
 *   of `optionalParams` goes to the wallet; some fields only the wallet knows.
 *
 * Imports are written out and end in a semicolon: only such ones does Django rewrite to hashed names.
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

/** Takes a value and its path, gives the faults it finds as sentences; `warn` hears of unknown fields instead. */
type Check = (value: any, path: string, warn?: Warn) => string[];
type Checks = Record<string, Check>;
/** Makes a check of the words for a rule, and of what a value that keeps it satisfies. */
type Rule<T> = (rule: string, holds: T) => Check;
/** Makes a check of another one. */
type Wrapping = (check: Check, least?: number) => Check;
/** Makes the check of an object of fields that must and fields that may be there. */
type Recording = (required: Checks, others?: Checks) => Check;
/** Refuses an answer of the page's callbacks that the wallet would not take. */
type Answering = (answer: any, error: Check) => void;
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

/** The detail of `handlePaymentResult`: an account, or the gateway's error body, as far as there is one. */
type Detail = import("../wallet_types.js").PaymentResult;
/**
 * Reads the gateway's answer. A `code` makes it a failure, whatever else is missing, unless a field of a success stands
 * beside it: that is neither, like all that the interface does not know.
 */
type Reading = (answer: string, status: number, reference: string) => Detail | undefined;

/** What a run needs of the wallet it belongs to. */
interface Surroundings {
  container: import("./main.js").Container;
  script: import("./main.js").PayScript;
  tell: Tell;
  click: () => void;
}

/**
 * Gives the account of a token, as `handlePaymentResult` will have it. `reference` gives, or promises, the one to make it
 * under, and is asked only when it is made; without it that is parameter 3.
 */
type Accounting = (data: Gpay<"data">, reference?: () => string | Promise<string>) => Promise<Detail>;

/** What becomes known of a sheet's authorization: made or paid, or what kept the last card from having an account. */
interface Ending {
  made?: Detail;
  approved?: Detail;
  refused?: Detail;
  fault?: any;
}
type Run = import("./run.js").Run;
type Wallet = import("./main.js").Wallet;

type Handler = "handleWalletPayReady" | "handlePaymentResult" | "handlePaymentError";
type News = Handler | "wallet:cancelled" | "wallet:unavailable";
/** Tells the page. `detail` can be changed no more; the event starts at the element, if one hears for itself. */
type Tell = (news: News, detail?: any, element?: HTMLElement | null) => void;
/** Hears for one button, before the page does; with `true` as its answer, in place of the page. */
type Hear = (news: News, detail?: any) => boolean | void;
// In the module itself, Django would take its own name for one to rewrite.
type CreateWallet = typeof import("../wallet_module.js").createWallet;
type WithPrices = typeof import("../wallet_module.js").withPrices;
type AppHandlers = import("../wallet_module.js").WalletHandlers;
/** Makes a part of a question to the wallet. */
type Asking<K extends keyof GpayTypes> = (order: Order) => GpayTypes[K];
/** What a page defines, and what it is given. */
interface Window extends Record<Handler, (event: CustomEvent) => void> {
  runWalletPay: unknown;
  trustedTypes: { createPolicy(name: string, rules: { createScriptURL(url: string): unknown }): unknown };
}
