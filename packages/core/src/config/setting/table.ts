/**
 * Table of settings: each setting once, with its words, its shape, who may set it, and what a bad
 * value means (CF1). Validation, the JSON Schema for editors, the page of the documents and
 * `holdfast config` are made from it; a setting that is not here does not exist.
 *
 * `onFault` is `error` where the default could spend, expose or run something that the person did
 * not want; everywhere else a bad value falls back to the default, with a warning. Of a setting with
 * parts only the one that is wrong falls back, as `partsIn` says of each.
 */
import { executeShareDefault, executeShareMax, executeShareMin } from "@holdfast/recall"
import type { JsonObject } from "@holdfast/schema/json"
import { decodePermissions } from "./permissions.ts"
import { type DecodedFrom, decodeProvider, providerKeys } from "../decode-provider.ts"
import { type Fields, numberIn, objectsIn, truthIn } from "../document.ts"
import type { Settings } from "../settings.ts"
import { providerSchema } from "./provider-schema.ts"
import {
  askedTasks,
  decodeBudget,
  decodeCache,
  decodeCatalogUrl,
  decodeCost,
  decodeDreamer,
  decodeFallback,
  decodeHistorian,
  decodeInstructions,
  decodeModelRef,
  decodeOnRestart,
  decodePrivateHosts,
  decodeRecall,
  decodeSearch,
  decodeSidekick,
  decodeTimeZone,
  fallbackMax,
  chunkCharactersDefault,
  chunkCharactersMax,
  chunkCharactersMin,
  instructionsMax,
  keepWarmMax,
  lifetimes,
  schedulePattern,
  sidekickSecondsDefault,
  sidekickSecondsMax,
} from "./values.ts"

export interface Setting<Value = unknown> {
  readonly description: string
  /** JSON Schema of its value. */
  readonly schema: JsonObject
  /** What holds where nobody sets it. */
  readonly otherwise: string
  /** A project's file comes with whatever was cloned: it may set only what is marked. */
  readonly setBy: "user" | "user or project"
  readonly onFault: "error" | "default"
  readonly decode: (fields: Fields, from: DecodedFrom) => Value
}

export type SettingName = keyof Settings

const modelPattern = "^[^/]+/.+$"

/** A model, and others for when it cannot answer. */
const modelsSchema: JsonObject = {
  model: { type: "string", pattern: modelPattern },
  fallback: {
    type: "array",
    items: { type: "string", pattern: modelPattern },
    uniqueItems: true,
    maxItems: fallbackMax,
  },
}

export const settingTable: { readonly [Name in SettingName]: Setting<Settings[Name]> } = {
  providers: {
    description: "Providers by name: their wire, address, key, options, time limits and models.",
    schema: { type: "object", additionalProperties: providerSchema },
    otherwise: "those whose key is in the environment",
    setBy: "user",
    onFault: "error",
    decode: (fields, from) =>
      new Map(
        [...objectsIn(fields, "providers", providerKeys)].map(([name, provider]) => [
          name,
          decodeProvider(name, provider, from),
        ]),
      ),
  },
  model: {
    description: "The model of a new Session, as provider/model or provider/model:variant.",
    schema: { type: "string", pattern: modelPattern },
    otherwise: "the only model that is configured, or the default of the first provider with a key",
    setBy: "user or project",
    onFault: "error",
    decode: (fields) => decodeModelRef(fields, "model"),
  },
  fallback: {
    description: "Models that take a turn when the chosen one cannot, in order.",
    schema: {
      type: "array",
      items: { type: "string", pattern: modelPattern },
      uniqueItems: true,
      maxItems: fallbackMax,
    },
    otherwise: "none",
    setBy: "user",
    onFault: "default",
    decode: decodeFallback,
  },
  titleModel: {
    description: "The model that writes titles of Sessions, as provider/model.",
    schema: { type: "string", pattern: modelPattern },
    otherwise:
      "a small model of the Session's provider, where one is known; else the first line is the title",
    setBy: "user",
    onFault: "error",
    decode: (fields) => decodeModelRef(fields, "titleModel"),
  },
  historian: {
    description:
      "What writes the history of long Sessions: a model, others for when it cannot answer, instructions of your own, and whether the model tightens each draft in a second request (editor).",
    schema: {
      type: "object",
      properties: {
        ...modelsSchema,
        prompt: { type: "string", minLength: 1 },
        editor: { type: "boolean" },
      },
      required: ["model"],
      additionalProperties: false,
    },
    otherwise: "the built-in historian, which needs no model",
    setBy: "user",
    onFault: "error",
    decode: decodeHistorian,
  },
  dreamer: {
    description:
      "What keeps the memory of projects small and true: a model, others for when it cannot answer, what they are asked, and when.",
    schema: {
      type: "object",
      properties: {
        ...modelsSchema,
        tasks: { type: "array", items: { enum: [...askedTasks] }, uniqueItems: true },
        schedule: { type: "string", pattern: schedulePattern },
      },
      additionalProperties: false,
    },
    otherwise: "what needs no model, at any time of the day",
    setBy: "user",
    onFault: "error",
    decode: decodeDreamer,
  },
  sidekick: {
    description:
      "What looks up earlier work for a prompt that is sent with --sidekick: a model, others for when it cannot answer, instructions of your own, and for how many seconds the turn waits.",
    schema: {
      type: "object",
      properties: {
        ...modelsSchema,
        prompt: { type: "string", minLength: 1 },
        timeoutSeconds: { type: "integer", minimum: 1, maximum: sidekickSecondsMax },
      },
      required: ["model"],
      additionalProperties: false,
    },
    otherwise: `nobody; the turn waits for ${sidekickSecondsDefault} seconds`,
    setBy: "user",
    onFault: "error",
    decode: decodeSidekick,
  },
  maskShapes: {
    description: "Whether what has the shape of a secret is masked, beside the keys that are configured.",
    schema: { type: "boolean" },
    otherwise: "true",
    setBy: "user",
    onFault: "error",
    decode: (fields) => truthIn(fields, "maskShapes") ?? null,
  },
  onRestart: {
    description: "What a restart does with the unfinished work of a Session that does not say it itself.",
    schema: { enum: ["settle", "continue"] },
    otherwise: "settle",
    setBy: "user",
    onFault: "default",
    decode: decodeOnRestart,
  },
  budget: {
    description: "What a new Session may spend before it pauses: tokens, dollars, or both.",
    schema: {
      type: "object",
      properties: {
        tokens: { type: "integer", minimum: 1 },
        money: { type: "number", exclusiveMinimum: 0 },
      },
      additionalProperties: false,
    },
    otherwise: "no limit",
    setBy: "user",
    onFault: "error",
    decode: decodeBudget,
  },
  cache: {
    description:
      "How long the provider keeps cached prefixes, and whether requests that only keep them are sent while a Session is idle.",
    schema: {
      type: "object",
      properties: {
        lifetime: { enum: [...lifetimes] },
        keepWarm: {
          type: "object",
          properties: {
            max: { type: "integer", minimum: 1, maximum: keepWarmMax },
            costMax: { type: "number", exclusiveMinimum: 0 },
          },
          required: ["max", "costMax"],
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    otherwise: "as long as the rhythm of the Session suggests, and nothing is sent to keep them",
    setBy: "user",
    onFault: "default",
    decode: decodeCache,
  },
  cost: {
    description:
      "Above how many dollars a request is asked for, before it is sent, where the cache has lapsed or the prefix breaks.",
    schema: {
      type: "object",
      properties: { askAbove: { type: "number", minimum: 0 } },
      additionalProperties: false,
    },
    otherwise: "nobody is asked",
    setBy: "user",
    onFault: "error",
    decode: decodeCost,
  },
  search: {
    description:
      'How what was said is found again: the embedding model ("local", "off" or provider/model of an OpenAI-compatible provider; a project may choose "local", "off" or what your own file names), which other models a project may choose, how long the pieces of a summary are that it gets, and whether a model is told what was said before about what you ask.',
    schema: {
      type: "object",
      properties: {
        embedding: { type: "string", pattern: "^(?:local|off|[^/]+/.+)$" },
        projectModels: {
          type: "array",
          items: { type: "string", pattern: modelPattern },
          maxItems: fallbackMax,
        },
        chunkCharacters: { type: "integer", minimum: chunkCharactersMin, maximum: chunkCharactersMax },
        hint: { type: "boolean" },
      },
      additionalProperties: false,
    },
    otherwise: `the model that comes with the program, pieces of ${chunkCharactersDefault} characters, and hints`,
    setBy: "user or project",
    onFault: "error",
    decode: decodeSearch,
  },
  recall: {
    description:
      "At which share of the window old messages are summed up: less keeps requests small, more keeps more of them as they were; which documents of the project stand before the history; and whether old answers are told in fewer words where the model cannot drop anything itself.",
    schema: {
      type: "object",
      properties: {
        threshold: { type: "number", minimum: executeShareMin, maximum: executeShareMax },
        docs: { type: "array", items: { type: "string", minLength: 1 }, maxItems: 8 },
        textCompression: { type: "boolean" },
      },
      additionalProperties: false,
    },
    otherwise: `a threshold of ${executeShareDefault}; ARCHITECTURE.md and STRUCTURE.md; no text compression`,
    setBy: "user or project",
    onFault: "default",
    decode: decodeRecall,
  },
  permissions: {
    description: "Permission rules in their order, as allow, ask or deny and what it is about.",
    schema: { type: "array", items: { type: "string", pattern: "^\\s*(allow|ask|deny)\\s" } },
    otherwise: "the built-in rules alone",
    setBy: "user or project",
    onFault: "error",
    decode: (fields, { owner, environment }) => decodePermissions(fields, owner, environment),
  },
  timeZone: {
    description: "The time zone of the date that models are told.",
    schema: { type: "string" },
    otherwise: "that of the host",
    setBy: "user",
    onFault: "default",
    decode: decodeTimeZone,
  },
  toolOutputDays: {
    description: "For how many days the files with complete outputs of tools are kept.",
    schema: { type: "integer", minimum: 1 },
    otherwise: "7",
    setBy: "user",
    onFault: "default",
    decode: (fields) => numberIn(fields, "toolOutputDays", "count") ?? null,
  },
  webfetchPrivateHosts: {
    description: "Hosts that `webfetch` may reach though their addresses are not public.",
    schema: { type: "array", items: { type: "string" } },
    otherwise: "none",
    setBy: "user",
    onFault: "error",
    decode: decodePrivateHosts,
  },
  instructions: {
    description:
      "Files with instructions beside AGENTS.md, as paths or patterns such as docs/*.md; in your own file also addresses.",
    schema: { type: "array", items: { type: "string", minLength: 1 }, maxItems: instructionsMax },
    otherwise: "none",
    setBy: "user or project",
    onFault: "default",
    decode: decodeInstructions,
  },
  catalogUrl: {
    description: "Where `holdfast models --refresh` fetches the catalog.",
    schema: { type: "string", pattern: "^https?://" },
    otherwise: "https://models.dev/api.json",
    setBy: "user",
    onFault: "default",
    decode: decodeCatalogUrl,
  },
}

export const settingNames = Object.keys(settingTable) as readonly SettingName[]

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(settingTable, name)
