/** A number of lines, in words. */
export const lineCount = (lines: number): string => `${lines} ${lines === 1 ? "line" : "lines"}`
