/**
 * The command by which a script asks for the ids of Sessions. It is quiet: a completion that
 * complains would write into the line that is being typed.
 */
export const sessionsCommand = String.raw`_holdfast_program sessions --json --limit 50 "$@" 2>/dev/null | sed -n 's/^{"id":"\(ses_[0-9a-z]*\)".*/\1/p'`

/** The command as the path has it, else as a project has installed it. */
export const programFunction = `_holdfast_program() {
  if command -v holdfast >/dev/null; then holdfast "$@"; else npx --no holdfast "$@"; fi
}`

/** A text in single quotes for a POSIX shell. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
