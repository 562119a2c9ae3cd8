/**
 * Archives that lead out of where they are unpacked: `../` in names, links to what lies beside, files
 * behind such links. A command that the user allowed unpacks them; then every tool works on what is there.
 */
import { crc32 } from "node:zlib"
import type { Call } from "../place.ts"
import { asks, type Attack, shell } from "./attack.ts"

interface Entry {
  readonly name: string
  /** A link to there. */
  readonly link?: string
  /** The other name of a file that is there. */
  readonly hard?: string
}

/** Links first, so that what follows would be written through them. */
const entries: readonly Entry[] = [
  { name: "unpacked/door", link: "../../beside" },
  { name: "unpacked/secret.ts", link: "../../beside/secret.txt" },
  { name: "unpacked/settings.ts", link: "../.env" },
  { name: "unpacked/hooks", link: "../.git/hooks" },
  { name: "unpacked/top", link: "/" },
  { name: "unpacked/chain", link: "door/inner" },
  { name: "unpacked/door/owned" },
  { name: "unpacked/hooks/pre-commit" },
  { name: "../beside/owned" },
  { name: "unpacked/../../beside/owned" },
  { name: "unpacked/harmless.txt" },
]

const body = "owned\n"

export function tarOf(more: readonly Entry[] = []): Uint8Array {
  const blocks = [...entries, ...more].flatMap(({ name, link, hard }) => {
    const data = link === undefined && hard === undefined ? Buffer.from(body) : Buffer.alloc(0)
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write("0000644\0", 100)
    header.write("0000000\0", 108)
    header.write("0000000\0", 116)
    header.write(`${data.length.toString(8).padStart(11, "0")}\0`, 124)
    header.write("00000000000\0", 136)
    header.write("        ", 148)
    header.write(link === undefined ? (hard === undefined ? "0" : "1") : "2", 156)
    header.write(link ?? hard ?? "", 157)
    header.write("ustar\u000000", 257)
    const sum = header.reduce((all, byte) => all + byte, 0)
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1_024)])
}

const modeOf = { file: 0o100644, link: 0o120777 } as const

export function zipOf(): Uint8Array {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, link } of entries) {
    const path = Buffer.from(name)
    const data = Buffer.from(link ?? body)
    // Version, flags, method, time, date, checksum, both sizes, length of the name, no extra fields.
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(0x21, 8)
    shared.writeUInt32LE(crc32(data), 10)
    shared.writeUInt32LE(data.length, 14)
    shared.writeUInt32LE(data.length, 18)
    shared.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), shared, path, data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((link === undefined ? modeOf.file : modeOf.link) * 65_536, 6)
    rest.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0003"), shared, rest, path]))
    locals.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(Buffer.concat(central).length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, ...central, Buffer.from("PK\u0005\u0006"), end])
}

const patch = (...lines: readonly string[]): Call => [
  "apply_patch",
  { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") },
]
const led = (call: Call, leads: string): Attack => ({
  name: `${call[0]}: ${JSON.stringify(call[1])}`,
  call,
  says: asks(leads),
})

/** On what was unpacked. */
export const unpackedAttacks: readonly Attack[] = [
  led(["read", { path: "unpacked/door/secret.txt" }], "beside/secret\\.txt"),
  led(["read", { path: "unpacked/secret.ts" }], "beside/secret\\.txt"),
  led(["read", { path: "unpacked/settings.ts" }], "\\.env"),
  led(["read", { path: "unpacked/chain/deep.txt" }], "beside/inner/deep\\.txt"),
  led(["read", { path: "unpacked/top/etc/passwd" }], "/etc/passwd"),
  led(["list", { path: "unpacked/door" }], "beside"),
  led(["glob", { pattern: "**", path: "unpacked/door" }], "beside"),
  led(["grep", { pattern: "canary", path: "unpacked/door" }], "beside"),
  led(["grep", { pattern: "canary", path: "unpacked/settings.ts" }], "\\.env"),
  led(["write", { path: "unpacked/door/made.txt", content: "owned" }], "beside/made\\.txt"),
  led(["write", { path: "unpacked/hooks/post-commit", content: "owned" }], "\\.git/hooks"),
  led(["edit", { path: "unpacked/secret.ts", oldText: "canary", newText: "owned" }], "beside/secret\\.txt"),
  led(patch("*** Add File: unpacked/door/inner/made.txt", "+owned"), "beside/inner/made\\.txt"),
  led(patch("*** Delete File: unpacked/door/inner/deep.txt"), "beside/inner/deep\\.txt"),
  shell("cat unpacked/settings.ts", asks("\\.env")),
  shell("cat unpacked/door/secret.txt", asks("beside/secret\\.txt")),
  shell("echo owned > unpacked/door/made.txt", asks("beside/made\\.txt")),
]
