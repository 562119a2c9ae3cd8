/**
 * The contract against the one that was released last: what others rely on is still there (EV1).
 *
 * What breaks them needs a new major in `version.ts`; what is added, a new minor. Then the released
 * document is written anew: `npm run codegen -- --release`.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { OpenApi } from "effect/http-api"
import { expect, test } from "vitest"
import type { Document } from "../../codegen/src/compare/document.ts"
import { incompatibilities, isSameContract } from "../../codegen/src/compare/incompatibilities.ts"
import { HoldfastApi } from "../src/index.ts"

const released = JSON.parse(
  readFileSync(join(import.meta.dirname, "../released/openapi.json"), "utf8"),
) as Document
const now = JSON.parse(JSON.stringify(OpenApi.fromApi(HoldfastApi))) as Document

const [major, minor] = versionOf(now)
const [releasedMajor, releasedMinor] = versionOf(released)

function versionOf({ info }: Document): readonly [major: number, minor: number] {
  const [majorPart, minorPart] = info.version.split(".").map(Number)
  return [majorPart ?? NaN, minorPart ?? NaN]
}

test("[EV1] nothing of the released contract is taken away without a new major", () =>
  expect(major > releasedMajor ? [] : incompatibilities(released, now)).toEqual([]))

test("[EV1] what was added since the release has a version of its own", () => {
  const isHigher = major > releasedMajor || (major === releasedMajor && minor > releasedMinor)
  expect(
    isHigher || isSameContract(released, now),
    "raise the minor of contractVersion; before the first release run `npm run codegen -- --release`",
  ).toBe(true)
})
