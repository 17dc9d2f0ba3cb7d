// Text of files, models and packages may reach a terminal only through `printable`. This test lists the files that
// write in another way.
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { shown, sourceFiles } from './source-files.js';

/** Files that write without `printable`, each with its reason. */
const others: { readonly [file: string]: string } = {
  'src/cli/guard-process.ts': 'the document of --json, whose control characters are escaped',
  'src/cli/interrupt-signal.ts': 'a sentence of ours',
  'src/commands/work.ts': 'frames, to the log of a job, which another process reads',
  'src/plugin-check/check-process.ts': 'a stack, to the parent process, which reads it',
  'src/rollout/remote/thread-end.ts': 'what a plugin itself prints',
};

it('is written to a terminal by way of printable', () => {
  const writers = sourceFiles('src').flatMap((path) => {
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => /\b(stdout|stderr)\.write\(|console\.\w+\(/.test(line));
    const unsafe = lines.filter((line) => !line.includes('printable(') && !/^\s*(\/\/|\*)/.test(line));
    return unsafe.map((line) => `${shown(path)}: ${line.trim()}`);
  });
  expect(writers.filter((line) => others[line.split(':')[0] ?? ''] === undefined)).toEqual([]);
});
