/** The names of options, so that a misspelt one is refused and not passed over (CF1). */
import { ConfigurationInvalid } from "@holdfast/schema/error"
import { nearNames } from "@holdfast/schema/near-names"
import type { HoldfastOptions } from "./holdfast.ts"
import type { ServeOptions } from "./serve.ts"

const ofHoldfast = {
  dataDir: true,
  configDir: true,
  directory: true,
  providers: true,
  reserve: true,
  models: true,
  model: true,
  fallback: true,
  onRestart: true,
  budget: true,
  continues: true,
  onConfigurationFault: true,
  onConfigurationWarning: true,
  allow: true,
  environment: true,
} as const satisfies Record<keyof HoldfastOptions, true>

const ofServer = {
  ...ofHoldfast,
  token: true,
  port: true,
  host: true,
  allowedHosts: true,
  allowedOrigins: true,
  onDefect: true,
  onRequest: true,
  onEvent: true,
} as const satisfies Record<keyof ServeOptions, true>

const known = { openHoldfast: ofHoldfast, serveHoldfast: ofServer }

/** Throws where there is no such option. */
export function checkOptions(opener: keyof typeof known, options: object): void {
  const names = Object.keys(known[opener])
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const [near] = nearNames(unknown, names)
  const advice = near === undefined ? `There are ${names.join(", ")}.` : `Did you mean "${near}"?`
  throw new ConfigurationInvalid({
    file: `${opener}(…)`,
    line: 0,
    message: `${opener} has no option "${unknown}". ${advice}`,
  })
}
