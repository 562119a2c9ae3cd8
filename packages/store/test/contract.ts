/**
 * The contract of the store port, run unchanged on every adapter and executor.
 *
 * Nothing here knows how a store keeps its records. A subject is one empty store; opening it twice
 * gives two holders of the same records, as two processes would be.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { answerContract, withdrawalContract } from "./contract/ask.ts"
import { contributeContract, jobContract } from "./contract/contribute.ts"
import { drainContract } from "./contract/drain.ts"
import {
  forkContract,
  forkOwnContract,
  forkPointContract,
  forkRepeatContract,
  forkUnsettledContract,
} from "./contract/fork.ts"
import { historyContract, windowContract } from "./contract/history.ts"
import {
  importContract,
  importCopyContract,
  importPermissionsContract,
  importRefusalContract,
} from "./contract/import.ts"
import { inputContract } from "./contract/input.ts"
import { leaseContract, namedLeaseContract } from "./contract/lease.ts"
import { locationsContract } from "./contract/locations.ts"
import { mediaContract, quarantineContract } from "./contract/media.ts"
import { memoryContract } from "./contract/memory.ts"
import { projectContract } from "./contract/project.ts"
import { moveContract } from "./contract/move.ts"
import { pendingContract } from "./contract/pending.ts"
import { placesContract } from "./contract/places.ts"
import { searchingContract } from "./contract/meaning.ts"
import { sessionContract } from "./contract/session.ts"
import { kindOf } from "./contract/subject.ts"
import { unreadableContract } from "./contract/unreadable.ts"
import type { OpenStore, Subject } from "./contract/subject.ts"
import { admit, create, promptId, sessionId } from "./records.ts"

export function storeContract(name: string, makeSubject: () => Subject): void {
  const subject = Effect.acquireRelease(Effect.sync(makeSubject), ({ dispose }) => Effect.sync(dispose))
  const opened = (of: Subject): OpenStore =>
    Effect.acquireRelease(of.open(), (store) => Effect.ignore(store.close()))
  const open: OpenStore = Effect.flatMap(subject, opened)

  describe(`${name}: input`, () => inputContract(open))
  describe(`${name}: pending`, () => pendingContract(open))
  describe(`${name}: contribute`, () => contributeContract(open))
  describe(`${name}: jobs`, () => jobContract(open))
  describe(`${name}: answers`, () => answerContract(open))
  describe(`${name}: withdrawals`, () => withdrawalContract(open))
  describe(`${name}: drain`, () => drainContract(open))
  describe(`${name}: lease`, () => leaseContract(open))
  describe(`${name}: leases by name`, () => namedLeaseContract(open))
  describe(`${name}: memory`, () => memoryContract(open))
  describe(`${name}: projects`, () => projectContract(open))
  describe(`${name}: locations`, () => locationsContract(open))
  describe(`${name}: Sessions`, () => sessionContract(open))
  describe(`${name}: forks`, () => forkContract(open))
  describe(`${name}: forks again`, () => forkRepeatContract(open))
  describe(`${name}: what a fork is`, () => forkOwnContract(open))
  describe(`${name}: where a fork ends`, () => forkPointContract(open))
  describe(`${name}: forks of what is at work`, () => forkUnsettledContract(open))
  describe(`${name}: imports`, () => importContract(open))
  describe(`${name}: imports of what went on`, () => importCopyContract(open))
  describe(`${name}: what an import trusts`, () => importPermissionsContract(open))
  describe(`${name}: imports refused`, () => importRefusalContract(open))
  describe(`${name}: move`, () => moveContract(open))
  describe(`${name}: history`, () => historyContract(open))
  describe(`${name}: search`, () => searchingContract(open))
  describe(`${name}: window`, () => windowContract(open))
  describe(`${name}: media`, () => mediaContract(open))
  describe(`${name}: quarantine`, () => quarantineContract(open))
  describe(`${name}: places`, () => placesContract(open))
  describe(`${name}: unreadable`, () => unreadableContract(open))
  describe(`${name}: life`, () => {
    it.effect("[PR1] keeps an acknowledged prompt when the store is opened again", () =>
      Effect.gen(function* () {
        const place = yield* subject
        const first = yield* opened(place)
        yield* first.commit(create(1))
        const { receipt } = kindOf("admitted", yield* first.commit(admit(1, 1)))
        const second = yield* opened(place)
        expect(yield* second.prompt(promptId(1))).toEqual({ receipt, message: null })
        yield* first.close()
        yield* second.close()
        const third = yield* opened(place)
        expect((yield* third.window(sessionId(1)))?.state.inbox).toMatchObject([
          { id: promptId(1), bodySeq: 2 },
        ])
      }),
    )
    it.effect("answers `closed` after it was closed", () =>
      Effect.gen(function* () {
        const store = yield* open
        yield* store.close()
        expect((yield* Effect.flip(store.commit(create(1)))).code).toBe("closed")
        expect((yield* Effect.flip(store.session(sessionId(1)))).code).toBe("closed")
      }),
    )
    it.effect("[PR2] has one inbox for two holders of the same store", () =>
      Effect.gen(function* () {
        const place = yield* subject
        const [here, there] = [yield* opened(place), yield* opened(place)]
        yield* here.commit(create(1))
        kindOf("admitted", yield* there.commit(admit(1, 1)))
        expect(yield* here.commit(admit(1, 1))).toMatchObject({ kind: "admitted", repeated: true })
        expect((yield* here.session(sessionId(1)))?.seq).toBe(2)
      }),
    )
  })
}
