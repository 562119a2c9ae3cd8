/** Declarations of the tools that the provider runs itself: documented as tools of a type of their own (LL8). */
import { type Fields, textOf } from "../json-fields.ts"

/** documented: a function of ours has the type `function`. */
export const isHostedTool = ({ type }: Fields): boolean => type !== undefined && type !== "function"

export const hostedToolFault = (declared: Fields): string | null =>
  isHostedTool(declared) && textOf(declared["type"]) !== ""
    ? null
    : 'needs the type that the provider gave it, such as "web_search"'
