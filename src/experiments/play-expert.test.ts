// Runs that share the games of their experts, in whole runs with a counting environment.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Environment } from '../contracts/environment.js';
import type { EnvironmentModule } from '../contracts/environment-module.js';
import type { LocatedContribution, PluginHost } from '../plugins/open-plugin-host.js';
import { lines, newFolder, recipe, run, tabularHost, weights } from './fixtures/tabular-run.js';

/** A host whose environment counts the games of the demonstrator. */
async function countingHost(): Promise<{ host: PluginHost; games: () => number }> {
  const host = await tabularHost();
  let games = 0;
  const counted = (environment: Environment): Environment => {
    let isNew = false;
    return new Proxy(environment, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          if (key === 'reset') isNew = true;
          if (key === 'act' && given[0] === 'demonstrator' && isNew) {
            games += 1;
            isNew = false;
          }
          return Reflect.apply(value, target, given);
        };
      },
    });
  };
  const counting = {
    ...host,
    load: async (item: LocatedContribution) => {
      const module = await host.load(item);
      if (item.kind !== 'environment') return module;
      const { open } = module as EnvironmentModule<never>;
      const opened: typeof open = async (...asked) => {
        const world = await open(...asked);
        return { ...world, create: async (call) => counted(await world.create(call)) };
      };
      return { ...module, open: opened };
    },
  } as PluginHost;
  return { host: counting, games: () => games };
}

const cell = { algorithm: { ...recipe.algorithm, options: { klCoefficient: 0.05 } } };
const sftOf = (demonstrations: object) => ({
  stages: { ...recipe.stages, sft: { ...recipe.stages.sft, demonstrations } },
});
const kept = (folder: string) => readFileSync(join(folder, 'run', 'demonstrations', 'sft.jsonl'), 'utf8');

describe('games of experts that runs share', () => {
  // Mutations: play although the folder has the games; leave the horizon out of what identifies a collection; take the
  // games from the start for a later place.
  it('are played once, and give the numbers of runs that play their own', async () => {
    const sharedGames = join(newFolder(), 'demonstrations');
    const [first, second, alone, more, moreAlone] = [newFolder(), newFolder(), newFolder(), newFolder(), newFolder()];
    const { host, games } = await countingHost();
    await run(alone, { changes: cell, host });
    const own = games();
    // Every run plays some games of the demonstrator to measure its reward.
    const [demonstrations, heldOut] = [60, 10];
    const measured = own - demonstrations - heldOut;
    expect(measured).toBeLessThan(20);
    await run(first, { sharedGames, host });
    expect(games()).toBe(2 * own);
    await run(second, { changes: cell, sharedGames, host });
    expect(games()).toBe(2 * own + measured);
    expect(kept(second)).toBe(kept(alone));
    expect(lines(second, 'metrics.jsonl')).toEqual(lines(alone, 'metrics.jsonl'));
    expect(weights(second)).toBe(weights(alone));

    // A cell with more demonstrations plays only those that are missing.
    const changes = sftOf({ count: 75 });
    await run(more, { changes, sharedGames, host });
    expect(games()).toBe(2 * own + 2 * measured + 15);
    await run(moreAlone, { changes, host });
    expect(kept(more)).toBe(kept(moreAlone));
    expect(kept(more).startsWith(kept(first))).toBe(true);
  });

  it('are those of the same environment, seed, expert, horizon and filter only', async () => {
    const sharedGames = join(newFolder(), 'demonstrations');
    const { host, games } = await countingHost();
    const few = sftOf({ count: 20 });
    await run(newFolder(), { changes: few, sharedGames, host });
    const own = games();
    const folders = readdirSync(sharedGames).length;
    for (const [index, changes] of [
      { ...few, seed: 5 },
      { ...few, environment: { name: 'guess-number', options: { highest: 9, width: [4, 5] } } },
      { ...few, horizon: { schedule: 'fixed', turns: 4 } },
      sftOf({ count: 20, successOnly: true }),
    ].entries()) {
      const before = games();
      await run(newFolder(), { changes, sharedGames, host });
      expect(games() - before, String(index)).toBeGreaterThan(20);
      expect(readdirSync(sharedGames)).toHaveLength(folders * (index + 2));
    }
    expect(own).toBeGreaterThan(20);
  });

  // Goes red when the digest is not compared.
  it('are refused with their folder if the file was changed', async () => {
    const sharedGames = join(newFolder(), 'demonstrations');
    await run(newFolder(), { sharedGames });
    const folder = readdirSync(sharedGames).find((name) => existsSync(join(sharedGames, name, '60-games.jsonl')))!;
    const file = join(sharedGames, folder, '60-games.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"action":"', '"action":"1'));
    const broken = newFolder();
    await expect(run(broken, { changes: cell, sharedGames })).rejects.toMatchObject({
      code: 'AG_ABLATION_CHANGED',
      hint: `Restore the file, or remove ${join(sharedGames, folder)}; the games are then played again.`,
    });
    expect(existsSync(join(broken, 'run'))).toBe(false);
  });
});
