/**
 * What each method takes: the one table that the endpoints, and callers in the same process, are
 * read by (CO3, EM1).
 *
 * Apart from the endpoints because it loads nothing of HTTP: an embedded host checks its calls by
 * the decoded side of the same schemas. Ids in a path are plain strings here: whether one is well
 * formed is decided in one place, the runtime, which answers InvalidId.
 */
import { Schema } from "effect"
import { BundleFormat } from "@holdfast/schema/bundle/import"
import { BudgetChange } from "@holdfast/schema/fact/budget"
import { filePieceBytesMax } from "@holdfast/schema/location"
import { MessageOrder } from "@holdfast/schema/page"
import { Delivery, PromptCalls } from "@holdfast/schema/prompt"
import { Columns, Rows } from "@holdfast/schema/pty/pty"
import { AskDecision, AskScope } from "@holdfast/schema/instance/ask"
import { foundMax, questionLengthMax } from "@holdfast/schema/search/bounds"
import { AllowRule, OnAsk, RestartPolicy } from "@holdfast/schema/session"
import { Base64Bytes } from "./base64.ts"
import { Flag, pageQuery, Whole, wholeUpTo } from "./page.ts"

const titleLengthMax = 1_000
const pathLengthMax = 4_096
const nameLengthMax = 1_000

/** Half a surrogate pair could not be stored and read back as it was. */
const text = Schema.String.check(
  Schema.makeFilter((value: string) => value.isWellFormed(), { expected: "well-formed Unicode" }),
)

const atMost = (lengthMax: number) =>
  Schema.isMaxLength(lengthMax, { expected: `a text of at most ${lengthMax} characters` })

/** Of at least one character. */
export const shortText = (lengthMax: number) =>
  text.check(Schema.isMinLength(1, { expected: "a text that is not empty" }), atMost(lengthMax))

export const path = text.check(
  Schema.isMinLength(1, { expected: "a text that is not empty" }),
  atMost(pathLengthMax),
)

const title = text.check(atMost(titleLengthMax))

/** As `provider/model` or `provider/model:variant`. */
const modelName = Schema.String
const agentName = Schema.String

/** Everything may be left out: then the instance's Location, no title, its model, its policy and budget, and it asks for what the rules do not allow (CO3). */
export const CreateSessionInput = Schema.Struct({
  /** Chosen by the caller, it makes the call safe to repeat (SS1). */
  id: Schema.optionalKey(Schema.String),
  directory: Schema.optionalKey(path),
  title: Schema.optionalKey(title),
  model: Schema.optionalKey(modelName),
  /** One that is built in, or described by the user or the project; `build` unless given. */
  agent: Schema.optionalKey(agentName),
  policy: Schema.optionalKey(RestartPolicy),
  onAsk: Schema.optionalKey(OnAsk),
  allow: Schema.optionalKey(Schema.Array(AllowRule)),
  budget: Schema.optionalKey(BudgetChange),
})
export type CreateSessionInput = typeof CreateSessionInput.Type

/** Only what is given changes; null takes the title or a limit of the budget away. A change holds at once (DR5, DR9). */
const UpdateSessionInput = Schema.Struct({
  title: Schema.optionalKey(Schema.NullOr(title)),
  policy: Schema.optionalKey(RestartPolicy),
  onAsk: Schema.optionalKey(OnAsk),
  allow: Schema.optionalKey(Schema.Array(AllowRule)),
  budget: Schema.optionalKey(BudgetChange),
})

/** Without a message the copy ends where everything is settled (SS1). */
const ForkSessionInput = Schema.Struct({
  messageID: Schema.optionalKey(Schema.String),
  id: Schema.optionalKey(Schema.String),
  title: Schema.optionalKey(title),
})

export const SendPromptInput = Schema.Struct({
  text: Schema.String,
  /** Made fit before the prompt is admitted (LL7). */
  images: Schema.optionalKey(
    Schema.Array(Schema.Struct({ data: Base64Bytes, name: Schema.optionalKey(Schema.String) })),
  ),
  /** Made before a model reads the words: asked for and recorded like those of a model. Files that may be read are read at once. */
  calls: Schema.optionalKey(PromptCalls),
  /** Chosen by the caller, it makes the call safe to repeat (PR2). */
  id: Schema.optionalKey(Schema.String),
  delivery: Schema.optionalKey(Delivery),
  /** False admits only (PR5). */
  resume: Schema.optionalKey(Schema.Boolean),
  /** It is the answer to what the Session asks: all of it is declined, and this is read next (PE6). */
  declines: Schema.optionalKey(Schema.Boolean),
  /** What was said before about it is looked up first, and told beside it (NT2). */
  sidekick: Schema.optionalKey(Schema.Boolean),
})
export type SendPromptInput = typeof SendPromptInput.Type

/** Pieces of one bundle share an upload id and follow on each other; with the last, it is imported (ST4). */
const ImportInput = Schema.Struct({
  /** Chosen by the caller: another for every bundle. */
  upload: Schema.String.check(Schema.isMinLength(1, { expected: "a text that is not empty" }), atMost(64)),
  /** Bytes of the bundle before this piece. */
  offset: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  data: Base64Bytes,
  last: Schema.optionalKey(Schema.Boolean),
  /** What the Session may do without asking, and its restart policy, are taken over too. */
  trust: Schema.optionalKey(Schema.Boolean),
  /** Moves the Session there at once. */
  directory: Schema.optionalKey(path),
})

const ofSession = { params: { sessionID: Schema.String } }
const ofPrompt = { params: { sessionID: Schema.String, promptID: Schema.String } }
const ofMessage = { params: { sessionID: Schema.String, messageID: Schema.String } }
const page = { query: pageQuery({}) }
const sequence = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const sessionInputs = {
  create: { payload: CreateSessionInput },
  list: { query: pageQuery({ archived: Schema.optionalKey(Flag) }) },
  active: page,
  get: ofSession,
  update: { ...ofSession, payload: UpdateSessionInput },
  delete: ofSession,
  fork: { ...ofSession, payload: ForkSessionInput },
  /** System messages and reasoning are for people; a bundle holds everything. */
  export: {
    ...ofSession,
    query: Schema.Struct({
      format: Schema.optionalKey(BundleFormat),
      system: Schema.optionalKey(Flag),
      reasoning: Schema.optionalKey(Flag),
    }),
  },
  import: { payload: ImportInput },
  move: { ...ofSession, payload: Schema.Struct({ directory: path }) },
  /** False takes it back. */
  archive: { ...ofSession, payload: Schema.Struct({ archived: Schema.Boolean }) },
  prompt: { ...ofSession, payload: SendPromptInput },
  inbox: { ...ofSession, ...page },
  edit: { ...ofPrompt, payload: Schema.Struct({ text: Schema.String }) },
  cancel: ofPrompt,
  interrupt: ofSession,
  resume: ofSession,
  model: ofSession,
  switchModel: { ...ofSession, payload: Schema.Struct({ model: modelName }) },
  switchAgent: { ...ofSession, payload: Schema.Struct({ agent: agentName }) },
  wait: ofSession,
  messages: {
    ...ofSession,
    /** System messages only on request (EP11). */
    query: pageQuery({ system: Schema.optionalKey(Flag), order: Schema.optionalKey(MessageOrder) }),
  },
  message: ofMessage,
  quarantine: ofMessage,
  fold: ofSession,
  flush: ofSession,
  /** Compartments that lie wholly between two sequences; all without them. */
  rebuild: {
    ...ofSession,
    payload: Schema.Struct({
      fromSeq: Schema.optionalKey(sequence),
      toSeq: Schema.optionalKey(sequence),
    }).check(
      Schema.makeFilter(({ fromSeq = 0, toSeq = Infinity }) => fromSeq <= toSeq, {
        expected: "a range that does not end before it begins",
      }),
    ),
  },
  receipts: { ...ofSession, ...page },
  probe: { ...ofSession, payload: Schema.Struct({ without: Schema.NonEmptyArray(Schema.String) }) },
  image: { params: { sessionID: Schema.String, handle: Schema.String } },
  context: { ...ofSession, ...page },
  /** What each block says only on request: it is as long as the conversation. */
  request: { ...ofSession, query: Schema.Struct({ content: Schema.optionalKey(Flag) }) },
  events: { ...ofSession, query: Schema.Struct({ after: Schema.optionalKey(Whole) }) },
  history: { ...ofSession, query: pageQuery({ after: Schema.optionalKey(Whole) }) },
  turns: { ...ofSession, ...page },
  verify: { ...ofSession, ...page },
  sentRequest: { params: { sessionID: Schema.String, turnID: Schema.String } },
}

const AnswerInput = Schema.Struct({
  decision: AskDecision,
  scope: Schema.optionalKey(AskScope),
  rules: Schema.optionalKey(Schema.NonEmptyArray(AllowRule)),
  text: Schema.optionalKey(Schema.String),
})

export const askInputs = {
  /** Of one Session; of all unless given. */
  list: { query: pageQuery({ sessionID: Schema.optionalKey(Schema.String) }) },
  answer: { params: { askID: Schema.String }, payload: AnswerInput },
}

export const eventInputs = {
  /** One Session alone, from the text so far of each of its open parts on (EV2). */
  subscribe: { query: Schema.Struct({ sessionID: Schema.optionalKey(Schema.String) }) },
}

export const modelInputs = {
  /** The default where it is left out. */
  get: { query: Schema.Struct({ model: Schema.optionalKey(modelName) }) },
  /** One provider, also if it is not configured; all that are unless given. */
  list: { query: pageQuery({ provider: Schema.optionalKey(Schema.String) }) },
}

export const providerInputs = {
  /** One provider, also if it is not configured; all that are unless given. */
  list: { query: pageQuery({ provider: Schema.optionalKey(Schema.String) }) },
}

/** The Location that is meant; the instance's own where it is left out (CO3). */
export const inLocation = { directory: Schema.optionalKey(path) }

export const locationInputs = {
  open: { payload: Schema.Struct({ directory: path }) },
  list: page,
  get: { query: Schema.Struct(inLocation) },
}

export const fileInputs = {
  list: { query: pageQuery({ ...inLocation, path: Schema.optionalKey(path) }) },
  read: {
    query: Schema.Struct({
      ...inLocation,
      path,
      offset: Schema.optionalKey(Whole),
      length: Schema.optionalKey(wholeUpTo(filePieceBytesMax)),
    }),
  },
  find: {
    query: pageQuery({
      ...inLocation,
      path: Schema.optionalKey(path),
      /** Everything where it is left out. */
      name: Schema.optionalKey(Schema.String.check(atMost(nameLengthMax))),
    }),
  },
}

export const searchInputs = {
  find: {
    payload: Schema.Struct({
      query: text.check(
        Schema.isMinLength(1, { expected: "a text that is not empty" }),
        atMost(questionLengthMax),
      ),
      ...inLocation,
      /** Every project, in place of the one of the Location. */
      allProjects: Schema.optionalKey(Schema.Boolean),
      /** Only this one. */
      sessionID: Schema.optionalKey(Schema.String),
      results: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: foundMax }))),
    }),
  },
  embed: {
    payload: Schema.Struct({
      ...inLocation,
      /** Every project, in place of the one of the Location. */
      allProjects: Schema.optionalKey(Schema.Boolean),
      /** Only this one. */
      sessionID: Schema.optionalKey(Schema.String),
    }),
  },
}

const ofDream = { params: { runID: Schema.String } }
const dreamsMax = 100

export const dreamInputs = {
  run: {
    payload: Schema.Struct({ ...inLocation, dryRun: Schema.optionalKey(Schema.Boolean) }),
  },
  list: { query: Schema.Struct({ ...inLocation, runs: Schema.optionalKey(wholeUpTo(dreamsMax)) }) },
  get: { ...ofDream, query: Schema.Struct(inLocation) },
  revert: {
    ...ofDream,
    payload: Schema.Struct({ ...inLocation, only: Schema.optionalKey(Schema.Array(Schema.String)) }),
  },
}

export const configInputs = { get: { query: Schema.Struct(inLocation) } }

const argumentsMax = 1_000
const argumentLengthMax = 131_072
const variablesMax = 1_000
const inputLengthMax = 65_536

/** A NUL would end it, for the system. */
const argument = text.check(
  atMost(argumentLengthMax),
  Schema.makeFilter((value: string) => !value.includes("\0"), { expected: "a text without NUL" }),
)

const Variables = Schema.Record(
  Schema.String.check(Schema.isPattern(/^[^=\0]{1,256}$/, { expected: "the name of a variable" })),
  argument,
).check(
  Schema.makeFilter((given) => Object.keys(given).length <= variablesMax, {
    expected: `at most ${variablesMax} variables`,
  }),
)

/** Everything may be left out: then the user's shell, in the instance's Location, of 80 by 24 (PT1). */
const CreatePtyInput = Schema.Struct({
  argv: Schema.optionalKey(
    Schema.NonEmptyArray(argument).check(
      Schema.makeFilter(([program, ...rest]) => program !== "" && rest.length < argumentsMax, {
        expected: `a program and at most ${argumentsMax} arguments`,
      }),
    ),
  ),
  directory: Schema.optionalKey(path),
  title: Schema.optionalKey(title),
  env: Schema.optionalKey(Variables),
  columns: Schema.optionalKey(Columns),
  rows: Schema.optionalKey(Rows),
})

const ofPty = { params: { ptyID: Schema.String } }

export const ptyInputs = {
  create: { payload: CreatePtyInput },
  list: page,
  get: ofPty,
  resize: { ...ofPty, payload: Schema.Struct({ columns: Columns, rows: Rows }) },
  write: {
    ...ofPty,
    payload: Schema.Struct({ input: text.check(atMost(inputLengthMax)) }),
  },
  /** A cursor of an earlier item; without one it begins with the screen. */
  attach: { ...ofPty, query: Schema.Struct({ from: Schema.optionalKey(Whole) }) },
  close: ofPty,
  ticket: ofPty,
}
