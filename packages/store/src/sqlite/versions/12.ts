/** Version 12 changes no table: since then the log of a project tells which workspace it is in (WS1). */
import { fresh as before } from "./11.ts"

export const fresh = before

export const upgrade = ""
