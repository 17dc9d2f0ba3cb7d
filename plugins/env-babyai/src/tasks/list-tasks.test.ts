import { testHost } from '@agentgym/cli/testing';
import { splitNames } from '@agentgym/world-kit';
import { describe, expect, it } from 'vitest';

import { plain } from '../fixtures/play.js';
import { levelNames } from '../levels/level-names.js';
import type { Options } from '../options.js';
import { listTasks } from './list-tasks.js';
import { drawTask, readTask } from './read-task.js';

const list = (options: Partial<Options> = {}) => listTasks({ ...plain, ...options });
const first = (source: { id(place: number): string }, count: number, from = 0) =>
  Array.from({ length: count }, (_, place) => source.id(from + place));
const levelOf = (id: string) => id.split('/')[0]!;
const seedOf = (id: string) => Number(id.split('/')[1]);

describe('tasks', () => {
  it('take the levels in turn', () => {
    const { splits } = list();
    for (const split of splitNames) expect(first(splits[split], 96).map(levelOf)).toEqual(levelNames);
  });

  it('have starts of their own in each split, also where a level has few', () => {
    const book = list({ levels: ['GoToObjS4'] });
    const starts = splitNames.map(
      (split) => new Set(first(book.splits[split], 150).map((id) => book.about(id).cluster)),
    );
    expect(starts[0]!.size).toBeLessThan(150);
    const all = starts.flatMap((clusters) => [...clusters]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('are drawn from their split', () => {
    const { splits } = list({ levels: ['PickupLoc', 'GoToObjS4'] });
    const { random } = testHost(1);
    const drawn = Array.from({ length: 20 }, () => splits.test.random(random));
    expect(new Set(drawn.map(levelOf)).size).toBe(2);
    // A place gives the same task whether it is listed or drawn.
    for (const id of drawn) {
      const place = 2 * Math.floor(seedOf(id) / 256) + (levelOf(id) === 'PickupLoc' ? 0 : 1);
      expect(splits.test.id(place)).toBe(id);
    }
  });

  it('leave out what nobody can solve, but not where the original is kept', () => {
    const levels = ['Unlock'];
    const ids = (options: Partial<Options>) => first(list({ levels, splits: 'seeds', ...options }).splits.test, 100);
    // The key of seed 63 lies behind its own door.
    expect(ids({ compat: 'minigrid' }).map(seedOf)).toEqual(Array.from({ length: 100 }, (_, seed) => seed));
    const corrected = ids({});
    expect(corrected.flatMap((id, place) => (seedOf(id) === place ? [] : [place]))).toEqual([63]);
    expect(seedOf(corrected[63]!)).toBeGreaterThan(2 ** 50);
  });

  it("by seeds: are AgentGym's first seeds for tests, and may share starts", () => {
    const { splits, sharesClusters } = list({ levels: ['GoTo', 'Open'], splits: 'seeds' });
    expect(sharesClusters).toBe(true);
    expect([splits.test.count, splits.validation.count, splits.train.count]).toEqual([2000, 2000, 'unbounded']);
    expect(first(splits.test, 4)).toEqual(['GoTo/0', 'Open/0', 'GoTo/1', 'Open/1']);
    expect(splits.validation.id(1)).toBe('Open/1000');
    expect(splits.train.id(0)).toBe('GoTo/2000');
  });

  it('by levels: are half of levels that training does not have', () => {
    const levels = ['GoTo', 'Open', 'Pickup', 'Unlock'];
    const book = list({ levels, splits: 'levels', heldOut: ['Unlock', 'Open'] });
    expect(new Set(first(book.splits.train, 40).map(levelOf))).toEqual(new Set(['GoTo', 'Pickup']));
    const held = first(book.splits.test, 8);
    expect(held.map(levelOf).join(' ')).toBe('Unlock GoTo Open Pickup Unlock GoTo Open Pickup');
    expect(held.map((id) => book.about(id).labels?.['training'])).toEqual([
      'new',
      'seen',
      'new',
      'seen',
      'new',
      'seen',
      'new',
      'seen',
    ]);
    expect(list().about('GoTo/0').labels).not.toHaveProperty('training');
  });

  it('have labels', () => {
    const { about } = list();
    expect(about('GoToSeq/2').labels).toMatchObject({ level: 'GoToSeq', group: 'go to', rooms: 9, roomSize: 8 });
    expect(about('PutNextLocal/0').labels).toMatchObject({ rooms: 1, instruction: 'put', commands: 1 });
    expect(about('MoveTwoAcrossS5N2/0').labels).toMatchObject({
      group: 'other',
      rooms: 2,
      instruction: 'then',
      commands: 2,
    });
    const forms = new Set(
      first(list({ levels: ['BossLevel'] }).splits.train, 60).map((id) => about(id).labels?.['instruction']),
    );
    expect(forms).toEqual(new Set(['go to', 'open', 'pick up', 'put', 'and', 'then', 'after you']));
  });

  it('select levels of short plans', () => {
    const chosen = new Set(first(list({ planLength: 4 }).splits.train, 60).map(levelOf));
    expect(chosen).toContain('GoToObjS4');
    expect(chosen).not.toContain('BossLevel');
  });
});

describe('ids', () => {
  it.each(['', 'GoTo', 'GoTo/', 'GoTo/01', 'GoTo/-1', 'GoTo/1.5', 'Nowhere/1', 'GoTo/9999999999999999', '__proto__/1'])(
    'are not like %j',
    (id) => {
      expect(() => readTask(id)).toThrow('ids look like GoToLocal/17');
    },
  );

  it('of endless levels say so', () => {
    expect(() => drawTask(readTask('SynthS5R2/1741'))).toThrow(
      'the level of SynthS5R2/1741 cannot be made, and the original never ends here either: ' +
        'no place for the agent has a free cell or a wall ahead. Take another seed.',
    );
  });
});
