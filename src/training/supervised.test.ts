import { describe, expect, it } from 'vitest';

import { buildBatch } from '../rollout/build-batch.js';
import { numberedRows } from '../rollout/demonstration.js';
import { babbler } from '../rollout/fixtures/collect.js';
import { createRandom } from '../random/create-random.js';
import { demonstrationRows, supervised } from './fixtures/stages.js';
import { trainSupervised } from './supervised.js';

describe('trainSupervised', () => {
  // Law 2. Mutation: fill the mask of `buildBatch` with 1, or use another aggregation than `token-mean`.
  it('takes the mean over action tokens and their ends, and over nothing else', async () => {
    const model = babbler();
    const options = await supervised({ model, steps: 1, batchSize: 7 });
    await trainSupervised(options);
    const fresh = babbler();
    const logprobs: number[] = [];
    for (const { record } of numberedRows(options.demonstrations)) {
      for (const [t, token] of record.tokens.entries()) {
        if (record.mask[t] === 1) logprobs.push(Math.log(fresh.probabilities(record.tokens.slice(0, t))[token]!));
      }
    }
    const mean = -logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length;
    const { metrics } = options.journal.lines[0]!;
    expect(metrics['train/loss']).toBeCloseTo(mean, 10);
    expect(metrics['cost/trained_tokens']).toBe(logprobs.length);
    expect(logprobs.length).toBe(
      numberedRows(options.demonstrations).reduce((sum, { turns }) => sum + 2 * turns.length, 0),
    );
  });

  it('logs the operations a second, and their share of what the model reaches', async () => {
    const model = babbler();
    const { journal, ...options } = await supervised({ model, steps: 2 });
    await trainSupervised({ ...options, journal });
    for (const { metrics } of journal.lines) expect(metrics).not.toHaveProperty('time/peak_share');
    const measured = Object.assign(babbler(), { peakOperations: () => Promise.resolve(1e9) });
    const again = await supervised({ model: measured, steps: 2 });
    await trainSupervised(again);
    let before = 0;
    for (const { metrics } of again.journal.lines) {
      const operations = metrics['cost/operations']! - before;
      before += operations;
      expect(operations).toBeGreaterThan(0);
      const rate = metrics['time/operations_per_second']!;
      expect(rate * metrics['time/step_seconds']!).toBeCloseTo(operations, 3);
      expect(metrics['time/peak_share']).toBeCloseTo(rate / 1e9, 9);
    }
  });

  // Mutation: take `order[(next * 7) % count]`.
  it('goes through every demonstration once a round, each round in another order', async () => {
    const model = babbler();
    const rows = await demonstrationRows(model, 7);
    const options = await supervised({ model, demonstrations: rows, steps: 7, batchSize: 3 });
    const seen: string[] = [];
    const forwardBackward = model.forwardBackward.bind(model);
    model.forwardBackward = (batch, loss) => {
      for (let row = 0; row < batch.rows; row += 1) {
        seen.push(String(batch.tokens.slice(row * batch.width, row * batch.width + batch.length[row]!)));
      }
      return forwardBackward(batch, loss);
    };
    await trainSupervised(options);
    expect(seen).toHaveLength(21);
    const all = numberedRows(rows)
      .map(({ record }) => String(record.tokens))
      .sort();
    const rounds = [seen.slice(0, 7), seen.slice(7, 14), seen.slice(14)];
    for (const round of rounds) expect([...round].sort()).toEqual(all);
    expect(new Set(rounds.map(String)).size).toBe(3);
  });

  it('learns what the expert does', async () => {
    const model = babbler({ deviation: 0 });
    const options = await supervised({
      model,
      steps: 40,
      demonstrations: await demonstrationRows(model, 9, 'oracle'),
      optimizer: {
        settings: { name: 'adamw', options: {} },
        learningRate: { peak: 0.3, warmup: 4, schedule: 'linear', floor: 0 },
      },
      random: createRandom(1),
    });
    await trainSupervised(options);
    expect(options.journal.lines.at(-1)!.metrics['train/loss']).toBeLessThan(0.1);
    const batch = buildBatch(numberedRows(options.demonstrations), 1);
    const logprobs = await model.logprobs(batch);
    const worst = Math.min(...logprobs.filter((_, index) => batch.mask[index] === 1));
    expect(worst).toBeGreaterThan(-1);
  });
});
