/** What a browser loads of the Promise client. */
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { expect, test } from "vitest"

const gzipBytesMax = 25 * 1024

test("[CL1] the Promise client loads neither Effect nor Node, and is at most 25 KB", async () => {
  await using build = await rolldown({
    input: join(import.meta.dirname, "../src/index.ts"),
    platform: "browser",
    onLog: (_, log) => {
      throw new Error(log.message)
    },
  })
  const { output } = await build.generate({ format: "esm", minify: true })
  const chunks = output.flatMap((file) => (file.type === "chunk" ? [file] : []))
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual([])
  expect(modules.filter((id) => /node_modules\/effect\//.test(id))).toEqual([])
  const bytes = gzipSync(chunks.map(({ code }) => code).join("\n")).length
  console.log(`figure: the Promise client has ${bytes} bytes after gzip`)
  expect(bytes).toBeLessThan(gzipBytesMax)
})
