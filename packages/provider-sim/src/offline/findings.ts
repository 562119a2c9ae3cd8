/**
 * Findings: one or two sentences about a tool result, drawn from its real content.
 */
import { isObject } from "../json.ts"
import type { ViewImage } from "../model.ts"
import type { DoneCall } from "./turn.ts"
import { isListing, kindOf, targetOf } from "./toolbox.ts"

const quoteCharsMax = 160
const namesMax = 5
const outputLinesMax = 12

/** What a call found out, in prose. */
export function describeCall(call: DoneCall): string {
  const target = targetOf(call.input)
  if (call.isError) return describeFailure(call, target)
  if (call.images.length > 0) return `\`${target || call.name}\` shows ${countImages(call.images)}.`
  if (isListing(call)) return describeListing(target, call.text)
  switch (kindOf(call.name)) {
    case "read":
      return describeFile(target, plainLines(call.text))
    case "write":
      return `I wrote \`${target}\`.`
    case "bash":
      return describeOutput(target, call.text)
    case "list":
      return describeListing(target, call.text)
    case "search":
      return describeMatches(target, call.text)
    default:
      return describeOutput(call.name, call.text)
  }
}

/** What can be told of images without eyes, or nothing if there are none. */
export function describeImages(images: readonly ViewImage[]): readonly string[] {
  return images.length === 0 ? [] : [`I see ${countImages(images)}.`]
}

/** Whether a failure is a matter of permission, which no other attempt can mend. */
export function isRefusal(call: DoneCall): boolean {
  return call.isError && /permission|not allowed|denied|declined|rejected/i.test(call.text)
}

/** The names in a listing, whatever decorates them. */
export function listedNames(text: string): readonly string[] {
  return text
    .split("\n")
    .map(
      (line) =>
        line
          .trim()
          .replace(/^[-*├└│─\s]+/, "")
          .split(/\s+/)
          .at(-1) ?? "",
    )
    .filter((name) => name !== "")
}

function describeFailure(call: DoneCall, target: string): string {
  const reason = clip(firstLine(call.text) || "no reason given").replace(/[.\s]+$/, "")
  if (isRefusal(call)) {
    return `The tool \`${call.name}\` was refused for \`${target}\`: ${reason}. If you want me to do it, start the session with \`--allow ${call.name}\`.`
  }
  const verb = { read: "could not be read", write: "could not be written" }
  const kind = kindOf(call.name)
  const problem = kind === "read" || kind === "write" ? verb[kind] : "failed"
  return `\`${target}\` ${problem}: ${reason}.`
}

function countImages(images: readonly ViewImage[]): string {
  const shown = images
    .slice(0, namesMax)
    .map(({ mediaType, width, height }) =>
      width === 0 ? "one that is elsewhere" : `${mediaType}, ${width} × ${height}`,
    )
  const rest = images.length - shown.length
  const sizes = [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ")
  return `${images.length === 1 ? "an image" : count(images.length, "image")}: ${sizes}`
}

/** Lines of a file without the numbers and tags that tools put around them. */
function plainLines(text: string): readonly string[] {
  const lines = text.replace(/^<file[^>]*>\n?|\n?<\/file>\s*$/g, "").split("\n")
  if (lines.at(-1) === "") lines.pop()
  const number = /^\s*\d+(?:\t|\s*[|:→]\s?)/
  const numbered = lines.filter((line) => number.test(line)).length
  return numbered > 0 && numbered >= lines.length * 0.8
    ? lines.map((line) => line.replace(number, ""))
    : lines
}

function describeFile(path: string, lines: readonly string[]): string {
  if (lines.every((line) => line.trim() === "")) return `\`${path}\` is empty.`
  const size = `\`${path}\` has ${count(lines.length, "line")}`
  const extension = path.split(".").at(-1)?.toLowerCase() ?? ""
  if (extension === "md" || extension === "mdx" || path.endsWith("README")) return describeProse(size, lines)
  if (extension === "json") return describeJson(size, lines)
  const names = definedNames(lines)
  if (names.length > 0) return `${size} and defines ${list(names)}.`
  return `${size}; the first one reads “${clip(firstLine(lines.join("\n")))}”.`
}

function describeProse(size: string, lines: readonly string[]): string {
  const heading = lines.find((line) => /^#\s+\S/.test(line))?.replace(/^#\s+/, "")
  const lead = lines.find((line) => /^[A-Za-z0-9*_“"]/.test(line.trim()) && !line.startsWith("#"))
  const sections = lines.filter((line) => /^##\s+\S/.test(line)).map((line) => line.replace(/^##\s+/, ""))
  const parts = [heading === undefined ? `${size}.` : `${size} under the heading “${clip(heading)}”.`]
  if (lead !== undefined) parts.push(`It begins: “${clip(lead.trim())}”`)
  if (sections.length > 0) parts.push(`Its sections are ${list(sections, "“", "”")}.`)
  return parts.join(" ")
}

function describeJson(size: string, lines: readonly string[]): string {
  const value = parseJson(lines.join("\n"))
  if (!isObject(value)) return `${size} of JSON.`
  if (typeof value["name"] === "string") {
    const version = typeof value["version"] === "string" ? `, version ${value["version"]}` : ""
    const scripts = isObject(value["scripts"]) ? Object.keys(value["scripts"]) : []
    const tail = scripts.length > 0 ? ` Its scripts are ${list(scripts)}.` : ""
    return `${size} and describes \`${value["name"]}\`${version}.${tail}`
  }
  const keys = Object.keys(value)
  return keys.length === 0 ? `${size} of JSON.` : `${size} of JSON with the keys ${list(keys)}.`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A file may be cut or hold comments; then only its size is told.
    return undefined
  }
}

function definedNames(lines: readonly string[]): readonly string[] {
  const definition =
    /^\s*(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|struct|trait|def|fn|func|const)\s+([A-Za-z_$][\w$]*)/
  const exported = lines.filter((line) => /^\s*(?:export|pub)\b/.test(line))
  const source = exported.length > 0 ? exported : lines.filter((line) => /^\S/.test(line))
  return [...new Set(source.flatMap((line) => definition.exec(line)?.[1] ?? []))]
}

function describeOutput(command: string, text: string): string {
  const lines = text.trimEnd().split("\n")
  if (text.trim() === "") return `\`${command}\` finished without printing anything.`
  const only = lines[0] ?? ""
  if (lines.length === 1 && only.length <= quoteCharsMax && !only.includes("`")) {
    return `\`${command}\` printed \`${only.trim()}\`.`
  }
  const shown =
    lines.length <= outputLinesMax ? lines : [...lines.slice(0, outputLinesMax - 3), "…", ...lines.slice(-2)]
  return `\`${command}\` printed ${count(lines.length, "line")}:\n\n\`\`\`\n${shown.join("\n")}\n\`\`\``
}

function describeListing(path: string, text: string): string {
  // A tool that reads says that it is empty, or how to go on, in a line of its own.
  const names = listedNames(text.replaceAll(/^(?:\(.* is empty\)|\[lines .*\])$/gm, ""))
  const place = path === "." || path === "" ? "The folder" : `\`${path}\``
  return names.length === 0 ? `${place} is empty.` : `${place} holds ${list(names)}.`
}

function describeMatches(pattern: string, text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  if (lines.length === 0) return `Nothing matches “${pattern}”.`
  return `“${pattern}” gives ${count(lines.length, "line")} of matches; the first is “${clip(lines[0] ?? "")}”.`
}

function list(names: readonly string[], open = "`", close = "`"): string {
  const shown = names.slice(0, namesMax).map((name) => `${open}${clip(name)}${close}`)
  const rest = names.length - shown.length
  if (rest > 0) return `${shown.join(", ")} and ${rest} more`
  return shown.length === 1 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`
}

function count(amount: number, noun: string): string {
  const grouped = String(amount).replace(/\B(?=(?:\d{3})+$)/g, ",")
  return `${grouped} ${noun}${amount === 1 ? "" : "s"}`
}

function firstLine(text: string): string {
  return (
    text
      .split("\n")
      .find((line) => line.trim() !== "")
      ?.trim() ?? ""
  )
}

function clip(text: string): string {
  const points = [...text]
  return points.length <= quoteCharsMax
    ? text
    : `${points
        .slice(0, quoteCharsMax - 1)
        .join("")
        .trimEnd()}…`
}
