import { expect, it } from 'vitest';

import { acceptRecipe, resolveRecipe } from '../config/resolve-recipe.js';
import { checkTraining } from '../experiments/check-training.js';
import { builtInHost } from '../experiments/fixtures/built-in-host.js';
import { createRandom } from '../random/create-random.js';
import { roomInMemory } from './room-in-memory.js';

it('is what the largest cell leaves', { timeout: 60_000 }, async () => {
  const host = await builtInHost();
  const log = { info: () => undefined, warn: () => undefined };
  const settings = { log, signal: new AbortController().signal, cacheDirectory: '.cache', random: createRandom(1) };
  const cellOf = async (id: string, preset: string) => {
    const sets = [`policy.preset=${preset}`, 'policy.options.threads=1'];
    const { recipe, plan } = acceptRecipe(
      await resolveRecipe({ source: 'quickstart', sets, cwd: import.meta.dirname, host }),
    );
    return { cell: { id, settings: {}, recipe, notes: [] }, plan };
  };
  const made = await Promise.all([cellOf('small', 'pico'), cellOf('large', 'nano')]);
  const [small, large] = await Promise.all(
    made.map(async ({ plan }) => (await checkTraining(plan, host, settings, { short: 'ignore' })).memory.needed),
  );
  const cells = {
    cells: [made[0].cell, made[1].cell] as const,
    plans: new Map(made.map(({ cell, plan }) => [cell.id, plan])),
  };
  expect(large!).toBeGreaterThan(1.05 * small!);
  const room = (available: number) => roomInMemory(cells, 8, host, settings, { available, total: 64e9 });
  expect(await room(64e9)).toBe(8);
  expect(await room(3.02 * large!)).toBe(3);
  // A run that does not fit is refused by itself.
  expect(await room(0.5 * large!)).toBe(1);
});
