/** Bounds of a search. Apart from its schema, because the help of the command tells them without loading that. */
export const foundDefault = 10
export const foundMax = 50
export const questionLengthMax = 10_240
