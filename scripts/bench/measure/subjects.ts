/**
 * What a row measures and nothing else, for a profile: no other rows of its group, no driver's own
 * commits. A row without an entry is profiled with its whole group. Each says from when to when it
 * did it, so that the start of the process and a warm-up are left out.
 */
import { makeFolders, openBenchRuntime, removeFolders } from "../runtime.ts"
import { nowNs } from "../sample.ts"
import { admit, createSessions } from "./admission.ts"
import { runStreams, withRuntime } from "./stream.ts"

/** A span of the clock that all threads share. */
export interface Span {
  readonly startNs: number
  readonly endNs: number
}

const admissions = 20_000
/** As many as the row lets one Session take in a round, and rounds. */
const streams = 5
const sessions = 12
/** Of the whole, once before it. */
const warmShare = 0.1

export const subjects: Readonly<Record<string, () => Promise<Span>>> = {
  "admit-1": () => admitFrom(1),
  "admit-1-share": () => admitFrom(1),
  "admit-64": () => admitFrom(64),
  "delta-frames": () => stream("frames"),
  "delta-bursts": () => stream("bursts"),
  "delta-frames-responses": () => stream("frames", "openai-responses"),
  "delta-bursts-responses": () => stream("bursts", "openai-responses"),
  "delta-frames-chat": () => stream("frames", "openai-chat"),
  "delta-frames-gemini": () => stream("frames", "gemini"),
  "delta-frames-bedrock": () => stream("frames", "bedrock-converse"),
}

const stream = (mode: string, wire = "anthropic-messages"): Promise<Span> =>
  withRuntime((opened) =>
    spanOf(async (share) => {
      for (let i = 0; i < sessions * share; i++) await runStreams(opened, { mode, wire, streams, idle: 0 })
    }),
  )

async function admitFrom(callers: number): Promise<Span> {
  const folders = makeFolders()
  const opened = await openBenchRuntime(folders, { providerUrl: "http://127.0.0.1:9" })
  try {
    const created = await createSessions(opened)
    return await spanOf(async (share) => {
      await admit(opened, created, callers, Math.round((admissions * share) / callers))
    })
  } finally {
    await opened.close()
    removeFolders(folders)
  }
}

async function spanOf(work: (share: number) => Promise<void>): Promise<Span> {
  await work(warmShare)
  const startNs = nowNs()
  await work(1)
  return { startNs, endNs: nowNs() }
}
