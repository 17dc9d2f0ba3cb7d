import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { chestJson, chestStory, gameFolder } from './tasks/fixtures/game-folder.js';

const program = fileURLToPath(new URL('../scripts/play-malformed.js', import.meta.url));

it('no text throws, and no memory stays behind', () => {
  const games = gameFolder({ 'chest.json': chestJson, 'chest.z8': chestStory });
  const options = ['--episodes', '36', '--seed', '3', '--games', games];
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program, ...options], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const summary = JSON.parse(stdout) as { errors: unknown[]; steps: number; refused: number; growth: number };
  expect(summary).toMatchObject({ episodes: 36, seed: 3, worlds: 9, errors: [] });
  expect(summary.steps).toBeGreaterThan(500);
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
