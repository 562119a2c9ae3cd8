/** Where the record of a running server lies; who only looks whether there is one needs no more. */
import { join } from "node:path"

export const recordFile = (dataDirectory: string): string => join(dataDirectory, "server.json")
