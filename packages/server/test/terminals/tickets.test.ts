/** Tickets for WebSockets, on a clock that is turned by hand. */
import { beforeEach, expect, test } from "vitest"
import { ticketLifeMs, Tickets, ticketsMax } from "../../src/terminals/tickets.ts"

let nowMs = 0
let drawn = 0
let tickets: Tickets
beforeEach(() => {
  nowMs = 1_000
  drawn = 0
  tickets = new Tickets({ nowMs: () => nowMs, secret: () => `ticket-${drawn++}` })
})

const page = "http://localhost:4096"
const claim = { ptyID: "pty_a", origin: page }

test("[PT1 AU1] a ticket lets in once", () => {
  const ticket = tickets.issue(claim)
  expect([tickets.redeem(ticket, claim), tickets.redeem(ticket, claim)]).toEqual([true, false])
})

test.each([
  ["another terminal", { ptyID: "pty_b", origin: page }],
  ["another Origin", { ptyID: "pty_a", origin: "http://localhost:3000" }],
  ["no Origin", { ptyID: "pty_a", origin: null }],
])("[PT1 AU1] a ticket is not good for %s, and used up by trying", (_, other) => {
  const ticket = tickets.issue(claim)
  expect([tickets.redeem(ticket, other), tickets.redeem(ticket, claim)]).toEqual([false, false])
})

test("[PT1 AU1] a ticket of no page is not good for a page", () => {
  const ticket = tickets.issue({ ptyID: "pty_a", origin: null })
  expect(tickets.redeem(ticket, claim)).toBe(false)
})

test("[PT1 AU1] a ticket is good for a short time", () => {
  const [early, late] = [tickets.issue(claim), tickets.issue(claim)]
  nowMs += ticketLifeMs - 1
  expect(tickets.redeem(early, claim)).toBe(true)
  nowMs += 1
  expect(tickets.redeem(late, claim)).toBe(false)
})

test("[PT1 AU1] one that nobody issued lets nobody in", () => {
  tickets.issue(claim)
  for (const made of ["", "ticket-1", "TICKET-0"]) expect(tickets.redeem(made, claim)).toBe(false)
})

test("[PT1] more than so many push out the oldest", () => {
  const issued = Array.from({ length: ticketsMax + 1 }, () => tickets.issue(claim))
  expect(issued.map((ticket) => tickets.redeem(ticket, claim)).filter((isGood) => !isGood)).toEqual([false])
  expect(tickets.redeem(issued[0] ?? "", claim)).toBe(false)
})
