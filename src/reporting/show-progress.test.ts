import { expect, it } from 'vitest';

import type { EvaluationSummary } from '../contracts/evaluation.js';
import { formatCount, formatSeconds } from './format-quantity.js';
import { plainProgress } from './show-progress.js';
import { StageProgress } from './stage-progress.js';

function evaluation(rate: number, temperature: number): EvaluationSummary {
  const interval = { low: rate - 0.1, high: rate + 0.1 };
  return {
    split: 'validation',
    temperature,
    success: { rate, ...interval, episodes: 100, method: 'wilson' },
    return: { mean: rate, ...interval },
    turns: { mean: 3, low: 3, high: 3 },
    truncated: 0,
    invalid: 0,
    failed: 0,
  };
}

it('says where a stage stands, how fast it goes and how long it still takes', () => {
  const progress = new StageProgress('rl', 250, 100, 0);
  expect(progress.describe()).toBe('rl: step 100/250');
  const metrics = { 'rollout/success': 0.541, 'time/tokens_per_second': 12_345 };
  progress.take({ type: 'step', stage: 'rl', step: 101, steps: 250, metrics }, 500);
  progress.take({ type: 'evaluation', stage: 'rl', step: 101, evaluation: evaluation(0.5, 1) }, 500);
  progress.take({ type: 'evaluation', stage: 'rl', step: 101, evaluation: evaluation(0.9, 0) }, 500);
  progress.take({ type: 'evaluation', stage: 'rl', step: 101, evaluation: evaluation(0.1, 1) }, 500);
  expect(progress.describe()).toBe('rl: step 101/250, success 54 %, evaluated 90 % ▇, 12.3k tokens/s, 1 min 15 s left');
});

it('prints lines for what begins and ends, and one now and then between', () => {
  const lines: string[] = [];
  let now = 0;
  const display = plainProgress(
    (line) => lines.push(line),
    () => now,
  );
  display.event({ type: 'activity', message: 'Collecting 10 demonstrations' });
  display.event({ type: 'stage-started', stage: 'sft', kind: 'sft', steps: 30, done: 0 });
  for (let step = 1; step <= 30; step++) {
    now += 1000;
    display.event({ type: 'step', stage: 'sft', step, steps: 30, metrics: { 'train/loss': 1 / step } });
  }
  display.event({ type: 'evaluation', stage: 'sft', step: 30, evaluation: evaluation(0.6, 0) });
  display.event({ type: 'warning', message: 'odd' });
  display.event({ type: 'stage-finished', stage: 'sft', step: 30, seconds: 30 });
  expect(lines).toEqual([
    'Collecting 10 demonstrations',
    'sft: begins, 30 steps',
    'sft: step 10/30, loss 0.100, 20 s left',
    'sft: step 20/30, loss 0.050, 10 s left',
    'sft: step 30/30, loss 0.033',
    'sft: step 30, validation success 60.0 % (50.0 % to 70.0 %) at temperature 0',
    'Warning: odd',
    'sft: ends after step 30, 30 s',
  ]);
});

it('writes quantities as people do', () => {
  expect([0, 59.6, 3599, 7620].map(formatSeconds)).toEqual(['0 s', '1 min 00 s', '59 min 59 s', '2 h 07 min']);
  expect([950, 999.6, 12_345, 999_400, 1_250_000].map(formatCount)).toEqual(['950', '1.0k', '12.3k', '999k', '1.3M']);
});
