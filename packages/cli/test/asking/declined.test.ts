/** What a headless run says at its end of what it did not do: a hint that would not help is none (PE4). */
import { expect, test } from "vitest"
import { stoppedRecord } from "../../src/outcome/outcome.ts"
import { closingLines } from "../../src/summary.ts"

interface Declined {
  readonly action: string
  readonly resource: string
  readonly rule: string | null
}

const told = (...declined: readonly Declined[]): string | undefined => {
  const calls = declined.map(({ rule, ...resource }, at) => ({
    call: `call_${at}` as never,
    name: resource.action,
    resources: [resource],
    rule,
  }))
  const record = { ...stoppedRecord("done", null), declined: calls }
  return closingLines({ paint: (_, text) => text }, record, {}).find((line) => line.startsWith("Declined"))
}

const write = { action: "write", resource: "/p/a.ts", rule: null }
const bash = { action: "bash", resource: "npm test", rule: null }
const secret = { action: "read", resource: "/p/.env", rule: "ask read(.env*)" }
const guarded = { action: "write", resource: "/p/.git/config", rule: "ask write(.git)" }

test.each([
  [[write, bash], "Allow such things with --allow write,bash, or answer yourself with --on-ask wait."],
  [[secret], 'The rule "ask read(.env*)" asks for it: answer yourself with --on-ask wait.'],
  [
    [secret, guarded],
    'The rules "ask read(.env*)", "ask write(.git)" ask for it: answer yourself with --on-ask wait.',
  ],
  [
    [write, secret],
    'Allow write with --allow write; what the rule "ask read(.env*)" asks for you can answer with --on-ask wait.',
  ],
])("[PE4] what was declined is told with what would allow it: %#", (declined, advice) => {
  expect(told(...declined)).toContain(`). ${advice}`)
})
