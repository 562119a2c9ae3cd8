/** The table of read-only commands; how it is read stands in read-only.ts. */

export interface ReadOnlyCommand {
  /** Letters that may stand behind one dash. */
  readonly letters?: string
  /** Options by their whole name, with or without a value behind `=`. */
  readonly options?: readonly string[]
  /**
   * What its other words are: `text` that is not read from a file; `anything`, for they are only
   * printed; `names` of which no more is told than that they are there; `contents`, files that are
   * shown; `revisions` of Git, and paths.
   */
  readonly words: "text" | "anything" | "names" | "contents" | "revisions"
  /** How many of its first words are no paths, such as the pattern of grep. */
  readonly leading?: number
  /** How many words it takes at most, because a further one would be written to; at least none unless said. */
  readonly wordsMax?: number
  readonly wordsMin?: number
  /** What every other word must look like, where only some are harmless. */
  readonly form?: RegExp
}

type Table = Readonly<Record<string, ReadOnlyCommand>>

const digits = "0123456789"

const takes =
  (words: ReadOnlyCommand["words"]) =>
  (letters = "", options = "--"): ReadOnlyCommand => ({ words, letters, options: options.split(" ") })

const text = takes("text")
const names = takes("names")
const contents = takes("contents")
const revisions = takes("revisions")

const comparisons = "abcdefghklnopqrstuwxzLNOSG"

const findOptions = [
  "-name -iname -path -ipath -regex -iregex -type -size -empty -perm -maxdepth -mindepth -depth -prune",
  "-mount -xdev -print -print0 -quit -not -and -or -a -o -mtime -mmin -ctime -cmin -newer -user -group",
].join(" ")

/** None with an option that follows links below a folder: they may lead out of the project. */
export const readOnlyCommands: Table = {
  ":": text(),
  "[": names(comparisons),
  basename: text("asz"),
  cat: contents("AbEenstTuv", "--number --show-all"),
  cd: names("LP"),
  cmp: { ...contents("bls"), wordsMax: 2 },
  cut: contents(`bcdfsnz,:;|${digits}`, "--fields --delimiter --bytes --characters --complement"),
  date: { ...text("uIR"), form: /^\+/ },
  df: names("ahHiklPT"),
  dirname: text("z"),
  du: names(`abcdhkmsSx${digits}`, "--max-depth --summarize --human-readable"),
  echo: { ...text("neE"), words: "anything" },
  false: text(),
  file: contents("biLks"),
  find: names("", findOptions),
  grep: {
    ...contents(`EFGPivwxcnlLoqshHbyazABCm${digits}`, "--color --colour --count --ignore-case"),
    leading: 1,
  },
  head: contents(`cnqvz${digits}`, "--lines --bytes --quiet"),
  id: { ...text("gGnru"), wordsMax: 0 },
  ls: names(
    "aAbBcCdFghiIklmnNopqQrRsStTuUvwxXZ1",
    "--all --almost-all --color --human-readable --sort --group-directories-first",
  ),
  nl: contents("abdfhilnpsvw"),
  printf: text(),
  pwd: text("LP"),
  readlink: names("efmnqsvz"),
  realpath: names("eLmPqsz", "--relative-to --relative-base"),
  rev: contents(),
  seq: text("fsw"),
  sort: contents(`bcCdfghiMnkrRstuVz,.:|${digits}`, "--reverse --numeric-sort --unique --key"),
  stat: names("cfLt", "--format --printf --terse"),
  tac: contents("brs"),
  tail: contents(`cnqvz${digits}`, "--lines --bytes --quiet"),
  test: names(comparisons),
  tr: text("cCdst"),
  tree: names(`adfipsugDFrtLIPC${digits}`, "--dirsfirst --noreport --gitignore"),
  true: text(),
  type: text("afptP"),
  uname: text("amnoprsv"),
  uniq: { ...contents(`cdDfiswu${digits}`), wordsMax: 1 },
  wc: contents("clLmw", "--lines --words --bytes --chars"),
  which: text("as"),
  whoami: text(),
}

const logOptions = [
  "--oneline --graph --all --branches --tags --remotes --decorate --no-decorate --format --pretty --date",
  "--abbrev-commit --author --committer --grep --since --until --after --before --max-count --skip",
  "--reverse --follow --merges --no-merges --first-parent --topo-order --date-order --left-right",
].join(" ")

const diffOptions = [
  "--stat --shortstat --numstat --summary --name-only --name-status --cached --staged --patch --no-patch",
  "--color --no-color --word-diff --unified --minimal --diff-filter --find-renames --ignore-all-space",
  "--ignore-space-change --check --quiet --no-ext-diff --no-textconv --exit-code --no-renames --raw",
].join(" ")

/** Of Git, by the word behind `git`. Options that stand before it are taken apart in wrappers.ts. */
export const gitCommands: Table = {
  blame: revisions(`belLnpstwCM,${digits}`, "--show-email --date --porcelain --line-porcelain"),
  branch: { ...revisions("arvl", "--all --remotes --verbose --list --show-current"), wordsMax: 0 },
  describe: revisions("", "--tags --all --always --dirty --long --abbrev --exact-match"),
  diff: revisions(`pswbuRMU${digits}`, diffOptions),
  log: revisions(`pnsiEFSGLMwb${digits}`, `${logOptions} ${diffOptions}`),
  "ls-files": revisions("cdmoistuvz", "--cached --deleted --modified --others --exclude-standard --stage"),
  "ls-tree": revisions("drltz", "--name-only --full-tree --long"),
  "merge-base": revisions("a", "--all --is-ancestor --fork-point"),
  reflog: { ...revisions(`n${digits}`), wordsMax: 0 },
  remote: { ...revisions("v", "--verbose"), wordsMax: 0 },
  "rev-list": revisions(`n${digits}`, "--count --all --max-count --since --until"),
  "rev-parse": revisions(
    "",
    "--show-toplevel --abbrev-ref --short --verify --is-inside-work-tree --git-dir --symbolic-full-name",
  ),
  shortlog: revisions("sen", "--summary --numbered --email"),
  show: revisions(`psqwbMU${digits}`, `${logOptions} ${diffOptions}`),
  stash: { ...revisions(), wordsMin: 1, wordsMax: 1, form: /^list$/ },
  status: revisions("sbuvz", "--short --branch --porcelain --untracked-files --ignored --long"),
  tag: { ...revisions(`ln${digits}`, "--list --sort"), wordsMax: 0 },
}
