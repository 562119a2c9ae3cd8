/**
 * What the OpenAPI document says in words: of every operation, parameter and field of a payload.
 *
 * Apart from the endpoints, so that they can be read as a list. A test finds what has no words here,
 * and words that nothing needs. Names mean the same in every operation, so each is described once.
 */
import type { OpenApi } from "effect/http-api"
import { inputTexts } from "./input-texts.ts"

export interface OperationText {
  /** A few words, as in a table of contents. */
  readonly summary: string
  readonly description: string
}

export const description = [
  "Durable sessions of AI agents. Every request below `/api` needs `Authorization: Bearer` with the token of the server.",
  "A failure is a JSON object with `_tag`, which is stable, and `message`, which says what to do.",
  "Beside the failures that an operation lists, any request may be answered with 403 (`CallerRefused`),",
  "408 (`RequestTimedOut`), 413 (`RequestTooLarge`), 415 (`ContentTypeRefused`), 431 (`RequestHeadTooLarge`) or",
  "500 (`InternalFailure`).",
].join("\n")

export const servers = [{ url: "/", description: "The server that this document came from." }] as const

export const groupTexts = {
  health: "Whether the server works.",
  sessions: "Conversations and their work.",
  asks: "What Sessions wait for somebody to answer.",
  events: "What happens right now, in all Sessions.",
  models: "What a turn would speak to.",
  ptys: "Terminals of the server.",
  locations: "Directories that Sessions may work in.",
  providers: "Who serves the models.",
  files: "What lies in a Location.",
  searches: "What was said, in all Sessions.",
  dreams: "Upkeep of what is remembered of a project.",
  config: "The settings in force.",
  memories: "What is known of a project beyond one Session.",
  notes: "Reminders of a Session, and of a project with a condition.",
  workspaces: "Projects that see some of each other's memories.",
} as const satisfies Readonly<Record<string, string>>

const told = (summary: string, text: string): OperationText => ({ summary, description: text })

/** By operation id. */
export const operationTexts: Readonly<Record<string, OperationText>> = {
  "health.get": told(
    "Ask whether everything works",
    "Names each part that does not work, its cause and since when. Sessions go on without that part.",
  ),
  "sessions.create": told(
    "Create a Session",
    "Everything may be left out: then it works in the directory of the server, with its default model.",
  ),
  "sessions.list": told("List Sessions", "Newest first. Archived ones are in a list of their own."),
  "sessions.active": told("List Sessions at work", "The ids of those that this server is working on now."),
  "sessions.get": told("Get a Session", "With its state: whether it runs, waits, or owes an answer."),
  "sessions.update": told("Change a Session", "Changes what is given, and leaves the rest."),
  "sessions.delete": told(
    "Delete a Session",
    "With all that is stored of it. One that is at work is interrupted first. It cannot be undone.",
  ),
  "sessions.fork": told(
    "Fork a Session",
    "Makes another Session that begins with the same conversation, up to and including a message, or up to the last settled point. Its first request begins with the bytes that the source sent. What still waits in the source is not copied. Sent again with the same `id` it answers with the same Session.",
  ),
  "sessions.export": told(
    "Export a Session",
    "The whole Session as one file that another store takes in, up to where everything is settled; or a page for people. A file that breaks off lacks its last line.",
  ),
  "sessions.import": told(
    "Import a Session, piece by piece",
    "Pieces of one bundle share an `upload` and follow on each other; one that came before is passed over. With the last, all of the bundle is taken in, or nothing. Imported again it changes nothing; where both sides went on, it becomes a second Session.",
  ),
  "sessions.move": told(
    "Move a Session to another directory",
    "Holds from the next turn on: what the model is told of its surroundings, instructions and tools are then those of the new directory. Moved to where it is, it stays as it is.",
  ),
  "sessions.archive": told(
    "Archive a Session, or take it back",
    "An archived Session is left out of the ordinary list, and nothing else of it changes. A prompt takes it back.",
  ),
  "sessions.prompt": told(
    "Send a prompt",
    "Answers as soon as the prompt is on disk; the work begins then. Sent again with the same `id` it changes nothing. The payload holds at most 64 MiB, images included.",
  ),
  "sessions.inbox": told("List waiting prompts", "Prompts that the model has not got yet, oldest first."),
  "sessions.edit": told("Change a waiting prompt", "Only as long as it waits in the inbox."),
  "sessions.cancel": told("Cancel a waiting prompt", "Only as long as it waits in the inbox."),
  "asks.list": told(
    "List open asks",
    "Of one Session or of all, oldest first. Each shows the whole call that waits, what it would touch and the rule that asks.",
  ),
  "asks.answer": told(
    "Answer an ask",
    "Once, from any client. What is allowed is judged again and starts; what is declined is told to the model with your correction. The Session goes on when nothing is asked any more.",
  ),
  "searches.find": told(
    "Search what was said",
    "In all Sessions of the project that the directory belongs to. What holds the text word for word comes first. Whatever the text is, it is only text: nothing in it is an operator.",
  ),
  "dreams.run": told(
    "Tend the memory of a project",
    "Ends what has expired, merges what says the same, archives what is about deleted files, and asks the configured models for the rest. Answers with each difference when it is done, which may take minutes. Another process at work is answered with the outcome `elsewhere`.",
  ),
  "dreams.list": told("List runs of the dreamer", "Newest first, with what each did and cost."),
  "dreams.get": told("Get a run of the dreamer", "With every difference that it made."),
  "dreams.revert": told(
    "Take back a run of the dreamer",
    "What it changed is as it was before, save what was changed since, which is named. Repeated it changes nothing more.",
  ),
  "workspaces.list": told(
    "List workspaces",
    "By name, each with its projects and the categories of memory that it shares.",
  ),
  "workspaces.create": told(
    "Create a workspace",
    "It has no projects yet, and shares `CONSTRAINTS` unless categories are given.",
  ),
  "workspaces.share": told(
    "Say what a workspace shares",
    "Its projects see each other's memories of these categories and of no others. Each of their Sessions folds once.",
  ),
  "workspaces.add": told(
    "Add a project to a workspace",
    "A project is in one workspace at most. Each Session of its projects folds once.",
  ),
  "workspaces.remove": told(
    "Remove a project from a workspace",
    "Neither it nor the others see each other's memories any more. Each of their Sessions folds once.",
  ),
  "workspaces.delete": told(
    "Delete a workspace",
    "Its projects keep their memories, and see only their own.",
  ),
  "memories.list": told(
    "List the memory of a project",
    "By id. Only what holds unless `status` says otherwise; what is expired is listed and not shown to a model.",
  ),
  "memories.get": told(
    "Get a memory",
    "With every change of it: who made it, when, in which Session, and what it took the place of.",
  ),
  "memories.write": told(
    "Write a memory",
    "What is known already, apart from case, spaces and a full stop, is only counted. Secrets are hidden before it is stored. Windows show it at their next break.",
  ),
  "memories.update": told(
    "Change a memory",
    "Changes what is given, and leaves the rest. Every window of the project that may show it is made anew once.",
  ),
  "memories.archive": told("Archive a memory", "It is shown to no model any more, and stays in the log."),
  "memories.restore": told("Take an archived or superseded memory back", "It holds again from now on."),
  "memories.merge": told(
    "Merge memories",
    "One statement takes the place of several; each names the other. All of them or none.",
  ),
  "memories.project": told(
    "Ask whose memory a directory has",
    "Worktrees of a repository share one. A directory that may be a copy names the projects that it may be a copy of.",
  ),
  "memories.share": told(
    "Say whose memory a directory has",
    "It shares the memory of another directory from now on, or has one of its own. What it had learned by itself is added to the memory that it shares. When it parts, it takes along what held before and what was said from it; what was said from it alone is archived in the other.",
  ),
  "notes.list": told(
    "List notes",
    "Those of a Session, else those of the project: also notes that wait for their condition, which no model sees.",
  ),
  "notes.write": told(
    "Write a note",
    "For a Session, or for the project: then it is told to the Session that is spoken to next, once, as soon as its condition is found to be true. Without a condition that is at once.",
  ),
  "notes.update": told("Change a note", "Another condition has to be found true anew."),
  "notes.dismiss": told("Dismiss a note", "It is done, and nobody is reminded of it any more."),
  "searches.embed": told(
    "Embed old history",
    "Puts the Sessions of the project into the queue of the worker that embeds, wakes it, and answers at once with how far it is. Sent again it only tells.",
  ),
  "sessions.interrupt": told(
    "Stop what a Session does",
    "Its calls are ended, what was said and what waits is kept. One that is not at work stays as it is.",
  ),
  "sessions.resume": told(
    "Let a Session finish what it owes",
    "After a crash, a failure or an interrupt. A Session that owes nothing answers 409, `NothingOwed`.",
  ),
  "sessions.model": told(
    "Who would take the next turn",
    "The model of the Session, or another that answers for it while it rests after a failure.",
  ),
  "sessions.switchModel": told(
    "Switch the model",
    "Holds from the next turn on; a running turn goes on as it is.",
  ),
  "sessions.switchAgent": told(
    "Switch the agent",
    "Holds from the next turn on; a running turn goes on as it is. The conversation and its Epoch stay.",
  ),
  "sessions.wait": told(
    "Wait for the result",
    "Answers when the work is over, or after 20 seconds with the state `running`: ask again.",
  ),
  "sessions.messages": told("List messages", "The conversation. System messages come on request."),
  "sessions.message": told("Get a message", "With all of its parts."),
  "sessions.quarantine": told(
    "Take a message out of what models read",
    "For good; it stays stored. It is for a message that a provider refuses with every request.",
  ),
  "sessions.fold": told(
    "Shorten what models read",
    "From the next request on its oldest messages are left out until it is half as long beside its summaries, and never the newest prompt; all of it stays stored.",
  ),
  "sessions.flush": told(
    "Do what waits with the next request",
    "Drops that were asked for and history that was published since are taken in, and nothing is folded. The provider reads that request anew from the first change on.",
  ),
  "sessions.rebuild": told(
    "Write the history anew",
    "The compartments of everything, or of those that lie between two sequences, are made again from the messages that they cover; no model is asked. The window shows the old ones until the next request. What was rebuilt from the same messages before is left alone, so that a repeat goes on where it was cut off.",
  ),
  "sessions.receipts": told(
    "List the receipts of breaks",
    "For each request that changed what had been sent before: what it kept, dropped and summed up, which messages each compartment covers, its tokens before and after, and what it cost.",
  ),
  "sessions.probe": told(
    "Ask whether the provider takes the next request",
    "It is sent without the messages that are named. Its answer is not awaited; it may cost money, and what it cost counts with the Session.",
  ),
  "sessions.image": told(
    "Fetch an image",
    "The bytes as they are stored. The header `holdfast-media` holds what is known of it: JSON, percent-encoded.",
  ),
  "sessions.context": told(
    "List the messages that the model sees",
    "Those of the next request, system messages included.",
  ),
  "sessions.request": told(
    "Show the next request",
    "What the model would be sent, in tokens, and how much of it the provider has in its cache. Nothing is sent or stored by asking.",
  ),
  "sessions.events": told(
    "Stream durable events",
    "Server-sent events after a sequence, then new ones as they come. To go on after a cut, send the last `id` as the header `Last-Event-ID`: nothing is missed and nothing comes twice.",
  ),
  "sessions.history": told("List durable events", "The same events as the stream, as a list that ends."),
  "sessions.turns": told("List turns", "The ledger: tokens, cost, cache and attempts of each."),
  "sessions.verify": told(
    "Verify turns",
    "Rebuilds each request from the log and compares its hash with the one that was sent.",
  ),
  "sessions.sentRequest": told(
    "Show what a turn sent",
    "Rebuilt from the log, with the names of its headers and without their values.",
  ),
  "events.subscribe": told(
    "Stream live events",
    "Text as it is written, attempts that failed, ends of work, in all Sessions or in one. A stream of one Session begins with what each open part has said so far, as `open-part`; the `offset` of a piece says where in its part it begins. Nothing of it is stored. A reader that falls behind gets `cut-off` and no more.",
  ),
  "ptys.create": told(
    "Create a terminal",
    "Everything may be left out: then it runs your shell in the directory of the server. Another directory must lie in a known Location, or be one. It lives until it is closed, or the server is.",
  ),
  "ptys.list": told(
    "List terminals",
    "In the order in which they were made; also those whose program has ended.",
  ),
  "ptys.get": told("Get a terminal", "With its size, its title and the exit of its program."),
  "ptys.resize": told("Resize a terminal", "For all who read it: a terminal has one size."),
  "ptys.write": told(
    "Type into a terminal",
    "Enter is `\\r`. The answer comes before the program has read it.",
  ),
  "ptys.attach": told(
    "Stream the output of a terminal",
    "Server-sent events from a cursor on, then as it comes; the last is `exit`. Without a cursor, or with one that is not kept any more, it begins with the screen. A reader that falls behind gets `cut-off` and no more.",
  ),
  "ptys.close": told(
    "Close a terminal",
    "Ends its program and everything that it started, and answers when all of it is gone.",
  ),
  "ptys.ticket": told(
    "Make a ticket for a WebSocket",
    "For `/api/pty/:ptyID/socket?ticket=…` on the same server. It is good once, for a short time, for this terminal, and for a page of the Origin that asked for it.",
  ),
  "models.get": told("Get a model", "The named one or the default, with its limits and prices."),
  "models.list": told(
    "List models",
    "Those that can be used, with limits, prices and what they can do. No provider is asked.",
  ),
  "locations.open": told(
    "Open a Location",
    "Makes a directory known, so that Sessions can be created there and its files be read. Sent again it changes nothing.",
  ),
  "locations.list": told(
    "List Locations",
    "Directories that were opened, or in which a Session was created, and that of the server.",
  ),
  "locations.get": told("Get a Location", "The named one or that of the server, by its canonical path."),
  "providers.list": told(
    "List providers",
    "Those that are configured, or one by its name, and whether there is a key for each; never the key. No provider is asked.",
  ),
  "files.list": told(
    "List a directory",
    "By name, each with its kind and size. Links are listed and not followed.",
  ),
  "files.read": told(
    "Read a file",
    "At most 1 MiB at once, from `offset` on. The header `holdfast-file` says what it is a piece of: JSON, percent-encoded.",
  ),
  "files.find": told(
    "Find files by name",
    "Below a directory. What `.gitignore` files of the Location name is passed over. One answer looks at so many entries only: a page may hold few items or none and still have a `next`.",
  ),
  "config.get": told(
    "Get the configuration",
    "The settings in force and where each comes from. Of keys it tells only where they come from, of options nothing.",
  ),
}

/** Puts the words into a document. */
export function describeDocument(document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec {
  const paths = mapValues(document.paths, (methods) =>
    mapValues(methods as Record<string, OpenApi.OpenAPISpecOperation>, describeOperation),
  )
  return withPlainNames({ ...document, paths, components: open(document.components) })
}

function describeOperation(operation: OpenApi.OpenAPISpecOperation): OpenApi.OpenAPISpecOperation {
  const { parameters, requestBody, responses } = operation
  return {
    ...operation,
    ...operationTexts[operation.operationId],
    parameters: parameters.map((parameter) => ({ ...parameter, ...inputTexts[parameter.name] })),
    responses: mapValues(open(responses), describeAnswer),
    ...(requestBody && {
      requestBody: { ...requestBody, content: mapValues(requestBody.content, describeFields) },
    }),
  }
}

/** What the generator says where a schema has no words of its own. */
const wordless = new Set(["Success", "<No Content>"])

type Answer = OpenApi.OpenAPISpecOperation["responses"][number]

const describeAnswer = (answer: Answer): Answer =>
  wordless.has(answer.description) ? { ...answer, description: answerText(answer) } : answer

function answerText({ content }: Answer): string {
  const types = Object.keys(content ?? {})
  if (types.length === 0) return "It is done."
  if (types.includes("text/event-stream")) return "A stream of server-sent events."
  if (types.some((type) => type.startsWith("image/"))) return "The bytes of the image."
  if (types.includes("application/octet-stream")) return "The bytes of the file."
  const schema = content?.["application/json"]?.schema as { readonly properties?: object } | undefined
  return "items" in (schema?.properties ?? {}) ? "A page of the list." : "The answer."
}

interface Content {
  readonly schema: { readonly properties?: Readonly<Record<string, object>> }
}

const describeFields = <C>(content: C): C => {
  const { schema } = content as Content
  const properties = mapEntries(schema.properties ?? {}, ([name, field]) => ({
    ...field,
    ...(inputTexts[name] && { description: inputTexts[name].description }),
  }))
  return { ...content, schema: { ...schema, properties } }
}

/**
 * What is sent may gain fields, so no reader may refuse one that it does not know. How clients of
 * Effect decode the failures of a stream is left out: it is not for others.
 */
const open = <T>(answers: T): T =>
  JSON.parse(JSON.stringify(answers), (name, value: unknown) =>
    (name === "additionalProperties" && value === false) || name.startsWith("x-effect") ? undefined : value,
  ) as T

/** A failure is one class to us and one JSON object to others, who need no second name for it. */
function withPlainNames(document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec {
  const text = JSON.stringify(document)
    .replaceAll(/"#\/components\/schemas\/(\w+)Encoded"/g, '"#/components/schemas/$1"')
    .replaceAll(/"(\w+)Encoded":/g, '"$1":')
  return JSON.parse(text) as OpenApi.OpenAPISpec
}

const mapEntries = <A, B>(
  record: Readonly<Record<string, A>>,
  of: (entry: [string, A]) => B,
): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of([name, value])]))

const mapValues = <A, B>(record: Readonly<Record<string, A>>, of: (value: A) => B): Record<string, B> =>
  mapEntries(record, ([, value]) => of(value))
