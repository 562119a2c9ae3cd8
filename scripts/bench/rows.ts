/**
 * The one table of benchmark rows: their names, units and targets.
 *
 * A row is measured by its group, one process each, so that rows do not warm or fill the heap of
 * others. `report` compares what was measured with this table: a row that is missing fails, and so
 * does one without a target. A row that is only reported says why.
 */

/** What a value must keep to; `reported` has no bound, for the reason given. */
export type Target =
  | { readonly atMost: number }
  | { readonly atLeast: number }
  | { readonly reported: string }

export interface Row {
  readonly name: string
  readonly group: Group
  readonly title: string
  readonly unit: string
  readonly target: Target
  /**
   * What it takes from outside the repository. A reading without it says so: for the workload that
   * is all, a missing SDK fails unless it was asked for.
   */
  readonly needs?: "sdk" | "workload"
  /** A size that is weighed once a round: there is nothing to take 200 samples of. */
  readonly weighed?: true
  /** Takes half an hour: measured only where somebody names it. */
  readonly named?: true
}

export const groups = [
  "admission",
  "admission-http",
  "client",
  "subscribers",
  "fan-out",
  "embedded",
  "pty",
  "search",
  "said",
  "said-million",
  "first-byte-short",
  "first-byte-long",
  "tool-turn",
  "dispatch",
  "command-parse",
  "edit",
  "deltas",
  "deltas-responses",
  "deltas-chat",
  "deltas-gemini",
  "deltas-bedrock",
  "reencode",
  "plan",
  "stall",
  "memory",
  "memory-slope",
  "cold-run",
  "server",
  "sessions",
  "store-bytes",
  "import",
  "audit",
  "workload",
] as const
export type Group = (typeof groups)[number]

const ofDisk = { reported: "its share of what the disk can do has the target" }
const ofTime = { reported: "says where an admission spends its time" }
const ofHttp = { reported: "the same admission behind a socket" }
const ofClient = { reported: "what a program sees of it that speaks the generated client" }
const acknowledged = "prompt acknowledged to first body byte"
const called = "prompt called to first body byte"
const ofCall = { reported: "from the call on, the commit of the prompt included, as the peers were measured" }
const ofRequest = { atMost: 1_000 }
const ofWorkload = { reported: "the target is for what it costs" }

export const rows: readonly Row[] = [
  row("driver-commits", "admission", "single-row commits of the driver, synced", "/s", ofDisk),
  row("admit-1", "admission", "durable admissions, 1 caller", "/s", ofDisk),
  row("admit-1-share", "admission", "the same as share of the driver's commits", "×", { atLeast: 0.5 }),
  row("admit-inline-share", "admission", "the same without the writer thread", "×", ofTime),
  row("writer-hop", "admission", "to the writer thread and back, nothing written", "µs", ofTime),
  row("admit-64", "admission", "durable admissions, 64 callers", "/s", ofDisk),
  row("admit-64-gain", "admission", "64 callers against 1", "×", { atLeast: 5 }),
  row("admit-http-1", "admission-http", "durable admissions over HTTP, 1 caller", "/s", ofHttp),
  row("admit-http-64", "admission-http", "durable admissions over HTTP, 64 callers", "/s", ofHttp),

  row("client-admit-64", "client", "durable admissions over the client, 64 callers", "/s", ofClient),
  row("client-admit-p99", "client", "the same, p99 of one of them", "ms", ofClient),
  row("client-pages", "client", "pages of 100 messages over the client, 8 callers", "/s", ofClient),
  {
    ...row("subscribers-memory", "subscribers", "RSS of a server that 1,000 idle readers add", "MB", {
      atMost: 100,
    }),
    weighed: true,
  },
  row("subscribers-admit", "subscribers", "an admission beside them against one without", "×", {
    atMost: 1.2,
  }),
  row("fan-out", "fan-out", "CPU per delta and reader, one stream to 100 readers", "µs", {
    reported: "what one reader more of a stream costs",
  }),
  row("embedded-prompt", "embedded", "embedded: a prompt against the runtime's own call", "×", {
    atMost: 1.5,
  }),
  row("embedded-page", "embedded", "embedded: a page of 100 messages against the list itself", "×", {
    atMost: 2,
  }),
  row("embedded-delta", "embedded", "embedded: CPU per live delta above a direct reader", "µs", {
    atMost: 3,
  }),
  row("embedded-start", "embedded", "embedded: open to the first prompt admitted", "ms", {
    reported: "what a program that embeds Holdfast waits for once",
  }),
  row("pty-bytes", "pty", "output of a terminal, to a client over a WebSocket", "MB/s", {
    reported: "what can be shown of a program that prints without a pause",
  }),
  row("grep-tree", "search", "`grep` in 20,000 files against ripgrep itself", "×", { atMost: 1.3 }),
  row("glob-tree", "search", "`glob` in 20,000 files against ripgrep itself", "×", { atMost: 1.3 }),

  row("search-lexical-100000", "said", "search by words in 100,000 messages, p95", "ms", { atMost: 5 }),
  row("search-fused-100000", "said", "the same by meaning too, p95", "ms", { atMost: 20 }),
  row("index-turn", "said", "what the two texts of a turn cost the index, beside it", "ms", { atMost: 0.3 }),
  ...millionRows(),

  row("first-byte-10", "first-byte-short", `${acknowledged}, 10 messages`, "ms", { atMost: 2 }),
  row("first-byte-1000", "first-byte-short", "the same, 1,000 messages", "ms", { atMost: 3 }),
  row("first-byte-3000", "first-byte-long", "the same, 3,000 messages", "ms", { atMost: 4 }),
  row("first-byte-10000", "first-byte-long", "10,000 messages, window full, against 3,000", "×", {
    atMost: 1.5,
  }),
  row("first-byte-100000", "first-byte-long", "100,000 messages, window full, against 3,000", "×", {
    atMost: 1.5,
  }),
  row("prompt-to-first-byte-10", "first-byte-short", `${called}, 10 messages`, "ms", ofCall),
  row("prompt-to-first-byte-1000", "first-byte-short", "the same, 1,000 messages", "ms", ofCall),
  row("prompt-to-first-byte-3000", "first-byte-long", "the same, 3,000 messages", "ms", ofCall),
  row("body-3000", "first-byte-long", "prompt acknowledged to whole body, 3,000 messages", "ms", {
    atMost: 10,
  }),
  row("settle-10", "first-byte-short", "last provider byte to settled, 10 messages", "ms", { atMost: 2 }),
  row("settle-3000", "first-byte-long", "last provider byte to settled, 3,000 messages", "ms", {
    atMost: 2,
  }),
  row("tool-turn-3000", "tool-turn", "tool turn above the tool itself, 3,000 messages", "ms", {
    atMost: 15,
  }),
  row("dispatch-3000", "dispatch", "one call more above the tool itself, 3,000 messages", "ms", {
    atMost: 2,
  }),
  row("command-parse", "command-parse", "parse of a shell command, p99", "ms", { atMost: 1 }),
  row("edit-1mb", "edit", "`edit` of a file of 1 MB, synced", "ms", { atMost: 50 }),

  row("delta-frames", "deltas", "CPU per delta, one frame per write", "µs", { atMost: 10 }),
  row("delta-bursts", "deltas", "CPU per delta, in bursts", "µs", { atMost: 4 }),
  row("delta-frames-floor", "deltas", "CPU per delta, a bare node:http client", "µs", {
    reported: "what the platform takes of delta-frames",
  }),
  row("delta-frames-10ms", "deltas", "CPU per delta, one frame every 10 ms", "µs", {
    reported: "frames that the reader cannot gather: each is a look at the socket",
  }),
  {
    ...row("delta-frames-sdk", "deltas", "CPU per delta, official SDK, one frame per write", "µs", {
      reported: "a comparison",
    }),
    needs: "sdk",
  },
  {
    ...row("delta-frames-against-sdk", "deltas", "ours against it", "×", { atMost: 1 }),
    needs: "sdk",
  },
  {
    ...row("delta-bursts-against-sdk", "deltas", "ours against it, in bursts", "×", { atMost: 1 }),
    needs: "sdk",
  },

  ...deltaRows("deltas-responses", "responses", "OpenAI Responses"),
  ...deltaRows("deltas-chat", "chat", "OpenAI Chat"),
  ...deltaRows("deltas-gemini", "gemini", "Gemini"),
  ...deltaRows("deltas-bedrock", "bedrock", "Bedrock Converse"),

  row("reencode-anthropic", "reencode", reencoded("Anthropic"), "µs", ofRequest),
  row("reencode-responses", "reencode", reencoded("OpenAI Responses"), "µs", ofRequest),
  row("reencode-chat", "reencode", reencoded("OpenAI Chat"), "µs", ofRequest),
  row("reencode-gemini", "reencode", reencoded("Gemini"), "µs", ofRequest),
  row("reencode-bedrock", "reencode", reencoded("Bedrock Converse"), "µs", ofRequest),
  row("reencode-share", "reencode", "the same against nothing kept, worst wire", "×", { atMost: 0.02 }),
  row("reencode-growth", "reencode", "the same at 3,000 messages against 300, worst wire", "×", {
    atMost: 10,
  }),

  row("plan-100000", "plan", "plan and render a pass behind 100,000 messages, p95", "ms", { atMost: 5 }),
  row("plan-growth", "plan", "the same against 1,000 messages", "×", { atMost: 1.5 }),

  row("stall-load", "stall", "event-loop stall p99, 64 callers and 20 streams", "ms", { atMost: 20 }),
  row("stall-slow-disk", "stall", "the same with a sync of 10 ms", "ms", { atMost: 20 }),

  row("memory-10", "memory", "RSS of `holdfast serve` at 10 messages", "MB", { atMost: 120 }),
  row("memory-3000", "memory", "RSS of it, grown in place to 3,000 messages", "MB", { atMost: 140 }),
  row("memory-3000-restarted", "memory", "RSS of it, started anew on 3,000 messages", "MB", {
    reported: "what growing there adds to the row above",
  }),
  row("memory-sessions", "memory", "RSS of it, 1,000 stored and 20 active Sessions", "MB", { atMost: 250 }),
  row("memory-slope", "memory-slope", "RSS growth in 1,000 turns with 1 MB of output", "MB", { atMost: 5 }),

  row("cold-run", "cold-run", "headless run to first body byte, launcher included", "ms", { atMost: 350 }),
  row("cold-run-floor", "cold-run", "an empty Node process, start to end", "ms", {
    reported: "what the platform takes of the row above",
  }),
  row("server-listening", "server", "`holdfast serve`: start to listening", "ms", { atMost: 300 }),
  row("server-first-byte", "server", "first prompt on it to first body byte", "ms", { atMost: 50 }),
  row("sessions-50", "sessions", "tool turns, 50 Sessions at once", "/s", { atLeast: 200 }),
  {
    ...row("store-bytes", "store-bytes", "store per text message at 3,000 messages", "B", {
      atMost: 2_048,
    }),
    weighed: true,
  },
  {
    ...row("import-3000", "import", "import of a Session of 3,000 messages", "ms", { atMost: 3_000 }),
    weighed: true,
  },

  {
    ...row("audit-100mb", "audit", "`holdfast audit` of 100 MB, start to end", "MB/s", { atLeast: 20 }),
    weighed: true,
  },
  {
    ...row("audit-100mb-memory", "audit", "the most memory that it holds", "MB", { atMost: 200 }),
    weighed: true,
  },

  {
    ...row("workload-read-share", "workload", "300 turns: cache read share", "%", { atLeast: 98.2 }),
    needs: "workload",
  },
  {
    ...row("workload-cost", "workload", "300 turns: cost units", "M", { atMost: 7.7 }),
    needs: "workload",
  },
  {
    ...row("workload-breaks", "workload", "300 turns: breaks of the prefix", "", { atMost: 9 }),
    needs: "workload",
  },
  {
    ...row("workload-request", "workload", "300 turns: average request", "tokens", { atLeast: 80_000 }),
    needs: "workload",
  },
  { ...row("workload-wall", "workload", "300 turns: wall time", "s", ofWorkload), needs: "workload" },
]

function reencoded(wire: string): string {
  return `encode, lint, place: one message more at 3,000, ${wire}`
}

function millionRows(): readonly Row[] {
  const ofMillion = { reported: "the targets are for 100,000 messages" }
  const group = "said-million"
  return [
    row("search-lexical-1000000", group, "search by words in 1,000,000 messages, p95", "ms", ofMillion),
    row("search-fused-1000000", group, "the same by meaning too, p95", "ms", ofMillion),
    row(
      "index-turn-1000000",
      group,
      "what the texts of a turn cost the index there, beside it",
      "ms",
      ofMillion,
    ),
    { ...row("store-1000000", group, "the whole store", "MB", ofMillion), weighed: true as const },
  ].map((one) => ({ ...one, named: true as const }))
}

/** What is asked of Anthropic's wire is asked of every wire. */
function deltaRows(group: Group, word: string, wire: string): readonly Row[] {
  return [
    row(`delta-frames-${word}`, group, `CPU per delta, ${wire}, one frame per write`, "µs", { atMost: 10 }),
    row(`delta-bursts-${word}`, group, `CPU per delta, ${wire}, in bursts`, "µs", { atMost: 4 }),
  ]
}

function row(name: string, group: Group, title: string, unit: string, target: Target): Row {
  return { name, group, title, unit, target }
}
