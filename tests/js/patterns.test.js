/** No regular expression of a shipped script takes more than linear time, by processor time, small texts first. */

import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { test } from "node:test"
import ts from "typescript"

const PACKAGE = new URL("../../wallet_gateway/", import.meta.url)
const TINY = [16, 24, 32, 48, 64]
const [SMALL, MIDDLE, LARGE, BIG] = [512, 8_192, 65_536, 1_048_576]
/** Sixteen times the text takes 16 times as long where time is linear, and 256 times where it is quadratic. */
const MOST_GROWTH = 64
const LEAST_SECONDS = 2e-5
const SEEDS = ["x", "1", "A", " ", "_", "-", "/", ".", ":", "{", "}", "\n"]

/** Every expression that is written in a script; `new RegExp` with words of its own would not be seen. */
function expressions(source) {
  const found = []
  const look = (node) => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text)
    assert.ok(!(ts.isNewExpression(node) && node.expression.getText() === "RegExp"), node.getText())
    ts.forEachChild(node, look)
  }
  look(ts.createSourceFile("x.js", source, ts.ScriptTarget.Latest, true))
  return found
}

function parsed(literal) {
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(literal)
  return { source, flags: flags.replace(/[gy]/g, "") }
}

/** One character for each class, escape and sign, in their order; repeats, groups and anchors left out. */
function letters(source) {
  const parts = source.match(/\[(?:\\.|[^\]\\])*\]|\\.|\{\d+,?\d*\}|[^\\[]/g) ?? []
  return parts.flatMap((part) => {
    if (/^(?:[?*+^$|()]|\{\d.*)$/.test(part)) return []
    const one = new RegExp(`^${part}$`)
    return SEEDS.find((seed) => one.test(seed)) ?? (part.length === 1 ? part : [])
  })
}

function blocks(source) {
  const signs = letters(source)
  const own = [...new Set(signs)].slice(0, 6)
  const beginnings = signs.map((_, at) => signs.slice(0, at + 1).join(""))
  return [...new Set([...SEEDS, ...own, ...own.flatMap((one) => own.map((other) => one + other)), ...beginnings])]
}

/** Of each block a text of that alone, one with a bad end and one with a bad begin. */
const texts = (source) =>
  blocks(source).flatMap((block) => ["", "\0"].flatMap((end) => ["", "\0"].map((begin) => (size) => begin + block.repeat(Math.ceil(size / block.length)) + end)))

const ways = ({ source, flags }) => {
  const [once, every] = [new RegExp(source, flags), new RegExp(source, `${flags}g`)]
  return [(text) => once.test(text), (text) => text.replace(every, "")]
}

function seconds(way, text, times = 1) {
  let least = Infinity
  for (let left = times; left; left--) {
    const begun = process.cpuUsage()
    way(text)
    const { user, system } = process.cpuUsage(begun)
    least = Math.min(least, (user + system) / 1e6)
  }
  return Math.max(least, LEAST_SECONDS)
}

function growsTooFast(way, text, small, large) {
  const [before, after] = [text(small), text(large)]
  if (seconds(way, after) <= seconds(way, before) * MOST_GROWTH) return false
  return seconds(way, after, 3) > seconds(way, before, 5) * MOST_GROWTH
}

/** The beginning of the text on which it takes too long. */
function fault(literal) {
  const expression = parsed(literal)
  const tried = texts(expression.source).flatMap((text) => ways(expression).map((way) => ({ text, way })))
  for (const { way, text } of tried) {
    const isTooSlow = TINY.some((size) => seconds(way, text(size), 2) > 0.05) || growsTooFast(way, text, SMALL, MIDDLE)
    if (isTooSlow) return text(TINY[0])
  }
  const took = tried.map(({ way, text }) => seconds(way, text(MIDDLE), 2))
  const { way, text } = tried[took.indexOf(Math.max(...took))]
  return growsTooFast(way, text, LARGE, BIG) ? text(TINY[0]) : undefined
}

const FILES = readdirSync(PACKAGE, { recursive: true }).filter((name) => /^(?!.*\/vendor\/).*\bstatic\/.*\.js$/.test(name))
const FOUND = [...new Set(FILES.flatMap((name) => expressions(readFileSync(new URL(name, PACKAGE), "utf8"))))]

test("no expression of a script takes more than linear time", () => {
  assert.ok(FOUND.length > 10, `${FOUND}`)
  assert.deepEqual(FOUND.filter(fault), [])
})

for (const literal of ["/\\/+$/", "/\\s+$/", "/(a+)+$/", "/<.*>/", "/\\d+-\\d+/g", "/(x|xx)+y/"]) {
  test(`${literal} is found to take longer`, () => assert.ok(fault(literal)))
}
