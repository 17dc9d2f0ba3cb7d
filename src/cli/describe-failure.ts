import { codeOf } from '../errors/code-of.js';
import { errorCodes, exitCodeOf, type ErrorCode } from '../errors/error-codes.js';
import { isAgentgymError, type ErrorFinding } from '../errors/agentgym-error.js';
import { hideSecrets } from '../errors/hide-secrets.js';
import { messageOf } from '../errors/message-of.js';
import { fileError } from '../errors/system-error.js';
import { shortenText } from '../reporting/display-text.js';

const longestMessage = 1000;
const longestPath = 200;

/** The message to the user about any error. */
export interface Failure {
  readonly exitCode: number;
  readonly error: ErrorFinding & { readonly findings?: readonly ErrorFinding[] };
  /** Only for defects of agentgym. */
  readonly stack?: string;
}

/** The parts of oclif's errors that this module reads. */
interface OclifError extends Error {
  readonly oclif?: { readonly exit?: number | false };
  /** Set by BaseCommand, and by `main` for commands of other packages. */
  readonly command?: string;
  /** Whether the command belongs to another package; its failures are not defects of agentgym. */
  readonly foreign?: boolean;
  /** Only on errors about flags and arguments. */
  readonly parse?: { readonly input?: { readonly context?: { readonly id?: string } } };
}

/**
 * Turns any thrown value into code, message, hint and exit code: 2 user error, 70 defect of agentgym, 130 interrupted.
 */
export function describeFailure(error: unknown): Failure {
  const thrown = fileError(error) ?? error;
  if (isAgentgymError(thrown)) {
    const { findings = [], exitCode } = thrown;
    const failure = { ...shortened(thrown), ...(findings.length > 1 && { findings: findings.map(shortened) }) };
    return { exitCode, error: failure, ...(exitCode === 70 && { stack: stackOf(thrown) }) };
  }
  const code = codeOf(thrown);
  if (code !== 'AG_BUG') return usage(code, messageOf(thrown), errorCodes[code].cure);
  return describeForeign(thrown as OclifError | undefined);
}

function describeForeign(thrown: OclifError | undefined): Failure {
  const id = (thrown?.command ?? thrown?.parse?.input?.context?.id)?.replaceAll(':', ' ');
  if (thrown instanceof Error && thrown.oclif !== undefined) {
    const message = plain(thrown.message);
    if (id !== undefined) return usage('AG_COMMAND_USAGE', message, `See \`agentgym ${id} --help\`.`);
    return usage('AG_COMMAND_USAGE', message, errorCodes.AG_COMMAND_USAGE.cure);
  }
  const message = shortenText(messageOf(thrown), longestMessage);
  if (thrown?.foreign === true) return usage('AG_COMMAND_FAILED', plain(message), `See \`agentgym ${id} --help\`.`);
  return {
    exitCode: exitCodeOf('AG_BUG'),
    error: { code: 'AG_BUG', message, hint: errorCodes.AG_BUG.cure },
    stack: thrown instanceof Error ? stackOf(thrown) : message,
  };
}

/** Keeps the finding, hides secrets of addresses, and shortens its texts: text from a file can have any length. */
function shortened({ code, message, hint, file, line, path }: ErrorFinding): ErrorFinding {
  return {
    code,
    message: shown(message),
    hint: shown(hint),
    ...(file && { file: hideSecrets(file) }),
    ...(line && { line }),
    ...(path && { path: shown(path, longestPath) }),
  };
}

/** The failure as lines for the user. */
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
  return { exitCode: exitCodeOf(code), error: { code, message: shown(message), hint } };
}

function shown(text: string, longest = longestMessage): string {
  return shortenText(hideSecrets(text), longest);
}

/** oclif's messages contain colours, tabs, and last lines that refer to the help or explain flags at length. */
function plain(message: string): string {
  // oxlint-disable-next-line no-control-regex
  const bare = message.replaceAll(/\u001b\[[0-9;]*m/g, '');
  return bare
    .replace(/\n?See more help with --help\s*$/, '')
    .replace(/\n\nNote: --[\s\S]*$/, '')
    .replace(/^The following errors? occurred:\s*/, '')
    .replaceAll(/(--[\w-]+)=.* cannot also be provided when using (--[\w-]+)/g, '$1 and $2 cannot be used together')
    .replaceAll(
      /All of the following must be provided when using (--[\w-]+): (--[\w-]+)/g,
      '$1 has an effect only with $2',
    )
    .replace(/[ \t]*\n\t+/g, ': ')
    .trim();
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\nCaused by: ${stackOf(error.cause)}` : '';
  return hideSecrets(`${error.stack ?? error.message}${cause}`);
}
