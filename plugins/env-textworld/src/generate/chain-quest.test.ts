import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { houseLogic } from '../logic/house-logic.js';
import type { Fact } from '../logic/logic.js';
import type { ChainOptions } from './chain-options.js';
import { chainQuest, rulesStarting } from './chain-quest.js';
// Made by `sample_quest` of textworld 1.7.0: worlds, options, the quest, and the next random number behind it.
import recorded from './fixtures/chains.json' with { type: 'json' };
import { NumpyRandom } from './numpy-random.js';
import { QuestGenerationError } from './quest-generation-error.js';

function factOf(text: string): Fact {
  const [, name = '', entities = ''] = /^([^(]+)\((.*)\)$/.exec(text) ?? [];
  return {
    name,
    entities: entities.split(',').map((entity) => {
      const [id = '', type = ''] = entity.split(':');
      return { id, type };
    }),
  };
}

function digestOf(facts: readonly Fact[]): string {
  const texts = facts.map(({ name, entities }) => `${name}(${entities.map(({ id, type }) => `${id}:${type}`).join()})`);
  return createHash('sha256').update(texts.sort().join('\n')).digest('hex').slice(0, 12);
}

const logic = houseLogic();
const shallow: ChainOptions = {
  minimumLength: 1,
  maximumLength: 3,
  minimumDepth: 1,
  maximumDepth: 3,
  minimumBreadth: 1,
  maximumBreadth: 1,
  createsEntities: true,
  canCreate: () => true,
  rulesPerDepth: [],
};
const oneRoom = [factOf('at(P:P,r_0:r)')];

describe('chainQuest', () => {
  it.each(recorded.map((row, index) => ({ index, ...row })))('draws quest $index of the original', (row) => {
    const random = new NumpyRandom(row.seed);
    const options: ChainOptions = {
      ...row.options,
      canCreate: (type) => row.types.includes(type),
      rulesPerDepth: row.rules.map((starts) => rulesStarting(logic, starts)),
    };
    const draw = (): ReturnType<typeof chainQuest> => chainQuest(row.world.map(factOf), logic, options, random);
    if (row.error) {
      expect(draw).toThrow(expect.objectContaining({ reason: 'exhausted' }));
    } else {
      const { steps, facts } = draw();
      expect(steps.map(({ depth, breadth, action }) => `${depth} ${breadth} ${action.command}`)).toEqual(row.steps);
      expect(digestOf(facts)).toBe(row.facts);
    }
    expect(random.integer(0, 1_000_000)).toBe(row.next);
  });

  it('makes each action possible after those before it', () => {
    const options = { ...shallow, minimumLength: 12, maximumLength: 12, maximumDepth: 12 };
    const { facts, steps } = chainQuest(oneRoom, logic, options, new NumpyRandom(4));
    const key = ({ name, entities }: Fact): string => `${name} ${entities.map(({ id }) => id).join(' ')}`;
    const state = new Set(facts.map(key));
    expect(steps).toHaveLength(12);
    for (const { action } of steps) {
      for (const fact of action.before) expect(state).toContain(key(fact));
      for (const fact of action.before) state.delete(key(fact));
      for (const fact of action.after) state.add(key(fact));
    }
  });

  it('finds nothing in a world that breaks a constraint', () => {
    const broken = [...oneRoom, factOf('open(c_0:c)'), factOf('closed(c_0:c)')];
    expect(() => chainQuest(broken, logic, shallow, new NumpyRandom(1))).toThrow(QuestGenerationError);
    expect(chainQuest(broken.slice(0, 2), logic, shallow, new NumpyRandom(1)).steps.length).toBeGreaterThan(0);
  });

  it('keeps facts that no rule knows', () => {
    const facts = [...oneRoom, factOf('edible(f_0:f)'), factOf('in(f_0:f,I:I)')];
    expect(chainQuest(facts, logic, shallow, new NumpyRandom(1)).facts).toContainEqual(factOf('edible(f_0:f)'));
  });

  it('gives up after the effort it is allowed', () => {
    const endless = { ...shallow, minimumLength: 100, maximumLength: 100, maximumBreadth: 100, effort: 100_000 };
    expect(() => chainQuest(oneRoom, logic, endless, new NumpyRandom(1))).toThrow(
      expect.objectContaining({ reason: 'abandoned' }),
    );
  });
});

describe('rulesStarting', () => {
  it('selects by the beginning of names', () => {
    expect(rulesStarting(logic, ['take', 'go/n']).toSorted()).toEqual(['go/north', 'take', 'take/c', 'take/s']);
    expect(rulesStarting(logic, ['take'], ['take/'])).toEqual(['take']);
  });
});
