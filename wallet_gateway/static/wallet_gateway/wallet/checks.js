// @ts-check
/** Checks of one value each, from which the tables of what a page may say are made. */

/** @param {any} value */
export const isPlain = (value) => Object.prototype.toString.call(value) === "[object Object]"

/** A copy without null members, at any depth. @type {(value: any) => any} */
export const withoutNulls = (value) => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isPlain(value)) return value
  const members = Object.entries(value).filter(([, member]) => member != null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]))
}

/** @param {any} value */
const shown = (value) =>
  value == null ? "missing" : `the ${typeof value} ${(JSON.stringify(value) ?? "").slice(0, 40)}`

/** @type {(rule: string, holds: (value: any) => boolean) => Check} */
export const must = (rule, holds) => (value, path) =>
  holds(value) ? [] : [`${path} must be ${rule}, but is ${shown(value)}`]

/** @type {(rule: string, expression: RegExp) => Check} */
export const pattern = (rule, expression) =>
  must(rule, (value) => typeof value === "string" && expression.test(value))

/** @type {(words: readonly string[]) => Check} */
export const oneOf = (words) => must(`one of ${words.join(", ")}`, (value) => words.includes(value))

export const text = pattern("text of 1 to 1000 characters", /^(?=[^]*\S)[^]{1,1000}$/)
export const country = pattern("two capital letters", /^[A-Z]{2}$/)
export const flag = must("true or false", (value) => typeof value === "boolean")
export const callable = must("a function", (value) => typeof value === "function")
export const object = must("an object", isPlain)

/** @type {(check: Check, least?: number) => Check} */
export const list = (check, least = 0) => (value, path) =>
  Array.isArray(value) && value.length >= least && value.length <= 500
    ? Array.from(value, (entry, at) => check(entry, `${path}[${at}]`)).flat()
    : [`${path} must be a list of ${least} to 500 entries`]

/** `open`: other members are for somebody else to judge. @type {(required: Checks, optional?: Checks, open?: boolean) => Check} */
export const record = (required, optional = {}, open) => (value, path) => {
  if (!isPlain(value)) return object(value, path)
  const checks = Object.entries({ ...required, ...optional })
  const unknown = Object.keys(value).filter((name) => !open && !checks.some(([known]) => known === name))
  return [
    ...unknown.map((name) => `${path} has no field ${name.slice(0, 40)}`),
    ...checks.flatMap(([name, check]) =>
      name in required || value[name] != null ? check(value[name], `${path}.${name}`) : [],
    ),
  ]
}
