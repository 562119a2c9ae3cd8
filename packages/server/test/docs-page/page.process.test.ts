/** The page of the contract in a real Chromium that can reach nothing but the server. */
import { expect, test } from "vitest"
import { serve } from "../../src/index.ts"
import { openTestRuntime } from "../runtime.ts"
import { token } from "../surface.ts"

/** It fails where there is none for this machine. */
async function openBrowser() {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("the package has one for Linux on x64 alone")
  const [{ chromium }, { default: packed }] = await Promise.all([
    import("playwright-core"),
    import("@sparticuz/chromium"),
  ])
  return chromium.launch({
    executablePath: await packed.executablePath(),
    args: ["--no-sandbox", "--disable-gpu"],
  })
}

const browser = await openBrowser().catch((cause: unknown) => {
  console.warn(`There is no Chromium here, so that the page is not looked at: ${String(cause)}`)
  return null
})

test.skipIf(browser === null)(
  "[AU1] the page works in a browser that can reach nothing else, and takes the token by hand",
  { timeout: 60_000 },
  async () => {
    const runtime = await openTestRuntime()
    const server = await serve(runtime.runtime, {
      token,
      defaultDirectory: runtime.directory,
      version: "1.2.3",
    })
    const page = await browser!.newPage({ locale: "en-US", viewport: { width: 1280, height: 900 } })
    const foreign: string[] = []
    const wrong: string[] = []
    await page.route("**/*", (route) => {
      const url = route.request().url()
      if (url.startsWith(server.url) || url.startsWith("data:")) return route.continue()
      foreign.push(url)
      return route.abort()
    })
    page.on("console", (message) => void (message.type() === "error" && wrong.push(message.text())))
    page.on("pageerror", (error) => void wrong.push(String(error)))
    try {
      await page.goto(`${server.url}/docs`)
      await page.locator(".opblock").first().waitFor()
      expect(await page.locator(".info .title").innerText()).toContain("Holdfast")
      expect(await page.locator(".opblock").count()).toBeGreaterThan(30)

      const health = page.locator(".opblock", { hasText: "/api/health" }).first()
      await health.locator(".opblock-summary-control").click()
      await health.locator("button.try-out__btn").click()
      await health.locator("button.execute").click()
      const answered = (status: string) =>
        health.locator(".live-responses-table .response-col_status", { hasText: status }).waitFor()
      await answered("401")

      await page.locator("button.authorize").first().click()
      await page.locator(".auth-container input").first().fill(token)
      await page.locator(".auth-btn-wrapper button.authorize").click()
      await page.locator(".auth-btn-wrapper button.btn-done").click()
      await health.locator("button.execute").click()
      await answered("200")
      expect(await health.locator(".live-responses-table .highlight-code").first().innerText()).toContain(
        '"1.2.3"',
      )
      expect(foreign).toEqual([])
      // A browser tells of every answer 401.
      expect(wrong.filter((text) => !text.includes("401"))).toEqual([])
    } finally {
      await browser!.close()
      await server.close()
      await runtime.close()
    }
  },
)
