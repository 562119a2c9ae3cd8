/** The command `holdfast` as a function. Adding a line here is an API decision. */
export { runHoldfast } from "./program.ts"
export { processTerminal, type Terminal } from "./terminal.ts"
