/** Version 13 changes no table: since then the log of a project tells what was said from a directory that shares it (MM1). */
import { fresh as before } from "./12.ts"

export const fresh = before

export const upgrade = ""
