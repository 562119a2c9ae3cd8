/**
 * Refuses a command whose facts nobody could read back: such a row would block its Session for
 * ever, and no later program could mend it (ST3).
 *
 * On the calling side of a commit, because the writer thread loads no schema. Checking a fact takes
 * one to ten microseconds, about what making JSON of it takes.
 */
import type { StoreFailure } from "@holdfast/schema/error"
import { type Fact, isReadable } from "@holdfast/schema/event"
import { type DreamFact, isDreamShape } from "@holdfast/schema/memory/dream"
import { isMemoryChange } from "@holdfast/schema/memory/memory"
import { isSmartNoteChange } from "@holdfast/schema/memory/note"
import { isWorkspaceShape } from "@holdfast/schema/memory/workspace-fact"
import { admissionOf } from "./admission.ts"
import { CommandRefused } from "./failure.ts"
import type { Command } from "./port.ts"
import { storeFailureOf } from "./reply.ts"
import type { ChangeWorkspace } from "./workspace.ts"

/** Why the command cannot be taken, or null. */
export function findUnreadable(command: Command): StoreFailure | null {
  if (!dreamFactsOf(command).every((fact) => isDreamShape(fact)))
    return storeFailureOf(new CommandRefused("a fact of the dreamer of this shape could not be read again"))
  if (
    (command.kind === "change-memory" || command.kind === "dream") &&
    !command.changes.every((change) => isMemoryChange(change))
  )
    return storeFailureOf(new CommandRefused("a change of memory of this shape could not be read again"))
  if (command.kind === "change-workspace" && !isWorkspaceChange(command))
    return storeFailureOf(new CommandRefused("a change of workspaces of this shape could not be read again"))
  if (command.kind === "change-notes" && !command.changes.every((change) => isSmartNoteChange(change)))
    return storeFailureOf(new CommandRefused("a change of notes of this shape could not be read again"))
  for (const fact of factsOf(command)) {
    if (!isReadable(fact))
      return storeFailureOf(new CommandRefused(`a ${fact.type} of this shape could not be read again`))
  }
  return null
}

/** What the logs of its members are told (WS1). */
const isWorkspaceChange = ({ name: workspace, change }: ChangeWorkspace): boolean =>
  isWorkspaceShape({
    type: "workspace.joined",
    source: { by: "person", session: null, messages: [] },
    workspace,
    categories: "categories" in change ? change.categories : [],
  })

function dreamFactsOf(command: Command): readonly DreamFact[] {
  if (command.kind === "change-memory") return command.takenBack?.facts ?? []
  return command.kind === "dream" && command.fact !== null ? [command.fact] : []
}

/** What the command would write to the log of a Session, as far as it comes from its sender. */
function factsOf(command: Command): readonly Fact[] {
  switch (command.kind) {
    case "create-session":
    case "settle-job":
      return [command.fact]
    case "contribute":
      return [command.fact, ...(command.raises ?? [])]
    case "fork-session":
      return [
        { type: "session.updated", title: command.title },
        { type: "prompt.cancelled", prompt: command.prompts },
      ]
    case "open-location":
    case "move-session":
      return [{ type: "session.moved", location: command.location }]
    case "append":
      return command.facts
    case "admit":
      return [admissionOf(command)]
    case "edit-prompt":
      return [{ type: "prompt.edited", prompt: command.prompt, text: command.text }]
    case "cancel-prompt":
      return [{ type: "prompt.cancelled", prompt: command.prompt }]
    // Nothing to the log of a Session, nothing of their sender, or what was checked when it was staged.
    case "import-session":
    case "delete-session":
    case "interrupt":
    case "acquire":
    case "renew":
    case "release":
    case "checkpoint":
    case "surface-notes":
    case "change-memory":
    case "dream":
    case "change-notes":
    case "change-workspace":
    case "move-project":
    case "mark-project":
    case "ask-project":
    case "settle-project":
    case "join-project":
    case "use-memory":
    case "acquire-named":
    case "renew-named":
    case "release-named":
    case "index-words":
    case "ask-embedding":
    case "write-vectors":
    case "write-commits":
      return []
  }
}
