/** A folder of an app: the npm package as npm would pack it, React, and the examples of the docs as files. */

import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"
import { fileURLToPath } from "node:url"
import { STATIC } from "./page.js"

const PACKAGE = fileURLToPath(STATIC)
export const DOCS = readFileSync(new URL("../../docs/how-to/single-page-apps.md", import.meta.url), "utf8")
const INSTALLED = fileURLToPath(new URL("node_modules", import.meta.url))
export const FOLDER = mkdtempSync(join(tmpdir(), "wallet-app-"))
const MODULES = join(FOLDER, "node_modules")
after(() => rmSync(FOLDER, { recursive: true }))

// What npm would pack is what the app has, and no file beside it.
const [{ files, version: packed }] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", PACKAGE], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
export const version = packed
export const NAMES = files.map(({ path }) => path).sort()
for (const name of NAMES) cpSync(join(PACKAGE, name), join(MODULES, "django-wallet-gateway", name))
mkdirSync(join(MODULES, "@types"))
for (const name of ["react", "react-dom", "csstype", "@types/react", "@types/googlepay"]) symlinkSync(join(INSTALLED, name), join(MODULES, name))

export const BLOCKS = [...DOCS.matchAll(/^```(js|tsx|ts)\n([^]*?)^```/gm)].map(([, kind, text], at) => {
  const name = text.match(/^\/\/ (\S+)\n/)?.[1] ?? `example_${at}.${kind}`
  writeFileSync(join(FOLDER, name), text)
  return name
})
