// Runs both loops with watched models, and counts the spending in the log again, call by call.
import { describe, expect, it } from 'vitest';

import type { Algorithm } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { PolicyModel } from '../contracts/policy.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { babbler, modelActor } from '../rollout/fixtures/collect.js';
import type { TabularPolicy } from '../testing/tabular-policy.js';
import { MemoryJournal } from './fixtures/memory-journal.js';
import { reinforce } from './fixtures/reinforce.js';
import { demonstrationRows, reinforcement, supervised } from './fixtures/stages.js';
import { trainReinforcement } from './reinforcement.js';
import { costMetrics, nothingSpent, spend, spentTotals, takeOperations, totalsOfMetrics } from './spending.js';
import { trainSupervised } from './supervised.js';

const sampled = ({ mask }: TrainingBatch): number => mask.filter((on) => on === 1).length;

/** Lets a test see every token that a model computes, once for each forward pass; a backward pass counts as two. */
function watch(model: TabularPolicy): { tokens: number } {
  const seen = { tokens: 0 };
  const { generate, forwardBackward, logprobs, values, freeze } = model;
  model.generate = async (...given) => {
    const answers = await generate.apply(model, given);
    seen.tokens += answers.reduce((sum, { tokens }) => sum + tokens.length, 0);
    return answers;
  };
  model.forwardBackward = (...given) => {
    seen.tokens += 3 * sampled(given[0]);
    return forwardBackward.apply(model, given);
  };
  model.logprobs = (batch) => {
    seen.tokens += sampled(batch);
    return logprobs.call(model, batch);
  };
  model.values = (batch) => {
    seen.tokens += sampled(batch);
    return values.call(model, batch);
  };
  model.freeze = async () => {
    const frozen = await freeze.call(model);
    return {
      ...frozen,
      logprobs: (batch) => {
        seen.tokens += sampled(batch);
        return frozen.logprobs(batch);
      },
    };
  };
  return seen;
}

describe('what a run spends', () => {
  const withRoles = (): Algorithm =>
    reinforce({
      roles: ['reference', 'greedy'],
      critic: {
        trunk: 'own',
        learningRate: null,
        warmup: 1,
        loss: (ops, { value, returns }) => ({
          terms: { value: ops.mul(ops.sub(value, returns), ops.sub(value, returns)) },
        }),
      },
      advantages: (batch, state) => ({
        ...reinforce().advantages(batch, state),
        returns: new Float64Array(batch.mask.length),
      }),
    });

  // Goes red when the reference, the critic or greedy episodes are left out of `costs` or of `takeOperations(models)`,
  // when an evaluation is counted, or when a stage restarts its counts at 0.
  it('is what was computed and played, over both stages, and not what was evaluated', async () => {
    const model = babbler({ contextLength: 1, deviation: 0.5 });
    const critic = babbler({ contextLength: 1, deviation: 0, valueHead: true });
    const [own, second] = [watch(model), watch(critic)];
    const played: CompletedEpisode[] = [];
    let evaluated = 0;
    const evaluation = {
      every: 1,
      evaluate: async () => {
        const before = own.tokens;
        const tokens = model.encoder.begin('', 'signal red');
        await model.generate(
          [{ tokens, sequence: 'evaluation', endIds: [], maxTokens: 5, draws: new Float64Array(5).fill(0.5) }],
          { temperature: 1, topP: 1, topK: 0 },
        );
        evaluated += own.tokens - before;
        return [];
      },
    };
    const rows = await demonstrationRows(model, 7);
    const first = await supervised({ model, demonstrations: rows, batchSize: 3, steps: 5, evaluation });
    const { spent } = await trainSupervised(first);
    expect(spent).toMatchObject({
      demonstrations: 7,
      episodes: 0,
      turns: 0,
      tokens: 0,
      optimizerSteps: 5,
      units: null,
    });
    expect(first.journal.lines.map(({ metrics }) => metrics['cost/demonstrations'])).toEqual([3, 6, 7, 7, 7]);

    const generate = model.generate.bind(model);
    let answered = 0;
    model.generate = async (...given) => {
      const answers = await generate(...given);
      if (given[0][0]?.sequence !== 'evaluation') {
        answered += answers.reduce((sum, { tokens }) => sum + tokens.length, 0);
      }
      return answers;
    };
    const reference = await model.freeze();
    const options = reinforcement({
      model,
      critic,
      reference,
      actor: modelActor(model, { maxActionTokens: 2 }),
      algorithm: withRoles(),
      steps: 3,
      tasksPerStep: 5,
      record: 1000,
      evaluation,
      spent,
    });
    const result = await trainReinforcement(options);
    for (const { episodes } of options.journal.kept) played.push(...(episodes as CompletedEpisode[]));

    const { vocabularySize } = model.encoder;
    expect(evaluated).toBe(5 * 8);
    expect(result.spent.operations).toBe(5 * vocabularySize * (own.tokens + second.tokens - evaluated));
    // Five groups of three, each with a greedy episode: 20 episodes per step, of which 15 are recorded.
    expect(result.spent.episodes).toBe(60);
    expect(played).toHaveLength(45);
    expect(result.spent.tokens).toBe(answered);
    expect(result.spent.turns).toBeGreaterThan(played.reduce((sum, { turns }) => sum + turns.length, 0));
    const tasks = new Set([...rows.map(({ task }) => task), ...played.map(({ task }) => task)]);
    expect(new Set(result.spent.tasks)).toEqual(tasks);
    expect(result.spent.tasks).toHaveLength(tasks.size);
    // Two epochs of two minibatches, after a first step in which only the critic learns.
    expect(result.spent.optimizerSteps).toBe(5 + 8);
    const later = played
      .filter(({ iteration }) => iteration > 1)
      .flatMap(({ sequences: [record] = [] }) => record!.mask);
    const demonstrated = first.journal.lines.at(-1)!.metrics['cost/trained_tokens']!;
    expect(result.spent.trainedTokens).toBe(demonstrated + 2 * later.filter((on) => on === 1).length);
    expect(totalsOfMetrics(options.journal.lines.at(-1)!.metrics)).toEqual(spentTotals(result.spent));
  });

  it('is not told where nobody can say: operations of a model that does not count, tasks of demonstrations without a name', async () => {
    const model = babbler();
    const mute = new Proxy<PolicyModel>(model, {
      get: (_, name) => {
        const member: unknown = name === 'takeOperations' ? undefined : Reflect.get(model, name, model);
        return typeof member === 'function' ? (member.bind(model) as unknown) : member;
      },
    });
    const rows = (await demonstrationRows(model, 7)).map(({ task: _, ...row }) => row);
    const options = { ...(await supervised({ demonstrations: rows })), model: mute, spent: nothingSpent(mute, false) };
    const { spent } = await trainSupervised(options);
    expect(spent).toMatchObject({ operations: null, tasks: null, units: null, demonstrations: 7 });
    const names = Object.keys(options.journal.lines.at(-1)!.metrics).filter((name) => name.startsWith('cost/'));
    expect(names.sort()).toEqual(
      ['demonstrations', 'episodes', 'optimizer_steps', 'tokens', 'trained_tokens', 'turns'].map(
        (name) => `cost/${name}`,
      ),
    );
    // With a second model that cannot count, the sum is undefined too.
    expect(takeOperations([model, mute])).toBeUndefined();
    const journal = new MemoryJournal(model);
    const next = await trainReinforcement(reinforcement({ model, steps: 1, spent, journal }));
    expect(next.spent).toMatchObject({ operations: null, tasks: null, episodes: 12 });
  });

  it('adds up, and tells each task once', () => {
    const model = babbler();
    const costs = {
      tasks: ['a', 'b', 'a'],
      episodes: 4,
      turns: 8,
      tokens: 9,
      trainedTokens: 18,
      optimizerSteps: 2,
      units: 4,
    };
    const once = spend(nothingSpent(model, true), costs, 100);
    const twice = spend(once, { ...costs, tasks: ['b', 'c'], demonstrations: 3 }, 50);
    const totals = {
      demonstrations: 3,
      tasks: 3,
      episodes: 8,
      turns: 16,
      tokens: 18,
      trainedTokens: 36,
      optimizerSteps: 4,
      operations: 150,
      units: 8,
    };
    expect(spentTotals(twice)).toEqual(totals);
    expect(twice.tasks).toEqual(['a', 'b', 'c']);
    expect(totalsOfMetrics({ ...costMetrics(twice), 'train/loss': 1 })).toEqual(totals);
    expect(totalsOfMetrics({ 'train/loss': 1 })).toEqual({});
  });
});
