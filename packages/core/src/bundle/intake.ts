/**
 * Takes a bundle in, piece by piece: expands it, checks every line, and stages what was checked (ST4).
 *
 * Nothing of the store changes here, and memory holds one line at most. A bundle that expands to more
 * than it may, or to a line without an end, is refused on the way and not at its end.
 */
import { Effect } from "effect"
import { createGunzip, type Gunzip } from "node:zlib"
import { BundleRefused, type StoreFailure } from "@holdfast/schema/error"
import { bundleBytesMax, lineBytesMax, readLine } from "@holdfast/schema/bundle/line"
import type { StagedFile } from "@holdfast/store/port"
import { storeFailureOf } from "@holdfast/store/reply"
import { type CheckedBundle, type Fault, makeChecker } from "./check.ts"

export interface Intake {
  /** Fails with BundleRefused or StoreFailure; then the rest need not come. */
  readonly push: (bytes: Uint8Array) => Effect.Effect<void, IntakeFailure>
  readonly end: () => Effect.Effect<CheckedBundle, IntakeFailure>
  readonly staged: StagedFile
}

export interface IntakeLimits {
  readonly bytesMax: number
  readonly lineBytesMax: number
}

const limitsDefault: IntakeLimits = { bytesMax: bundleBytesMax, lineBytesMax }

/** Whoever opens the staged file closes it. */
export function makeIntake(staged: StagedFile, limits = limitsDefault): Intake {
  const lines = makeLines(staged, limits)
  let first: Buffer = Buffer.alloc(0)
  let gunzip: Expander | null = null
  let isKnown = false

  const pass = (bytes: Uint8Array): Effect.Effect<void, IntakeFailure> =>
    gunzip !== null
      ? waited(gunzip.write(bytes))
      : Effect.try({
          try: () => lines.take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
          catch: failureOf,
        })
  return {
    staged,
    push: (bytes) =>
      Effect.suspend(() => {
        if (isKnown) return pass(bytes)
        first = Buffer.concat([first, bytes])
        if (first.length < gzipMark.length) return Effect.void
        isKnown = true
        if (first.subarray(0, gzipMark.length).equals(gzipMark)) gunzip = makeExpander(lines.take)
        return pass(first)
      }),
    end: () =>
      Effect.andThen(
        Effect.suspend(() => (gunzip === null ? Effect.void : waited(gunzip.end()))),
        Effect.try({ try: lines.end, catch: failureOf }),
      ),
  }
}

export type IntakeFailure = BundleRefused | StoreFailure

/** Nothing else is thrown by what takes lines in. */
const failureOf = (cause: unknown): IntakeFailure => cause as IntakeFailure

const waited = (done: Promise<void>): Effect.Effect<void, IntakeFailure> =>
  Effect.tryPromise({ try: () => done, catch: failureOf })

const gzipMark = Buffer.from([0x1f, 0x8b])

interface Expander {
  readonly write: (bytes: Uint8Array) => Promise<void>
  readonly end: () => Promise<void>
}

function makeExpander(take: (bytes: Buffer) => void): Expander {
  const gunzip: Gunzip = createGunzip()
  let fault: unknown = null
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  const fail = (cause: unknown): void => {
    fault ??= cause
    gunzip.destroy()
    failed.reject(fault)
  }
  gunzip.on("data", (chunk: Buffer) => {
    if (fault !== null) return
    try {
      take(chunk)
    } catch (cause) {
      fail(cause)
    }
  })
  gunzip.on("error", () =>
    fail(refusal({ code: "damaged", problem: "cannot be expanded any further" }, null)),
  )
  return {
    write: (bytes) =>
      Promise.race([
        failed.promise,
        new Promise<void>((resolve) => void gunzip.write(bytes, () => resolve())),
      ]).then(() => (fault === null ? undefined : failed.promise)),
    end: () =>
      Promise.race([failed.promise, new Promise<void>((resolve) => void gunzip.once("end", resolve).end())]),
  }
}

function makeLines(staged: StagedFile, limits: IntakeLimits) {
  const checker = makeChecker()
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let parts: Buffer[] = []
  let length = 0
  let total = 0
  let count = 0

  const takeLine = (bytes: Buffer): void => {
    count += 1
    const line = readLine(decoded(bytes))
    if (typeof line === "string") throw refusal(faultOf(line), count)
    const fault = checker.take(line, bytes)
    if (fault !== null) throw refusal(fault, count)
    try {
      staged.append(bytes)
    } catch (cause) {
      throw storeFailureOf(cause)
    }
  }
  const decoded = (bytes: Buffer): string => {
    try {
      return decoder.decode(bytes.subarray(0, -1))
    } catch {
      // Only bytes that are not UTF-8 throw here.
      throw refusal({ code: "damaged", problem: "is not UTF-8" }, count)
    }
  }
  return {
    take: (bytes: Buffer): void => {
      total += bytes.length
      if (total > limits.bytesMax)
        throw refusal({ code: "too_large", problem: `is behind ${limits.bytesMax} bytes` }, count + 1)
      for (let begin = 0; begin < bytes.length;) {
        const end = bytes.indexOf(0x0a, begin) + 1
        const part = bytes.subarray(begin, end === 0 ? bytes.length : end)
        length += part.length
        if (length > limits.lineBytesMax)
          throw refusal(
            { code: "too_large", problem: `is longer than ${limits.lineBytesMax} bytes` },
            count + 1,
          )
        begin += part.length
        if (end === 0) {
          parts.push(Buffer.from(part)) // what it is a part of may be used again
          continue
        }
        const line = parts.length === 0 ? part : Buffer.concat([...parts, part])
        parts = []
        length = 0
        takeLine(line)
      }
    },
    end: (): CheckedBundle => {
      const whole = length === 0 ? checker.whole() : null
      if (whole === null)
        throw refusal({ code: "damaged", problem: "is missing: the bundle is cut off" }, count + 1)
      return whole
    },
  }
}

/** A later version says so in its first line. */
const faultOf = (problem: string): Fault => ({
  code: problem.startsWith("is of version") ? "newer" : "damaged",
  problem,
})

function refusal({ code, problem }: Fault, line: number | null): BundleRefused {
  const where = line === null ? "The bundle" : `Line ${line} of the bundle`
  const advice = code === "newer" ? " Update Holdfast, then import again." : ""
  return new BundleRefused({ code, message: `${where} ${problem}. Nothing was imported.${advice}` })
}
