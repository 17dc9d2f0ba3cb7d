// Training on episodes of several sequences: credit of whole episodes, minibatches, resumes and interruptions.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Algorithm } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { StepResult } from '../contracts/environment.js';
import type { JsonObject } from '../contracts/json.js';
import { creditTools } from '../credit/credit-tools.js';
import { layOutDemonstration } from '../rollout/demonstration.js';
import type { History } from '../rollout/episode-tokens.js';
import { babbler, environmentPool, modelActor } from '../rollout/fixtures/collect.js';
import { denseReward, Signals } from '../rollout/fixtures/signals.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { fillRoles } from './fill-roles.js';
import { MemoryJournal, type KeptCheckpoint } from './fixtures/memory-journal.js';
import { reinforce } from './fixtures/reinforce.js';
import { reinforcement, supervised } from './fixtures/stages.js';
import { type ReinforcementOptions, type StageEntry, trainReinforcement } from './reinforcement.js';
import { trainSupervised } from './supervised.js';

const histories: readonly History[] = [{ turns: 1 }, { tokens: 30 }];
const weights = ({ folder }: KeptCheckpoint): Promise<string> => readFile(join(folder, 'tabular-policy.json'), 'utf8');

/** A stage in two environments, whose episodes have up to six turns. */
function inTwo(
  history: History,
  changes: Parameters<typeof reinforcement>[0] = {},
  create: () => Signals = () => new Signals(),
): ReinforcementOptions & { readonly journal: MemoryJournal } {
  const options = reinforcement({ steps: 3, ...changes });
  const { model } = options.entries[0].actor;
  const actor = modelActor(model as TabularPolicy, { maxActionTokens: 2, history });
  const entry = (name: string): StageEntry => ({
    entry: name,
    actor,
    environments: environmentPool(create),
    reward: denseReward,
    horizon: { schedule: 'fixed', turns: 6 },
  });
  const supply: ReinforcementOptions['supply'] = {
    name: 'turns',
    curriculum: {
      initialState: {},
      choose: (first, count) =>
        Promise.resolve(
          Array.from({ length: count }, (_, place) => ({
            entry: (first + place) % 2 === 0 ? 'near' : 'far',
            task: `train-${(first + place) % 9}`,
          })),
        ),
    },
    count: Infinity,
    admit: () => Promise.resolve(),
  };
  return { ...options, entries: [entry('near'), entry('far')], supply };
}

async function reopen(journal: MemoryJournal, checkpoint: KeptCheckpoint) {
  const model = babbler();
  await model.load(checkpoint.folder);
  const resume = JSON.parse(checkpoint.progress) as JsonObject;
  return { model, resume, journal: new MemoryJournal(model, { journal, checkpoint }) };
}

describe.each(histories.map((history) => [JSON.stringify(history), history] as const))('history %s', (_, history) => {
  it('resumes exactly from every checkpoint, with several environments (law 7)', async () => {
    const whole = inTwo(history, { model: babbler() });
    expect(await trainReinforcement(whole)).toMatchObject({ status: 'completed' });
    const { checkpoints, timeless } = whole.journal;
    const kept = JSON.stringify(whole.journal.kept);
    expect(kept).toContain('"sequence":1');
    for (const checkpoint of checkpoints) {
      const again = await reopen(whole.journal, checkpoint);
      expect(await trainReinforcement(inTwo(history, again))).toMatchObject({ status: 'completed' });
      expect(again.journal.timeless).toEqual(timeless);
      expect(JSON.stringify(again.journal.kept)).toBe(kept);
      if (checkpoint.step < 3)
        expect(await weights(again.journal.checkpoints.at(-1)!)).toBe(await weights(checkpoints.at(-1)!));
    }
  });

  it('is interrupted within an episode, and resumed as if it had not been (law 8)', async () => {
    const controller = new AbortController();
    let steps = 0;
    class Hanging extends Signals {
      override step(action: string): StepResult | Promise<StepResult> {
        steps += 1;
        if (steps !== 130) return super.step(action);
        controller.abort();
        return new Promise(() => undefined);
      }
    }
    const options = inTwo(history, { model: babbler(), signal: controller.signal }, () => new Hanging());
    const result = await trainReinforcement(options);
    expect(result.status).toBe('interrupted');
    const again = await reopen(options.journal, options.journal.checkpoints.at(-1)!);
    await trainReinforcement(inTwo(history, again));
    const whole = inTwo(history, { model: babbler() });
    await trainReinforcement(whole);
    expect(again.journal.timeless).toEqual(whole.journal.timeless);
    expect(await weights(again.journal.checkpoints.at(-1)!)).toBe(await weights(whole.journal.checkpoints.at(-1)!));
  });

  // Goes red when rows are dealt: parts of episodes then come into different minibatches.
  it.each([1, 3, 100])('deals whole episodes to %i minibatches', async (minibatches) => {
    const model = babbler();
    const seen: TrainingBatch[] = [];
    const learn = model.forwardBackward.bind(model);
    model.forwardBackward = (batch, loss) => {
      seen.push(batch);
      return learn(batch, loss);
    };
    const update = { epochs: 1, minibatches };
    await trainReinforcement(inTwo(history, { model, steps: 1, update }));
    const numbers = seen.map(({ episode }) => [...new Set(episode)]);
    expect(new Set(numbers.flat()).size).toBe(numbers.flat().length);
    expect(numbers.flat()).toHaveLength(12);
    expect(seen.some(({ rows }, place) => rows > numbers[place]!.length)).toBe(true);
    expect(seen).toHaveLength(Math.min(minibatches, 12));
  });

  it('imitates demonstrations turn by turn, as they would be played', async () => {
    const model = new TabularPolicy({ encoder: babbler().encoder, deviation: 1, seed: 3 });
    const texts = ['stop', 'go', 'wait', 'stop', 'go'];
    const demonstration = {
      name: 'd',
      system: 'Answer the signal.',
      observations: texts.map(() => 'signal red'),
      texts,
    };
    const layout = { history, actionTokens: 2, maxTokens: 1000 };
    const laid = layOutDemonstration(demonstration, model.encoder, layout)!;
    expect(laid.rows.length).toBeGreaterThan(1);
    const options = await supervised({ model, demonstrations: [laid, laid], batchSize: 2, steps: 60 });
    await trainSupervised({
      ...options,
      optimizer: { ...options.optimizer, learningRate: { peak: 0.3, schedule: 'constant', warmup: 0, floor: 0 } },
    });
    for (const { record, turns } of laid.rows) {
      for (const {
        sampled: [start],
      } of turns) {
        const probabilities = model.probabilities(record.tokens.slice(0, start));
        expect(probabilities[record.tokens[start]!]!).toBeGreaterThan(0.9);
      }
    }
    expect(options.journal.lines.at(-1)!.metrics['cost/trained_tokens']).toBe(60 * 2 * 2 * texts.length);
  });
});

describe('a critic', () => {
  const critic: Algorithm = reinforce({
    critic: { trunk: 'shared', learningRate: null, warmup: 0, loss: () => ({ terms: {} }) },
  });

  // Goes red when the next value is that of the row's next token, or when the value after the cut is that of another row.
  it('gives the next value before the next first sampled token, in its own window, and one after the cut', async () => {
    const rows = 3;
    const width = 6;
    const base = {
      rows,
      width,
      temperature: 1,
      tokens: Int32Array.of(5, 6, 7, 0, 0, 0, 6, 7, 7, 5, 0, 0, 7, 5, 6, 0, 0, 0),
      length: Int32Array.of(3, 4, 3),
      mask: Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0),
      turn: Int32Array.of(-1, -1, 0, -1, -1, -1, -1, -1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1),
      weight: new Float64Array(18),
      logprobs: new Float64Array(18),
      rewards: Float64Array.from({ length: 18 }, (_, index) => (index === 2 ? 0.5 : index === 9 ? 2 : 0)),
      advantages: new Float64Array(18),
      group: Int32Array.of(0, 0, 0),
      episode: Int32Array.of(4, 4, 4),
      truncated: Uint8Array.of(1, 1, 1),
      bootstrapValue: new Float64Array(3),
    } satisfies TrainingBatch;
    // Distinct values for distinct prefixes.
    let calls = 0;
    const valueOf = (tokens: readonly number[]) =>
      tokens.reduce((sum, token, place) => sum + token * 0.1 ** (place + 1), 0);
    const values = (batch: TrainingBatch) => {
      calls += 1;
      return Promise.resolve(
        Float64Array.from(batch.mask, (on, index) => {
          const start = index - (index % batch.width);
          return on === 1 ? valueOf([...batch.tokens.subarray(start, index)]) : NaN;
        }),
      );
    };
    const filled = await fillRoles(base, critic, { critic: { values } });
    expect(calls).toBe(2);
    const after = valueOf([7, 5, 6]);
    expect([...filled.bootstrapValue]).toEqual([0, 0, after]);
    const [v0, v1, v2] = [valueOf([5, 6]), valueOf([6, 7]), valueOf([6, 7, 7])] as const;
    const [lambda, token, turn] = [0.8, 0.9, 0.7];
    const { advantages, returns } = creditTools.generalizedAdvantages(filled, {
      ...{ lambda, token, turn, level: 'token', bootstrap: true },
    });
    const a2 = 2 + token * turn * after - v2;
    const a1 = token * v2 - v1 + token * lambda * a2;
    const a0 = 0.5 + token * turn * v1 - v0 + token * turn * lambda * a1;
    for (const [index, advantage, value] of [
      [2, a0, v0],
      [8, a1, v1],
      [9, a2, v2],
    ] as const) {
      expect(advantages[index]).toBeCloseTo(advantage, 12);
      expect(returns[index]).toBeCloseTo(advantage + value, 12);
    }
    const toGo = creditTools.returnsToGo(filled, { token, turn }, true);
    expect(toGo[2]).toBeCloseTo(0.5 + token * turn * token * (2 + token * turn * after), 12);
  });
});
