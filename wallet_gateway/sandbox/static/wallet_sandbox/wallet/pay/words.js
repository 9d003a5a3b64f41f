// @ts-check
/*
 * What the wallet's button says, in the languages that buttonLocale names. A % stands for the wallet's mark; the
 * types follow the order of TYPES.
 */

const WALLET_NAME = "Sandbox Pay"
const TYPES = ["book", "buy", "checkout", "donate", "order", "pay", "subscribe"]
/** Old names, and the one without words. @type {Record<string, string>} */
const SAME_TYPE = { long: "buy", short: "plain" }

/** @type {Record<string, string>} */
const WORDS = {
  en: "Book with %|Buy with %|Check out with %|Donate with %|Order with %|Pay with %|Subscribe with %",
  ar: "احجز باستخدام %|اشترِ باستخدام %|أكمل الشراء باستخدام %|تبرّع باستخدام %|اطلب باستخدام %|ادفع باستخدام %|اشترك باستخدام %",
  bg: "Резервиране с %|Купуване с %|Плащане с %|Дарение с %|Поръчка с %|Платете с %|Абониране с %",
  ca: "Reserva amb %|Compra amb %|Finalitza la compra amb %|Fes un donatiu amb %|Demana amb %|Paga amb %|Subscriu-te amb %",
  cs: "Rezervovat přes %|Koupit přes %|Dokončit nákup přes %|Přispět přes %|Objednat přes %|Zaplatit přes %|Předplatit přes %",
  da: "Reservér med %|Køb med %|Gå til kassen med %|Donér med %|Bestil med %|Betal med %|Abonner med %",
  de: "Mit % buchen|Mit % kaufen|Mit % zur Kasse|Mit % spenden|Mit % bestellen|Mit % bezahlen|Mit % abonnieren",
  el: "Κράτηση με %|Αγορά με %|Ολοκλήρωση με %|Δωρεά με %|Παραγγελία με %|Πληρωμή με %|Συνδρομή με %",
  es: "Reservar con %|Comprar con %|Finalizar la compra con %|Donar con %|Pedir con %|Pagar con %|Suscribirse con %",
  et: "Broneeri: %|Osta: %|Vormista ost: %|Anneta: %|Telli: %|Maksa: %|Liitu: %",
  fi: "Varaa: %|Osta: %|Siirry kassalle: %|Lahjoita: %|Tilaa: %|Maksa: %|Liity: %",
  fr: "Réserver avec %|Acheter avec %|Régler avec %|Faire un don avec %|Commander avec %|Payer avec %|S’abonner avec %",
  hr: "Rezerviraj uz %|Kupi uz %|Dovrši kupnju uz %|Doniraj uz %|Naruči uz %|Plati uz %|Pretplati se uz %",
  id: "Pesan tempat dengan %|Beli dengan %|Checkout dengan %|Donasi dengan %|Pesan dengan %|Bayar dengan %|Langganan dengan %",
  it: "Prenota con %|Acquista con %|Completa l’acquisto con %|Dona con %|Ordina con %|Paga con %|Abbonati con %",
  ja: "% で予約|% で購入|% で手続きへ|% で寄付|% で注文|% で支払う|% で登録",
  ko: "% 예약|% 구매|% 체크아웃|% 기부|% 주문|% 결제|% 구독",
  ms: "Tempah dengan %|Beli dengan %|Daftar keluar dengan %|Derma dengan %|Pesan dengan %|Bayar dengan %|Langgan dengan %",
  nl: "Boeken met %|Kopen met %|Afrekenen met %|Doneren met %|Bestellen met %|Betalen met %|Abonneren met %",
  no: "Bestill plass med %|Kjøp med %|Gå til kassen med %|Doner med %|Bestill med %|Betal med %|Abonner med %",
  pl: "Zarezerwuj z %|Kup z %|Do kasy z %|Wpłać z %|Zamów z %|Zapłać z %|Subskrybuj z %",
  pt: "Reservar com %|Comprar com %|Finalizar com %|Doar com %|Pedir com %|Pagar com %|Assinar com %",
  ru: "Забронировать через %|Купить через %|Оформить через %|Пожертвовать через %|Заказать через %|Оплатить через %|Подписаться через %",
  sk: "Rezervovať cez %|Kúpiť cez %|Dokončiť nákup cez %|Prispieť cez %|Objednať cez %|Zaplatiť cez %|Predplatiť cez %",
  sl: "Rezervirajte z %|Kupite z %|Na blagajno z %|Darujte z %|Naročite z %|Plačajte z %|Naročite se z %",
  sr: "Резервишите уз %|Купите уз %|Завршите куповину уз %|Донирајте уз %|Поручите уз %|Платите уз %|Претплатите се уз %",
  sv: "Boka med %|Köp med %|Till kassan med %|Donera med %|Beställ med %|Betala med %|Prenumerera med %",
  th: "จองด้วย %|ซื้อด้วย %|ชำระเงินด้วย %|บริจาคด้วย %|สั่งซื้อด้วย %|จ่ายด้วย %|สมัครด้วย %",
  tr: "% ile rezervasyon yap|% ile satın al|% ile alışverişi tamamla|% ile bağış yap|% ile sipariş ver|% ile öde|% ile abone ol",
  uk: "Забронювати через %|Купити через %|Оформити через %|Пожертвувати через %|Замовити через %|Сплатити через %|Підписатися через %",
  zh: "使用 % 预订|使用 % 购买|使用 % 结账|使用 % 捐款|使用 % 下单|使用 % 付款|使用 % 订阅",
}

/**
 * The button's language and words; for a language the wallet lacks, or none, the browser's, then English.
 * @param {string | undefined} locale @param {string} type @param {string} browser the browser's language
 */
function buttonWords(locale, type, browser) {
  const language = [locale, browser].map((one) => String(one ?? "").split(/[-_]/)[0].toLowerCase()).find((one) => one in WORDS) ?? "en"
  const phrase = WORDS[language].split("|")[TYPES.indexOf(type)] ?? "%"
  return { language, phrase, name: phrase.replace("%", WALLET_NAME) }
}
