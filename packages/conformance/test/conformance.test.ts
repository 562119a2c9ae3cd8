/** Ours conforms: every case against a Holdfast behind a port, and against one in this process. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { allCases, type Case, type CaseResult, prepare } from "../src/index.ts"
import { openInProcess, openServed, type OpenTarget } from "./targets.ts"

const inputs = Number(process.env["HOLDFAST_CONFORMANCE_INPUTS"] ?? 3)

describe.each([
  ["served", openServed],
  ["embedded", openInProcess],
] as const)("%s", (_, open) => {
  let opened: OpenTarget
  let run: (one: Case) => Promise<CaseResult>
  beforeAll(async () => {
    opened = await open()
    run = await prepare(opened.target, { inputs })
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  test.each(allCases)("$rule: $title", async (one) => {
    const { outcome, detail } = await run(one)
    expect([outcome === "failed", outcome === "failed" ? detail : null]).toEqual([false, null])
  })
})
