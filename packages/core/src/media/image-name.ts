/**
 * Image name: what the giver called an image, fit to be stored and shown.
 *
 * A name may come from anybody, and is shown in terminals and to models: it is one line without
 * marks that steer a terminal or turn the order of letters, and it tells nothing of folders.
 */
const charactersMax = 200
/** No path is longer; the rest of such a name is not looked at. */
const unitsMax = 4_096
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu

export function imageName(given: string | null): string | null {
  const last = given?.slice(-unitsMax).split(/[/\\]/).at(-1) ?? ""
  const fit = last.replaceAll(unfit, "").trim()
  const name = [...fit].slice(0, charactersMax).join("").trim()
  return name === "" || name === "." || name === ".." ? null : name
}
