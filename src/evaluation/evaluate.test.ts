import { describe, expect, it } from 'vitest';

import type { TaskSource } from '../contracts/environment.js';
import { createRandom } from '../random/create-random.js';
import { environmentPool, fluent, modelActor, rolloutSettings } from '../rollout/fixtures/collect.js';
import { denseReward, Signals, signalTasks } from '../rollout/fixtures/signals.js';
import { wilsonInterval } from '../statistics/wilson-interval.js';
import { evaluate, type EvaluateOptions } from './evaluate.js';

function options(changes: Partial<EvaluateOptions> = {}): EvaluateOptions {
  return {
    split: 'test',
    tasks: 20,
    attempts: 1,
    environments: environmentPool(undefined, { world: { count: 30 } }),
    reward: denseReward,
    horizon: 6,
    random: createRandom(7),
    rollout: rolloutSettings,
    signal: new AbortController().signal,
    ...changes,
  };
}

const random = { kind: 'environment', player: 'random' } as const;
const oracle = { kind: 'environment', player: 'oracle' } as const;
const demonstrator = { kind: 'environment', player: 'demonstrator' } as const;

describe('evaluate', () => {
  it('counts successes of independent tasks, with the interval of Wilson', async () => {
    const { summary, outcomes } = await evaluate(demonstrator, options({ horizon: 4 }));
    const won = outcomes.filter(({ attempts: [attempt] }) => attempt!.success).length;
    expect(won).toBeGreaterThan(0);
    expect(won).toBeLessThan(20);
    const interval = wilsonInterval(won, 20);
    expect(summary.success).toEqual({ rate: won / 20, ...interval, episodes: 20, method: 'wilson' });
    const turns = outcomes.map(({ attempts: [attempt] }) => attempt!.turns);
    expect(summary.turns.mean).toBeCloseTo(turns.reduce((sum, count) => sum + count, 0) / 20, 12);
    expect(summary.turns.low).toBeLessThan(summary.turns.mean);
    expect(summary).not.toHaveProperty('attempts');
    expect(summary).toMatchObject({ split: 'test', temperature: 0, failed: 0, invalid: 0 });
    expect((await evaluate(oracle, options())).summary).toMatchObject({
      success: { rate: 1, high: 1 },
      return: { mean: 2, low: 2, high: 2 },
      turns: { mean: 3 },
      truncated: 0,
    });
  });

  // Law 10. Mutation: take the tasks of `splits.train`.
  it('reads the split it is asked for, and no other', async () => {
    const forbidden: TaskSource = {
      count: 9,
      id: () => {
        throw new Error('another split was read');
      },
      random: () => {
        throw new Error('another split was read');
      },
    };
    for (const split of ['validation', 'test'] as const) {
      const splits = {
        train: forbidden,
        validation: forbidden,
        test: forbidden,
        [split]: signalTasks()[split],
      };
      const { outcomes } = await evaluate(
        random,
        options({ environments: environmentPool(undefined, { world: { splits } }), split }),
      );
      expect(outcomes.map(({ task }) => task)).toEqual(Array.from({ length: 9 }, (_, index) => `${split}-${index}`));
    }
  });

  // Mutation: key the episodes' streams by `actor.kind`.
  it('plays the same tasks in the same worlds, whoever plays', async () => {
    const seen: string[][] = [];
    for (const actor of [oracle, random, modelActor(fluent(), { maxActionTokens: 1 })]) {
      const { episodes, outcomes } = await evaluate(actor, options());
      seen.push(outcomes.map(({ task }) => task));
      // All begin with the same signal, and the next depends only on the world's randomness.
      seen.push(episodes.map(({ turns }) => turns[0]!.observation));
      const seconds = episodes.map(({ turns }) => turns[1]?.observation);
      const others = (await evaluate(oracle, options())).episodes.map(({ turns }) => turns[1]!.observation);
      const both = seconds
        .map((second, index) => [second, others[index]])
        .filter(([second]) => second?.startsWith('signal'));
      expect(both.length).toBeGreaterThan(0);
      for (const [second, other] of both) expect(second).toBe(other);
    }
    expect(seen[2]).toEqual(seen[0]);
    expect(seen[4]).toEqual(seen[0]);
    expect(seen[3]).toEqual(seen[1]);
  });

  it('bootstraps over clusters where tasks have them, and over tasks where they are tried several times', async () => {
    const about = (task: string) => ({ cluster: String(Number(task.split('-')[1]) % 12), labels: { depth: 2 } });
    const environments = environmentPool(undefined, { world: { count: 30, about } });
    const { summary, outcomes } = await evaluate(demonstrator, options({ environments, tasks: 24, horizon: 4 }));
    expect(summary.success.method).toBe('cluster-bootstrap');
    expect(summary.success.low).toBeGreaterThanOrEqual(0);
    expect(summary.success.low).toBeLessThan(summary.success.rate);
    expect(new Set(outcomes.map(({ cluster }) => cluster)).size).toBe(12);
    expect(outcomes.every(({ labels }) => labels?.['depth'] === 2)).toBe(true);
    const again = await evaluate(demonstrator, options({ environments, tasks: 24, horizon: 4 }));
    expect(again.summary).toEqual(summary);

    const several = await evaluate(demonstrator, options({ tasks: 10, attempts: 4, horizon: 4 }));
    expect(several.summary.success).toMatchObject({ method: 'cluster-bootstrap', episodes: 40 });
    const won = several.outcomes.map(({ attempts }) => attempts.filter(({ success }) => success).length);
    expect(several.summary.attempts).toEqual({
      k: 4,
      avg: won.reduce((sum, count) => sum + count / 40, 0),
      pass: won.filter((count) => count > 0).length / 10,
    });
    expect(several.summary.attempts!.pass).toBeGreaterThan(several.summary.attempts!.avg);
  });

  // Goes red when three puzzles that all splits have make an interval from 0 to 1.
  it('counts each task by itself where splits share clusters', async () => {
    const about = (task: string) => ({ cluster: String(Number(task.split('-')[1]) % 3) });
    const world = { count: 30, about, sharesClusters: true };
    const environments = environmentPool(undefined, { world });
    const { summary, outcomes } = await evaluate(demonstrator, options({ environments, tasks: 24, horizon: 4 }));
    expect(summary.success.method).toBe('wilson');
    expect(outcomes.every(({ cluster }) => cluster === undefined)).toBe(true);
  });

  it('tells apart tasks of clusters that the player was trained on, where a split may have some of them', async () => {
    const cluster = (task: string) => String(Number(task.split('-')[1]) % 12);
    const about = (task: string) => ({ cluster: cluster(task) });
    const changes = {
      environments: environmentPool(undefined, { world: { count: 30, about } }),
      tasks: 24,
      horizon: 4,
    };
    const { summary, outcomes } = await evaluate(
      demonstrator,
      options({ ...changes, trainedClusters: new Set(['1']) }),
    );
    for (const { task, labels } of outcomes) {
      expect(labels).toEqual({ training: cluster(task) === '1' ? 'seen' : 'unseen' });
    }
    const [seen, unseen] = summary.labels!['training']!;
    expect([seen!.value, unseen!.value]).toEqual(['seen', 'unseen']);
    expect(seen!.tasks).toBe(outcomes.filter(({ cluster: of }) => of === '1').length);
    expect(unseen!.success.method).toBe('cluster-bootstrap');
    const { labels: _, ...rest } = summary;
    expect((await evaluate(demonstrator, options(changes))).summary).toEqual(rest);
  });

  it('says at which temperature a policy played', async () => {
    const actor = modelActor(fluent(), { maxActionTokens: 1, sampling: { temperature: 0.5, topP: 1, topK: 0 } });
    expect((await evaluate(actor, options())).summary.temperature).toBe(0.5);
  });

  // Law 5. Mutation: count failed episodes as lost.
  it('keeps failed episodes out of every denominator', async () => {
    class Fragile extends Signals {
      override reset(...[task, context]: Parameters<Signals['reset']>): string | Promise<string> {
        if (task.endsWith('3')) throw new Error('no such level');
        return super.reset(task, context);
      }
    }
    const environments = environmentPool(() => new Fragile(), { world: { count: 30 } });
    const { summary, outcomes } = await evaluate(oracle, options({ tasks: 30, environments }));
    expect(summary.failed).toBe(3);
    expect(summary.success).toMatchObject({ rate: 1, episodes: 27 });
    expect(outcomes.filter(({ attempts }) => attempts.length === 0).map(({ task }) => task)).toEqual([
      'test-3',
      'test-13',
      'test-23',
    ]);
    const rollout = { ...rolloutSettings, maxFailedShare: 0.05 };
    await expect(evaluate(oracle, options({ tasks: 30, environments, rollout }))).rejects.toMatchObject({
      code: 'AG_EPISODES_FAILED',
    });
  });
});
