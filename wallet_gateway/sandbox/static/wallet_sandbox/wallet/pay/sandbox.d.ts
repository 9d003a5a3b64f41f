/** What the sandbox writes before the parts of pay.js. */
declare const SANDBOX: {
  origin: string
  sheet: string
  mode: string
  gateways: string[]
  cards: { network: string; authMethod: string; fundingSource: string }[]
}
