/** The types of a tarball hold what its index reaches, and nothing else. */
import { mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises"
import { globSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { collectDeclarations } from "../../scripts/pack/declarations.ts"

const emitted: Readonly<Record<string, string>> = {
  "sdk/src/index.d.ts": `/** The index. */
export { open, type Options as OpenOptions } from "./open.ts";
export * from "./failure.ts";
export type { Message } from "@holdfast/schema/message";
`,
  "sdk/src/open.d.ts": `import { Effect, Exit } from "effect";
import type { Secret } from "@holdfast/core";
import { type Message, type Part } from "@holdfast/schema/message";
/** Options. */
export interface Options {
    readonly first: Message;
}
/** Opens. */
export declare function open(options: Options): Effect.Effect<Own>;
type Own = import("@holdfast/schema/own").Own.Inner;
export declare function hidden(secret: Secret, part: Part): Exit.Exit<void>;
`,
  "sdk/src/failure.d.ts": `declare const Failed_base: new () => Error;
export declare class Failed extends Failed_base {
}
export {};
`,
  "schema/src/message.d.ts": `import { Node } from "parser";
export interface Message {
    readonly text: string;
}
export type Part = Node;
`,
  "schema/src/own.d.ts": `import * as Json from "./json.ts";
export declare namespace Own {
    type Inner = Json.Value;
}
`,
  "schema/src/json.d.ts": `export type Value = string;\nexport type Other = number;\n`,
  "core/src/index.d.ts": `export interface Secret {\n}\n`,
}

const collected: Readonly<Record<string, string>> = {
  "sdk/index.d.ts": `/** The index. */
export { open, type Options as OpenOptions } from "./open.js";
export * from "./failure.js";
export type { Message } from "../schema/message.js";
export {};
`,
  "sdk/open.d.ts": `import { Effect } from "effect";
import { type Message } from "../schema/message.js";
/** Options. */
export interface Options {
    readonly first: Message;
}
/** Opens. */
export declare function open(options: Options): Effect.Effect<Own>;
type Own = import("../schema/own.js").Own.Inner;
export {};
`,
  "sdk/failure.d.ts": `declare const Failed_base: new () => Error;
export declare class Failed extends Failed_base {
}
export {};
`,
  "schema/message.d.ts": `
export interface Message {
    readonly text: string;
}
export {};
`,
  "schema/own.d.ts": `import * as Json from "./json.js";
export declare namespace Own {
    type Inner = Json.Value;
}
export {};
`,
  "schema/json.d.ts": `export type Value = string;\nexport type Other = number;\nexport {};\n`,
}

test("declarations follow names through packages, lists, stars and inline imports", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "holdfast-declarations-"))
  for (const [path, text] of Object.entries(emitted)) {
    const place = join(folder.path, "emitted", path)
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, text)
  }
  const target = join(folder.path, "types")
  await collectDeclarations(join(folder.path, "emitted"), "sdk/src/index.ts", target)
  const files = globSync("**/*.d.ts", { cwd: target })
  const found = files.map(async (path) => [path, await readFile(join(target, path), "utf8")] as const)
  expect(Object.fromEntries(await Promise.all(found))).toEqual(collected)
})
