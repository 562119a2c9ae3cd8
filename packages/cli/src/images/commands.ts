/** The command that fetches images. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import { examples, sessionArgument, sharedOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { ImageOptions } from "./save-image.ts"

export function addImage(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("image"))
    .description("fetch an image of a Session by its handle, to a file or to standard output")
    .addArgument(sessionArgument())
    .argument("<handle>", "the handle, as a run shows it: media:…")
    .option("--out <file>", "write it to this file; one that exists is left alone")
    .addHelpText(
      "after",
      `${examples(["holdfast image ses_… media:ab12cd34ef56 --out photo.png", "holdfast image ses_… media:ab12cd34ef56 > photo.png", "holdfast image ses_… media:ab12cd34ef56 --json"])}
With --json what is known of the image is printed, and no bytes.
Exit codes: 0 fetched, 1 failed, 2 wrong arguments, or there is no such image.
`,
    )
    .action(async (session: string, handle: string, options: ImageOptions) => {
      const { saveImage } = await import("./save-image.ts")
      end(await saveImage(terminal, session, handle, options))
    })
}
