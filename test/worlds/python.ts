import { spawnSync } from 'node:child_process';

/** Tests that want Python are left out where there is none; not in CI, where its absence is a fault. */
export const withoutPython = spawnSync('python3', ['--version']).status !== 0 && process.env['CI'] === undefined;
