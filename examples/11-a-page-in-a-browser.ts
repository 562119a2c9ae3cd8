// A page of another origin runs the client in a real Chromium: it makes a Session and shows the answer as it comes.
import assert from "node:assert/strict"
import { once } from "node:events"
import { mkdtempDisposable } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import packed from "@sparticuz/chromium"
import { type Browser, chromium } from "playwright-core"
import { build } from "rolldown"
import { createProviderSim, listen, scripted, textReply } from "@holdfast/provider-sim"
import { serveHoldfast } from "@holdfast/sdk"

const html = `<!doctype html><pre></pre><script type="module">
import { makeClient } from "/client.js"
const { events, sessions } = makeClient(JSON.parse(decodeURIComponent(location.hash.slice(1))))
const { id: sessionID } = await sessions.create()
for await (const event of events.subscribe({ sessionID })) {
  if (event.type === "connected") await sessions.prompt({ sessionID, text: "Count to five." })
  if (event.type === "text-delta") document.querySelector("pre").append(event.text, "|")
  if (event.type === "drain-end") document.title = event.status
}</script>`
const launching = packed
  .executablePath()
  .then((file) => chromium.launch({ executablePath: file, args: ["--no-sandbox"] }))
await launching.then(show, (cause) => console.log(`There is no Chromium here: ${String(cause)}`))

async function show(browser: Browser): Promise<void> {
  await using folder = await mkdtempDisposable(`${tmpdir()}/holdfast-`)
  const input = fileURLToPath(import.meta.resolve("@holdfast/client"))
  const [{ code }] = (await build({ input, platform: "browser", write: false })).output
  const site = createServer(({ url }, response) => {
    response.setHeader("content-type", url === "/" ? "text/html" : "text/javascript")
    response.end(url === "/" ? html : code)
  })
  await once(site.listen(0, "127.0.0.1"), "listening")
  const origin = `http://127.0.0.1:${(site.address() as { port: number }).port}`
  const counting = scripted(() => ({ ...textReply("one two three four five"), chunkChars: 8, delayMs: 20 }))
  const sim = await listen(createProviderSim({ models: { agent: counting } }))
  const models = { agent: { limit: { context: 200_000, output: 8_192 } } }
  const providers = { offline: { wire: "anthropic-messages", baseUrl: sim.url, models } } as const
  const token = "of-this-example"
  const server = await serveHoldfast({
    dataDir: folder.path,
    token,
    providers,
    model: "offline/agent",
    allowedOrigins: [origin],
  })
  const page = await browser.newPage()
  await page.goto(`${origin}/#${encodeURIComponent(JSON.stringify({ baseUrl: server.url, token }))}`)
  await page.waitForFunction("document.title")
  const shown = await page.locator("pre").innerText()
  console.log(`${await page.title()}: ${shown}`)
  assert.equal(shown, "one two |three fo|ur five|")
  await browser.close()
  site.close()
  await server.close()
  await sim.close()
}
