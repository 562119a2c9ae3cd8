/** A program with one terminal, which a test kills. Arguments: what the terminal runs. */
import { openTerminals } from "./opened-terminals.ts"

const { shell } = await openTerminals()
console.log(await shell(process.argv[2] ?? ""))
setInterval(() => {}, 60_000)
