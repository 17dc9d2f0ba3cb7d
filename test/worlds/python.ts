import { spawnSync } from 'node:child_process';

/** Tests that need Python are skipped if there is none, except in CI, where they fail. */
export const withoutPython = spawnSync('python3', ['--version']).status !== 0 && process.env['CI'] === undefined;
