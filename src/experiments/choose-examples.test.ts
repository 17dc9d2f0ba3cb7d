import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { ActionFormat } from '../contracts/format.js';
import type { World } from '../contracts/environment.js';
import { createRandom } from '../random/create-random.js';
import { environmentPool, rolloutSettings } from '../rollout/fixtures/collect.js';
import { singleWord } from '../rollout/fixtures/signals.js';
import { chooseExamples, type ExampleContext } from './choose-examples.js';
import type { OpenEnvironment } from './open-environment.js';
import { writePrompt } from './write-prompt.js';

function context(changes: Partial<World> = {}, { seed = 2, horizon = 6, tasks = 9 } = {}): ExampleContext {
  const pool = environmentPool(undefined, { world: { ...changes, count: tasks } });
  const facts = { package: 'test', version: '0', threads: 0, heldBytes: 0, facts: [], found: [] };
  const environment: OpenEnvironment = { ...facts, name: 'signals', options: {}, world: pool.world, pool };
  const { signal } = new AbortController();
  return { environment, horizon, rollout: rolloutSettings, random: createRandom(seed), signal };
}

const header = {
  formatVersion: 1,
  document: 'demonstrations',
  environment: { name: 'signals', package: 'test', version: '0', options: {} },
  ...{ split: 'train', player: 'oracle', horizon: 6, seed: 1 },
};

const game = (task: string, changes: object = {}) => ({
  task,
  turns: [{ observation: 'signal red', action: 'stop' }],
  finalObservation: 'signal red',
  success: true,
  ...changes,
});

function fileOf(...lines: object[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-examples-')), 'games.jsonl');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const tasksOf = (games: Awaited<ReturnType<typeof chooseExamples>>) => games.map(({ episode }) => episode.task);

describe("an expert's games", () => {
  // Mutations: draw the tasks without the seed; keep lost games; allow a task twice.
  it('are won, on different training tasks, and the first of more', async () => {
    const expert = { expert: 'demonstrator' };
    const short = { horizon: 3 };
    const four = await chooseExamples({ ...expert, count: 4 }, context({}, short));
    expect(four.every(({ episode }) => episode.success)).toBe(true);
    expect(new Set(tasksOf(four)).size).toBe(4);
    expect(tasksOf(four).every((task) => task.startsWith('train-'))).toBe(true);
    expect(await chooseExamples({ ...expert, count: 2 }, context({}, short))).toEqual(four.slice(0, 2));
    expect(await chooseExamples(expert, context({}, short))).toEqual(four.slice(0, 2));
    const others = await chooseExamples({ ...expert, count: 4 }, context({}, { ...short, seed: 3 }));
    expect(tasksOf(others)).not.toEqual(tasksOf(four));
    expect(await chooseExamples({ ...expert, count: 0 }, context())).toEqual([]);
  });

  it('are refused if there are too few, and if there is no such expert', async () => {
    await expect(chooseExamples({ expert: 'oracle', count: 4 }, context({}, { tasks: 3 }))).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      message: 'The prompt needs 4 won games of `oracle`, but of 3 training tasks it won 3.',
    });
    await expect(chooseExamples({ expert: 'oracle' }, context({}, { horizon: 1 }))).rejects.toMatchObject({
      message: 'The prompt needs 2 won games of `oracle`, but of 9 training tasks it won 0.',
    });
    await expect(chooseExamples({ expert: 'nobody' }, context())).rejects.toMatchObject({ code: 'AG_NO_EXPERT' });
  });
});

describe('games of a file', () => {
  // Mutations: take lost games; take games with malformed turns; take a task twice.
  it('are the first that were won, one for each task', async () => {
    const file = fileOf(
      header,
      game('train-0', { success: false }),
      game('train-1'),
      game('train-1'),
      game('train-2', { turns: [{ observation: 'signal red', text: 'stop stop', malformed: 'two words' }] }),
      game('train-3'),
      game('train-4'),
    );
    expect(tasksOf(await chooseExamples({ file, count: 2 }, context()))).toEqual(['train-1', 'train-3']);
    expect(tasksOf(await chooseExamples({ file }, context()))).toEqual(['train-1', 'train-3', 'train-4']);
    await expect(chooseExamples({ file, count: 4 }, context())).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      message: `The prompt needs 4 won games on different tasks, but ${file} has 3 among 6.`,
      file,
    });
  });

  // Mutation: leave out the check of ids, or the one of the header.
  it.each([
    [
      'of a test task',
      [header, game('train-1'), game('test-0')],
      3,
      'its task "test-0" is in the validation or test split',
    ],
    ['of a validation task', [header, game('validation-8')], 2, 'its task "validation-8" is in the validation or'],
    ['of another split', [{ ...header, split: 'test' }, game('train-1')], 2, 'its tasks are of the test split'],
    [
      'of another environment',
      [{ ...header, environment: { ...header.environment, name: 'maze' } }, game('train-1')],
      2,
      'it was played in the environment `maze`, not in `signals`',
    ],
    ['without a task', [header, { ...game('x'), task: null }], 2, 'it has no "task"'],
    ['of a chat', [{ messages: [{ role: 'user', content: 'signal red' }] }], 1, 'no header comes before it'],
  ])('are refused if one is %s', async (_, lines, line, words) => {
    const file = fileOf(...lines);
    await expect(chooseExamples({ file }, context())).rejects.toMatchObject({
      ...{ code: 'AG_DEMONSTRATION', file, line },
      message: expect.stringContaining(words) as string,
    });
  });

  // Mutation: leave the check of clusters out, or make it where splits share clusters.
  it('are refused if a held-out task is the same puzzle', async () => {
    const file = fileOf(header, game('train-1'), game('train-2'));
    const about = (task: string) => ({ cluster: ['train-2', 'validation-5'].includes(task) ? 'same' : task });
    await expect(chooseExamples({ file }, context({ about }))).rejects.toMatchObject({
      ...{ code: 'AG_DEMONSTRATION', file, line: 3 },
      message: expect.stringContaining(
        'its task "train-2" belongs to the cluster "same", as tasks of the validation split do',
      ) as string,
    });
    expect(await chooseExamples({ file, count: 1 }, context({ about }))).toHaveLength(1);
    expect(await chooseExamples({ file }, context({ about, sharesClusters: true }))).toHaveLength(2);
  });
});

describe('writePrompt', () => {
  const shouting: ActionFormat = {
    instructions: 'Shout.',
    parse: (text) => ({ action: text.toLowerCase() }),
    render: (action) => {
      if (action === 'stop') throw new Error('it cannot write stop');
      return action.toUpperCase();
    },
  };

  it('writes the games in the format of the policy', async () => {
    const file = fileOf(header, game('train-1', { turns: [{ observation: 'signal green', action: 'go' }] }));
    const games = await chooseExamples({ file }, context());
    const { examples } = writePrompt(undefined, games, { format: shouting, instructions: '' });
    expect(examples!.texts).toEqual(['GO']);
    expect(examples!.games).toMatchObject([{ task: 'train-1', observations: ['signal green', 'signal red'] }]);
  });

  // Mutation: let the error of the format through without its place.
  it('names the line of an action that the format cannot write', async () => {
    const file = fileOf(header, game('train-1'));
    const games = await chooseExamples({ file }, context());
    expect(() => writePrompt(undefined, games, { format: shouting, instructions: '' })).toThrow(
      expect.objectContaining({ code: 'AG_DEMONSTRATION', file, line: 2, exitCode: 2 }) as Error,
    );
  });

  it('shows the rules of a game that has its own', async () => {
    const file = fileOf(header, game('train-1', { instructions: 'Red means stop.' }));
    const games = await chooseExamples({ file }, context());
    const { examples } = writePrompt(undefined, games, { format: singleWord, instructions: 'Answer the signal.' });
    expect(examples!.observations).toEqual(['Red means stop.\n\nsignal red']);
  });
});
