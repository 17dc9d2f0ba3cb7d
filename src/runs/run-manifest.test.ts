import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { RunDirectory } from './run-directory.js';
import { manifestPath, readManifest } from './run-manifest.js';

/** A manifest as a run writes it, with these parts replaced. Undefined removes a part. */
async function manifestWith(parts: object): Promise<string> {
  const runsFolder = mkdtempSync(join(tmpdir(), 'agentgym-manifest-'));
  const made = { versions: {}, plugins: [], seeds: {}, sourceFolder: runsFolder };
  const run = await RunDirectory.create({ recipe: tinyRecipe(), name: 'tiny', runsFolder, ...made });
  run.release();
  writeFileSync(manifestPath(run.path), JSON.stringify({ ...run.manifest, ...parts }));
  return run.path;
}

const recipe = tinyRecipe();
const { rl } = recipe.stages;

describe('readManifest', () => {
  it.each<[string, object, RegExp]>([
    ['no recipe', { recipe: null }, /`recipe` is empty, not a map of keys/],
    ['a recipe that is missing', { recipe: undefined }, /`recipe` is missing/],
    ['a list in the place of a recipe', { recipe: [] }, /`recipe` is a list, not a map of keys/],
    ['a number of sessions', { sessions: 3 }, /`sessions` is 3, not a list/],
    ['a number of plugins', { plugins: 5 }, /`plugins` is 5, not a list/],
    ['a package without files', { packages: [{ name: 'a' }] }, /`packages\[0\]\.version` is missing/],
    ['a status that there is not', { status: 'lost' }, /`status` is "lost", not running or completed or/],
    ['a seed in words', { recipe: { ...recipe, seed: 'one' } }, /`recipe\.seed` is "one", not a number/],
    [
      'a recipe without an environment',
      { recipe: { ...recipe, environment: undefined } },
      /`recipe\.environment` is miss/,
    ],
    ['a recipe without a section', { recipe: { ...recipe, evaluation: undefined } }, /`recipe\.evaluation` is missing/],
    [
      'a section inside another',
      { recipe: { ...recipe, evaluation: { every: 0 } } },
      /`recipe\.evaluation\.final` is missing/,
    ],
    [
      'an unknown kind of stage',
      { recipe: { ...recipe, stages: { rl: { ...rl, kind: 'x' } } } },
      /`recipe\.stages\.rl\.kind`/,
    ],
    [
      'steps in words',
      { recipe: { ...recipe, stages: { rl: { ...rl, steps: 'x' } } } },
      /`recipe\.stages\.rl\.steps` is "x"/,
    ],
    [
      'an rl stage without an algorithm',
      { recipe: { ...recipe, algorithm: undefined } },
      /`recipe\.algorithm` is missing/,
    ],
  ])('refuses %s', async (_, parts, message) => {
    await expect(readManifest(await manifestWith(parts))).rejects.toMatchObject({
      code: 'AG_NOT_A_RUN',
      exitCode: 2,
      message: expect.stringMatching(message),
      file: expect.stringContaining('manifest.json'),
    });
  });

  it('refuses another version, whatever it holds', async () => {
    await expect(readManifest(await manifestWith({ formatVersion: 2, recipe: null }))).rejects.toMatchObject({
      code: 'AG_NOT_A_RUN',
      message: expect.stringContaining('its formatVersion is 2, not 1'),
    });
  });

  // Goes red when a stored recipe is read like a recipe to run: with limits, without old keys, or with defaults filled
  // in.
  it('reads what other versions wrote, and changes nothing of it', async () => {
    const { importanceCap: _, recomputeLogprobs: __, ...algorithm } = { importanceCap: 0, ...recipe.algorithm };
    const older = { ...recipe, algorithm: { ...algorithm, groupSize: 0, pairs: 'all' }, formerly: { a: 1 } };
    const path = await manifestWith({ recipe: older, packages: undefined, reward: undefined, more: true });
    const manifest = await readManifest(path);
    expect(manifest.recipe).toEqual(older);
    expect(manifest).toMatchObject({ more: true });
  });
});
