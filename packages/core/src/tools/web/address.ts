/**
 * Address: whether a machine may be reached by it from outside of everybody's own network.
 *
 * Public is what is given out to the internet and nothing else: what is private, loopback, link-local,
 * shared, reserved or for documents is named, and of IPv6 only global unicast is public at all. An IPv4
 * address inside of an IPv6 one (mapped, NAT64, 6to4) is judged as what it is. Names and the many ways
 * to write an IPv4 address are not the matter of this file: URLs write it in one way only.
 */
import { BlockList, isIP, isIPv4 } from "node:net"

/** Why an address is not public, or null if it is. */
export function privateReason(address: string): string | null {
  const plain = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "")
  if (isIP(plain) === 0) return "no address"
  if (isIPv4(plain)) return reasonIn(plain, "ipv4")
  const embedded = embeddedIPv4(plain)
  if (embedded !== null) return reasonIn(embedded, "ipv4")
  return reasonIn(plain, "ipv6") ?? (globalUnicast.check(plain, "ipv6") ? null : "reserved")
}

type Family = "ipv4" | "ipv6"
type Range = readonly [network: string, prefix: number, reason: string]

const ranges: Readonly<Record<Family, readonly Range[]>> = {
  ipv4: [
    ["0.0.0.0", 8, "unspecified"],
    ["10.0.0.0", 8, "private"],
    ["100.64.0.0", 10, "shared"],
    ["127.0.0.0", 8, "loopback"],
    ["169.254.0.0", 16, "link-local"],
    ["172.16.0.0", 12, "private"],
    ["192.0.0.0", 24, "reserved"],
    ["192.0.2.0", 24, "reserved"],
    ["192.88.99.0", 24, "reserved"],
    ["192.168.0.0", 16, "private"],
    ["198.18.0.0", 15, "reserved"],
    ["198.51.100.0", 24, "reserved"],
    ["203.0.113.0", 24, "reserved"],
    ["224.0.0.0", 4, "multicast"],
    ["240.0.0.0", 4, "reserved"],
  ],
  ipv6: [
    ["::", 128, "unspecified"],
    ["::1", 128, "loopback"],
    ["fc00::", 7, "private"],
    ["fe80::", 10, "link-local"],
    ["fec0::", 10, "private"],
    ["ff00::", 8, "multicast"],
    ["2001::", 23, "reserved"],
    ["2001:db8::", 32, "reserved"],
    ["3fff::", 20, "reserved"],
  ],
}

/** Made for the first address that is judged, since most commands judge none. */
const lists = new Map<Family, readonly ReturnType<typeof listed>[]>()

function listsOf(family: Family) {
  const made = lists.get(family) ?? ranges[family].map((range) => listed(family, range))
  lists.set(family, made)
  return made
}

function listed(family: Family, [network, prefix, reason]: Range) {
  const list = new BlockList()
  list.addSubnet(network, prefix, family)
  return { list, reason }
}

const reasonIn = (address: string, family: Family): string | null =>
  listsOf(family).find(({ list }) => list.check(address, family))?.reason ?? null

const globalUnicast = new BlockList()
globalUnicast.addSubnet("2000::", 3, "ipv6")

/** Where an IPv6 address carries an IPv4 one: behind which groups, and at which group it begins. */
const carriers = [
  { start: [0, 0, 0, 0, 0, 0xffff], at: 6 },
  { start: [0, 0, 0, 0, 0xffff, 0], at: 6 },
  { start: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { start: [0x2002], at: 1 },
]

function embeddedIPv4(address: string): string | null {
  const groups = groupsOf(address)
  const carrier = carriers.find(({ start }) => start.every((group, index) => groups[index] === group))
  if (carrier === undefined) return null
  const [high = 0, low = 0] = groups.slice(carrier.at)
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}

/** The eight groups of an IPv6 address, as URLs write it: without a dotted part. */
function groupsOf(address: string): readonly number[] {
  const { hostname } = new URL(`http://[${address}]`)
  const [head = "", tail] = hostname.slice(1, -1).split("::")
  const parse = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))
  if (tail === undefined) return parse(head)
  const [first, last] = [parse(head), parse(tail)]
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last]
}
