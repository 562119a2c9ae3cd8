/** Credentials whose secrets are masked from the moment they are read (AU1). */
import { Effect } from "effect"
import { type Credential, secretsOf } from "../config/credentials/credential.ts"
import type { Credentials } from "../config/credentials/credentials.ts"
import type { ProviderSettings } from "../config/settings.ts"
import type { LearningMasks } from "./masks.ts"

export function learnCredentials(
  credentials: Credentials,
  { learn }: Pick<LearningMasks, "learn">,
): Credentials {
  const learned = (credential: Credential | null) => Effect.sync(() => learn(secretsOf(credential)))
  return {
    read: (key, purpose) => Effect.tap(credentials.read(key, purpose), learned),
    renew: (key, refused) => Effect.tap(credentials.renew(key, refused), learned),
  }
}

/** Reads what can be read without running a command, so that it is hidden before any turn needs it. */
export const readAhead = (
  credentials: Credentials,
  providers: Iterable<ProviderSettings>,
): Effect.Effect<void> =>
  Effect.forEach(providers, ({ key }) => Effect.ignore(credentials.read(key, "describe")), { discard: true })
