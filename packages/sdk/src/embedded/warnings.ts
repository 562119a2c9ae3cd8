/** What the runtime says of its own work, as sentences for whoever opened it (FA1). Apart, since only here it is told what a log line is. */
import { Logger, References } from "effect"

export type Loggers = ReadonlySet<Logger.Logger<unknown, void>>

/** Told each warning that nobody hears of elsewhere; without one they are lines on standard error. */
export const loggersFor = (tell: (warning: string) => void): Loggers =>
  new Set([
    Logger.make<unknown, void>(({ message, logLevel, fiber }) => {
      const isWarning = logLevel === "Warn" || logLevel === "Error" || logLevel === "Fatal"
      if (!isWarning || "recorded" in fiber.getRef(References.CurrentLogAnnotations)) return
      const said = (Array.isArray(message) ? message : [message]).filter((part) => typeof part === "string")
      tell(said.join(" "))
    }),
  ])
