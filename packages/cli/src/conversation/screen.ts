/**
 * Screen: the transcript of a Session, and on a terminal what happens just now below it.
 *
 * Where nobody looks on, as in a pipe, nothing is drawn over: a call that takes long is told when it
 * has run for a second, and its output follows, a few lines of it.
 */
import type { Terminal } from "../terminal.ts"
import { type Activity, activityLines, makeActivity, takeDurable, takeLive } from "./activity.ts"
import { makeStatusArea } from "./status-area.ts"
import { makeTranscript, type Transcript } from "./transcript.ts"

export interface Screen extends Transcript {
  /** For whatever else is written while the screen is open. */
  readonly terminal: Terminal
  readonly close: () => void
}

const redrawMs = 120
const lookMs = 250

export interface ScreenOptions {
  /** Whether the words of prompts are shown: whoever sent one knows them. */
  readonly prompts?: boolean
  /** Whether system messages are shown (EP11). */
  readonly system?: boolean
}

export function openScreen(given: Terminal, options: ScreenOptions = {}): Screen {
  return given.interactive ? drawnScreen(given, options) : plainScreen(given, options)
}

function plainScreen(terminal: Terminal, options: ScreenOptions): Screen {
  const transcript = makeTranscript(terminal, Date.now, { ...options, slowCalls: true })
  const timer = setInterval(() => transcript.look(), lookMs).unref()
  return { ...transcript, terminal, close: () => clearInterval(timer) }
}

function drawnScreen(given: Terminal, options: ScreenOptions): Screen {
  const area = makeStatusArea(given)
  const { terminal } = area
  const transcript = makeTranscript(terminal, Date.now, { ...options, wraps: true })
  let activity: Activity = makeActivity(Date.now())
  let open = true
  const draw = () => {
    if (open) area.show(activityLines(activity, Date.now(), given.columns))
  }
  const timer = setInterval(draw, redrawMs).unref()
  const close = () => {
    if (!open) return
    open = false
    clearInterval(timer)
    area.show([])
  }
  return {
    ...transcript,
    terminal,
    close,
    takeLive: (event) => {
      transcript.takeLive(event)
      activity = takeLive(activity, event)
    },
    takeDurable: (event) => {
      transcript.takeDurable(event)
      activity = takeDurable(activity, event, Date.now())
      draw()
    },
  }
}
