import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import type { GameDraft } from '../generate/draft.js';
import { subSeeds } from '../generate/seeds.js';
import type { Action, Fact } from '../logic/logic.js';
import { ChallengeError } from './challenge-error.js';
import { makeCoinCollector, type CoinCollectorOptions } from './coin-collector.js';
import type { CookingOptions } from './cooking-options.js';
import { makeCooking } from './cooking.js';
import { makeSimple, type SimpleOptions } from './simple.js';
import { makeTreasureHunter, type TreasureHunterOptions } from './treasure-hunter.js';

// Games of textworld 1.7.0: kind, settings, seed, and a digest of the world, the quests and the walkthrough, or
// `refused` where the original fails. The events that lose a cooking game are in no fixed order there.
type Row = readonly [kind: string, settings: unknown, seed: number, digest: string];
const rows = JSON.parse(readFileSync(new URL('fixtures/original-games.json', import.meta.url), 'utf8')) as Row[];

function make(kind: string, settings: unknown, seed: number): GameDraft {
  const seeds = subSeeds(seed);
  if (kind === 'tw-simple') return makeSimple(seeds, settings as SimpleOptions);
  if (kind === 'tw-coin_collector') return makeCoinCollector(seeds, settings as CoinCollectorOptions);
  if (kind === 'tw-cooking') return makeCooking(seeds, { ...(settings as CookingOptions), compat: 'textworld' });
  return makeTreasureHunter(seeds, settings as TreasureHunterOptions);
}

const written = ({ name, entities }: Fact): string => `${name}(${entities.map(({ id }) => id).join(',')})`;
const writtenAction = ({ rule, before, after }: Action): unknown => [rule, before.map(written), after.map(written)];

function digest({ facts, quests, words, walkthrough }: GameDraft): string {
  const writtenQuests = quests.map(({ reward, wins, fails }) => [
    reward,
    wins.map(({ condition, actions }) => [condition.map(written), actions.map(writtenAction)]),
    fails.map(({ condition }) => JSON.stringify(condition.map(written))).sort(),
  ]);
  const commands = walkthrough?.map((command) =>
    command.replace(/\{([^{}]*)\}/g, (_, id: string) => words.get(id)?.name ?? id),
  );
  const data = [facts.map(written), writtenQuests, commands ?? null];
  return createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 16);
}

describe('games of the original', () => {
  for (const kind of ['tw-simple', 'tw-coin_collector', 'tw-treasure_hunter', 'tw-cooking']) {
    it(`${kind} has the same worlds, quests and walkthroughs`, () => {
      const ofKind = rows.filter((row) => row[0] === kind);
      expect(ofKind.length).toBeGreaterThanOrEqual(20);
      const made = ofKind.map(([, settings, seed]) => {
        try {
          return [kind, settings, seed, digest(make(kind, settings, seed))];
        } catch (error) {
          expect(error).toBeInstanceOf(ChallengeError);
          return [kind, settings, seed, 'refused'];
        }
      });
      expect(made).toEqual(ofKind);
    });
  }
});
