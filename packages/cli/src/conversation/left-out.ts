/** Extras that a turn went without, as a person reads it (FA2). */
import type { LeftOut } from "@holdfast/schema/turn"

export const leftOutText = ({ extra, problem }: LeftOut): string =>
  `${extra} could not be made and was left out: ${problem}`
