import { openInlineStore } from "../src/inline-store.ts"
import { openThreadStore } from "../src/thread-store.ts"
import { storeContract } from "./contract.ts"
import { makePlace } from "./place.ts"

storeContract("SQLite inline", () => {
  const { file, dispose } = makePlace()
  return { open: () => openInlineStore({ file }), dispose }
})

storeContract("SQLite on a writer thread", () => {
  const { file, dispose } = makePlace()
  return { open: () => openThreadStore({ file }), dispose }
})
