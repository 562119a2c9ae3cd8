/**
 * A process that does what it is told: Embedded Holdfast behind its standard input.
 *
 *   {"id":1,"method":"prompt","input":{…}}  ─▶  {"id":1,"at":…,"value":…} or {"id":1,"at":…,"failure":"…"}
 *
 * The methods are those of `sessions`, and `settled`. Requests run side by side; the end of the input closes.
 */
import { createInterface } from "node:readline"
import { type HoldfastOptions, openHoldfast, settled } from "@holdfast/sdk"

interface Request {
  readonly id: number
  readonly method: string
  readonly input: unknown
}

type Method = (input: unknown) => Promise<unknown>

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const holdfast = await openHoldfast(JSON.parse(process.argv[2] ?? "{}") as HoldfastOptions)
const methods = {
  ...holdfast.sessions,
  settled: (input: { readonly sessionID: string }) => settled(holdfast, input),
} as unknown as Readonly<Record<string, Method>>

async function answer({ id, method, input }: Request): Promise<void> {
  try {
    const value = await methods[method]?.(input)
    say({ id, at: Date.now(), value: value ?? null })
  } catch (failure) {
    // Whatever it is, the test that asked decides what it means.
    say({ id, at: Date.now(), failure: failure instanceof Error ? String(failure) : JSON.stringify(failure) })
  }
}

say({ id: 0, at: Date.now(), value: "ready" })
for await (const line of createInterface({ input: process.stdin })) void answer(JSON.parse(line) as Request)
await holdfast.close()
