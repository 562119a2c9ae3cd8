/** The name of the file, beside its target, that holds new content until it takes the target's place. */
import { hash } from "node:crypto"

/** Made from the call, so that what a killed one left behind is found again. */
export const temporaryName = (callId: string, path: string): string =>
  `.holdfast-${hash("sha256", `${callId}\0${path}`).slice(0, 24)}.tmp`
