/**
 * Bundles that come in pieces, each in a request of its own (ST4): what has come so far of each.
 *
 * A piece that came before is passed over, so that a caller may repeat one that was not answered. They
 * live as long as the process; of one that went silent, the room is given back when another needs it.
 */
import { Effect, type Scope } from "effect"
import { BundleRefused, type StoreFailure } from "@holdfast/schema/error"
import type { Store } from "@holdfast/store/port"
import { type Intake, type IntakeFailure, makeIntake } from "./intake.ts"

export interface Piece {
  /** Chosen by the caller, for all pieces of one bundle. */
  readonly upload: string
  /** Bytes that came before it. */
  readonly offset: number
  readonly data: Uint8Array
}

export interface Uploads {
  /** Answers how many bytes have come. */
  readonly take: (piece: Piece, nowMs: number) => Effect.Effect<number, IntakeFailure>
  /** Hands the bundle over, whole or not; the upload is known no more. */
  readonly finish: (upload: string) => Effect.Effect<Intake, BundleRefused>
}

const uploadsMax = 8
const silentMsMax = 600_000

interface Upload {
  readonly intake: Intake
  received: number
  heardAt: number
  busy: boolean
}

export const makeUploads = (store: Pick<Store, "stage">): Effect.Effect<Uploads, never, Scope.Scope> =>
  Effect.gen(function* () {
    const uploads = new Map<string, Upload>()
    const drop = (id: string, upload: Upload): void => {
      uploads.delete(id)
      upload.intake.staged.close()
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => uploads.forEach((upload, id) => drop(id, upload))))

    const begin = Effect.fnUntraced(function* (
      id: string,
      nowMs: number,
    ): Effect.fn.Return<Upload, BundleRefused | StoreFailure> {
      for (const [other, upload] of uploads)
        if (!upload.busy && nowMs - upload.heardAt > silentMsMax) drop(other, upload)
      if (uploads.size >= uploadsMax)
        return yield* refused(`${uploadsMax} bundles are being imported at once. Try again when one is done.`)
      const upload = { intake: makeIntake(yield* store.stage()), received: 0, heardAt: nowMs, busy: false }
      uploads.set(id, upload)
      return upload
    })

    return {
      take: Effect.fnUntraced(function* ({ upload: id, offset, data }, nowMs) {
        const known = uploads.get(id)
        if (known === undefined && offset > 0)
          return yield* refused(`Nothing of the upload ${id} is here. Begin again with its first piece.`)
        const upload = known ?? (yield* begin(id, nowMs))
        const isRepeated = offset + data.byteLength <= upload.received && data.byteLength > 0
        if (isRepeated) return upload.received
        if (upload.busy || offset !== upload.received)
          return yield* refused(`The next piece of the upload ${id} begins at ${upload.received}.`)
        upload.busy = true
        upload.heardAt = nowMs
        const dropped = Effect.sync(() => drop(id, upload))
        yield* Effect.tapError(upload.intake.push(data), () => dropped)
        upload.received += data.byteLength
        upload.busy = false
        return upload.received
      }),
      finish: (id) =>
        Effect.suspend(() => {
          const upload = uploads.get(id)
          if (upload === undefined) return Effect.fail(refused(`Nothing of the upload ${id} is here.`))
          uploads.delete(id)
          return Effect.succeed(upload.intake)
        }),
    }
  })

const refused = (message: string): BundleRefused => new BundleRefused({ code: "pieces", message })
