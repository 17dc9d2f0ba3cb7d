import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { journaledRun } from '../runs/fixtures/journaled-run.js';
import { runProblems } from './run-problems.js';

const tasks = 30;

/** A run whose players win these shares of the tasks, the first ones. */
async function runWith(wins: {
  readonly policy: number;
  readonly start: number;
  readonly demonstrator: number;
  readonly random: number;
  /** At temperature 1; absent: not evaluated. */
  readonly startDrawn?: number;
}) {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-problems-'));
  const run = await journaledRun(folder, { successes: Array.from({ length: tasks }, () => wins.policy) });
  for (const key of ['start', 'startDrawn', 'demonstrator', 'random'] as const) {
    const won = wins[key];
    if (won === undefined) continue;
    const [player, temperature] = key === 'startDrawn' ? ['start', 1] : [key, 0];
    const outcomes = Array.from({ length: tasks }, (_, task) => ({
      task: `task-${task}`,
      attempts: [{ success: task < won * tasks, return: Number(task < won * tasks), turns: 1, truncated: false }],
    }));
    const success = { rate: won, low: 0, high: 1, episodes: tasks, method: 'wilson' };
    const mean = { mean: won, low: 0, high: 1, method: 'bootstrap' };
    const evaluation = { split: 'test', temperature, success, return: mean, turns: mean, truncated: 0, invalid: 0, failed: 0 }; // prettier-ignore
    const line = { formatVersion: 1, stage: 'rl', step: 2, runStep: 4, player, evaluation, outcomes };
    appendFileSync(join(run, 'evaluations.jsonl'), `${JSON.stringify(line)}\n`);
  }
  return run;
}

// Goes red when a policy below its teacher, or below chance, is not reported.
it('tells of a policy that did not learn what its expert knows, and of one that lost what it knew', async () => {
  const taught = await runProblems(await runWith({ policy: 0, start: 0, demonstrator: 1, random: 0 }));
  expect(taught[0]).toMatch(
    /^Problem: Supervised fine-tuning leaves the policy 100\.0 points below the imitated demonstrator/,
  );
  expect(taught.at(-1)).toMatch(/^What to change: agentgym advise /);
  const lost = await runProblems(await runWith({ policy: 0, start: 1, demonstrator: 1, random: 0 }));
  expect(lost).toContain('Problem: Reinforcement learning made the policy worse.');
  const [never, worse] = await runProblems(await runWith({ policy: 0, start: 0.5, demonstrator: 1, random: 0 }));
  expect([never, worse]).toEqual([
    expect.stringContaining('Problem: Supervised fine-tuning leaves the policy 50.0 points below'),
    'Problem: Reinforcement learning made the policy worse.',
  ]);
  // Goes red when a gap that reinforcement learning closed counts as a problem.
  expect(await runProblems(await runWith({ policy: 1, start: 0, demonstrator: 1, random: 0 }))).toEqual([]);
  expect(await runProblems(await runWith({ policy: 1, start: 1, demonstrator: 1, random: 0 }))).toEqual([]);
});

// Goes red when only the most likely actions are compared: the policy imitates the whole distribution of an expert that
// samples.
it('takes a policy that plays as well as its expert at the temperature of training to have learnt from it', async () => {
  const drawn = await runWith({ policy: 1, start: 0, startDrawn: 1, demonstrator: 1, random: 0 });
  expect(await runProblems(drawn)).toEqual([]);
});
