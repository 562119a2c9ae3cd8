/** The version of this program, from its manifest; sources and bundle lie beside it alike. */
import { readFileSync } from "node:fs"

export const version = (): string =>
  (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
    .version
