/** Parts of other histories, by which a model sees how dense and how plain each length is meant to be (HI10). */

/** Of different weight; none is about a real project. */
export const partExamples: readonly string[] = [
  `<part from="1" to="14" title="Retries lost the order number" importance="82" kind="debugging">
<p1>Orders were charged twice because src/pay/retry.ts made a fresh idempotency key on each attempt. The key now comes from the order number and is made before the first attempt (commit 4f1c09a). A test sends the same order twice through a server that breaks the connection after it has charged. Left open: orders from before the change still have no key on record.</p1>
<p2>Double charges came from a new idempotency key per attempt in src/pay/retry.ts; it is derived from the order number now (4f1c09a). Old orders have no key on record.</p2>
<p3>Double charges fixed: idempotency key from the order number (4f1c09a).</p3>
<p4>Idempotency key from the order number (4f1c09a).</p4>
</part>`,
  `<part from="15" to="31" title="Postgres was weighed and put off" importance="71" kind="decision">
<p1>SQLite stays the only store for this release. Postgres was tried on a branch: it passed the contract tests, but a cold start took 900 ms against 40 ms, and nobody runs more than one server yet. The branch is kept as store-postgres; the contract tests are to stay free of SQLite's own words so that it can be taken up again.</p1>
<p2>Decision: SQLite alone for this release; Postgres works on branch store-postgres but starts in 900 ms instead of 40 ms. Contract tests stay neutral.</p2>
<p3>SQLite alone for now; Postgres waits on branch store-postgres.</p3>
<p4>Postgres put off (branch store-postgres).</p4>
</part>`,
  `<part from="32" to="40" title="Where the upload limit is checked" importance="38" kind="exploration">
<p1>Uploads are bounded in two places: the proxy refuses bodies above 25 MB (deploy/nginx.conf), and src/upload/accept.ts counts bytes again while they stream, with uploadBytesMax from config/default.json. Nothing was changed.</p1>
<p2>Upload limit: 25 MB in deploy/nginx.conf and uploadBytesMax in config/default.json, counted in src/upload/accept.ts.</p2>
<p3>Upload limit is checked in the proxy and in src/upload/accept.ts.</p3>
<p4></p4>
</part>`,
  `<part from="41" to="47" title="Formatting of the changelog" importance="8" kind="change">
<p1>The changelog was brought into one form: newest first, one line a change. No text was changed beyond that.</p1>
<p2>Changelog brought into one form.</p2>
<p3>Changelog formatted.</p3>
<p4></p4>
</part>`,
  `<part from="48" to="66" title="Search by prefix" importance="55" kind="change">
<p1>Search finds beginnings of words now: src/search/index.ts keeps a sorted list of terms and looks up ranges in it. Ranking is as before. The first try with a trie was given up, since it tripled memory for 200,000 terms. Tests are in test/search/prefix.test.ts; one, on accents, was left failing on purpose and is next.</p1>
<p2>Prefix search in src/search/index.ts by ranges of a sorted list (a trie tripled memory). The test on accents in test/search/prefix.test.ts still fails and is next.</p2>
<p3>Prefix search works; accents are next (test/search/prefix.test.ts).</p3>
<p4>Prefix search (src/search/index.ts).</p4>
</part>`,
  `<part from="67" to="72" title="How releases are made" importance="90" kind="directive">
<p1>Releases are made from the branch release alone, after the owner has read the list of changes; a tag is never moved. The steps were written down in docs/RELEASE.md and tried once with 2.3.1.</p1>
<p2>Releases: branch release only, owner reads the changes first, tags are never moved (docs/RELEASE.md).</p2>
<p3>Releases from branch release, after the owner's look; tags stay.</p3>
<p4>Release rules: docs/RELEASE.md.</p4>
</part>`,
]

const examplesMax = 4

/** The same for the same Session and range, others for others. */
export function chooseExamples(session: string, fromSeq: number): readonly string[] {
  const left = [...partExamples]
  const chosen: string[] = []
  for (let hash = fnv1a(`${session}:${fromSeq}`); chosen.length < examplesMax; hash = fnv1a(String(hash)))
    chosen.push(...left.splice(hash % left.length, 1))
  return chosen
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}
