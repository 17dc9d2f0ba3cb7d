import { errorCodes, exitCodeOf, type ErrorCode } from '../../src/errors/error-codes.js';

/** `docs/reference/errors.md` */
export function errorsPage(): string {
  const sections = Object.entries(errorCodes).map(([code, { meaning, cause, cure }]) =>
    [
      `## ${code}\n`,
      `${meaning}\n`,
      `**Usual cause.** ${cause}\n`,
      `**Fix.** ${cure}\n`,
      `Exit code ${exitCodeOf(code as ErrorCode)}.\n`,
    ].join('\n'),
  );
  return [
    '# Troubleshooting by error code\n',
    'This page lists the meaning, the usual cause and the fix of every error code. With `--json`, standard output is',
    '`{formatVersion, error: {code, message, hint, file?, line?, path?, findings?}}`; `findings` lists all errors if there is more than one. Exit codes:',
    '0 success, 1 a check or a run of an ablation failed, 2 an error in the input, 70 a defect of agentgym, 130 interrupted and resumable. For problems without an error message,',
    'see [troubleshooting](../guides/troubleshooting.md).\n',
    'Generated from `src/errors/error-codes.ts` by `npm run reference`.\n',
    ...sections,
  ].join('\n');
}
