import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Diagnosis } from '@agentgym/cli';

/** What `agentgym doctor` says about Python. */
export async function findPython(): Promise<readonly Diagnosis[]> {
  try {
    const { stdout } = await promisify(execFile)('python3', ['--version']);
    return [{ level: 'ok', message: `python-game uses ${stdout.trim()}` }];
  } catch {
    return [
      {
        level: 'note',
        message: 'python-game cannot be played: there is no python3',
        hint: 'Install Python 3: `apt-get install python3`, `brew install python`, or from python.org.',
      },
    ];
  }
}
