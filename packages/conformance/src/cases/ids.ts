/** Ids that lead nowhere: some well formed, some not. */

/** Well formed, and of nothing that there is. A parameter that is not listed gets the last one. */
export const absentIds: Readonly<Record<string, string>> = new Proxy(
  {
    sessionID: "ses_00000000000000000000000000",
    messageID: "msg_00000000000000000000000000",
    turnID: "trn_00000000000000000000000000",
    promptID: "no-such-prompt",
    handle: "media:000000000000",
  } as Record<string, string>,
  { get: (known, name) => known[String(name)] ?? "none_00000000000000000000000000" },
)
