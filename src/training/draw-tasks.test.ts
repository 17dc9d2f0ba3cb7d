import { describe, expect, it } from 'vitest';

import type { ChosenTask, Curriculum } from '../contracts/curriculum.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { drawTasks, type TaskSupply, updateCurriculum } from './draw-tasks.js';

const supply = (curriculum: Partial<Curriculum>, changes: Partial<TaskSupply> = {}): TaskSupply => ({
  name: 'mine',
  curriculum: {
    initialState: {},
    choose: (first, count) => Array.from({ length: count }, (_, index) => ({ task: `t${first + index}` })),
    ...curriculum,
  },
  count: 100,
  admit: () => Promise.resolve(),
  ...changes,
});

const refusal = (message: RegExp) => ({
  code: 'AG_CURRICULUM',
  exitCode: 2,
  path: 'curriculum',
  message: expect.stringMatching(message) as string,
});

describe('drawing tasks', () => {
  it('asks for places with the state of the step, and admits what is handed out', async () => {
    const asked: unknown[] = [];
    const admitted: ChosenTask[] = [];
    const draw = drawTasks(
      supply(
        {
          choose: (...words) => {
            asked.push(words);
            return Promise.resolve([{ entry: 'maze', task: 'a', other: 1 } as ChosenTask, { task: 'b' }]);
          },
        },
        { admit: (tasks) => Promise.resolve(void admitted.push(...tasks)) },
      ),
      { level: 3 },
    );
    expect(await draw(8, 2)).toEqual([{ entry: 'maze', task: 'a' }, { task: 'b' }]);
    expect(asked).toEqual([[8, 2, { level: 3 }]]);
    expect(admitted).toHaveLength(2);
  });

  it.each<[string, Curriculum['choose'], RegExp]>([
    ['too few tasks', () => [{ task: 'a' }], /`mine` was asked for 2 tasks, and answered with 1 tasks/],
    ['no list', () => 'a' as never, /answered with string/],
    ['an id alone', () => ['a', 'b'] as never, /for the place 4 with "a", which is not a task/],
    ['an entry that is no text', () => [{ task: 'a', entry: 3 }, { task: 'b' }] as never, /which is not a task/],
    ['nothing', () => [undefined, { task: 'b' }] as never, /for the place 4 with undefined/],
    [
      'an error',
      () => {
        throw new Error('out of tasks');
      },
      /`mine` failed in choose: out of tasks\./,
    ],
  ])('refuses %s', async (_, choose, message) => {
    await expect(drawTasks(supply({ choose }), {})(4, 2)).rejects.toMatchObject(refusal(message));
  });

  // Goes red when a curriculum may play one task for ever, or when a step at the end of a round is refused.
  it('refuses one task again and again, and lets a round end', async () => {
    const same = { choose: (_: number, count: number) => Array.from({ length: count }, () => ({ task: 'a' })) };
    await expect(drawTasks(supply(same), {})(0, 4)).rejects.toMatchObject(
      refusal(/hands out the task "a" 3 times in one step, although there are others/),
    );
    const draw = drawTasks(supply(same), {});
    await draw(0, 2);
    await expect(draw(2, 1)).rejects.toMatchObject(refusal(/3 times/));
    expect(await drawTasks(supply(same, { count: 1 }), {})(0, 4)).toHaveLength(4);
    const round = { choose: () => [{ task: 'a' }, { task: 'b' }, { task: 'a' }] };
    expect(await drawTasks(supply(round), {})(0, 3)).toHaveLength(3);
  });

  it('passes on why a task may not be played', async () => {
    const leak = new AgentgymError('AG_SPLIT_LEAK', { message: 'held out' });
    await expect(drawTasks(supply({}, { admit: () => Promise.reject(leak) }), {})(0, 1)).rejects.toBe(leak);
  });
});

describe('the state after a step', () => {
  const played = [{ task: 'a', episodes: 4, successes: 1 }];

  it('is data that a checkpoint keeps', async () => {
    const update = () => Promise.resolve({ level: 2, gone: undefined } as never);
    expect(await updateCurriculum(supply({ update }), {}, played)).toEqual({ level: 2 });
    expect(await updateCurriculum(supply({}), { level: 1 }, played)).toEqual({ level: 1 });
    for (const wrong of [7, [], null, undefined]) {
      await expect(updateCurriculum(supply({ update: () => wrong as never }), {}, played)).rejects.toMatchObject(
        refusal(/has a state that is not an object of data/),
      );
    }
  });
});
