interface ErrorCodeEntry {
  /** 2: the user's to mend; 70: ours; 130: interrupted and resumable. */
  readonly exitCode: 2 | 70 | 130;
  /** What it means, for the documentation. */
  readonly meaning: string;
  /** What helps, where the place of the error knows nothing better. */
  readonly cure: string;
}

/** The one table of error codes; `docs/reference/errors.md` is written from it. Keep it sorted. */
export const errorCodes = {
  AG_BUG: {
    exitCode: 70,
    meaning: 'Something went wrong inside agentgym itself.',
    cure: 'Report it with the command, the message and the output of `agentgym doctor --json`.',
  },
  AG_INTERRUPTED: {
    exitCode: 130,
    meaning: 'The run was interrupted; everything needed to go on is on disk.',
    cure: 'Go on with `agentgym train --resume RUN`.',
  },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
