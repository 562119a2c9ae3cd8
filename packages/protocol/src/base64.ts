/**
 * Bytes as base64, read strictly: text that is cut off or holds anything else is refused.
 *
 * Images are large, so the platform decodes them. It passes over what it does not know; then there
 * are fewer bytes than the length of the text promises, and that is what gives it away.
 */
import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"

const expected = "base64"

export const Base64Bytes = Schema.String.annotate({
  expected,
  format: "byte",
  contentEncoding: "base64",
}).pipe(
  Schema.decodeTo(Schema.Uint8Array, {
    decode: SchemaGetter.transformEffect((text: string) => {
      const bytes = Buffer.from(text, "base64")
      return text.length % 4 === 0 && bytes.length === bytesIn(text)
        ? Effect.succeed(bytes)
        : Effect.fail(new SchemaIssue.InvalidValue({ expected }))
    }),
    encode: SchemaGetter.transform((bytes: Uint8Array) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    ),
  }),
)

const bytesIn = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0)
