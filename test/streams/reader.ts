/** A client that follows one Session through cuts, and knows only what the stream tells it. */
import { follow, type HoldfastClient, isDeletion } from "@holdfast/client"
import { Fold, type Folded } from "./fold.ts"

/** Cuts in a row without a whole frame. */
const attemptsMax = 200

export class Reader {
  readonly seqs: number[] = []
  private readonly fold = new Fold()
  private readonly end: () => Promise<unknown>
  private readonly ended: Promise<void>
  private over = false
  private wake = () => {}

  constructor(client: HoldfastClient, sessionID: string) {
    const events = follow(client, { sessionID }, { attemptsMax, waitMs: () => 0 })[Symbol.asyncIterator]()
    this.end = async () => events.return?.()
    this.ended = (async () => {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        if (isDeletion(next.value)) continue
        this.seqs.push(next.value.seq)
        this.fold.take(next.value)
        this.wake()
      }
    })()
    const finish = () => {
      this.over = true
      this.wake()
    }
    this.ended.then(finish, finish) // a failure is told by `reach`
  }

  /** What it knows once it has come so far. */
  async reach(seq: number): Promise<Folded> {
    while (this.fold.seq < seq && !this.over) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    if (this.over) await this.ended
    return this.fold.folded
  }

  async leave(): Promise<void> {
    await this.end()
    await this.ended
  }
}
