import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/stage/property-seed.ts"],
    pool: "forks",
    testTimeout: 30_000,
  },
})
