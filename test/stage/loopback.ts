/**
 * A folder of its own with a project in it, and a provider on loopback that its configuration names:
 * for tests that open the product as its users do.
 */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { listen, type ProviderSim } from "@holdfast/provider-sim"

export interface LoopbackOptions {
  /** The provider; it may keep files of its own below the root. */
  readonly sim: (root: string) => ProviderSim
  /** As the configuration calls the provider. */
  readonly provider?: string
  readonly wire?: string
  /** What the configuration says of each model; the first is the one that is asked. */
  readonly models?: Readonly<Record<string, object>>
  /** What the configuration says of the provider besides. */
  readonly more?: object
}

export interface Loopback extends AsyncDisposable {
  /** Canonical. */
  readonly root: string
  readonly project: string
  /** What a configuration file says. */
  readonly settings: {
    readonly providers: Readonly<Record<string, ProviderSettings>>
    readonly model: string
  }
  /** Writes a file, by its path from the root. */
  readonly write: (path: string, content: string | Uint8Array) => Promise<void>
}

interface ProviderSettings {
  readonly wire: "anthropic-messages"
  readonly baseUrl: string
  readonly models: Readonly<Record<string, { readonly limit: typeof limit }>>
}

const limit = { context: 200_000, output: 8_192 }
const readme = "# Greeter\n\nPrints a greeting.\n"

export async function openLoopback(name: string, options: LoopbackOptions): Promise<Loopback> {
  const {
    sim,
    provider = "offline",
    wire = "anthropic-messages",
    models = { agent: {} },
    more = {},
  } = options
  const root = await realpath(await mkdtemp(join(tmpdir(), `holdfast-${name}-`)))
  const { url: baseUrl, close } = await listen(sim(root))
  const known = Object.fromEntries(
    Object.entries(models).map(([model, facts]) => [model, { limit, ...facts }]),
  )
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  await write("project/README.md", readme)
  return {
    root,
    project: join(root, "project"),
    // Only the wires that a caller names have other settings, and those are read from a file.
    settings: {
      providers: { [provider]: { wire: wire as "anthropic-messages", baseUrl, ...more, models: known } },
      model: `${provider}/${Object.keys(models)[0]}`,
    },
    write,
    [Symbol.asyncDispose]: async () => {
      await close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
