/** Lies about what tools do to files. */
import { type Mutant, tests } from "./mutant.ts"

const match = tests("packages/core/test/tools/edit/match.test.ts")
const edit = tests("packages/core/test/tools/edit/edit.test.ts")
const patch = tests("packages/core/test/tools/patch/apply-patch.test.ts")
const directories = tests("packages/core/test/tools/file/opened-directory.test.ts")
const fit = tests("packages/core/test/tools/patch/fit.test.ts")
const outputs = tests("packages/core/test/tools/output/managed-output.test.ts")
const sink = tests("packages/core/test/tools/output-sink.test.ts")
const plans = tests("test/session/effects/plans.test.ts")

export const fileMutants: readonly Mutant[] = [
  {
    name: "an edit at the first of several places",
    rules: ["TL1"],
    file: "packages/core/src/tools/edit/match.ts",
    find: "if (places.length === 1 || (wanted.all && exactly))",
    replace: "if (places.length >= 1 || (wanted.all && exactly))",
    run: match,
  },
  {
    name: "a replacement that is a pattern",
    rules: ["TL1"],
    file: "packages/core/src/tools/edit/match.ts",
    find: "pieces.push(text.slice(from, start), replacement)",
    replace: 'pieces.push(text.slice(from, start), "x".replace("x", replacement))',
    run: match,
  },
  {
    name: "blanks forgiven in the middle of a line",
    rules: ["TL1"],
    file: "packages/core/src/tools/edit/match.ts",
    find: 'const ends = !old.open || after === file.text.length || file.text[after] === "\\n"',
    replace: "const ends = true",
    run: match,
  },
  {
    name: "line ends of the model in the file",
    rules: ["TL1"],
    file: "packages/core/src/tools/edit/edit.ts",
    find: "replacement: withLineEnd(words, file.lineEnd),",
    replace: "replacement: words,",
    run: edit,
  },
  {
    name: "a file overwritten that nobody has read",
    rules: ["TL1"],
    file: "packages/core/src/tools/file/known-version.ts",
    find: "if (known === null && whole) {",
    replace: "if (known === null && whole && stored.bytes.length === 0) {",
    run: edit,
  },
  {
    name: "somebody else's change overwritten",
    rules: ["TL5"],
    file: "packages/core/src/tools/file/known-version.ts",
    find: "if (known === null || known.hash === hashOf(stored.bytes)) return",
    replace: "if (known?.hash !== null || known.hash === hashOf(stored.bytes)) return",
    run: edit,
  },
  {
    name: "a change of the last moment overwritten",
    rules: ["TL5"],
    file: "packages/core/src/tools/file/stored-file.ts",
    find: "if (!(await isUnchanged(target, source === undefined ? stored : null))) throw new ChangedMeanwhile()",
    replace: "",
    run: edit,
  },
  {
    name: "a link opened as a directory",
    rules: ["PE2"],
    file: "packages/core/src/tools/file/opened-directory.ts",
    find: " | (constants.O_NOFOLLOW ?? 0)",
    replace: "",
    run: directories,
  },
  {
    name: "a path used again behind the directory that was opened",
    rules: ["PE2"],
    file: "packages/core/src/tools/file/opened-directory.ts",
    find: "canName ? `/proc/self/fd/${handle.fd}/${name}` : join(path, name)",
    replace: "handle.fd < 0 ? name : join(path, name)",
    run: directories,
  },
  {
    name: "files changed before the plan is on record",
    rules: ["DR4"],
    file: "packages/core/src/tools/file/stored-file.ts",
    find: "      yield* files.plan(changes)\n",
    replace: "",
    run: edit,
  },
  {
    name: "a patch applied as far as it fits",
    rules: ["TL1"],
    file: "packages/core/src/tools/patch/apply-patch.ts",
    find: "    planned.push(plan)\n",
    replace: "    planned.push(plan)\n    yield* applyChanges([plan.change], context)\n",
    run: patch,
  },
  {
    name: "a hunk at the first of several places",
    rules: ["TL1"],
    file: "packages/core/src/tools/patch/fit.ts",
    find: "if (starts.length > 1 && hunk.above.length === 0) {",
    replace: "if (starts.length > 1 && hunk.above.length > 9) {",
    run: fit,
  },
  {
    name: "a killed call that is said to have changed everything",
    rules: ["DR4", "TL5"],
    file: "packages/core/src/session/effects/judge-plan.ts",
    find: 'if (now === after && source === null) return "changed"',
    replace: 'if (source === null) return "changed"',
    run: plans,
  },
  {
    name: "effects of an interrupted call forgotten",
    rules: ["TL5"],
    file: "packages/core/src/tools/registry.ts",
    find: "  files.effects.length + files.seen.length === 0 ? settlement",
    replace:
      '  files.effects.length + files.seen.length === 0 || settlement.state === "interrupted" ? settlement',
    run: plans,
  },
  {
    name: "files known only to the process that read them",
    rules: ["TL5"],
    file: "packages/schema/src/state/items.ts",
    find: "    : { marks: files, ends,",
    replace: "    : { marks: files.slice(1), ends,",
    run: plans,
  },
  {
    name: "an output whose ends alone are stored",
    rules: ["TO3", "TO8"],
    file: "packages/core/src/tools/output/bounded-settlement.ts",
    find: "if (live !== null && afterOutput !== undefined) {",
    replace: "if (live === null && afterOutput !== undefined && output !== null) {",
    run: outputs,
  },
  {
    name: "a call that fails with its file",
    rules: ["TO4"],
    file: "packages/core/src/tools/output/bounded-settlement.ts",
    find: "lossy: true }",
    replace: "lossy: undefined as unknown as true }",
    run: outputs,
  },
  {
    name: "live output without an end",
    rules: ["TO5"],
    file: "packages/core/src/tools/output-sink.ts",
    find: "room -= told.length",
    replace: "room -= 0",
    run: sink,
  },
  {
    name: "half a path in a preview",
    rules: ["TO6"],
    file: "packages/core/src/tools/output/json-preview.ts",
    find: "if (text.length <= units || isPath(text)) return text",
    replace: "if (text.length <= units) return text",
    run: outputs,
  },
  {
    name: "files swept before their time",
    rules: ["TO7"],
    file: "packages/core/src/tools/output/output-store.ts",
    find: ".mtimeMs < oldest)",
    replace: ".mtimeMs > 0 * oldest)",
    run: outputs,
  },
  {
    name: "a part that is called complete",
    rules: ["TO8"],
    file: "packages/core/src/tools/output/bounded-settlement.ts",
    find: "const complete = whole && end.whole",
    replace: "const complete = end.whole",
    run: outputs,
  },
]
