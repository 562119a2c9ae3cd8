/** `holdfast memory adopt` and `separate`: whose memory a directory has (MM1). */
import { resolve } from "node:path"
import { isMemoryRefused, type ProjectInfo } from "@holdfast/sdk"
import { count } from "../figures.ts"
import { pasteable, quoted } from "../hint.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { type PlacedOptions, refuseInCalls, withProject } from "./options.ts"

export async function adoptMemory(
  terminal: Terminal,
  options: PlacedOptions & { readonly from?: string },
): Promise<number> {
  await refuseInCalls(terminal)
  return withProject(terminal, options, async (holdfast, directory) => {
    const { copyOf, shares, root } = await holdfast.memories.project({ directory })
    const [only, ...more] = copyOf
    const from = options.from === undefined ? only : resolve(terminal.directory, options.from)
    if (from === undefined && shares !== null)
      throw new UsageError(
        `${printable(root)} shares the memory of ${shares} already. To share another, name its directory with --from; to part: holdfast memory separate`,
      )
    if (from === undefined || (options.from === undefined && more.length > 0))
      throw new UsageError(
        copyOf.length === 0
          ? "Nothing says that this directory is a copy. Name the other directory with --from."
          : `It may be a copy of ${copyOf.join(", ")}. Name one of them with --from.`,
      )
    const info = await holdfast.memories.share({ directory, shares: from }).catch((failure: unknown) => {
      // What is not there is named as any other unknown name is.
      if (isMemoryRefused(failure) && failure.code === "no-project") throw new UsageError(failure.message)
      throw failure
    })
    tell(terminal, options, info, `shares the memory of ${from}`)
  })
}

export async function separateMemory(
  terminal: Terminal,
  options: PlacedOptions & { readonly bare?: boolean },
): Promise<number> {
  await refuseInCalls(terminal)
  const { bare = false } = options
  return withProject(terminal, options, async (holdfast, directory) => {
    const { shares } = await holdfast.memories.project({ directory })
    const info = await holdfast.memories.share({ directory, shares: null, ...(bare && { bare }) })
    tell(terminal, options, info, "has a memory of its own")
    if (shares !== null && info.parted === undefined)
      terminal.complain(
        pasteable(
          `What was said from here stays in ${printable(shares)}: an earlier version of Holdfast did not record it. Look there with: holdfast memory list --dir ${quoted(shares)}`,
          options,
        ),
      )
  })
}

const tell = (terminal: Terminal, { json }: PlacedOptions, info: ProjectInfo, what: string): void =>
  terminal.write(
    json === true
      ? `${JSON.stringify(info)}\n`
      : `${printable(info.root)} ${printable(what)}: ${count(info.active)} known.\n${partedText(info)}`,
  )

function partedText({ parted }: ProjectInfo): string {
  if (parted === undefined) return ""
  const { taken, from, archived } = parted
  const left =
    archived === 0
      ? "Nothing had to be archived there."
      : `There ${count(archived)} said from here alone ${archived === 1 ? "is" : "are"} archived.`
  return `It took ${count(taken)} along from ${printable(from)}. ${left}\n`
}
