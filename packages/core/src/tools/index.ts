/** Tools: what the model can do, what it gets back, and how a command is run and ended. */
export { bashKillTool, bashOutputTool } from "./background/bash-output.ts"
export {
  commandsMax,
  type BackgroundCommand,
  type CommandExit,
  type HeldCommand,
  type SessionCommands,
} from "./background/session-commands.ts"
export { createBashTool } from "./bash.ts"
export {
  boundOutput,
  boundWithEnding,
  outputLimitsDefault,
  type BoundedOutput,
  type Omission,
  type OutputLimits,
  type Truncation,
} from "./bound.ts"
export { callProcesses, endCallProcesses } from "./call-processes.ts"
export { expandTool } from "./context/expand.ts"
export { searchTool } from "./context/search.ts"
export { memoryTool } from "./context/memory.ts"
export { reduceTool } from "./context/reduce.ts"
export { noteTool } from "./context/note.ts"
export { statusTool } from "./context/status.ts"
export { editTool } from "./edit/edit.ts"
export { endCallFiles } from "./file/end-call-files.ts"
export { type FileRecord, type RecordedFiles, type SessionFiles } from "./file/record.ts"
export { LaunchFailure, runCommand, type CommandOutcome, type CommandRequest } from "./launcher.ts"
export { createOutputSink, type OutputSink } from "./output-sink.ts"
export { jsonResult } from "./output/json-preview.ts"
export {
  createOutputStore,
  type OutputStore,
  retentionDaysDefault,
  sweepDaily,
} from "./output/output-store.ts"
export { applyPatchTool } from "./patch/apply-patch.ts"
export { questionTool } from "./question.ts"
export { readTool, shownText } from "./read.ts"
export {
  createToolRegistry,
  type CallContext,
  type RunningCall,
  type Settlement,
  type ToolCall,
  type ToolRegistry,
} from "./registry.ts"
export { createGlobTool } from "./search/glob.ts"
export { createGrepTool } from "./search/grep.ts"
export { listTool } from "./search/list.ts"
export {
  defineTool,
  changesNothing,
  ToolFailure,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from "./tool.ts"
export { todoTool } from "./todo.ts"
export { fetchedHost } from "./web/fetch-document.ts"
export { createWebfetchTool } from "./web/webfetch.ts"
export { writeTool } from "./write.ts"
