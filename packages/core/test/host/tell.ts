/** Everything that a host tells about one prompt, and the bytes that it leaves behind. */
import { mkdtemp, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { expect } from "vitest"
import { useHost } from "../../../../test/stage/host.ts"

/** `root` holds the project and the configuration, which is as `file` says. */
export async function tell(
  root: string,
  file: object,
  environment: Record<string, string | undefined>,
  prompt: string,
) {
  const dataDirectory = await mkdtemp(join(root, "data-"))
  const given = { root, configDirectory: root, settings: file, dataDirectory, environment }
  const told = await useHost(given, (host) =>
    Effect.gen(function* () {
      const live: unknown[] = []
      host.live.subscribe((event) => live.push(event))
      const session = yield* host.create({ directory: root })
      const { id } = session
      yield* host.prompt({ sessionID: id, text: prompt })
      return {
        result: yield* host.result(id),
        turns: yield* host.turns(id),
        verified: yield* host.verify(id),
        events: yield* host.events(id, 0, 1_000, false),
        rest: [
          live,
          session,
          yield* host.configuration(root),
          yield* host.get(id),
          yield* host.messages(id, { afterSeq: 0, limit: 1_000, system: true }),
          yield* host.context(id),
          yield* host.request(id),
          yield* Effect.result(host.model(null)),
          yield* host.health(),
        ],
      }
    }),
  )
  const files = await readdir(dataDirectory, { recursive: true, withFileTypes: true })
  const bytes = await Promise.all(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), "latin1")),
  )
  expect(bytes.length).toBeGreaterThan(0)
  return { ...told, everything: `${JSON.stringify(told)} ${bytes.join(" ")}` }
}
