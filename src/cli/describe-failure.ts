import { errorCodes, type ErrorCode } from '../errors/error-codes.js';
import { isAgentgymError, type ErrorFinding } from '../errors/agentgym-error.js';

/** What the user is told about an error, whatever threw it. */
export interface Failure {
  readonly exitCode: number;
  readonly error: ErrorFinding & { readonly findings?: readonly ErrorFinding[] };
  /** Only where the error is ours. */
  readonly stack?: string;
}

/** What this module reads of the errors that oclif throws. */
interface OclifError extends Error {
  readonly oclif?: { readonly exit?: number | false };
  /** Put there by BaseCommand. */
  readonly command?: string;
  /** On errors about flags and arguments. */
  readonly parse?: { readonly input?: { readonly context?: { readonly id?: string } } };
}

/** Turns anything thrown into code, message, hint and exit code: 2 the user's, 70 ours, 130 interrupted. */
export function describeFailure(thrown: unknown, command: string): Failure {
  if (isAgentgymError(thrown)) {
    const { code, message, hint, file, line, path, findings } = thrown;
    const place = { ...(file && { file }), ...(line && { line }), ...(path && { path }) };
    const error = { code, message, hint, ...place, ...(findings && findings.length > 1 && { findings }) };
    const exitCode = thrown.exitCode;
    return { exitCode, error, ...(exitCode === 70 && { stack: stackOf(thrown) }) };
  }
  const error = thrown as OclifError;
  if (thrown instanceof Error && error.oclif !== undefined) {
    const message = plain(error.message);
    const id = (error.command ?? error.parse?.input?.context?.id)?.replaceAll(':', ' ');
    if (id !== undefined) return usage('AG_COMMAND_USAGE', message, `See \`agentgym ${id} --help\`.`);
    if (error.oclif.exit === 127) {
      return usage('AG_COMMAND_UNKNOWN', `there is no command \`${command}\``, errorCodes.AG_COMMAND_UNKNOWN.cure);
    }
    return usage('AG_COMMAND_USAGE', message, errorCodes.AG_COMMAND_USAGE.cure);
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    exitCode: errorCodes.AG_BUG.exitCode,
    error: { code: 'AG_BUG', message, hint: errorCodes.AG_BUG.cure },
    stack: thrown instanceof Error ? stackOf(thrown) : message,
  };
}

/** The failure as lines for a person. */
export function failureLines({ error, stack }: Failure): string[] {
  const findings = error.findings ?? [error];
  const lines = findings.flatMap((finding) => [`  ${place(finding)}${finding.message}`, `    ${finding.hint}`]);
  const head = findings.length === 1 ? `Error ${error.code}:` : `Error ${error.code}, and ${findings.length - 1} more:`;
  return [head, ...lines, ...(stack === undefined ? [] : ['', stack])];
}

function place({ file, line }: ErrorFinding): string {
  return file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
}

function usage(code: ErrorCode, message: string, hint: string): Failure {
  return { exitCode: errorCodes[code].exitCode, error: { code, message, hint } };
}

/** oclif's messages carry colours and a last line that points to the help. */
function plain(message: string): string {
  // eslint-disable-next-line no-control-regex
  const bare = message.replaceAll(/\u001b\[[0-9;]*m/g, '');
  return bare.replace(/\n?See more help with --help\s*$/, '').trim();
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\nCaused by: ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
