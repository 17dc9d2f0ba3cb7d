import { errorCodes, type ErrorCode } from './error-codes.js';

/** One complaint: the place of an error, and what to do. */
export interface ErrorFinding {
  readonly code: ErrorCode;
  /** The problem, in one sentence that names the place. */
  readonly message: string;
  /** What to do: a command, or a file and line. */
  readonly hint: string;
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** Key path inside the file, such as `stages.sft.steps`. */
  readonly path?: string;
}

/** The fields of an error besides its code. */
export interface ErrorDetails extends Omit<ErrorFinding, 'code' | 'hint'> {
  /** Absent: the cure in the table of error codes. */
  readonly hint?: string | undefined;
  /** All problems, the error itself first, if one check found several. */
  readonly findings?: readonly ErrorFinding[];
  readonly cause?: unknown;
}

/**
 * The only error class. Recognise it by `code`, not by `instanceof`, because two copies of the package may be loaded.
 */
export class AgentgymError extends Error {
  override readonly name = 'AgentgymError';
  readonly hint: string;
  readonly file?: string;
  readonly line?: number;
  readonly path?: string;
  readonly findings?: readonly ErrorFinding[];

  constructor(
    readonly code: ErrorCode,
    details: ErrorDetails,
  ) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.hint = details.hint ?? errorCodes[code].cure;
    if (details.file !== undefined) this.file = details.file;
    if (details.line !== undefined) this.line = details.line;
    if (details.path !== undefined) this.path = details.path;
    if (details.findings !== undefined) this.findings = details.findings;
  }

  /** 2: an error in the input; 70: a defect of agentgym; 130: interrupted and resumable. */
  get exitCode(): number {
    return errorCodes[this.code].exitCode;
  }
}

/** True for an AgentgymError of any copy of this package. */
export function isAgentgymError(error: unknown): error is AgentgymError {
  return error instanceof Error && error.name === 'AgentgymError' && 'code' in error && 'hint' in error;
}
