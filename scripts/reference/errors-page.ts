import { errorCodes } from '../../src/errors/error-codes.js';

/** `docs/reference/errors.md` */
export function errorsPage(): string {
  const sections = Object.entries(errorCodes).map(([code, { exitCode, meaning, cause, cure }]) =>
    [
      `## ${code}\n`,
      `${meaning}\n`,
      `**Usual cause.** ${cause}\n`,
      `**Cure.** ${cure}\n`,
      `Exit code ${exitCode}.\n`,
    ].join('\n'),
  );
  return [
    '# Troubleshooting by error code\n',
    'Every error has a code, and says where it happened and what to do. This page says more. Under `--json` standard output is',
    '`{formatVersion, error: {code, message, hint, file?, line?, path?, findings?}}`; `findings` holds everything that is wrong where there is more than',
    'one thing. Exit codes: 0 is success, 1 a check that did not hold, 2 something that you can mend, 70 a bug of ours, 130 an interruption after which the',
    'run can be resumed. What goes wrong without an error: [troubleshooting](../guides/troubleshooting.md).\n',
    'Generated from `src/errors/error-codes.ts` by `npm run reference`.\n',
    ...sections,
  ].join('\n');
}
