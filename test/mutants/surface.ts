/** Lies about the way in: callers, cursors. */
import { type Mutant, tests } from "./mutant.ts"

const caller = tests("packages/server/test/caller.test.ts")
const page = tests("packages/server/test/page.test.ts")

export const surfaceMutants: readonly Mutant[] = [
  {
    name: "any port of the same host",
    rules: ["AU1"],
    file: "packages/server/src/caller.ts",
    find: "origin !== `http://${host}` && origin !== `https://${host}`",
    replace: 'URL.parse(origin)?.hostname !== host.replace(/:[0-9]+$/, "")',
    run: caller,
  },
  {
    name: "a Host that begins like a loopback name",
    rules: ["AU1"],
    file: "packages/server/src/caller.ts",
    find: "/^(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]{1,5})?$/",
    replace: "/^(localhost|127\\.0\\.0\\.1|\\[::1\\])/",
    run: caller,
  },
  {
    name: "a cursor of another Session",
    rules: ["PG1"],
    file: "packages/server/src/page.ts",
    find: "if (place.list !== list || place.session !== session) {",
    replace: "if (place.list !== list) {",
    run: page,
  },
  {
    name: "a cursor that anybody can make",
    rules: ["PG1"],
    file: "packages/server/src/cursor.ts",
    find: "      if (!timingSafeEqual(given, mac(body))) return null\n",
    replace: "      if (given.length !== mac(body).length) return null\n",
    run: page,
  },
]
