// The loop of reinforcement learning, tested with the tabular policy. The file is long because its tests share one
// small world.
import { describe, expect, it } from 'vitest';

import type { Algorithm } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { JsonObject } from '../contracts/json.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { emptyBatch } from '../credit/batch-columns.js';
import { creditTools } from '../credit/credit-tools.js';
import { babbler, fluent, modelActor, rolloutSettings, speakFluently } from '../rollout/fixtures/collect.js';
import { composeReward } from '../rollout/compose-reward.js';
import { Signals } from '../rollout/fixtures/signals.js';
import { createRandom } from '../random/create-random.js';
import type { TabularPolicy } from '../testing/tabular-policy.js';
import type { MemoryJournal } from './fixtures/memory-journal.js';
import { reinforce } from './fixtures/reinforce.js';
import { reinforcement } from './fixtures/stages.js';
import { plannedSteps, trainReinforcement } from './reinforcement.js';

/** The value of a metric in every line. */
const series = ({ lines }: MemoryJournal, name: string): (number | undefined)[] =>
  lines.map(({ metrics }) => metrics[name]);

describe('trainReinforcement', () => {
  // Mutation: negate the advantages, or sample anew for each epoch without recording: the policy then learns nothing.
  it('learns a game of turns from reward alone', async () => {
    const model = babbler({ deviation: 0 });
    const options = reinforcement({
      model,
      actor: modelActor(model, { maxActionTokens: 1 }),
      steps: 40,
      tasksPerStep: 6,
      update: { groupSize: 8, epochs: 1, minibatches: 2 },
      horizon: { schedule: 'fixed', turns: 4 },
      optimizer: {
        settings: { name: 'adamw', options: {} },
        learningRate: { peak: 0.3, warmup: 0, schedule: 'linear', floor: 0.1 },
      },
      rollout: { ...rolloutSettings, inFlight: 100 },
    });
    await trainReinforcement(options);
    const success = series(options.journal, 'rollout/success') as number[];
    expect(success.slice(0, 5).every((rate) => rate < 0.2)).toBe(true);
    expect(success.slice(-5).every((rate) => rate > 0.8)).toBe(true);
    const turn = model.encoder.begin('', 'signal red');
    expect(model.probabilities(turn)[model.encoder.encodeAction('stop')[0]!]).toBeGreaterThan(0.9);
  });

  // Law 1. Mutation: build the batch at temperature 1.
  it('trains at the temperature it samples at', async () => {
    const model = fluent();
    const sampling = { temperature: 0.6, topP: 1, topK: 0 };
    const options = reinforcement({ model, actor: modelActor(model, { sampling }), steps: 2 });
    await trainReinforcement(options);
    for (const gap of series(options.journal, 'train/logprob_gap')) expect(gap).toBeLessThan(1e-12);
    // After four optimizer steps, the policy is no longer the one that sampled.
    expect(series(options.journal, 'train/kl_sampler').at(-1)).toBeGreaterThan(1e-6);
  });

  // Mutation: pass `algorithm.initialState` to `advantages`.
  it('hands the algorithm what it remembered after the step before', async () => {
    const before: JsonObject[] = [];
    const after: JsonObject[] = [];
    const algorithm = reinforce({
      advantages(batch, state) {
        const made = reinforce().advantages(batch, state);
        before.push(state);
        after.push(made.state);
        return made;
      },
    });
    const model = fluent();
    await trainReinforcement(reinforcement({ model, actor: modelActor(model), algorithm, steps: 4 }));
    expect(before).toEqual([{ mean: 0 }, ...after.slice(0, -1)]);
    expect(new Set(after.map(({ mean }) => mean)).size).toBe(4);
  });

  it('deals every row once an epoch, groups together, in another order each time', async () => {
    const seen: { rows: string[]; groups: number[] }[] = [];
    const spy = (minibatch: TrainingBatch): Float64Array => {
      const rows = Array.from({ length: minibatch.rows }, (_, row) =>
        String(minibatch.tokens.slice(row * minibatch.width, row * minibatch.width + minibatch.length[row]!)),
      );
      seen.push({ rows, groups: [...minibatch.group] });
      return reinforce().weights(minibatch);
    };
    const update = { groupSize: 3, epochs: 2, minibatches: 2 };
    await trainReinforcement(reinforcement({ steps: 1, update, algorithm: reinforce({ weights: spy }) }));
    expect(seen.map(({ rows }) => rows.length)).toEqual([6, 6, 6, 6]);
    const epochs = [seen.slice(0, 2), seen.slice(2)].map((parts) => parts.flatMap(({ rows }) => rows));
    expect([...epochs[0]!].sort()).toEqual([...epochs[1]!].sort());
    expect(epochs[0]).not.toEqual(epochs[1]);
    for (const { groups } of seen) expect(groups.filter((group, row) => group !== groups[row - 1])).toHaveLength(2);
    // With more minibatches than groups, single rows are dealt.
    seen.length = 0;
    const many = { groupSize: 4, epochs: 1, minibatches: 3 };
    await trainReinforcement(
      reinforcement({ steps: 1, tasksPerStep: 1, update: many, algorithm: reinforce({ weights: spy }) }),
    );
    expect(seen.map(({ rows }) => rows.length).sort()).toEqual([1, 1, 2]);
  });

  it('trains on the groups that the algorithm selects; a step without any is skipped and counted', async () => {
    const select: NonNullable<Algorithm['select']> = (group) => (group[0]!.iteration === 2 ? [] : [group]);
    const options = reinforcement({ steps: 3, algorithm: reinforce({ select }) });
    await trainReinforcement(options);
    expect(series(options.journal, 'train/groups')).toEqual([4, 0, 4]);
    expect(series(options.journal, 'train/without_batch')).toEqual([0, 1, 0]);
    expect(series(options.journal, 'train/optimizer_steps')).toEqual([4, 0, 4]);
    expect(series(options.journal, 'train/loss').map((loss) => loss === undefined)).toEqual([false, true, false]);
  });

  it('counts steps without sampled tokens, and survives prompts that leave no room at all', async () => {
    const model = babbler();
    const actor = modelActor(model, { maxEpisodeTokens: 4 });
    const options = reinforcement({ model, actor, steps: 2 });
    expect((await trainReinforcement(options)).status).toBe('completed');
    expect(series(options.journal, 'rollout/truncated_by/tokens')).toEqual([1, 1]);
    expect(series(options.journal, 'train/optimizer_steps')).toEqual([0, 0]);
    expect(series(options.journal, 'train/without_batch')).toEqual([1, 1]);
  });

  // Mutation: in `GradientSteps.take`, continue as if the step had been applied.
  it('skips what is not finite, and gives up after three in a row', async () => {
    let poisoned = 0;
    const algorithm = (steps: readonly number[]): Algorithm =>
      reinforce({
        advantages(batch, state) {
          poisoned += 1;
          const made = reinforce().advantages(batch, state);
          return { ...made, advantages: steps.includes(poisoned) ? made.advantages.fill(NaN) : made.advantages };
        },
      });
    const update = { groupSize: 3, epochs: 1, minibatches: 1 };
    const once = reinforcement({ steps: 5, update, algorithm: algorithm([1, 3]) });
    expect((await trainReinforcement(once)).status).toBe('completed');
    expect(series(once.journal, 'train/not_finite')).toEqual([1, 0, 1, 0, 0]);
    expect(series(once.journal, 'train/loss').map((loss) => loss === undefined)).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
    poisoned = 0;
    const gone = reinforcement({ steps: 6, update, algorithm: algorithm([2, 3, 4]) });
    const result = await trainReinforcement(gone);
    expect(result).toMatchObject({ status: 'failed', steps: 4, error: { code: 'AG_TRAINING_DIVERGED' } });
    expect(gone.journal.checkpoints.at(-1)).toMatchObject({ step: 4, force: true });
  });

  // Law 5. Mutation: put failed episodes into the groups with reward 0.
  it('leaves failed episodes out of batch and rates, keeps them on record, and ends past the limit', async () => {
    let steps = 0;
    class Fragile extends Signals {
      override step(action: string) {
        steps += 1;
        if (steps % 20 === 0) throw new Error('out of memory');
        return super.step(action);
      }
    }
    const rollout = { ...rolloutSettings, retries: 0 };
    const sizes: number[] = [];
    const weigh = (batch: TrainingBatch): Float64Array => {
      sizes.push(batch.rows);
      return reinforce().weights(batch);
    };
    const update = { groupSize: 3, epochs: 1, minibatches: 1 };
    const options = reinforcement(
      { steps: 3, update, rollout, algorithm: reinforce({ weights: weigh }) },
      () => new Fragile(),
    );
    expect((await trainReinforcement(options)).status).toBe('completed');
    const failed = options.journal.kept.flatMap(({ episodes }) => episodes.filter(({ status }) => status === 'failed'));
    expect(failed.length).toBeGreaterThan(1);
    const shares = series(options.journal, 'rollout/failed') as number[];
    expect(shares.reduce((sum, share) => sum + 12 * share, 0)).toBeCloseTo(failed.length, 9);
    expect(sizes).toEqual(series(options.journal, 'rollout/episodes'));

    steps = 0;
    const strict = reinforcement({ steps: 3, rollout: { ...rollout, maxFailedShare: 0 } }, () => new Fragile());
    const result = await trainReinforcement(strict);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'AG_EPISODES_FAILED' } });
    expect(strict.journal.checkpoints.at(-1)).toMatchObject({ step: result.steps, force: true });
  });

  it('keeps as many episodes on record as asked, chosen by seed', async () => {
    const options = reinforcement({ steps: 3 });
    await trainReinforcement(options);
    expect(options.journal.kept.map(({ step, episodes }) => [step, episodes.length])).toEqual([
      [1, 2],
      [2, 2],
      [3, 2],
    ]);
    // Mutation: key episodes by iteration 1; each step would then repeat the random numbers of the first.
    for (const { step, episodes } of options.journal.kept) {
      expect(episodes.map(({ iteration }) => iteration)).toEqual([step, step]);
    }
    const places = options.journal.kept.map(({ episodes }) =>
      episodes.map(({ group, member }) => `${group}.${member}`).join(),
    );
    expect(new Set(places).size).toBeGreaterThan(1);
  });

  // Goes red when members of one group are kept apart, or when whole groups leave no room for other tasks.
  it('keeps whole groups in half of the record, and with each episode what its group returned', async () => {
    const options = reinforcement({ steps: 2, record: 6 });
    await trainReinforcement(options);
    const all = reinforcement({ steps: 2, record: 1000 });
    await trainReinforcement(all);
    for (const [index, { episodes }] of options.journal.kept.entries()) {
      const every = all.journal.kept[index]!.episodes as CompletedEpisode[];
      expect(episodes).toHaveLength(6);
      const groups = [0, 1, 2, 3].map((group) => episodes.filter((episode) => episode.group === group).length);
      expect(groups).toContain(3);
      expect(groups.filter((size) => size > 0).length).toBeGreaterThan(2);
      for (const { group, groupReturns } of episodes as CompletedEpisode[]) {
        expect(groupReturns).toEqual(
          every.filter((episode) => episode.group === group).map((episode) => episode.return),
        );
      }
    }
  });

  it('says how much of a group has no signal, and what the rewards are made of', async () => {
    const options = reinforcement({ steps: 2 });
    await trainReinforcement(options);
    const kept = reinforcement({ steps: 2, record: 1000 });
    await trainReinforcement(kept);
    for (const [index, { episodes }] of kept.journal.kept.entries()) {
      const completed = episodes as CompletedEpisode[];
      const flat = [0, 1, 2, 3].filter(
        (group) =>
          new Set(completed.filter((episode) => episode.group === group).map((episode) => episode.return)).size === 1,
      );
      const { metrics } = options.journal.lines[index]!;
      expect(metrics['rollout/groups_without_signal']).toBe(flat.length / 4);
      const mean = completed.reduce((sum, episode) => sum + episode.return, 0) / 12;
      expect(metrics['rollout/return_mean']).toBeCloseTo(mean, 12);
      expect(metrics['rollout/reward/dense']).toBeCloseTo(mean, 12);
      const turns = completed.flatMap((episode) => episode.turns);
      expect(metrics['rollout/invalid']).toBeCloseTo(
        turns.filter(({ facts }) => facts.invalid).length / turns.length,
        12,
      );
      expect(metrics['rollout/turns_mean']).toBeCloseTo(turns.length / 12, 12);
    }
  });

  it('says how dense the rewards of a step were, and nothing of turns per reward where there were none', async () => {
    const options = reinforcement({ steps: 1, record: 1000, model: fluent() });
    await trainReinforcement(options);
    const turns = options.journal.kept.flatMap(({ episodes }) => episodes.flatMap((episode) => episode.turns));
    const rewarded = turns.filter(({ reward }) => reward > 0).length;
    const { metrics } = options.journal.lines[0]!;
    expect(rewarded).toBeGreaterThan(0);
    expect(metrics['rollout/rewards_per_turn']).toBeCloseTo(rewarded / turns.length, 12);
    expect(metrics['rollout/steps_per_reward']).toBeCloseTo(turns.length / rewarded, 12);

    const mute = reinforcement({ steps: 1, horizon: { schedule: 'fixed', turns: 1 }, reward: composeReward([]) });
    await trainReinforcement(mute);
    expect(mute.journal.lines[0]!.metrics).toMatchObject({ 'rollout/rewards_per_turn': 0 });
    expect(mute.journal.lines[0]!.metrics).not.toHaveProperty(['rollout/steps_per_reward']);
  });
});

describe('budgets', () => {
  // Mutation: compare only after playing, or pay for whole steps.
  it('end a stage exactly, in the middle of a step', async () => {
    const budget = { units: 30, costs: { episode: 1 } };
    const options = reinforcement({ steps: 100, budget });
    expect(plannedSteps(options)).toBe(3);
    expect(await trainReinforcement(options)).toMatchObject({ status: 'completed', steps: 3 });
    expect(series(options.journal, 'cost/units')).toEqual([12, 24, 30]);
    expect(series(options.journal, 'rollout/episodes')).toEqual([12, 12, 6]);
    // The learning rate is planned over the expected steps: the last one is at the floor.
    expect(series(options.journal, 'train/learning_rate').at(-1)).toBeCloseTo(0.01, 12);
    expect(options.journal.checkpoints.at(-1)).toMatchObject({ step: 3, force: true });
  });

  // Mutation: in `collectGroups` begin at `state.spent` in every round, or in `payForGroups` leave out a kind of cost.
  it('of any kind are never overdrawn, and end a stage only where the next group costs more than is left', async () => {
    const random = createRandom(17);
    for (let trial = 0; trial < 12; trial += 1) {
      const groupSize = random.integer(1, 4);
      const costs = random.choice([
        { episode: random.choice([1, 0.1, 3]) },
        { turn: random.choice([1, 0.3]) },
        { token: random.choice([1, 0.7]) },
        { episode: 0.5, turn: 0.25, token: 0.1 },
      ]);
      const units = random.integer(8, 120) + random.choice([0, 0.5]);
      const price = ({ turns, sequences: [record] = [] }: CompletedEpisode): number =>
        (costs.episode ?? 0) +
        (costs.turn ?? 0) * turns.length +
        (costs.token ?? 0) * record!.mask.filter((on) => on === 1).length;
      const learnt: CompletedEpisode[] = [];
      const select: NonNullable<Algorithm['select']> = (group) => {
        learnt.push(...group);
        // Some groups have no signal and are replaced.
        return group[0]!.group % 3 === 1 ? [] : [group];
      };
      const options = reinforcement({
        steps: 1000,
        tasksPerStep: random.integer(1, 5),
        budget: { units, costs },
        update: { groupSize, epochs: 1, minibatches: 1 },
        algorithm: reinforce({ select, refillRounds: trial % 2 }),
        record: 1000,
        random: random.stream(trial),
      });
      const { status, steps, spent } = await trainReinforcement(options);
      expect(status).toBe('completed');
      if (steps === 0) continue;
      const paid = learnt.reduce((sum, episode) => sum + price(episode), 0);
      expect(spent.units).toBeCloseTo(paid, 9);
      expect(paid).toBeLessThanOrEqual(units + 1e-9);
      // Episodes that were played but not paid for: their first group costs too much. If all were paid for, even a
      // group of single tokens is not affordable.
      const played = options.journal.kept.at(-1)!.episodes as CompletedEpisode[];
      const unpaid = played.filter(
        (episode) =>
          !learnt.some(
            (one) =>
              one.iteration === episode.iteration && one.group === episode.group && one.member === episode.member,
          ),
      );
      const next = unpaid.filter(({ group }) => group === unpaid[0]!.group);
      const least = groupSize * ((costs.episode ?? 0) + (costs.turn ?? 0) + (costs.token ?? 0));
      const wanted = next.length > 0 ? next.reduce((sum, episode) => sum + price(episode), 0) : least;
      expect(paid + wanted).toBeGreaterThan(units);
    }
  });

  // Mutation: end at the planned steps; a failed attempt is not paid for, and its units would be lost.
  it('go on beyond the steps that were planned where attempts broke', async () => {
    let resets = 0;
    class Fragile extends Signals {
      override reset(...given: Parameters<Signals['reset']>) {
        resets += 1;
        if (resets % 5 === 0) throw new Error('out of memory');
        return super.reset(...given);
      }
    }
    const rollout = { ...rolloutSettings, retries: 0 };
    const options = reinforcement(
      { steps: 100, rollout, budget: { units: 30, costs: { episode: 1 } } },
      () => new Fragile(),
    );
    expect(plannedSteps(options)).toBe(3);
    const { steps, spent } = await trainReinforcement(options);
    expect(steps).toBeGreaterThan(3);
    expect(spent.units).toBeGreaterThan(27);
    expect(spent.units).toBeLessThanOrEqual(30);
    expect(options.journal.checkpoints.at(-1)).toMatchObject({ step: steps, force: true });
  });

  it('without a unit do nothing', async () => {
    for (const costs of [{ episode: 1 }, { turn: 1 }, { token: 1 }]) {
      const options = reinforcement({ budget: { units: 0, costs } });
      expect(await trainReinforcement(options)).toMatchObject({ status: 'completed', steps: 0 });
      expect(options.journal.lines).toEqual([]);
    }
  });

  it('never learn from more turns than are paid for', async () => {
    const sizes: number[] = [];
    const select: NonNullable<Algorithm['select']> = (group) => {
      sizes.push(group.reduce((sum, { turns }) => sum + turns.length, 0));
      return [group];
    };
    const options = reinforcement({
      steps: 100,
      budget: { units: 70, costs: { turn: 1 } },
      algorithm: reinforce({ select }),
    });
    const result = await trainReinforcement(options);
    expect(result.status).toBe('completed');
    const spent = series(options.journal, 'cost/units').at(-1)!;
    expect(spent).toBe(sizes.reduce((sum, size) => sum + size, 0));
    expect(spent).toBeLessThanOrEqual(70);
    expect(spent).toBeGreaterThan(70 - 12);
  });
});

describe('roles', () => {
  it('hand the algorithm what the frozen reference says, once a batch', async () => {
    const model = babbler();
    const reference = await model.freeze();
    const seen: TrainingBatch[] = [];
    const algorithm = reinforce({
      roles: ['reference'],
      advantages(batch, state) {
        seen.push(batch);
        return reinforce().advantages(batch, state);
      },
    });
    const options = reinforcement({ model, steps: 2, reference, algorithm });
    await trainReinforcement(options);
    // The initial weights are kept, so that a resumed run can freeze it again.
    expect(options.journal.checkpoints[0]).toMatchObject({ step: 0, force: true });
    const [first, second] = seen;
    const farthest = ({ mask, logprobs, referenceLogprobs }: TrainingBatch): number =>
      mask.reduce(
        (gap, on, index) => (on ? Math.max(gap, Math.abs(logprobs[index]! - referenceLogprobs![index]!)) : gap),
        0,
      );
    expect(farthest(first!)).toBeLessThan(1e-12);
    expect(farthest(second!)).toBeGreaterThan(0.01);
    await expect(trainReinforcement(reinforcement({ algorithm }))).rejects.toMatchObject({ code: 'AG_LOSS_INPUT' });
  });

  // Law 4. Mutation: read the value at the last token instead of after it, or give terminated rows one too.
  it('hand the algorithm the values of a critic, and of the state after a cut', async () => {
    const make = (): TabularPolicy => babbler({ contextLength: 1, deviation: 0, valueHead: true });
    const model = make();
    speakFluently(model);
    // Values where the mask is 0 must not matter.
    const values = model.values.bind(model);
    model.values = async (batch) =>
      (await values(batch)).map((value, index) => (batch.mask[index] === 1 ? value : NaN));
    const seen: TrainingBatch[] = [];
    const algorithm = reinforce({
      critic: {
        trunk: 'shared',
        learningRate: null,
        warmup: 0,
        loss: (ops, { value, returns }) => ({
          terms: { value: ops.mul(ops.sub(value, returns), ops.sub(value, returns)) },
        }),
      },
      advantages(batch, state) {
        seen.push(batch);
        const perRow = Float64Array.from({ length: batch.rows }, (_, row) => row + 1);
        return { ...reinforce().advantages(batch, state), returns: creditTools.spreadOverTokens(batch, perRow) };
      },
      loss: () => ({ terms: {} }),
    });
    const options = reinforcement({ model, actor: modelActor(model), algorithm, steps: 3 });
    expect((await trainReinforcement(options)).status).toBe('completed');
    // The policy with the weights of the last batch.
    const before = make();
    await before.load(options.journal.checkpoints.at(-2)!.folder);
    const { rows, width, tokens, length, truncated, bootstrapValue } = seen.at(-1)!;
    expect(new Set(truncated).size).toBe(2);
    for (let row = 0; row < rows; row += 1) {
      const sequence = [...tokens.slice(row * width, row * width + length[row]!)];
      const expected = truncated[row] === 1 ? await valueAfter(sequence) : 0;
      expect(bootstrapValue[row]).toBe(expected);
    }
    expect(bootstrapValue.some((value) => value !== 0)).toBe(true);

    /** V of a sequence, computed the slow way: the value of the next token in a separate row. */
    async function valueAfter(sequence: readonly number[]): Promise<number> {
      const size = sequence.length + 1;
      const found = await before.values({
        ...emptyBatch({ rows: 1, width: size, temperature: 1 }),
        tokens: Int32Array.from([...sequence, 0]),
        length: Int32Array.of(size),
        mask: Uint8Array.from([...sequence.map(() => 0), 1]),
      });
      return found[size - 1]!;
    }
  });
});
