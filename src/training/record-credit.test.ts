import { describe, expect, it } from 'vitest';

import type { Algorithm, UpdateSettings } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { creditTools } from '../credit/credit-tools.js';
import { buildBatch, rowsOfEpisode } from '../rollout/build-batch.js';
import { babbler, fluent, modelActor } from '../rollout/fixtures/collect.js';
import { createRandom } from '../random/create-random.js';
import { reinforce } from './fixtures/reinforce.js';
import { reinforcement } from './fixtures/stages.js';
import { trainReinforcement } from './reinforcement.js';
import { recordCredit } from './record-credit.js';

const six = (value: number): number => Number(value.toPrecision(6));

/**
 * REINFORCE whose advantages differ from token to token, with a critic and a reference. `seen` collects its batches and
 * advantages.
 */
function noisy(
  seen: { batch: TrainingBatch; advantages: Float64Array }[],
  changes: Partial<Algorithm> = {},
): Algorithm {
  return reinforce({
    roles: ['reference'],
    critic: {
      trunk: 'shared',
      learningRate: null,
      warmup: 0,
      loss: (ops, { value, returns }) => ({
        terms: { value: ops.mul(ops.sub(value, returns), ops.sub(value, returns)) },
      }),
    },
    advantages(batch, state) {
      const noise = createRandom(seen.length);
      const advantages = Float64Array.from(batch.mask, (on) => (on === 1 ? noise.normal() : NaN));
      seen.push({ batch, advantages });
      return { advantages, returns: creditTools.returnsToGo(batch, { token: 1, turn: 1 }), state, metrics: {} };
    },
    ...changes,
  });
}

describe('credit on record', () => {
  async function train(update: Partial<UpdateSettings> = {}, changes: Partial<Algorithm> = {}) {
    const model = babbler({ contextLength: 1, deviation: 0.5, valueHead: true });
    const reference = babbler({ contextLength: 1, deviation: 0.7, seed: 8 });
    const seen: { batch: TrainingBatch; advantages: Float64Array }[] = [];
    const options = reinforcement({
      model,
      reference: await reference.freeze(),
      actor: modelActor(model),
      algorithm: noisy(seen, changes),
      update,
      steps: 3,
      record: 1000,
    });
    await trainReinforcement(options);
    const steps = options.journal.kept.map(({ episodes }) => episodes as CompletedEpisode[]);
    return { model, reference, seen, steps };
  }

  // Goes red when rows are joined with the wrong episodes, or when `first` is another row.
  it("holds the algorithm's advantages, the critic's values and the divergence, token by token", async () => {
    const { model, reference, seen, steps } = await train();
    expect(steps).toHaveLength(3);
    for (const [step, episodes] of steps.entries()) {
      const { batch, advantages } = seen[step]!;
      expect(batch.rows).toBe(episodes.length);
      for (const [row, { sequences: [record] = [] }] of episodes.entries()) {
        const { tokens, mask, logprobs, pieces, kl, values, advantages: shown } = record!;
        expect([...batch.tokens.slice(row * batch.width, row * batch.width + tokens.length)]).toEqual(tokens);
        expect(pieces).toEqual(tokens.map((token) => model.encoder.piece(token)));
        for (const array of [kl, values, shown]) expect(array).toHaveLength(tokens.length);
        for (const [t, token] of tokens.entries()) {
          const index = row * batch.width + t;
          if (mask[t] === 0) {
            expect([shown![t], kl![t], values![t]]).toEqual([0, 0, 0]);
            continue;
          }
          expect(shown![t]).toBe(six(advantages[index]!));
          expect(values![t]).toBe(six(batch.values![index]!));
          const expected = logprobs[t]! - Math.log(reference.probabilities(tokens.slice(0, t))[token]!);
          expect(kl![t]).toBeCloseTo(expected, 5);
        }
      }
    }
    // The critic has learnt: not all values are 0.
    expect(steps[2]!.some(({ sequences: [record] = [] }) => record!.values!.some((value) => value !== 0))).toBe(true);
  });

  // Goes red when the record shows the algorithm's advantages instead of those that the loss reads.
  it('holds advantages as the loss reads them, corrected for a sampler that is off', async () => {
    const minibatches: TrainingBatch[] = [];
    const weights: Algorithm['weights'] = (minibatch) => {
      minibatches.push(minibatch);
      return reinforce().weights(minibatch);
    };
    const model = fluent();
    const generate = model.generate.bind(model);
    model.generate = async (...given) =>
      (await generate(...given)).map((answer) => ({ ...answer, logprobs: answer.logprobs.map((p, t) => p - (t % 2)) }));
    const options = reinforcement({
      model,
      actor: modelActor(model),
      algorithm: reinforce({ weights }),
      update: { epochs: 1, minibatches: 1, recomputeLogprobs: true, importanceCap: 9 },
      steps: 1,
      record: 1000,
    });
    await trainReinforcement(options);
    const shown = (options.journal.kept[0]!.episodes as CompletedEpisode[]).map(
      ({ sequences: [record] = [] }) => record!,
    );
    const [read] = minibatches;
    const expected = Array.from({ length: read!.rows }, (_, row) =>
      [...read!.advantages.slice(row * read!.width, row * read!.width + read!.length[row]!)].map(six),
    );
    const text = (rows: readonly (readonly number[])[]): string[] => rows.map((row) => row.join()).sort();
    expect(text(shown.map(({ advantages }) => advantages!))).toEqual(text(expected));
    expect(shown.every(({ kl, values }) => kl === undefined && values === undefined)).toBe(true);
  });

  it('is absent where nothing was learnt: the group was dropped, or the step had no batch', async () => {
    const select: NonNullable<Algorithm['select']> = (group) =>
      group[0]!.iteration === 2 || group[0]!.group === 1 ? [] : [group];
    const { steps } = await train({}, { select });
    const [first, second] = steps;
    for (const { group, sequences: [record] = [] } of first!) {
      expect(record!.pieces).toHaveLength(record!.tokens.length);
      for (const name of ['advantages', 'kl', 'values'] as const) expect(name in record!).toBe(group !== 1);
    }
    expect(new Set(first!.map(({ group }) => group))).toEqual(new Set([0, 1, 2, 3]));
    for (const { sequences: [record] = [] } of second!)
      expect(Object.keys(record!)).toEqual(['tokens', 'mask', 'logprobs', 'pieces']);
  });

  it('adds up where an episode stands in several rows, and leaves out what is not finite', async () => {
    const { model, steps } = await train();
    const [won, lost] = steps[0]! as [CompletedEpisode, CompletedEpisode];
    const rows = [won, lost, won];
    const built = buildBatch(rows.flatMap(rowsOfEpisode), 1);
    const advantages = creditTools.spreadOverTokens(built, Float64Array.of(1, -1, 0.5));
    const batch = { ...built, advantages, values: built.logprobs.map(() => Infinity) };
    const [first, second] = recordCredit([won, lost], model.encoder, { rows, batch }) as CompletedEpisode[];
    expect(first!.sequences![0]!.advantages).toEqual(won.sequences![0]!.mask.map((on) => 1.5 * on));
    expect(second!.sequences![0]!.advantages).toEqual(lost.sequences![0]!.mask.map((on) => (on === 1 ? -1 : 0)));
    expect(recordCredit([won], model.encoder, { rows: [lost], batch })[0]).toHaveProperty('sequences[0].pieces');
    const { advantages: _, kl: __, values: ___, ...plain } = won.sequences![0]!;
    const bare = { ...won, sequences: [plain] };
    const [without] = recordCredit([bare], model.encoder, { rows: [bare], batch }) as CompletedEpisode[];
    expect(without!.sequences![0]).toHaveProperty('advantages');
    expect(without!.sequences![0]).not.toHaveProperty('values');
  });
});
