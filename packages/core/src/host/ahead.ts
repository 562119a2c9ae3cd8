/** What can begin before the runtime is loaded: it stands on nothing of it. */
export { beginWriterAhead } from "@holdfast/store/thread/begin"
export { dataDirectory } from "../config/directories.ts"
