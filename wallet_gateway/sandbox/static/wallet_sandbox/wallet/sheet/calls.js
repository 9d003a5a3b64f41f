// @ts-check
/** The sheet's calls to the sandbox it came from. Their paths begin beside the sheet: a proxy may have put both below another path. */

/** What the wallet holds, and how it is told to behave. @returns {Promise<{mode: string, accounts: import("./order.js").Account[], merchantNames: Record<string, string>}>} */
export async function walletState() {
  const answer = await fetch("api/state", { cache: "no-store" })
  return answer.json()
}

/** Seals the chosen card; each call gives a new token. @param {string} cardId @param {any} request @param {any} choices */
export async function paymentData(cardId, request, choices) {
  const answer = await post("api/payment-data", { cardId, request, choices })
  const body = await answer.json()
  if (!answer.ok) throw new Error(body.details?.message ?? `HTTP ${answer.status}`)
  return body
}

/**
 * The prices as people of the page's language write them; none if the sandbox cannot be reached.
 * @param {string} currency @param {string[]} prices @returns {Promise<Record<string, string>>} by price
 */
export async function priceTexts(currency, prices) {
  try {
    const answer = await post("api/price-texts", { currency, prices })
    return answer.ok ? answer.json() : {}
  } catch {
    return {}
  }
}

/** @param {string} mode @returns {Promise<boolean>} whether the sandbox let it be set */
export async function setMode(mode) {
  return (await post("../_sandbox/wallet", { mode })).ok
}

/** @param {string} address @param {any} body */
const post = (address, body) =>
  fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
