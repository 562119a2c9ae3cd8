/** What a caller that is ahead of the server is told about a field that the server does not know. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { contractVersion } from "@holdfast/protocol/version"
import { openSurface, type Surface } from "../surface.ts"

let surface: Surface
beforeAll(async () => {
  surface = await openSurface()
})
afterAll(() => surface.close())

const [major, minor] = contractVersion.split(".").map(Number) as [number, number]
const ahead = `${major}.${minor + 1}`

const create = (payload: object, contract: string | null) =>
  surface.call("/api/session", {
    method: "POST",
    payload,
    headers: { "holdfast-contract": contract },
  })

describe("[EV1] a field that nobody here knows", () => {
  test.each([ahead, `${major + 1}.0`])("is not supported where the caller speaks %s", async (contract) => {
    const answer = await create({ colour: "red" }, contract)
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({
      _tag: "NotSupported",
      field: "colour",
      contract: contractVersion,
      message: expect.stringContaining("update the server"),
    })
  })

  test.each([null, contractVersion, "0.9", "next", "", `${major}`])(
    "[CO3] is a mistake where the caller speaks %s",
    async (contract) => {
      const answer = await create({ colour: "red" }, contract)
      expect([answer.status, answer.json._tag]).toEqual([400, "InvalidRequest"])
    },
  )

  test("is named with its way from the top, and in a query by its name", async () => {
    const headers = { "holdfast-contract": ahead }
    const { id } = (await create({}, null)).json
    const payload = { text: "Look", images: [{ data: "AAAA", alt: "a roof" }] }
    const sent = await surface.call(`/api/session/${id}/prompt`, { method: "POST", payload, headers })
    expect(sent.json).toMatchObject({ _tag: "NotSupported", field: "images[0].alt" })
    const listed = await surface.call("/api/session?shade=1", { headers })
    expect(listed.json).toMatchObject({ _tag: "NotSupported", field: "shade" })
  })

  test("[CO3] does not excuse what is wrong with a field that is known", async () => {
    expect((await create({ title: 7 }, ahead)).json._tag).toBe("InvalidRequest")
  })
})
