/** What /proc says of a process, read for the call that it belongs to. */
import { expect, test } from "vitest"
import { otherEnds } from "../../../src/tools/call-tree/connection-owner.ts"
import { callOfGroup } from "../../../src/tools/control-groups.ts"

test.each([
  ["0::/user.slice/holdfast-4026531836-12-345-call_1\n", "call_1"],
  ["0::/holdfast-4026531836-12-345-call_1/inner\n", "call_1"],
  ["1:name=systemd:/holdfast-1-2-3-call_1\n0::/user.slice\n", null],
  ["0::/holdfast-notes\n", null],
  ["", null],
])("[PE5] the control group %j is that of %s", (groups, call) => expect(callOfGroup(groups)).toBe(call))

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1000 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0
   1: 0100007F:1000 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 22 1 0 20 4 30 10 -1
   2: 0100007F:C001 0100007F:1000 01 00000000:00000000 00:00000000 00000000     0        0 33 1 0 20 4 30 10 -1
   3: 0100007F:C002 0100007F:1000 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0
`

test("[PE5] the other end of a connection is the socket with its ports turned round, if somebody holds it", () => {
  expect(otherEnds(table, { localPort: 0x1000, remotePort: 0xc001 })).toEqual(["socket:[33]"])
  expect(otherEnds(table, { localPort: 0x1000, remotePort: 0xc002 })).toEqual([])
  expect(otherEnds(table, { localPort: 0x1000, remotePort: 0xc003 })).toEqual([])
})
