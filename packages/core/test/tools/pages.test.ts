/** Each tool has its page, which says what the model is told, what the tool does, and what it refuses. */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { createSkillTool } from "../../src/skills/tool.ts"
import {
  applyPatchTool,
  bashKillTool,
  bashOutputTool,
  createBashTool,
  createGlobTool,
  createGrepTool,
  createWebfetchTool,
  editTool,
  listTool,
  questionTool,
  readTool,
  todoTool,
  type Tool,
  writeTool,
} from "../../src/tools/index.ts"

const tools: readonly (readonly [page: string, tool: Tool])[] = [
  ["read", readTool],
  ["write", writeTool],
  ["edit", editTool],
  ["apply_patch", applyPatchTool],
  ["bash", createBashTool({})],
  ["bash", bashOutputTool],
  ["bash", bashKillTool],
  ["glob", createGlobTool()],
  ["grep", createGrepTool()],
  ["list", listTool],
  ["webfetch", createWebfetchTool(() => ({ privateHosts: new Set() }))],
  ["todo", todoTool],
  ["question", questionTool],
  ["skill", createSkillTool({ configDirectory: "/", disableProject: true })],
]

const pageOf = (name: string) =>
  readFileSync(new URL(`../../../../docs/tools/${name}.md`, import.meta.url), "utf8")
const flat = (text: string) => text.replaceAll(/^> ?/gm, "").replaceAll(/\s+/g, " ")

test.each(tools)("[TL1] the page %s says what the model is told, and the rest of it", (name, tool) => {
  const page = pageOf(name)
  expect(flat(page)).toContain(flat(tool.description))
  for (const field of Object.keys((tool.inputSchema["properties"] ?? {}) as JsonObject))
    expect(page).toContain(`\`${field}\``)
  for (const heading of [
    /^## What the model is told$/m,
    /^## What (it does|they do)$/m,
    /^## What (it refuses|they refuse)$/m,
  ])
    expect(page).toMatch(heading)
  expect(pageOf("README")).toMatch(new RegExp(`\\[[^\\]]*\\b${tool.name}\\b[^\\]]*\\]\\(${name}\\.md`))
})
