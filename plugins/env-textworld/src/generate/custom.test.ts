import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Action, Fact } from '../logic/logic.js';
import { generateCustom } from './custom.js';
import type { GameDraft } from './draft.js';
// Made by textworld 1.7.0 with the same options and seeds: whole games, and digests of games as `linesOf` writes them.
import digests from './fixtures/custom-digests.json' with { type: 'json' };
import games from './fixtures/custom-games.json' with { type: 'json' };
import { QuestGenerationError } from './quest-generation-error.js';
import { worldEntities } from './world-facts.js';

function factText({ name, entities }: Fact): string {
  return `${name}(${entities.map(({ id, type }) => `${id}:${type}`).join(',')})`;
}

function actionText({ rule, before, after, command }: Action): string {
  return `${rule}: ${before.map(factText).join(' & ')} -> ${after.map(factText).join(' & ')} | ${command}`;
}

function linesOf({ facts, quests }: GameDraft): string[] {
  return [
    ...facts.map(factText),
    ...quests.flatMap(({ reward, wins }) => [
      `quest ${reward}`,
      ...wins.flatMap(({ condition, actions }) => [
        `when ${condition.map(factText).join(' & ')}`,
        ...actions.map(actionText),
      ]),
    ]),
  ];
}

function digestOf(options: object, seed: number): string {
  try {
    const lines = linesOf(generateCustom(options, seed));
    return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);
  } catch (error) {
    if (error instanceof QuestGenerationError && error.reason === 'exhausted') return 'none';
    throw error;
  }
}

describe('generateCustom', () => {
  it.each(games)('makes the world and quests of the original for seed $seed with $options', (game) => {
    const draft = generateCustom(game.options, game.seed);
    expect(linesOf(draft)).toEqual(game.lines);
    expect(worldEntities(draft.facts, draft.logic.types).map(({ id }) => id)).toEqual(game.entities);
  });

  it.each(digests)('makes the games of the original with $options', ({ options, digests }) => {
    const made = Object.keys(digests).map((seed) => [seed, digestOf(options, Number(seed))]);
    expect(Object.fromEntries(made)).toEqual(digests);
  });

  it('makes the same quest whatever the number of objects', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const [few, many] = [3, 30].map((objects) => generateCustom({ rooms: 4, objects, questLength: 4 }, seed));
      expect(many!.quests).toEqual(few!.quests);
      expect(many!.facts.length).toBeGreaterThan(few!.facts.length);
    }
  });

  it('takes the four seeds themselves', () => {
    const seeds = { map: 5192, objects: 50057, quest: 21440, grammar: 7 };
    expect(generateCustom({}, seeds).facts).toEqual(generateCustom({}, 1).facts);
  });

  it('says that there is no quest instead of searching without end', () => {
    const impossible = [
      { questLength: 1, questBreadth: 3 },
      { minimumLength: 5, maximumLength: 4 },
      { minimumDepth: 9 },
    ];
    for (const options of impossible) expect(() => generateCustom(options, 1)).toThrow(QuestGenerationError);
  });

  it('refuses options out of range', () => {
    for (const options of [
      { rooms: 0 },
      { rooms: 101 },
      { objects: -1 },
      { questLength: 1.5 },
      { parallelQuests: NaN },
    ]) {
      expect(() => generateCustom(options, 1)).toThrow(RangeError);
    }
    expect(() => generateCustom({}, -1)).toThrow(RangeError);
  });
});
