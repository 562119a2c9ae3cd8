/** What is wrong with the places of cache markers, which are chosen after a request was linted. */
import type { Block, LintFault } from "../../src/wire.ts"

/** Markers behind the cap and on blocks that carry none; they are chosen after the check of the request. */
export function markerFaults(
  blocks: readonly Block[],
  markers: readonly number[],
  markersMax: number,
): readonly LintFault[] {
  const fault = (message: string) => (block: number) => ({ rule: "markers", block, message })
  return [
    ...markers
      .filter((at) => blocks[at]?.markable !== true)
      .map(fault("a cache marker on a block that cannot carry one")),
    ...markers.slice(markersMax).map(fault(`more than ${markersMax} cache markers`)),
  ]
}
