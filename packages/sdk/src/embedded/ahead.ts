/** What a program can begin before it loads the rest: opening Holdfast then waits less. */
export { beginWriterAhead, dataDirectory } from "@holdfast/core/host/ahead"
