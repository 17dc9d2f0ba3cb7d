import { describe, expect, it } from 'vitest';

import type { MemoryJournal } from './fixtures/memory-journal.js';
import { reinforcement, supervised } from './fixtures/stages.js';
import { trainReinforcement } from './reinforcement.js';
import type { StageEvaluation } from './run-stage.js';
import { describeStopRule, readStopRules, type StopRule } from './stop-rules.js';
import { trainSupervised } from './supervised.js';

describe('readStopRules', () => {
  const rule: StopRule = { metric: 'rollout/success', above: 0.9, for: 3 };

  it('counts readings in a row, and takes a step without the metric for none', () => {
    const values = [0.95, 0.95, 0.5, 0.95, undefined, 0.95, 0.95];
    let state: readonly number[] = [];
    const stops = values.map((value) => {
      const read = readStopRules([rule], state, value === undefined ? {} : { 'rollout/success': value });
      state = read.state;
      return read.stop;
    });
    expect(stops).toEqual([...values.slice(1).map(() => undefined), rule]);
  });

  it('reads both limits, and the first rule that holds is the one', () => {
    const between: StopRule = { metric: 'train/entropy', above: 0.1, below: 0.2, for: 1 };
    const low: StopRule = { metric: 'train/entropy', below: 0.2, for: 1 };
    const stop = (value: number) => readStopRules([between, low], [], { 'train/entropy': value }).stop;
    expect([stop(0.15), stop(0.05), stop(0.3)]).toEqual([between, low, undefined]);
    expect(describeStopRule(between)).toBe('train/entropy above 0.1 and below 0.2 for 1 reading');
  });
});

describe('a stage', () => {
  const messages = ({ events }: MemoryJournal): string[] =>
    events.flatMap((event) => (event.type === 'activity' || event.type === 'warning' ? [event.message] : []));

  it('ends for good after the step in which a rule holds, and evaluates it as its last', async () => {
    const evaluated: number[] = [];
    const evaluation: StageEvaluation = {
      every: 100,
      evaluate: (step) => {
        evaluated.push(step);
        return Promise.resolve([]);
      },
    };
    const stopWhen = [{ metric: 'train/learning_rate', below: 0.08, for: 2 }];
    const options = reinforcement({ stopWhen, evaluation });
    // The rate is 0.05, 0.1, 0.0775, 0.055, ...
    expect(await trainReinforcement(options)).toMatchObject({ status: 'completed', steps: 4 });
    expect(evaluated).toEqual([4]);
    expect(messages(options.journal)).toEqual(['rl: ends after step 4: train/learning_rate below 0.08 for 2 readings']);
    expect(options.journal.checkpoints.at(-1)).toMatchObject({ step: 4, force: true });
    const resume = JSON.parse(options.journal.checkpoints.at(-1)!.progress) as Record<string, never>;
    expect(await trainReinforcement({ ...options, resume })).toMatchObject({ status: 'completed', steps: 4 });
  });

  it('ends by what an evaluation measured', async () => {
    let success = 0;
    const evaluation: StageEvaluation = {
      every: 2,
      evaluate: () => {
        success += 0.3;
        const rate = { rate: success, low: 0, high: 1, episodes: 10, method: 'wilson' } as const;
        const mean = { mean: 1, low: 0, high: 2 };
        const shares = { truncated: 0, invalid: 0, failed: 0 };
        return Promise.resolve([
          { split: 'validation', temperature: 0, success: rate, return: mean, turns: mean, ...shares },
        ]);
      },
    };
    const stopWhen = [{ metric: 'eval/t0/success', above: 0.5, for: 1 }];
    const options = await supervised({ stopWhen, evaluation });
    expect(await trainSupervised(options)).toMatchObject({ status: 'completed', steps: 4 });
    expect(options.journal.checkpoints.at(-1)).toMatchObject({ step: 4, force: true });
  });

  it('says at once where a rule waits for what nobody measures', async () => {
    const options = reinforcement({ steps: 2, stopWhen: [{ metric: 'train/entropie', below: 1, for: 1 }] });
    await trainReinforcement(options);
    const [message, ...more] = messages(options.journal);
    expect(message).toMatch(/did not measure `train\/entropie`.*train\/entropy/);
    expect(more).toEqual([]);
  });
});
