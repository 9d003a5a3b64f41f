// The shop's button as Google's own clients draw it. The page's script says which of them is there.
const configuration = () => ({ paymentRequest: shop.request, environment: "TEST", ...shop.callbacks })
const failed = ({ statusCode, statusMessage, message }) => shop.ends.push({ statusCode, statusMessage: statusMessage ?? message })
const place = document.getElementById("button")
const whenReady = (draw) => new Promise((ready) => draw(({ isButtonVisible }) => isButtonVisible && ready()))

// With no attribute but those of the test: all others are absent, which the element passes on as null.
shop.sellWithElement = (changes = {}, { parameters = {}, button = {} } = {}) => {
  shop.offer(changes, parameters)
  return whenReady((ready) => {
    const element = Object.assign(document.createElement("google-pay-button"), configuration(), button)
    element.addEventListener("readytopaychange", ({ detail }) => ready(detail))
    element.addEventListener("loadpaymentdata", ({ detail }) => shop.ends.push({ data: detail }))
    element.addEventListener("cancel", ({ detail }) => failed(detail))
    element.addEventListener("error", ({ error }) => failed(error))
    place.replaceChildren(element)
  })
}

let root
shop.sellWithReact = ({ createElement }, { createRoot }, GooglePayButton, changes = {}, { parameters = {}, button = {} } = {}) => {
  shop.offer(changes, parameters)
  root?.unmount()
  root = createRoot(place)
  return whenReady((ready) => {
    const news = { onReadyToPayChange: ready, onLoadPaymentData: (data) => shop.ends.push({ data }), onCancel: failed, onError: failed }
    root.render(createElement(GooglePayButton, { ...configuration(), ...news, ...button }))
  })
}
