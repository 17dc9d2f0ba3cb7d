import { describe, expect, it } from 'vitest';

import { checkAction, checkConclusion, checkStart, checkStepResult, checkTaskFacts } from './check-answers.js';

const facts = { success: false, invalid: false };
const result = { observation: 'You see a door.', reward: 0.5, terminated: false, truncated: false, facts };
const withFacts = (more: object): object => ({ ...result, facts: { ...facts, ...more } });
const withDetails = (details: unknown): object => withFacts({ details });

/** An object whose member throws when it is read. */
const hostile = (name: string, others: object = {}): object =>
  Object.defineProperty({ ...others }, name, {
    enumerable: true,
    get() {
      throw new Error('not today');
    },
  });

const cyclic: Record<string, unknown> = { inner: { list: [1] } };
(cyclic['inner'] as { list: unknown[] }).list.push(cyclic);

const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) });

class Place {
  x = 1;
}

describe('checkStepResult', () => {
  it('gives a copy of what the contract names, and of nothing else', () => {
    const details = { place: [1, 'x', null, true], ['__proto__']: { a: 1 } };
    const given = {
      ...result,
      extra: () => 1,
      facts: { ...facts, progress: 1, milestones: { reached: 2, total: 2, more: 3 }, details, other: 5n },
    };
    const checked = checkStepResult(given);
    expect(checked).toStrictEqual({
      ...result,
      facts: { ...facts, progress: 1, milestones: { reached: 2, total: 2 }, details },
    });
    expect(Object.keys(checked.facts.details ?? {})).toEqual(['place', '__proto__']);
    details.place.push('later');
    expect(checked.facts.details?.['place']).toEqual([1, 'x', null, true]);
  });

  it('takes an object of a class, and leaves out what is undefined', () => {
    const instance = Object.assign(new Place(), result, { facts: { ...facts, progress: undefined } });
    expect(checkStepResult(instance)).toStrictEqual(result);
    expect(Object.keys(checkStepResult(instance).facts)).toEqual(['success', 'invalid']);
  });

  it('reads each member once, so that what was checked is what is kept', () => {
    let asked = 0;
    const given = {
      ...result,
      get reward() {
        return (asked += 1) === 1 ? 1 : Number.NaN;
      },
    };
    asked = 0;
    expect(checkStepResult(given).reward).toBe(1);
  });

  it.each<readonly [string, unknown, string]>([
    ['nothing', undefined, 'it must be an object, not undefined'],
    ['a list', [result], 'it must be an object, not a list'],
    ['no observation', { ...result, observation: undefined }, 'observation: must be text, not undefined'],
    ['infinite reward', { ...result, reward: Infinity }, 'reward: must be a finite number, not Infinity'],
    ['reward NaN', { ...result, reward: Number.NaN }, 'reward: must be a finite number, not NaN'],
    ['reward BigInt', { ...result, reward: 1n }, 'reward: must be a finite number, not a BigInt'],
    ['reward in text', { ...result, reward: '1' }, 'reward: must be a finite number, not "1"'],
    ['terminated 1', { ...result, terminated: 1 }, 'terminated: must be true or false, not 1'],
    ['truncated null', { ...result, truncated: null }, 'truncated: must be true or false, not null'],
    ['no facts', { ...result, facts: null }, 'facts: must be an object, not null'],
    ['no success', withFacts({ success: undefined }), 'facts.success: must be true or false, not undefined'],
    ['progress 1.5', withFacts({ progress: 1.5 }), 'facts.progress: must be a number from 0 to 1, not 1.5'],
    ['progress NaN', withFacts({ progress: Number.NaN }), 'facts.progress: must be a number from 0 to 1, not NaN'],
    ['progress null', withFacts({ progress: null }), 'facts.progress: must be a number from 0 to 1, not null'],
    [
      'milestones -5 of 0',
      withFacts({ milestones: { reached: -5, total: 0 } }),
      'facts.milestones: must be whole numbers with 0 <= reached <= total, not -5 of 0',
    ],
    ['milestones 3 of 2', withFacts({ milestones: { reached: 3, total: 2 } }), 'total, not 3 of 2'],
    ['half milestones', withFacts({ milestones: { reached: 0.5, total: 2 } }), 'total, not 0.5 of 2'],
    ['no total', withFacts({ milestones: { reached: 0 } }), 'total, not 0 of undefined'],
    ['details in text', withDetails('x'), 'facts.details: must be an object, not "x"'],
    ['cyclic details', withDetails(cyclic), 'facts.details.inner.list[1]: must be JSON, not an object that contains'],
    ['details nested too deep', withDetails(nested(101)), 'must be JSON nested at most 100 deep'],
    ['BigInt in details', withDetails({ n: 1n }), 'facts.details.n: must be JSON, not a BigInt'],
    ['undefined in details', withDetails({ a: { b: undefined } }), 'facts.details.a.b: must be JSON, not undefined'],
    ['a hole in details', withDetails({ a: new Array(2) }), 'facts.details.a[0]: must be JSON, not undefined'],
    ['NaN in details', withDetails({ a: [0, Number.NaN] }), 'facts.details.a[1]: must be JSON, not NaN'],
    ['a function in details', withDetails({ f: () => 1 }), 'facts.details.f: must be JSON, not a function'],
    [
      'a class in details',
      withDetails({ at: new Place() }),
      'facts.details.at: must be JSON, not an instance of Place',
    ],
    ['a date as details', withDetails(new Date()), 'facts.details: must be JSON, not an instance of Date'],
    ['a getter of the result', hostile('reward', result), 'reward: reading it threw: not today'],
    [
      'a getter of facts',
      { ...result, facts: hostile('success', facts) },
      'facts.success: reading it threw: not today',
    ],
    ['a getter in details', withDetails({ a: hostile('b') }), 'facts.details.a.b: reading it threw: not today'],
  ])('refuses %s, and names it', (_, value, message) => {
    expect(() => checkStepResult(value)).toThrow(message);
  });

  it('copies no text, however long', () => {
    const long = {
      ...result,
      observation: 'x'.repeat(10_000_000),
      facts: { ...facts, details: { page: 'y'.repeat(10_000_000) } },
    };
    const begin = performance.now();
    for (let time = 0; time < 2_000; time += 1) checkStepResult(long);
    // A copy of one of them takes more than a millisecond.
    expect(performance.now() - begin).toBeLessThan(500);
    // A message shows only the length of a long text.
    expect(() => checkStepResult({ ...long, reward: long.observation })).toThrow('not a text of 10000000 characters');
  });
});

describe('checkStart', () => {
  it('takes a text, or an observation with instructions', () => {
    expect(checkStart('')).toBe('');
    expect(checkStart({ observation: 'x', instructions: 'y', z: 1 })).toStrictEqual({
      observation: 'x',
      instructions: 'y',
    });
    expect(checkStart({ observation: 'x', instructions: undefined })).toStrictEqual({ observation: 'x' });
  });

  it.each<readonly [unknown, string]>([
    [undefined, 'it must be text or an object, not undefined'],
    [['x'], 'it must be text or an object, not a list'],
    [{ observation: 5 }, 'observation: must be text, not 5'],
    [{ observation: 'x', instructions: null }, 'instructions: must be text, not null'],
  ])('refuses %j', (value, message) => {
    expect(() => checkStart(value)).toThrow(message);
  });
});

describe('checkConclusion', () => {
  it('takes a reward and facts', () => {
    expect(checkConclusion(result)).toStrictEqual({ reward: 0.5, facts });
    expect(() => checkConclusion({ reward: -Infinity, facts })).toThrow('reward: must be a finite number');
    expect(() => checkConclusion({ reward: 1 })).toThrow('facts: must be an object, not undefined');
  });
});

describe('checkTaskFacts', () => {
  it('takes a cluster and labels, both or neither', () => {
    expect(checkTaskFacts({})).toStrictEqual({});
    const given = { cluster: 'c', labels: { hops: 2, type: 'pick' } };
    expect(checkTaskFacts({ ...given, other: 1 })).toStrictEqual(given);
  });

  it.each<readonly [unknown, string]>([
    [undefined, 'it must be an object, not undefined'],
    [{ cluster: 5 }, 'cluster: must be text, not 5'],
    [{ labels: 'easy' }, 'labels: must be an object, not "easy"'],
    [{ labels: { hops: Number.NaN } }, 'labels.hops: must be text or a finite number, not NaN'],
    [{ labels: { type: ['a'] } }, 'labels.type: must be text or a finite number, not a list'],
  ])('refuses %j', (value, message) => {
    expect(() => checkTaskFacts(value)).toThrow(message);
  });
});

describe('checkAction', () => {
  it('takes a text and nothing else', () => {
    expect(checkAction('')).toBe('');
    expect(() => checkAction(5)).toThrow('an action is a text, not 5');
    expect(() => checkAction(undefined)).toThrow('an action is a text, not undefined');
  });
});
