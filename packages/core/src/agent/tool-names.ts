/**
 * Names of tools as agents, skills and commands give them, also in the words of other programs.
 *
 * A name with an argument, such as `Bash(git diff:*)`, allows a part of a tool there. It is left out:
 * to offer the whole tool would widen it.
 */
const otherNames: Readonly<Record<string, string>> = {
  multiedit: "edit",
  ls: "list",
  todowrite: "todo",
  todoread: "todo",
  askuserquestion: "question",
  agent: "task",
}

export function readToolNames(given: readonly string[], foreign: boolean): readonly string[] {
  const names = given.map((name) => name.trim()).filter((name) => name !== "" && !name.includes("("))
  if (!foreign) return names
  return names.map(
    (name) => otherNames[name.toLowerCase()] ?? (name.startsWith("mcp__") ? name : name.toLowerCase()),
  )
}
