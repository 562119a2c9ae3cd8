import { expect, test } from "vitest"
import { imageName } from "../../src/media/image-name.ts"

test.each([
  [null, null],
  ["", null],
  [" \n", null],
  ["a/..", null],
  ["a/", null],
  ["photo.png", "photo.png"],
  ["/srv/pictures/photo one.png", "photo one.png"],
  ["C:\\Users\\somebody\\photo.png", "photo.png"],
  ["a\u001B[31m\r\nb\u0000.png", "a[31mb.png"],
  ["gnp.\u202Eexe\u2066", "gnp.exe"],
  ["a\uD800b", "ab"],
  ["é👩‍🚀.png", "é👩‍🚀.png"],
  ["😀".repeat(201), "😀".repeat(200)],
  [`${"a".repeat(5_000)}/b.png`, "b.png"],
])("[LL7] the name %j becomes %j", (given, name) => expect(imageName(given)).toBe(name))
