/** What the store is asked about projects and their memory, and what it answers (MM1). */
import type { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { ProjectEvent, RefusedChange } from "@holdfast/schema/memory/fold"
import type { DreamedTask, DreamFact } from "@holdfast/schema/memory/dream"
import type { SessionId } from "@holdfast/schema/id"
import type {
  Memory,
  MemoryCategory,
  MemoryChange,
  MemoryId,
  ProjectFact,
  UsedMemory,
} from "@holdfast/schema/memory/memory"
import type { SmartNote, SmartNoteChange, SmartNoteId } from "@holdfast/schema/memory/note"
import type { NoteProblem } from "@holdfast/schema/memory/note-fold"
import type { HeldName } from "./lease/named.ts"
import type { ChangeWorkspace, ChangeWorkspaceOutcome, SharedMemory, WorkspaceReads } from "./workspace.ts"

/** A project by where it is; worktrees of one repository share theirs. */
export interface ProjectPlace {
  /** Canonical, and the same for all worktrees. */
  readonly root: string
  /** Its first commit; null where there is no repository, or nothing was committed. */
  readonly origin: string | null
}

export interface ProjectRow extends ProjectPlace {
  /** The same wherever its directory goes. */
  readonly key: number
  /** Last place of its log. */
  readonly seq: number
  /** Place of the last edit from outside; 0 if there was none. */
  readonly epoch: number
}

/** All of the changes or none; the project begins with the first of them. */
export interface ChangeMemory {
  readonly kind: "change-memory"
  readonly project: ProjectPlace
  readonly time: number
  readonly changes: readonly MemoryChange[]
  /** What the dreamer chose or wrote, as it was before: only where nothing was added to the log since it was read (DM1). */
  readonly takenBack?: { readonly facts: readonly DreamFact[]; readonly followsSeq: number }
  /** The key of a project of the same workspace whose memories are changed, those of shared categories alone (MM3). */
  readonly partner?: number
}

export type ChangeMemoryOutcome =
  | {
      readonly kind: "changed"
      readonly seq: number
      readonly epoch: number
      /** One for each change: the memory that it made or changed, and whether it was already so. */
      readonly results: readonly {
        readonly memory: Memory
        readonly made: "written" | "seen" | "changed" | "same"
      }[]
    }
  | RefusedChange

/** What the dreamer does in one commit: a fact of its own, then changes, as long as it holds its name (DM2). */
export interface Dream {
  readonly kind: "dream"
  readonly project: ProjectPlace
  readonly time: number
  readonly under: HeldName
  readonly fact: DreamFact | null
  readonly changes: readonly MemoryChange[]
  /** What the changes are about, as it was looked at: nothing is done where somebody changed it since. */
  readonly seen: readonly Pick<Memory, "id" | "changedSeq">[]
}

export type DreamOutcome =
  /** `factSeq` is the place of the fact, where there was one. */
  | (Extract<ChangeMemoryOutcome, { kind: "changed" }> & { readonly factSeq: number | null })
  | Extract<ChangeMemoryOutcome, { kind: "refused" }>
  /** Somebody else holds the name: nothing was done. */
  | { readonly kind: "lost" }

/** The directory of a project is another now, with its Sessions and all that was said of it. */
export interface MoveProject {
  readonly kind: "move-project"
  readonly from: string
  readonly to: string
  readonly replaces?: ReplacedDirectory
}

/** Which directory stands at a root now. */
export interface MarkProject {
  readonly kind: "mark-project"
  readonly root: string
  readonly mark: string
  readonly replaces?: ReplacedDirectory
}

/**
 * Another directory stood at the root: what is known of it, its Sessions too, goes aside until it is seen again somewhere. All of
 * the command or nothing, so that nobody who comes between, and no crash, finds the memory of one at the place of the other.
 */
export interface ReplacedDirectory {
  /** As it was read; null for one that had no mark. Where another stands there by now, the command is refused. */
  readonly mark: string | null
}

/** Nobody can say by itself whether the directory is another place of a project that is known. */
export interface AskProject {
  readonly kind: "ask-project"
  readonly root: string
  readonly origin: string | null
  readonly time: number
}

/** A person says whose project a directory is. */
export interface SettleProject {
  readonly kind: "settle-project"
  readonly root: string
  /** The root of the project that it shares; null where it has its own. */
  readonly shares: string | null
  /** Where it parts: it takes along what was said from it, and nothing of what held before. */
  readonly bare?: true
  readonly time: number
}

/** A worktree belongs to the project of its repository, also when it is gone. */
export interface JoinProject {
  readonly kind: "join-project"
  readonly root: string
  readonly shares: string
  readonly time: number
}

export type MarkRow = Pick<MarkProject, "root" | "mark">

export interface PlaceRow {
  readonly root: string
  readonly origin: string | null
  readonly askedAt: number
  /** Null while nobody has answered. */
  readonly settledAt: number | null
  readonly shares: string | null
}

/** Somebody was shown these by a search, as `m12`, or `m12@3` of a partner (WS1). */
export interface UseMemory {
  readonly kind: "use-memory"
  readonly root: string
  readonly memories: readonly string[]
  readonly time: number
}

export interface MemoryList {
  readonly status?: Memory["status"]
  readonly category?: MemoryCategory
  /** Ids behind this one; with `before` the last ones before it. */
  readonly after?: number
  readonly before?: number
  readonly limit: number
  /** Where there are more, the newest of them; in the order of their ids all the same. */
  readonly newest?: true
  /** With what the workspace of the project shares, at most as many of each member. */
  readonly shared?: true
}

/** All of the changes or none; the project begins with the first of them. */
export interface ChangeNotes {
  readonly kind: "change-notes"
  readonly project: ProjectPlace
  readonly time: number
  readonly changes: readonly SmartNoteChange[]
}

export type ChangeNotesOutcome =
  | { readonly kind: "changed"; readonly notes: readonly SmartNote[] }
  | { readonly kind: "refused"; readonly problem: NoteProblem; readonly ids: readonly SmartNoteId[] }

/** Ready notes of a project become notices of a Session, each once in all Sessions. */
export interface SurfaceNotes {
  readonly kind: "surface-notes"
  readonly root: string
  readonly session: SessionId
  readonly time: number
}

export interface NoteList {
  readonly status?: SmartNote["status"]
  readonly after?: number
  readonly before?: number
  readonly limit: number
}

/** Runs of the dreamer in one project that failed, with none that was done since (FA1). */
export interface FailedDreams {
  readonly root: string
  /** When the first and the last of them ended. */
  readonly since: number
  readonly at: number
  /** Of the last. */
  readonly tasks: readonly DreamedTask[]
}

export interface ProjectOutcomes {
  "change-memory": ChangeMemoryOutcome
  dream: DreamOutcome
  /** Refused where another project is there that is not said to be replaced, and where nothing is known of what would move. */
  "move-project": { readonly kind: "moved" } | { readonly kind: "refused" }
  "mark-project": { readonly kind: "marked" } | { readonly kind: "refused" }
  "ask-project": { readonly kind: "asked" }
  /** Refused where there is no such project. */
  "settle-project":
    | {
        readonly kind: "settled"
        /** Whose memory it shared until now; memories that it took along, and those of them that the other one has no more. */
        readonly parted: {
          readonly from: string
          readonly taken: number
          readonly archived: number
        } | null
      }
    | { readonly kind: "refused" }
  "join-project": { readonly kind: "joined" }
  "use-memory": { readonly kind: "counted" }
  "change-notes": ChangeNotesOutcome
  "change-workspace": ChangeWorkspaceOutcome
  "surface-notes": { readonly kind: "surfaced"; readonly notes: readonly SmartNoteId[] }
}

export type ProjectCommand =
  | ChangeMemory
  | Dream
  | MoveProject
  | MarkProject
  | AskProject
  | SettleProject
  | JoinProject
  | UseMemory
  | ChangeNotes
  | ChangeWorkspace
  | SurfaceNotes

export interface ProjectMemory {
  /** Null where nothing was ever written. */
  readonly project: ProjectRow | null
  /** By id. */
  readonly memories: readonly UsedMemory[]
  /** Where it was asked for and the project is in a workspace. */
  readonly shared?: SharedMemory
}

export interface MemoryReads extends WorkspaceReads {
  /** The one at a root, or all that began with a commit; for null one of those that are known; or all, up to a limit. */
  readonly projects: (
    question: { readonly root: string } | { readonly origin: string | null } | { readonly limit: number },
  ) => Effect.Effect<readonly ProjectRow[], StoreFailure>
  /** Where projects stand that have a Session, a memory or both. */
  readonly roots: (limit: number) => Effect.Effect<readonly string[], StoreFailure>
  readonly memories: (root: string, list: MemoryList) => Effect.Effect<ProjectMemory, StoreFailure>
  readonly memory: (root: string, id: MemoryId) => Effect.Effect<UsedMemory | null, StoreFailure>
  /** Roots at which a directory stood, or the directory that stood at a root. */
  readonly marks: (
    question: { readonly root: string } | { readonly mark: string },
  ) => Effect.Effect<readonly MarkRow[], StoreFailure>
  /** What was asked or said of a directory; null where nothing was. */
  readonly place: (root: string) => Effect.Effect<PlaceRow | null, StoreFailure>
  /** Roots of all directories that share the project of this one, itself among them. */
  readonly projectRoots: (root: string) => Effect.Effect<readonly string[], StoreFailure>
  /** The root at which the project of a Session stands, wherever it stood when the Session began; null of none. */
  readonly sessionRoot: (session: SessionId) => Effect.Effect<string | null, StoreFailure>
  /** By id. */
  readonly notes: (root: string, list: NoteList) => Effect.Effect<readonly SmartNote[], StoreFailure>
  /** Whether anything could surface, in any project. */
  readonly hasReadyNotes: () => Effect.Effect<boolean, StoreFailure>
  /** Facts of one type, the newest first, above a place. */
  readonly projectFacts: (
    root: string,
    list: { readonly type: ProjectFact["type"]; readonly after?: number; readonly limit: number },
  ) => Effect.Effect<readonly ProjectEvent[], StoreFailure>
  /** Projects whose last run of the dreamer failed. */
  readonly failedDreams: () => Effect.Effect<readonly FailedDreams[], StoreFailure>
  /** The log of a project, above a place. */
  readonly memoryLog: (
    root: string,
    after: number,
    limit: number,
  ) => Effect.Effect<readonly ProjectEvent[], StoreFailure>
}
