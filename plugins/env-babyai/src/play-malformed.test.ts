import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../scripts/play-malformed.js', import.meta.url));

it('no text throws, and no memory stays behind', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', program, '--episodes', '400', '--seed', '3'],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const summary = JSON.parse(stdout) as { errors: unknown[]; steps: number; refused: number; growth: number };
  expect(summary).toMatchObject({ episodes: 400, seed: 3, worlds: 5, errors: [] });
  expect(summary.steps).toBeGreaterThan(8_000);
  expect(summary.refused / summary.steps).toBeGreaterThan(0.2);
  // So few episodes fill memory that later ones use; the script's own bound is for many.
  expect(summary.growth).toBeLessThan(1.5);
  expect(status).toBe(summary.growth > 1.05 ? 1 : 0);
});

it('takes sensible numbers only', () => {
  const { status, stderr } = spawnSync(process.execPath, ['--expose-gc', program, '--episodes', '0'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining('--episodes takes a whole number from 1 up')]);
});
