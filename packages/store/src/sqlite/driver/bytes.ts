/** How much a command brings, about. */
import type { Fact } from "@holdfast/schema/event"
import type { BlobWrite, Command } from "../../port.ts"

/** A rough size: it only decides how many commands share a transaction. */
export function bytesOf(command: Command | undefined): number {
  switch (command?.kind) {
    case "admit":
      return command.text.length + rowBytes + blobBytes(command.blobs ?? [])
    case "edit-prompt":
      return command.text.length + rowBytes
    case "checkpoint":
      return command.parts.reduce((sum, part) => sum + part.text.length, rowBytes)
    case "contribute":
      return factBytes(command.fact)
    case "append":
      return command.facts.reduce((sum, fact) => sum + factBytes(fact), blobBytes(command.blobs) + rowBytes)
    case "change-memory":
    case "change-notes":
    case "dream":
      return command.changes.reduce((sum, change) => sum + factBytes(change), rowBytes)
    case "write-vectors":
      return command.vectors.reduce((sum, { vector }) => sum + vector.length * 2, rowBytes)
    case "fork-session":
      return forkStepBytes
    default:
      return rowBytes
  }
}

const rowBytes = 512
const forkStepBytes = 131_072

const blobBytes = (blobs: readonly BlobWrite[]): number =>
  blobs.reduce((sum, blob) => sum + blob.bytes.byteLength, 0)

function factBytes(fact: object): number {
  let bytes = rowBytes
  for (const value of Object.values(fact)) {
    if (typeof value === "string") bytes += value.length
    else if (typeof value === "object" && value !== null) bytes += factBytes(value)
  }
  return bytes
}

/** What of it the index has to read: texts alone, and of the input of a call about as much. */
export function saidBytes(command: Command): number {
  if (command.kind === "admit" || command.kind === "edit-prompt") return command.text.length
  return command.kind === "append" ? command.facts.reduce((sum, fact) => sum + said(fact), 0) : 0
}

function said(fact: Fact): number {
  if (fact.type === "call.settled") return fact.outcome.output.length
  if (fact.type !== "part.recorded") return 0
  return fact.part.type === "text" ? fact.part.text.length : rowBytes
}
