/**
 * `npm start`: Holdfast at work in half a minute, offline; and it may be killed while it shows that.
 *
 *   --seed N         the moments at which the server is killed; printed, so that they can be repeated
 *   --slow, --fast   to read along, or without waiting
 *   --go-on FOLDER   carries on a tour that was killed
 *
 * Everything lies in a temporary folder, which is removed at the end. Nothing of the user's home,
 * configuration or keys is read.
 */
import { enableCompileCache } from "node:module"

enableCompileCache()
const { takeTour } = await import("./tour/tour.ts")
process.exitCode = await takeTour(process.argv.slice(2))
