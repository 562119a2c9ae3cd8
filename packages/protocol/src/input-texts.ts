/** What the OpenAPI document says of parameters and fields of payloads, by name: each means the same everywhere. */
import { filePieceBytesMax } from "@holdfast/schema/location"
import { foundDefault, foundMax } from "@holdfast/schema/search/bounds"
import { pageSizeDefault, pageSizeMax } from "@holdfast/schema/page"

export interface InputText {
  readonly description: string
  /** In place of what the codec says: in a query every value is a string to it. */
  readonly schema?: Readonly<Record<string, unknown>>
}

const whole = (minimum: number) => ({ type: "integer", minimum })

/** Parameters and fields of payloads, by name. */
export const inputTexts: Readonly<Record<string, InputText>> = {
  sessionID: { description: "Id of the Session, as `ses_…`." },
  memoryID: { description: "Id of the memory in its project, as `m12`." },
  memoryIDs: { description: "Ids of memories, as `m12`: two or more." },
  workspace: { description: "Name of the workspace." },
  categories: {
    description:
      "Categories of memory that the projects of the workspace share; `CONSTRAINTS` for a new one unless given.",
  },
  noteID: { description: "Id of the note: `n12` of a Session, `s12` of a project." },
  status: { description: "Which memories: `active` unless given, `archived`, `superseded`, or `all`." },
  category: {
    description: "`PROJECT_RULES`, `ARCHITECTURE`, `CONSTRAINTS`, `CONFIG_VALUES` or `NAMING`.",
  },
  expiresAt: {
    description: "When it stops to hold, in milliseconds since 1970; null, and unless given, never.",
  },
  supersedes: { description: "Ids of memories that it takes the place of." },
  reason: { description: "Why it is archived." },
  shares: {
    description: "The directory whose memory it shares; null for a memory of its own.",
  },
  bare: {
    description:
      "Where it parts: it takes along what was said from it alone, and nothing of what held before.",
  },
  condition: {
    description: "What has to be true before anybody is reminded, in words that the dreamer can check.",
  },
  askID: { description: "Id of the ask, as `ask_…`." },
  decision: {
    description:
      "`allow` or `decline` a call; `answer` a question of the model with a text, or `decline` it.",
  },
  scope: {
    description:
      "How long a permission holds: `once` for this call, `session`, or `project` for every Session in it. Once unless given.",
  },
  rules: {
    description:
      "What is allowed for longer than this once, as rules such as `write(src/**)`. Exactly what was asked for unless given.",
  },
  declines: {
    description:
      "The prompt is the answer to what the Session asks: every open ask is declined, and the model reads the prompt next.",
  },
  sidekick: {
    description:
      "The sidekick looks up what was said before about the prompt, and its finding is told beside it. Refused where no model is configured for it.",
  },
  onAsk: {
    description:
      "What happens where somebody has to be asked: `wait` for an answer, or without one `deny`, `allow` or `fail` the turn. A rule that denies always stands.",
  },
  promptID: { description: "Id of the prompt: yours, or the one in its receipt." },
  messageID: { description: "Id of the message, as `msg_…`." },
  turnID: { description: "Id of the turn, as `trn_…`." },
  ptyID: { description: "Id of the terminal, as `pty_…`." },
  argv: { description: "The program and its arguments; your shell unless given." },
  env: { description: "Variables for the program beside those that it inherits." },
  columns: { description: "Width in characters: 2 to 1000, 80 unless given." },
  rows: { description: "Height in lines: 1 to 500, 24 unless given." },
  input: { description: "What is typed: at most 65536 characters at once." },
  from: {
    description: "The `cursor` of the last item that was read: bytes since the start of the terminal.",
    schema: whole(0),
  },
  handle: { description: "Handle of the image, as `media:ab12cd34ef56`." },
  fromSeq: { description: "The first message of the range; the beginning unless given." },
  toSeq: { description: "The last message of the range; the end of what was summed up unless given." },
  query: { description: "What to look for: words, names, paths, or a phrase in double quotes." },
  dryRun: { description: "True only plans: nothing is changed, and no model is asked." },
  runs: { description: "How many runs at most: 1 to 100, 20 unless given." },
  runID: { description: "Id of a run of the dreamer, as `d12`." },
  only: {
    description:
      "Memories and documents whose changes are taken back, as `m12` or `ARCHITECTURE.md`, with all that hangs together with them; the whole run unless given.",
  },
  allProjects: { description: "True searches every project." },
  results: { description: `How many at most: 1 to ${foundMax}, ${foundDefault} unless given.` },
  cursor: {
    description: "`next` or `previous` of the page before. It stands alone, without other parameters.",
  },
  limit: {
    description: `Items of a page; ${pageSizeDefault} unless given.`,
    schema: { ...whole(1), maximum: pageSizeMax, default: pageSizeDefault },
  },
  after: { description: "Only events above this sequence.", schema: whole(0) },
  "last-event-id": {
    description: "The last `id` that was read, as browsers send it by themselves. It wins over `after`.",
    schema: whole(0),
  },
  system: { description: "True shows system messages too.", schema: { type: "boolean" } },
  order: { description: "`oldest-first` unless given." },
  content: {
    description: "True tells of each block what it says, and the settings that are sent beside them.",
    schema: { type: "boolean" },
  },
  archived: {
    description:
      "Of a list: true lists the Sessions that are archived, and no others. Of a Session: whether it is archived from now on.",
    schema: { type: "boolean" },
  },
  agent: {
    description: "The name of an agent: one that is built in, or described by the user or the project.",
  },
  model: {
    description: "The model; in a query as `provider/model`. Unless given, that of the configuration.",
  },
  directory: {
    description:
      "Absolute path of the directory; that of the server where it may be left out. Another must have been opened by `locations.open`.",
  },
  path: {
    description: "Path inside of the Location; where it may be left out, the directory of the Location.",
  },
  offset: {
    description: "Where in the file or the bundle it begins, in bytes; of a file, 0 unless given.",
    schema: whole(0),
  },
  format: {
    description: "`bundle` for another store, or `markdown` or `html` for people; a bundle unless given.",
  },
  reasoning: { description: "True shows what the model thought too.", schema: { type: "boolean" } },
  upload: {
    description: "Yours for one bundle, the same with each of its pieces: 1 to 64 characters.",
  },
  data: { description: "Bytes, as base64." },
  last: { description: "True with the last piece of a bundle." },
  trust: {
    description:
      "True takes over what the Session may do without asking, and its restart policy; without it, it asks.",
  },
  length: {
    description: `How many bytes at most; ${filePieceBytesMax} unless given.`,
    schema: { ...whole(1), maximum: filePieceBytesMax, default: filePieceBytesMax },
  },
  name: {
    description:
      "A part of the name, or of the path if it holds a slash; case does not count. Everything unless given.",
  },
  provider: { description: "One provider, also if it is not configured; all that are unless given." },
  title: { description: "What it is called in lists." },
  allow: {
    description:
      "What the Session may do without asking, as permission rules such as `write` or `bash(npm test)`.",
  },
  budget: {
    description:
      "What the Session may spend before it pauses: `tokens`, read and written, from a cache or not, and `money`, in dollars. A limit that is left out stays as it is, for a new Session that of the instance; null is no limit.",
  },
  policy: {
    description:
      "What a restart does with unfinished work: `settle` keeps it and waits, `continue` goes on with it.",
  },
  text: { description: "What you want done: at most 1 MiB." },
  calls: {
    description:
      "What is looked at or run before a model reads the text, at most 20: `read` with a path, `bash` with a command. Each is a call like those of a model: judged by the rules, asked for where they say so, and recorded.",
  },
  images: { description: "PNG, JPEG, GIF or WebP as base64, at most 20, each of at most 20 MiB." },
  id: {
    description:
      "An id of your own makes the call safe to repeat: for a prompt 1 to 128 letters, digits and `. _ : -`; for a Session `ses_` and 1 to 40 lower-case letters and digits.",
  },
  delivery: {
    description:
      "`steer`: at the next turn of a Session at work (the default); `queue`: when it would be idle.",
  },
  without: { description: "Ids of the messages that are left out, as `msg_…`." },
  resume: { description: "False only puts the prompt into the inbox; true unless given." },
}
