/**
 * Known version: a file is changed only as the Session knows it.
 *
 * If it is another one than the Session read or left last, the change is refused and the
 * difference shown, so that nobody's work is overwritten unseen. What is known stands in the log of
 * the Session, so this holds after a restart too.
 */
import { Effect } from "effect"
import { ToolFailure, type ToolContext } from "../tool.ts"
import { decodeText } from "./file-text.ts"
import { lineDiff } from "./line-diff.ts"
import { hashOf, type KnownFile } from "./record.ts"
import type { StoredFile } from "./stored-file.ts"
import type { LocationPath } from "../location-path.ts"

/** Fails where the file is not the version that the Session knows. `whole` is for changes that need to know it at all. */
export const checkKnown = Effect.fnUntraced(function* (
  target: LocationPath,
  stored: StoredFile | null,
  { files }: Pick<ToolContext, "files">,
  { whole }: { readonly whole: boolean },
): Effect.fn.Return<void, ToolFailure> {
  const known = files.known(target.absolute)
  if (stored === null) return
  if (known === null && whole) {
    return yield* new ToolFailure({
      code: "not_read",
      message: `${target.shown} exists and this Session has not read it. Read it first, then write it, or change a part of it with edit.`,
    })
  }
  if (known === null || known.hash === hashOf(stored.bytes)) return
  return yield* changed(target.shown, stored, known)
})

const changed = Effect.fnUntraced(function* (shown: string, stored: StoredFile, known: KnownFile) {
  if (known.hash === null) {
    return yield* new ToolFailure({
      code: "changed_since_read",
      message: `${shown} was removed by this Session and is there again, so it was not changed. Read it first.`,
    })
  }
  const before = yield* known.text
  const now = decodeText(stored.bytes)
  const difference = before === null || now === null ? "" : lineDiff(plainLines(before), plainLines(now.text))
  return yield* new ToolFailure({
    code: "changed_since_read",
    message:
      `${shown} was changed by somebody else since this Session read or wrote it last, so it was left as it is. Read it again before you change it.` +
      (difference === "" ? "" : `\nWhat changed:\n${difference}`),
  })
})

/** As read shows them, which tells neither line ends nor whether the last line has one. */
const plainLines = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n$/, "")
