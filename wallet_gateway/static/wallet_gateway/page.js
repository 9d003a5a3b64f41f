// @ts-check
/**
 * Defines `<wallet-pay-button>`, which `{% wallet_button %}` draws. A browser in which something of it is missing keeps
 * the form that the element holds.
 *
 * What lives in `page/`: the element (`pay_button.js`), what happens in which order (`payment.js`), the way to the shop
 * (`shop.js`), what is seen and heard (`view.js`), the sheet's questions (`sheet.js`), and the two kinds of wallet.js:
 * ours (`own_wallet.js`) and one that the gateway hosts (`hosted_wallet.js`).
 */

import { WalletPayButton } from "./page/pay_button.js";

const NAME = "wallet-pay-button"

// The stylesheet keeps a place for the button where it knows whether scripts run.
const isAble = "timeout" in AbortSignal && matchMedia("(scripting)").matches

// A page that stays open during a deployment may load the next version of this file as well.
if (isAble && !customElements.get(NAME)) customElements.define(NAME, WalletPayButton)
