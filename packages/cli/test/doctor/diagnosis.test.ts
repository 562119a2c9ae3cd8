/** What facts mean: each finding with its level and its remedy, and how a person reads them. */
import { describe, expect, test } from "vitest"
import type { Examination } from "@holdfast/sdk"
import { diagnose, type Facts } from "../../src/doctor/diagnosis.ts"
import type { Finding } from "../../src/doctor/finding.ts"
import { formatDiagnosis } from "../../src/doctor/report.ts"

const day = 86_400_000

const examination: Examination = {
  directory: {
    path: "/data",
    state: "present",
    problem: null,
    mode: 0o700,
    writable: true,
    bytes: 2_400_000,
    freeBytes: 80 * 1024 ** 3,
  },
  store: {
    file: "/data/holdfast.db",
    state: "looked-at",
    failure: null,
    schemaVersion: 1,
    schemaVersionKnown: 1,
    bytes: 2_000_000,
    sessions: 3,
    events: 120,
    integrity: [],
    index: [],
    damage: [],
    stale: [],
  },
  containment: "group",
  leases: [],
  unfinished: [],
  degraded: [],
  configuration: {
    layers: [{ kind: "user", file: "/config/holdfast.jsonc", state: "absent", sets: [], faults: [] }],
    providers: [],
    model: null,
    modelProblem: null,
  },
  instructions: [],
}

const facts: Facts = {
  now: 10 * day,
  runtime: { version: "0.1.0", node: "26.10.0", platform: "linux-x64", program: "bundle" },
  examination,
  reach: new Map(),
  server: { kind: "none" },
  degraded: [],
}

const provider = {
  name: "far",
  baseUrl: "https://far.example",
  paid: true,
  models: ["m"],
  key: "given",
  keyVariable: "FAR_KEY",
} as const

const session = "ses_1" as Examination["leases"][number]["session"]

/** Everything that is not as it should be. */
const told = (changed: Partial<Facts>): readonly Finding[] =>
  diagnose({ ...facts, ...changed })
    .sections.flatMap(({ findings }) => findings)
    .filter(({ level }) => level !== "ok")

const withExamination = (changed: Partial<Examination>): Partial<Facts> => ({
  examination: { ...examination, ...changed },
})
const withDirectory = (changed: Partial<Examination["directory"]>) =>
  withExamination({ directory: { ...examination.directory, ...changed } })
const withStore = (changed: Partial<Examination["store"]>) =>
  withExamination({ store: { ...examination.store, ...changed } })
const withConfiguration = (changed: Partial<Examination["configuration"]>) =>
  withExamination({ configuration: { ...examination.configuration, ...changed } })

test("[IN1] a long instruction file is a warning with its price", () =>
  expect(
    told(withExamination({ instructions: [{ path: "/p/AGENTS.md", bytes: 3_145_728, bytesSent: 262_144 }] })),
  ).toEqual([
    {
      level: "warning",
      code: "instructions_cut",
      text: "/p/AGENTS.md has 3.0 MB: only its first 256 kB are sent, with every request, which is about 65,536 tokens each time.",
      remedy: "Shorten the file; say there where the rest can be read.",
    },
  ]))

test("[IN1] what has the name of an instruction file and is none is a warning", () =>
  expect(told(withExamination({ instructions: [{ path: "/p/AGENTS.md", irregular: true }] }))).toEqual([
    {
      level: "warning",
      code: "instructions_irregular",
      text: "/p/AGENTS.md is no file, so no instructions are read from it.",
      remedy: "Write a file in its place, or remove it.",
    },
  ]))

test("[PE3] a Session that asks is told with the command that lists its asks", () => {
  const status = {
    state: "asking",
    owing: false,
    pending: 0,
    asks: 1,
    reason: null,
    waitingUntil: null,
  } as const
  const unfinished = [{ session, title: null, status, updatedAt: 10 * day - 60_000 }]
  expect(told(withExamination({ unfinished }))).toMatchObject([
    {
      text: "ses_1 has 1 open ask, waits for your answer (asking) for 1 min",
      remedy: "holdfast asks ses_1",
    },
  ])
})

test("[SU1] a sound machine is healthy and reads so", () => {
  const diagnosis = diagnose(facts)
  expect({ ...diagnosis, sections: [] }).toEqual({
    type: "diagnosis",
    healthy: true,
    problems: 0,
    warnings: 0,
    version: "0.1.0",
    sections: [],
  })
  expect(formatDiagnosis({ paint: (_, text) => text }, diagnosis)).toBe(`Runtime
  ✓ Node 26.10.0 on linux-x64, run from the bundle
  ✓ each command runs in a control group of its own: nothing that it starts can hide and live on
Data directory
  ✓ /data, 2.3 MB
  ✓ 80 GB free on its disk
Store
  ✓ 3 Sessions, 120 records, version 1
  ✓ every record is sound, every projection equals the log
Sessions
  ✓ nobody leads a Session, and none owes an answer
Configuration
  ✓ /config/holdfast.jsonc: not there
Providers
  ✓ none is configured: the offline model answers
Server
  ✓ none runs on this data directory
Background work
  ✓ nothing is known to fail

Holdfast is healthy (version 0.1.0).
`)
})

test.for([
  ["group", /control group of its own: nothing that it starts can hide/],
  ["namespace", /PID namespace of its own: .* later commands cannot see/],
  ["mark", /process group and a mark .* clears its environment lives on$/],
] as const)("[TL3] it says by what the processes of a command are found: %s", ([containment, text]) => {
  const { sections } = diagnose({ ...facts, ...withExamination({ containment }) })
  const findings = sections.flatMap((section) => section.findings)
  const found = findings.filter(({ code }) => code === `containment_${containment}`)
  expect(found).toEqual([
    {
      level: "ok",
      code: `containment_${containment}`,
      text: expect.stringMatching(text) as string,
      remedy: null,
    },
  ])
})

describe("[SU1] what is wrong is told with a level and a remedy", () => {
  const cases: readonly (readonly [string, Partial<Facts>, Finding["level"], string | RegExp | null])[] = [
    ["runtime_old", { runtime: { ...facts.runtime, node: "20.1.0" } }, "problem", /Node 26/],
    ["data_no_directory", withDirectory({ state: "no-directory" }), "problem", /--data-dir/],
    [
      "data_unreachable",
      withDirectory({ state: "unreachable", problem: "EACCES" }),
      "problem",
      /permissions/,
    ],
    [
      "data_not_makable",
      withDirectory({ state: "absent", writable: false, mode: null }),
      "problem",
      /above it/,
    ],
    ["data_read_only", withDirectory({ writable: false }), "problem", /owner/],
    ["data_open", withDirectory({ mode: 0o755 }), "warning", "chmod 700 /data"],
    ["disk_full", withDirectory({ freeBytes: 1_000 }), "problem", /Free some space/],
    ["disk_low", withDirectory({ freeBytes: 500 * 1024 ** 2 }), "warning", /Free some space/],
    ["store_integrity", withStore({ integrity: ["Page 3 is never used"] }), "problem", /copy it/],
    ["search_index", withStore({ index: ['fts5: corrupt table "word"'] }), "warning", /doctor --rebuild/],
    [
      "store_damaged",
      withStore({ damage: [{ session, seq: 5, problem: "x" }] }),
      "problem",
      /copy it.*still loads/,
    ],
    [
      "store_damaged",
      withStore({ damage: [{ session: null, seq: null, problem: "x" }] }),
      "problem",
      /copy it/,
    ],
    ["store_stale", withStore({ stale: [{ session, table: "inbox" }] }), "problem", /doctor --rebuild/],
    [
      "lease_dead",
      withExamination({ leases: [{ session, pid: 7, owner: "gone" }] }),
      "warning",
      /next start/,
    ],
    [
      "configuration_invalid",
      withConfiguration({
        layers: [
          { kind: "user", file: "/c", state: "read", sets: [], faults: [{ line: 3, message: "bad" }] },
        ],
      }),
      "problem",
      "Mend line 3 of /c.",
    ],
    [
      "configuration_invalid",
      withConfiguration({
        layers: [
          { kind: "user", file: "/c", state: "read", sets: [], faults: [{ line: 0, message: "no file" }] },
        ],
      }),
      "problem",
      null,
    ],
    [
      "provider_key",
      withConfiguration({ providers: [{ ...provider, key: "missing" }] }),
      "warning",
      /Set FAR_KEY/,
    ],
    [
      "provider_key",
      withConfiguration({ providers: [{ ...provider, key: "missing" }], model: "far/m" }),
      "problem",
      /Set FAR_KEY/,
    ],
    [
      "provider_silent",
      {
        ...withConfiguration({ providers: [provider], model: "far/m" }),
        reach: new Map([["far", { kind: "silent", problem: "the name is unknown" }]]),
      },
      "problem",
      /--offline/,
    ],
    [
      "server_silent",
      {
        server: {
          kind: "silent",
          url: "http://127.0.0.1:1",
          pid: 7,
          problem: "no answer",
          start: "holdfast serve --port 4096",
        },
      },
      "problem",
      "End process 7, then start it again: holdfast serve --port 4096",
    ],
    [
      "server_configuration",
      {
        server: {
          kind: "answers",
          url: "http://127.0.0.1:1",
          pid: 7,
          version: "1",
          elsewhere: "It works with other files.",
        },
      },
      "warning",
      null,
    ],
    [
      "server_unreadable",
      { server: { kind: "unreadable", file: "/f", problem: "x" } },
      "problem",
      "Remove /f.",
    ],
  ]
  test.each(cases)("%s", (code, changed, level, remedy) => {
    const [finding, ...rest] = told(changed)
    expect(rest).toEqual([])
    expect(finding).toMatchObject({ code, level })
    if (remedy instanceof RegExp) expect(finding?.remedy).toMatch(remedy)
    else expect(finding?.remedy).toBe(remedy)
    expect(diagnose({ ...facts, ...changed }).healthy).toBe(level !== "problem")
  })

  test.each(["busy", "full", "read_only", "corrupt", "newer", "mismatch", "unavailable"] as const)(
    "a store that is %s is a problem with its detail, and sends nobody to the doctor again",
    (code) => {
      const message = "Something is wrong. Run `holdfast doctor`; do not delete the file."
      const failure = { code, message, outcomeUnknown: false, detail: "the detail" }
      const [finding] = told(withStore({ failure, state: "unreadable" }))
      expect(finding).toMatchObject({ code: `store_${code}`, level: "problem" })
      expect(finding?.text).toContain("the detail")
      expect(finding?.text).not.toContain("Run `holdfast doctor`")
    },
  )

  test("[FA1] a degraded part is named with its cause and since when, and nothing is called healthy beside it", () => {
    const degraded = [{ part: "indexer", cause: "the disk is slow", since: 7 * day }]
    expect(told({ degraded })).toEqual([
      {
        level: "warning",
        code: "degraded",
        text: "indexer is degraded, for 3 d: the disk is slow",
        remedy: null,
      },
    ])
    const diagnosis = diagnose({ ...facts, degraded })
    expect(diagnosis).toMatchObject({ healthy: false, problems: 0, warnings: 1 })
    expect(formatDiagnosis({ paint: (_, piece) => piece }, diagnosis)).toContain(
      "\nHoldfast works, but not all of it (version 0.1.0, 1 warning).\n",
    )
  })

  test("many of one kind are counted, and the remedy stands once", () => {
    const damage = Array.from({ length: 25 }, (_, seq) => ({ session, seq, problem: "unreadable" }))
    const diagnosis = diagnose({ ...facts, ...withStore({ damage }) })
    const text = formatDiagnosis({ paint: (_, piece) => piece }, diagnosis)
    expect(text.match(/✗/g)).toHaveLength(11)
    expect(text).toContain("✗ and 15 more\n    → holdfast doctor --json lists all of them.")
    expect(text.match(/copy it/g)).toHaveLength(1)
    expect(text).toContain("11 problems (version 0.1.0).")
  })
})

test("[CF1 HI1] a model for work beside the turns that nothing serves is told of, with its setting", () => {
  const helperProblems = [{ setting: "historian.model", message: "There is no provider nope." }]
  const { sections } = diagnose({ ...facts, ...withConfiguration({ helperProblems }) })
  const said = sections.flatMap(({ findings }) => findings).filter(({ level }) => level === "warning")
  expect(said).toMatchObject([{ code: "helper_model", text: "historian.model: There is no provider nope." }])
})

test("a key that is missing is told once, of its provider; a model that is not there is told beside it", () => {
  const lacking = { providers: [{ ...provider, key: "missing" as const }], model: "far/m" }
  const codes = (more: object) =>
    diagnose({ ...facts, ...withConfiguration({ ...lacking, ...more }) }).sections.flatMap(({ findings }) =>
      findings.flatMap(({ code, level }) => (level === "ok" ? [] : [`${code} ${level}`])),
    )
  const modelProblem = "The provider far takes its key from the variable FAR_KEY, which is not set."
  expect(codes({ modelProblem, modelLacksKey: true })).toEqual(["provider_key problem"])
  expect(codes({ modelProblem: "There is no model m." })).toEqual(["provider_key problem", "model problem"])
})
