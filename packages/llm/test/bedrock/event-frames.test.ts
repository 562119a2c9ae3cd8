/** Binary frames, cut and broken. */
import { crc32 } from "node:zlib"
import { describe, expect, test } from "vitest"
import { type EventFrame, FrameSplitter } from "../../src/bedrock-converse/event-frames.ts"
import { frame, textHeader } from "../fixtures/bedrock.ts"

function split(pieces: readonly Uint8Array[]): readonly (EventFrame | string)[] {
  const seen: (EventFrame | string)[] = []
  const splitter = new FrameSplitter({
    frame: (found) => void seen.push(found),
    fail: (code) => void seen.push(code),
  })
  for (const piece of pieces) splitter.push(piece)
  return seen
}

/** Header values of every type that the encoding knows. */
const everyType = Buffer.concat([
  Buffer.from("\x01a\x00\x01b\x01\x01c\x02", "latin1"),
  Buffer.of(7),
  Buffer.from("\x01d\x03", "latin1"),
  Buffer.alloc(2),
  Buffer.from("\x01e\x04", "latin1"),
  Buffer.alloc(4),
  Buffer.from("\x01f\x05", "latin1"),
  Buffer.alloc(8),
  Buffer.from("\x01g\x06\x00\x03xyz", "latin1"),
  Buffer.from("\x01h\x08", "latin1"),
  Buffer.alloc(8),
  Buffer.from("\x01i\x09", "latin1"),
  Buffer.alloc(16),
  textHeader(":event-type", "ping"),
])

describe("checksums", () => {
  test("[LL6] are those of the published test vector", () => {
    expect(crc32("123456789")).toBe(0xcbf43926)
  })

  /** documented: vectors of the encoding. */
  test.each([
    ["an empty message", "000000100000000005c248eb7d98c8ff", { headers: new Map(), payload: "" }],
    [
      "a payload without headers",
      "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936",
      { headers: new Map(), payload: "{'foo':'bar'}" },
    ],
    [
      "a header with a text",
      "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
      { headers: new Map([["content-type", "application/json"]]), payload: "{'foo':'bar'}" },
    ],
  ])("[LL6] hold for %s", (_, hex, expected) => {
    expect(split([Buffer.from(hex, "hex")])).toEqual([expected])
  })
})

describe("frames", () => {
  const two = Buffer.concat([frame(everyType, "ä"), frame(textHeader("x", "ü"), "{}")])
  const whole = [
    { headers: new Map([[":event-type", "ping"]]), payload: "ä" },
    { headers: new Map([["x", "ü"]]), payload: "{}" },
  ]

  test("[LL6] are the same wherever they are cut", () => {
    expect(split([two])).toEqual(whole)
    expect(split([...two].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
    for (let at = 1; at < two.length; at++)
      expect(split([two.subarray(0, at), two.subarray(at)])).toEqual(whole)
  })

  test("[LL6] with any one byte changed are refused, and nothing behind them is read", () => {
    for (let at = 0; at < two.length; at++) {
      const broken = Buffer.from(two)
      broken[at] = (broken[at] as number) ^ 1
      const seen = split([broken, two])
      expect(seen.filter((item) => typeof item === "string")).toEqual(["malformed_stream"])
      expect(typeof seen.at(-1)).toBe("string")
    }
  })

  const prelude = (total: number, headers: number): Buffer => {
    const sizes = Buffer.alloc(12)
    sizes.writeUInt32BE(total, 0)
    sizes.writeUInt32BE(headers, 4)
    sizes.writeUInt32BE(crc32(sizes.subarray(0, 8)), 8)
    return sizes
  }

  test.each([
    ["shorter than itself", prelude(15, 0), "malformed_stream"],
    ["with more headers than bytes", prelude(20, 5), "malformed_stream"],
    ["that is too large", prelude(64 * 1024 * 1024, 0), "answer_too_large"],
    ["with a header cut off", frame(textHeader("x", "long").subarray(0, -2), ""), "malformed_stream"],
    ["with a header of no known type", frame(Buffer.from("\x01x\x0a", "latin1"), ""), "malformed_stream"],
    ["with a name cut off", frame(Buffer.of(9, 120), ""), "malformed_stream"],
  ])("[LL6] %s are refused before they are read", (_, bytes, code) => {
    expect(split([bytes])).toEqual([code])
  })
})
