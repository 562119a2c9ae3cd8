/** Commits of a project and their words (SE4). */
import { mayBeCommit } from "@holdfast/schema/search/commit-id"
import { joinedWords } from "@holdfast/schema/search/words"
import type { FoundCommit, WriteCommits } from "../../search/embedding.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import type { Applied } from "../input-commands.ts"

export function writeCommits(
  connection: Connection,
  { root, commits, gone }: WriteCommits,
): Applied<WriteCommits> {
  for (const hash of gone) connection.run("DELETE FROM git_commit WHERE root = ? AND hash = ?", root, hash)
  for (const { hash, time, text } of commits) {
    const row = connection.get<{ id: number }>(insertSql, root, hash, time, text)
    if (row !== undefined) connection.run(wordsSql, row.id, joinedWords(text))
  }
  return { outcome: { kind: "written" }, advanced: null }
}

/** The words of all that are known, into an index that is empty. */
export function indexCommits(connection: Connection): void {
  for (const { id, text } of connection.all<{ id: number; text: string }>("SELECT id, text FROM git_commit"))
    connection.run(wordsSql, id, joinedWords(text))
}

const wordsSql = "INSERT INTO git_word (rowid, own) VALUES (?, ?)"
const insertSql = `INSERT INTO git_commit (root, hash, time, text) VALUES (?, ?, ?, ?)
  ON CONFLICT DO NOTHING RETURNING id`

export const commitHashes = (connection: Connection, root: string): readonly string[] =>
  connection.all<{ hash: string }>("SELECT hash FROM git_commit WHERE root = ?", root).map(({ hash }) => hash)

const wordsMax = 64

export function searchCommits(
  connection: Connection,
  root: string | null,
  words: readonly string[],
  limit: number,
): readonly FoundCommit[] {
  const match = [...new Set(words)].slice(0, wordsMax).map((word) => `"${word.replaceAll('"', "")}"`)
  if (match.length === 0 || !hasCommits(connection, root)) return []
  return inSnapshot(connection, () => {
    const named = words.filter(mayBeCommit).slice(0, namedMax)
    const byId = named.flatMap((id) => connection.all<FoundCommit>(namedSql, root, id, limit))
    return [...byId, ...connection.all<FoundCommit>(findSql, match.join(" OR "), root, limit)]
  })
}

/** Ids of commits that one question may name. */
const namedMax = 4
const namedSql = `SELECT root, hash, time, text FROM git_commit
  WHERE (?1 IS NULL OR root = ?1) AND hash >= ?2 AND hash < ?2 || 'g' LIMIT ?3`

/** Without any, the words of the question need not be looked up. */
const hasCommits = (connection: Connection, root: string | null): boolean =>
  root === null || connection.get("SELECT 1 FROM git_commit WHERE root = ? LIMIT 1", root) !== undefined

const findSql = `SELECT root, hash, time, text
  FROM git_word CROSS JOIN git_commit ON git_commit.id = git_word.rowid
  WHERE git_word MATCH ?1 AND (?2 IS NULL OR root = ?2) ORDER BY bm25(git_word) LIMIT ?3`
