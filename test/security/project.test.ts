/** Malicious files of a project, and what is in the environment: each in a place of its own. */
import { expect, test } from "vitest"
import { planted, projectAttacks } from "./attacks/project.ts"
import { openPlace, secret } from "./place.ts"

test.concurrent.each(projectAttacks)(
  "[PE1 TL6 CF1] $name gives a project nothing that it may not have",
  async ({ call, state, says, ...options }) => {
    await using place = await openPlace({ allow: [], ...options })
    const [end] = await place.attack([call])
    expect([end?.state, end?.output]).toEqual([state, expect.stringMatching(says)])
    expect(await place.harm()).toEqual([])
    expect(place.sent().includes(secret)).toBe(false)
    if (options.agent !== "helper") expect(place.sent().includes(planted)).toBe(false)
  },
)
