import { errorCodes, type ErrorCode } from '../errors/error-codes.js';
import { isAgentgymError, type ErrorFinding } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';

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
  /** Put there by BaseCommand, and by `main` for commands of other packages. */
  readonly command?: string;
  /** The command is one of another package: what goes wrong in it is no defect of ours. */
  readonly foreign?: boolean;
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
  const id = (error.command ?? error.parse?.input?.context?.id)?.replaceAll(':', ' ');
  if (thrown instanceof Error && error.oclif !== undefined) {
    const message = plain(error.message);
    if (id !== undefined) return usage('AG_COMMAND_USAGE', message, `See \`agentgym ${id} --help\`.`);
    if (command === '')
      return usage('AG_COMMAND_USAGE', 'there are flags, but no command', errorCodes.AG_COMMAND_UNKNOWN.cure);
    if (error.oclif.exit === 127) {
      return usage('AG_COMMAND_UNKNOWN', `there is no command \`${command}\``, errorCodes.AG_COMMAND_UNKNOWN.cure);
    }
    return usage('AG_COMMAND_USAGE', message, errorCodes.AG_COMMAND_USAGE.cure);
  }
  const message = messageOf(thrown);
  if (error.foreign === true) return usage('AG_COMMAND_FAILED', plain(message), `See \`agentgym ${id} --help\`.`);
  return {
    exitCode: errorCodes.AG_BUG.exitCode,
    error: { code: 'AG_BUG', message, hint: errorCodes.AG_BUG.cure },
    stack: thrown instanceof Error ? stackOf(thrown) : message,
  };
}

/** The failure as lines for a person. */
export function failureLines({ error, stack }: Failure): string[] {
  const findings = error.findings ?? [error];
  const lines = findings.flatMap((finding) => [
    `  ${place(finding)}${finding.message.replaceAll('\n', '\n  ')}`,
    `    ${finding.hint}`,
  ]);
  const head = findings.length === 1 ? `Error ${error.code}:` : `Error ${error.code}, and ${findings.length - 1} more:`;
  return [head, ...lines, ...(stack === undefined ? [] : ['', stack])];
}

function place({ file, line, message }: ErrorFinding): string {
  return file === undefined || (line === undefined && message.includes(file))
    ? ''
    : `${file}${line === undefined ? '' : `:${line}`}: `;
}

function usage(code: ErrorCode, message: string, hint: string): Failure {
  return { exitCode: errorCodes[code].exitCode, error: { code, message, hint } };
}

/** oclif's messages carry colours, tabs, and last lines that point to the help or explain flags at length. */
function plain(message: string): string {
  // eslint-disable-next-line no-control-regex
  const bare = message.replaceAll(/\u001b\[[0-9;]*m/g, '');
  return bare
    .replace(/\n?See more help with --help\s*$/, '')
    .replace(/\n\nNote: --[\s\S]*$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replace(/[ \t]*\n\t+/g, ': ')
    .trim();
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\nCaused by: ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
