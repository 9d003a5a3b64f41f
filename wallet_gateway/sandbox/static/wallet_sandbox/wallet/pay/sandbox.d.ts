/** What the sandbox writes before the parts of pay.js. */
declare const SANDBOX: {
  origin: string
  mode: string
  gateways: string[]
  cards: { network: string; authMethod: string; fundingSource: string }[]
}
