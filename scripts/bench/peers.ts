/**
 * What the peers do: measured once, offline, against one mock provider on loopback (2 cores).
 *
 * Source: reference/peers.md, 2026-11-15, real OpenCode 1.18.33 and real Pi 0.87.1. The programs
 * that measured them are no part of this repository. Both sync nothing to disk in a turn.
 */

export interface PeerFigures {
  readonly openCode?: string
  readonly pi?: string
}

export const peersSource =
  "OpenCode 1.18.33 and Pi 0.87.1, offline, two cores, 2026-11-15 (reference/peers.md); off: without snapshots"

/**
 * By the name of the row that they stand beside. From prompt to first byte they were timed from the
 * call on, and a stream was sent to them in one way only, frame by frame as fast as they took it.
 * OpenCode without snapshots (`off`) is faster; where that was measured, it stands here too.
 */
export const peers: Readonly<Record<string, PeerFigures>> = {
  "prompt-to-first-byte-10": { openCode: "66 ms (off: 49)", pi: "2.0 ms" },
  "prompt-to-first-byte-1000": { openCode: "134 ms (off: 80)", pi: "7.9 ms" },
  "prompt-to-first-byte-3000": { openCode: "284 ms (off: 173)", pi: "17.1 ms" },
  "settle-10": { openCode: "56 ms", pi: "1.2 ms" },
  "settle-3000": { openCode: "204 ms", pi: "3.2 ms" },
  "tool-turn-3000": { openCode: "1,404 ms in all", pi: "135 ms in all" },
  "delta-frames": { openCode: "180 µs (off)", pi: "30 µs" },
  "memory-10": { openCode: "707 MB", pi: "148 MB" },
  "memory-3000": { openCode: "979 MB", pi: "270 MB" },
  "cold-run": { openCode: "2,494 ms", pi: "308 ms" },
  "server-listening": { openCode: "1,202 ms" },
  "server-first-byte": { openCode: "1,352 ms" },
  "sessions-50": { openCode: "4.4 /s (off: 15.7)", pi: "37 /s, 50 processes" },
  "store-bytes": { openCode: "8,667 B", pi: "733 B" },
  "workload-read-share": { openCode: "98.4 %", pi: "98.3 %" },
  "workload-cost": { openCode: "8.60 M", pi: "8.31 M" },
  "workload-wall": { openCode: "160 s", pi: "14.6 s" },
}
