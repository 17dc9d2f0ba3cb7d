// A whole run with real plugins and the tabular policy, so it needs no engine.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { EnvironmentModule } from '../contracts/environment-module.js';
import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import type { LocatedContribution, PluginHost } from '../plugins/open-plugin-host.js';
import { createRandom } from '../random/create-random.js';
import { TabularEncoder } from '../testing/tabular-encoder.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { finalEvaluation, readOutcomes } from '../ablation/read-outcomes.js';
import { loadRun } from '../runs/load-run.js';
import { reportRun } from '../reports/report-run.js';
import { runResultBlocks } from '../reports/result-blocks.js';
import { terminalLines } from '../reporting/terminal-blocks.js';
import { readTrainedClusters } from '../runs/trained-clusters.js';
import { evaluatePolicy } from './evaluate-policy.js';
import { hostSettings, lines, newFolder, recipe, run, tabularHost, weights } from './fixtures/tabular-run.js';

describe('runRecipe', () => {
  // Goes red when a run does not mean its newest checkpoint.
  it('starts from the weights of a run', async () => {
    const [first, second] = [newFolder(), newFolder()];
    const before = await run(first);
    const changes = {
      policy: { ...recipe.policy, from: join(first, 'run') },
      horizon: { schedule: 'fixed', turns: 3 },
      stages: { rl: { ...recipe.stages.rl, steps: 1 } },
      evaluation: { final: { tasks: 20 } },
    };
    const { result } = await run(second, { changes });
    expect(result.baselines.start?.success).toEqual(before.result.evaluations[0]?.success);

    writeFileSync(join(second, 'manifest.json'), '{}');
    await expect(run(newFolder(), { changes: { policy: { ...recipe.policy, from: second } } })).rejects.toMatchObject({
      code: 'AG_NOT_A_RUN',
    });
  });

  it('trains, evaluates and writes a run that says all there is to know', async () => {
    const folder = newFolder();
    const { result, events } = await run(folder);

    expect(result).toMatchObject({
      status: 'completed',
      stages: [
        { name: 'sft', steps: 6 },
        { name: 'rl', steps: 7 },
      ],
    });
    expect(result.evaluation).toMatchObject({ split: 'test', temperature: 0 });
    expect(result.evaluations.map(({ temperature }) => temperature)).toEqual([0, 1]);
    expect(result.starts.map(({ temperature }) => temperature)).toEqual([0, 1]);
    expect(result.baselines.start).toEqual(result.starts[0]);
    expect(Object.keys(result.baselines).sort()).toEqual(['demonstrator', 'oracle', 'random', 'start']);
    expect(result.baselines.oracle?.success.rate).toBe(1);
    expect(result.stages[1]?.evaluation).toMatchObject({ split: 'validation', temperature: 0 });
    expect(result.peakBytes).toBeGreaterThan(process.memoryUsage.rss() / 4);

    const { manifest, metrics, evaluations, status } = await loadRun(join(folder, 'run'));
    expect(status).toBe('completed');
    expect(manifest.splits?.overlap).toMatchObject({ trainAndValidation: 0, trainAndTest: 0, validationAndTest: 0 });
    expect(manifest.plugins.map(({ kind }) => kind)).toContain('policy');
    expect(metrics.map(({ stage, step }) => `${stage} ${step}`)).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((step) => `sft ${step}`),
      ...[1, 2, 3, 4, 5, 6, 7].map((step) => `rl ${step}`),
    ]);
    expect(manifest.reward).toEqual({ bounds: { success: [1, 1], failure: [0, 0] } });
    expect(metrics.at(-1)?.metrics).toHaveProperty(['rollout/rewards_per_turn']);
    // ScalingInter: two turns for three steps, then three.
    expect(metrics.slice(6).map((line) => line.metrics['rollout/horizon'])).toEqual([2, 2, 2, 3, 3, 3, 3]);
    expect(evaluations.filter(({ player }) => player === 'start')).toHaveLength(2);
    expect(existsSync(join(folder, 'run', 'episodes', 'rl.jsonl'))).toBe(true);
    expect(readdirSync(join(folder, 'run', 'checkpoints'))).toContain('rl-start');
    expect(events.filter(({ type }) => type === 'stage-started')).toHaveLength(2);
  });

  // Mutations: leave `policy.load` out of openRun, or pass no progress to the stage in train: both turn it red.
  it('ends the same, bit for bit, when it was interrupted and resumed', async () => {
    const [straight, broken] = [newFolder(), newFolder()];
    await run(straight);
    const first = await run(broken, { interruptAt: 5 });
    expect(first.result).toMatchObject({ status: 'interrupted', evaluation: null });
    const second = await run(broken, { resume: true });
    expect(second.result.status).toBe('completed');

    const { seconds: _, ...spent } = second.result.spent;
    expect((await run(straight, { resume: true })).result.spent).toMatchObject(spent);
    expect(first.result.spent).toMatchObject({ demonstrations: 60, episodes: 5 * 16 });
    expect(spent).toMatchObject({ demonstrations: 60, episodes: 7 * 16, optimizerSteps: expect.any(Number) as number });
    for (const name of ['metrics.jsonl', 'evaluations.jsonl', 'episodes/rl.jsonl', 'episodes/evaluation.start.jsonl']) {
      expect(lines(broken, name), name).toEqual(lines(straight, name));
    }
    expect(weights(broken)).toBe(weights(straight));
  });

  // Mutations: save no weights where an evaluation is due; drop the operations of a recorded step; read a stage of
  // other weights; compare the packages of all contributions.
  it('writes the same lines and weights where it reads a stage that another run trained', async () => {
    const sharedStages = join(newFolder(), 'shared');
    const changes = { reward: { terms: [{ name: 'dense' }] }, algorithm: { ...recipe.algorithm, name: 'rloo' } };
    const [first, alone, reading, broken] = [newFolder(), newFolder(), newFolder(), newFolder()];
    await run(first, { sharedStages });
    await run(alone, { changes });
    // Training never measures this entropy, so the stage was read.
    const steps = join(sharedStages, 'sft', 'steps.jsonl');
    const written = readFileSync(steps, 'utf8');
    writeFileSync(steps, written.replace(/"train\/entropy":[\d.]+/, '"train/entropy":77'));
    await run(reading, { changes, sharedStages });
    const metrics = (folder: string) => lines(folder, 'metrics.jsonl') as Record<string, unknown>[];
    expect(metrics(reading)[0]).toMatchObject({ 'train/entropy': 77 });
    expect(metrics(reading).slice(1)).toEqual(metrics(alone).slice(1));
    for (const name of ['evaluations.jsonl', 'episodes/rl.jsonl']) {
      expect(lines(reading, name), name).toEqual(lines(alone, name));
    }
    expect(weights(reading)).toBe(weights(alone));

    // A run that is interrupted at a step without stored weights ends at the next step with stored weights.
    writeFileSync(steps, written);
    const { result } = await run(broken, { changes, sharedStages, interruptAt: 1, interruptIn: 'sft' });
    expect(result).toMatchObject({ status: 'interrupted', stages: [{ name: 'sft', steps: 2 }] });
    await run(broken, { changes, sharedStages, resume: true });
    expect(metrics(broken)).toEqual(metrics(alone));
    expect(weights(broken)).toBe(weights(alone));

    // With another seed, the initial weights differ, so the stored stage does not apply.
    const [other, otherAlone] = [newFolder(), newFolder()];
    await run(other, { changes: { seed: 5 }, sharedStages });
    await run(otherAlone, { changes: { seed: 5 } });
    expect(metrics(other)).toEqual(metrics(otherAlone));
  });

  it('tells the bounds of the reward of each stage that has its own', async () => {
    const stages = { ...recipe.stages, rl: { ...recipe.stages.rl, reward: { terms: [{ name: 'dense' }] } } };
    const folder = newFolder();
    await run(folder, { changes: { stages } });
    const { manifest } = await loadRun(join(folder, 'run'));
    expect(manifest.reward?.stages?.['rl']?.bounds).toEqual({ success: [1.5, 1.5], failure: [0, 0.5] });
  });

  it('has nothing to do where a run is complete', async () => {
    const folder = newFolder();
    const { result } = await run(folder);
    const before = lines(folder, 'evaluations.jsonl');
    const again = await run(folder, { resume: true });
    expect(again.result).toEqual(JSON.parse(JSON.stringify(result)));
    expect(again.events.map(({ type }) => type)).toEqual(['activity']);
    expect(lines(folder, 'evaluations.jsonl')).toEqual(before);
  });

  // Goes red when the end token is not counted, or when actions that just fit are counted.
  it('warns of demonstrated actions that the policy cannot end', async () => {
    const warnings = async (maxActionTokens: number, format: object): Promise<string[]> => {
      const policy = { name: 'tabular', sampling: { maxActionTokens } };
      const changes = { policy, format };
      const { events } = await run(newFolder(), { changes });
      return events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
    };
    expect(await warnings(2, { name: 'plain' })).toEqual([]);
    expect(await warnings(2, { name: 'react' })).toEqual([
      'sft: 100 % of the demonstrated actions are longer than `policy.sampling.maxActionTokens` (2) and would be cut; the longest has 4 tokens.',
    ]);
  });

  // Goes red when a part is drawn anew, so that the policy starts in other worlds than it ends in.
  it('evaluates before reinforcement learning on a part of the final tasks, or not at all', async () => {
    const folder = newFolder();
    const changes = { evaluation: { ...recipe.evaluation, before: { tasks: 6, temperatures: [0] } } };
    const { result } = await run(folder, { changes });
    expect(result.starts).toMatchObject([{ temperature: 0, success: { episodes: 6 } }]);
    expect(result.evaluations).toHaveLength(2);
    const whole = newFolder();
    await run(whole);
    const startOf = (place: string) => {
      const all = lines(place, 'evaluations.jsonl') as {
        player: string;
        evaluation: { temperature: number };
        outcomes: { task: string }[];
      }[];
      return all.find(({ player, evaluation }) => player === 'start' && evaluation.temperature === 0)!.outcomes;
    };
    const [some, every] = [startOf(folder), startOf(whole)];
    expect(some).toHaveLength(6);
    expect(some).toEqual(every.filter(({ task }) => some.some((one) => one.task === task)));

    const none = newFolder();
    const without = await run(none, { changes: { evaluation: { ...recipe.evaluation, before: { tasks: 0 } } } });
    expect(without.result).toMatchObject({ status: 'completed', starts: [] });
    expect(without.result.baselines).not.toHaveProperty('start');
  });

  it('needs no evaluation on the way', async () => {
    const folder = newFolder();
    const { result } = await run(folder, { changes: { evaluation: { every: 0, final: { tasks: 20 } } } });
    expect(result).toMatchObject({ status: 'completed', stages: [{ name: 'sft' }, { name: 'rl' }] });
    expect(result.stages[1]).not.toHaveProperty('evaluation');
  });

  // Goes red when a skipped stage is played, when units are lost between the stages, or when the vocabulary depends on
  // the budget.
  it('spends the same at every split of a budget, and skips a stage that is left with nothing', async () => {
    const cells = [];
    const vocabularies = new Set<unknown>();
    for (const sft of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
      const folder = newFolder();
      const { demonstrations: _, ...learn } = recipe.stages.sft;
      const { result, events } = await run(folder, {
        changes: {
          stages: { sft: learn, rl: { ...recipe.stages.rl, tasksPerStep: 2, steps: 100 } },
          budget: { units: 100, costs: { demonstration: 10, episode: 1 }, split: { sft } },
          horizon: { schedule: 'fixed', turns: 3 },
          evaluation: { every: 0, final: { tasks: 5 } },
        },
      });
      expect(result.status).toBe('completed');
      expect(result.evaluation).not.toBeNull();
      const { metrics, manifest } = await loadRun(join(folder, 'run'));
      const skipped = events.flatMap((event) =>
        event.type === 'activity' && / skipped/.test(event.message) ? [event.message] : [],
      );
      const { units, demonstrations, episodes } = result.spent;
      const stages = result.stages.map(({ name, steps }) => `${name} ${steps}`);
      cells.push({ sft, units, demonstrations, episodes, stages, skipped });
      vocabularies.add(manifest.policy!['vocabularySize']);
      expect(metrics.at(-1)!.metrics['cost/units']).toBe(100);
      // A resume has nothing left to do.
      expect((await run(folder, { resume: true, changes: manifest.recipe })).result).toEqual(
        JSON.parse(JSON.stringify(result)),
      );
    }
    expect(vocabularies.size).toBe(1);
    const cell = (sft: number, demonstrations: number, episodes: number, stages: string[], skipped: string[] = []) => ({
      sft,
      units: 100,
      demonstrations,
      episodes,
      stages,
      skipped,
    });
    expect(cells).toEqual([
      cell(0, 0, 100, ['rl 13'], ['sft: skipped, because its share of the budget is 0']),
      cell(0.2, 2, 80, ['sft 6', 'rl 10']),
      cell(0.4, 4, 60, ['sft 6', 'rl 8']),
      cell(0.6, 6, 40, ['sft 6', 'rl 5']),
      cell(0.8, 8, 20, ['sft 6', 'rl 3']),
      cell(1, 10, 0, ['sft 6'], ['rl: skipped, because its share of the budget is 0']),
    ]);
  });

  it('refuses a share that pays for nothing, and says where steps leave units unspent', async () => {
    const folder = newFolder();
    const budget = (split: object, units = 100) => ({ units, costs: { demonstration: 10, episode: 1 }, split });
    const error = { hint: expect.stringContaining('a share of 0, which skips it') as string };
    await expect(run(folder, { changes: { budget: budget({ sft: 0.05 }) } })).rejects.toMatchObject({
      ...error,
      code: 'AG_DEMONSTRATION',
      message: 'The stage `sft` has no demonstrations: one costs 10 units, and its budget is 5 units.',
    });
    await expect(run(folder, { changes: { budget: budget({ sft: 0.97 }) } })).rejects.toMatchObject({
      ...error,
      code: 'AG_RECIPE_INVALID',
      path: 'budget.split',
      message: expect.stringContaining('not enough for one group of 4 episodes') as string,
    });
    expect(readdirSync(folder)).toEqual([]);

    const { result, events } = await run(folder, { changes: { budget: budget({ sft: 0.6 }, 2000) } });
    // 60 demonstrations by `count`, and 7 steps of 16 episodes.
    expect(result.spent).toMatchObject({ demonstrations: 60, episodes: 112, units: 712 });
    const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
    expect(warnings).toEqual(['rl: its 7 steps leave 688 of its 800 units unspent.']);
  });

  // Computes GRPO by hand from files alone: advantages from returns, and the divergence from the policy at the start of
  // the stage.
  it('records the credit of every token', async () => {
    const folder = newFolder();
    const stages = { ...recipe.stages, sft: { ...recipe.stages.sft, steps: 40 } };
    await run(folder, { changes: { stages, record: { episodes: 1000 } } });
    const reference = new TabularPolicy({ encoder: new TabularEncoder('word', []) });
    await reference.load(join(folder, 'run', 'checkpoints', 'rl-start'));
    type Line = CompletedEpisode & { readonly step: number };
    const episodes = lines(folder, 'episodes/rl.jsonl') as readonly Line[];
    let credited = 0;
    for (const { step, group, sequences: [record] = [], return: earned } of episodes) {
      const { tokens, mask, logprobs, pieces, advantages, kl } = record!;
      expect(pieces).toEqual(tokens.map((token) => reference.encoder.piece(token)));
      const returns = episodes
        .filter((other) => other.step === step && other.group === group)
        .map((other) => other.return);
      const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
      const deviation = Math.sqrt(returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1));
      // A group with equal returns has no signal and is dropped.
      if (deviation === 0) {
        expect(advantages).toBeUndefined();
        continue;
      }
      credited += 1;
      for (const [t, token] of tokens.entries()) {
        const of = mask[t] === 1 ? (earned - mean) / (deviation + 1e-6) : 0;
        expect(advantages![t]).toBeCloseTo(of, 4);
        const start = Math.log(reference.probabilities(tokens.slice(0, t))[token]!);
        expect(kl![t]).toBeCloseTo(mask[t] === 1 ? logprobs[t]! - start : 0, 5);
      }
    }
    expect(credited).toBeGreaterThan(30);
    const [first] = lines(folder, 'episodes/evaluation.final.jsonl') as readonly CompletedEpisode[];
    expect(Object.keys(first!.sequences![0]!)).toEqual(['tokens', 'mask', 'logprobs', 'pieces']);
  });

  describe('with other environments in its final evaluation', () => {
    const evaluation = {
      ...recipe.evaluation,
      final: {
        tasks: 20,
        transfer: {
          wide: { options: { width: [7, 9] } },
          same: {},
          short: { name: 'guess-number', options: { highest: 9, width: [4, 6] }, horizon: 1 },
        },
      },
    };

    it('plays them after training, beside its own, and trains as without them', async () => {
      const [alone, together] = [newFolder(), newFolder()];
      const before = await run(alone);
      const { result } = await run(together, { changes: { evaluation } });
      const { environments: transfer, seconds: _, run: __, spent, ...rest } = result;
      expect(weights(together)).toBe(weights(alone));
      expect(rest).toMatchObject({
        evaluation: before.result.evaluation,
        evaluations: before.result.evaluations,
        starts: before.result.starts,
        baselines: before.result.baselines,
      });
      expect({ ...spent, seconds: 0 }).toEqual({ ...before.result.spent, seconds: 0 });

      const { wide, same, short } = transfer!;
      expect(Object.keys(transfer!)).toEqual(['wide', 'same', 'short']);
      expect(wide!.evaluations.map(({ environment, temperature }) => [environment, temperature])).toEqual([
        ['wide', 0],
        ['wide', 1],
      ]);
      expect(wide!.baselines).toMatchObject({ oracle: { environment: 'wide', success: { episodes: 9 } } });
      // Three turns are too few to halve nine numbers until one is left.
      expect(wide!.baselines.oracle!.success.rate).toBeLessThan(1);
      // The recipe's own environment under another name has the same results.
      const named = (summary: object, environment: string) => ({ ...summary, environment });
      expect(same!.evaluations).toEqual(result.evaluations.map((one) => named(one, 'same')));
      expect(same!.baselines.random).toEqual(named(result.baselines.random!, 'same'));
      expect(short!.evaluations[0]!.turns.mean).toBe(1);

      const { evaluations, manifest } = await loadRun(join(together, 'run'));
      const own = evaluations.filter((line) => line.evaluation.environment === undefined);
      expect(own).toEqual((await loadRun(join(alone, 'run'))).evaluations);
      const ids = (environment: string) =>
        evaluations
          .filter((line) => line.evaluation.environment === environment)
          .map(({ outcomes }) => outcomes.map(({ task }) => task));
      // All players of one environment play the same tasks.
      expect(new Set(ids('wide').map((tasks) => tasks.join())).size).toBe(1);
      expect(ids('wide')).toHaveLength(2 + 3);
      expect(ids('short')[0]).toEqual(own.at(-1)!.outcomes.map(({ task }) => task));
      expect(manifest.splits?.transfer).toMatchObject({
        wide: { environment: 'guess-number', split: 'test', tasks: 9, overlap: { train: 0, heldOut: 0 } },
      });
      expect(manifest.plugins.filter(({ kind }) => kind === 'environment')).toHaveLength(2);
    });

    // Goes red when a line of another environment is taken for one of the recipe's own.
    it('tells them apart wherever evaluations are read', async () => {
      const folder = newFolder();
      const { result } = await run(folder, { changes: { evaluation } });
      const loaded = await loadRun(join(folder, 'run'));
      const solved = (outcomes: ReturnType<typeof readOutcomes>) =>
        [...outcomes!.values.values()].reduce((sum, value) => sum + value, 0) / outcomes!.values.size;
      const read = (environment?: string) => solved(readOutcomes(loaded, 'policy', 'success', 0, environment));
      expect(read()).toBeCloseTo(result.evaluation!.success.rate, 12);
      expect(read('wide')).toBeCloseTo(result.environments!['wide']!.evaluations[0]!.success.rate, 12);
      expect(finalEvaluation(loaded, 'oracle')?.evaluation.success.rate).toBe(1);
      expect(finalEvaluation(loaded, 'policy')?.evaluation.success.rate).toBe(result.evaluation!.success.rate);
      const { evaluations } = reportRun(loaded, { episodes: [], recorded: 0, halfWritten: [] });
      const finals = evaluations.filter(({ final, player }) => final && player === 'policy');
      expect(finals.map(({ environment, temperature }) => `${environment ?? 'own'} ${temperature}`)).toEqual(
        ['own', 'wide', 'same', 'short'].flatMap((name) => [`${name} 0`, `${name} 1`]),
      );
    });

    it.each([{ interruptAt: 5 }, { interruptOn: 'final evaluation on wide' }])(
      'ends the same, resumed after %o',
      async (interrupted) => {
        const [straight, broken] = [newFolder(), newFolder()];
        const { result } = await run(straight, { changes: { evaluation } });
        const first = await run(broken, { changes: { evaluation }, ...interrupted });
        expect(first.result.status).toBe('interrupted');
        expect(first.result).not.toHaveProperty('environments');
        const second = await run(broken, { changes: { evaluation }, resume: true });
        expect(second.result.environments).toEqual(result.environments);
        expect(lines(broken, 'evaluations.jsonl')).toEqual(lines(straight, 'evaluations.jsonl'));
        const again = await run(broken, { changes: { evaluation }, resume: true });
        expect(again.result.environments).toEqual(JSON.parse(JSON.stringify(result.environments)));
      },
    );

    it('refuses tasks that training sees, before anything is trained', async () => {
      const folder = newFolder();
      const final = { tasks: 'all', transfer: { dealt: { options: { splitBy: 'task' } } } };
      await expect(run(folder, { changes: { evaluation: { ...recipe.evaluation, final } } })).rejects.toMatchObject({
        code: 'AG_SPLIT_LEAK',
        message: expect.stringContaining('the test split of `evaluation.final.transfer.dealt`') as string,
        hint: expect.stringContaining('Give `dealt` options') as string,
      });
      expect(existsSync(join(folder, 'run', 'metrics.jsonl'))).toBe(false);
    });
  });

  describe('where splits share clusters', () => {
    const changes = { environment: { name: 'guess-number', options: { highest: 9, width: [4, 6], splitBy: 'task' } } };

    it('tells apart what it trained on and what it did not, in every evaluation, now and later', async () => {
      const folder = newFolder();
      const stages = {
        sft: { ...recipe.stages.sft, demonstrations: { count: 4 }, batchSize: 4 },
        rl: { ...recipe.stages.rl, tasksPerStep: 1, steps: 3 },
      };
      const { result } = await run(folder, {
        changes: {
          ...changes,
          stages,
          horizon: { schedule: 'fixed', turns: 3 },
          evaluation: { ...recipe.evaluation, final: { tasks: 'all' } },
        },
      });
      const { manifest, evaluations } = await loadRun(join(folder, 'run'));
      const { sharesClusters, sharedClusters, compared } = manifest.splits!;
      expect(sharesClusters).toBe(true);
      expect(sharedClusters.trainAndTest).toBeGreaterThan(0);
      // Intervals of 4, 5 and 6 numbers out of 9: 6 + 5 + 4 clusters of 24 + 25 + 24 games. Validation and test each
      // hold out a fifth.
      expect(compared).toMatchObject({ train: { tasks: 45, clusters: 15, whole: true }, test: { tasks: 14 } });
      const trained = await readTrainedClusters(join(folder, 'run'));
      expect(trained!.size).toBeLessThanOrEqual(7);
      const players = ['start', 'policy', 'random', 'demonstrator', 'oracle'];
      expect(new Set(evaluations.map(({ player }) => player))).toEqual(new Set(players));
      const labelOf = new Map<string, string | number>();
      for (const { evaluation, outcomes } of evaluations) {
        const [seen, unseen] = evaluation.labels!['training']!;
        expect([seen!.value, unseen!.value]).toEqual(['seen', 'unseen']);
        const isSeen = outcomes.map(({ task, cluster, labels }) => {
          expect(cluster).toBeUndefined();
          expect([undefined, labels!['training']]).toContain(labelOf.get(task));
          labelOf.set(task, labels!['training']!);
          return labels!['training'] === 'seen';
        });
        expect(seen!.tasks).toBe(isSeen.filter(Boolean).length);
        const { rate, episodes } = evaluation.success;
        const solved = [seen!, unseen!].reduce((sum, { success }) => sum + success.rate * success.episodes, 0);
        expect(solved).toBeCloseTo(rate * episodes, 9);
      }
      const last = evaluations.findLast(({ player }) => player === 'policy');
      expect(result.evaluations.at(-1)!.labels).toEqual(last!.evaluation.labels);

      const shown = terminalLines(runResultBlocks(await loadRun(join(folder, 'run'))), { width: 80, colour: false });
      const titles = /^training +player +success +95 % interval +episodes +tasks$/;
      expect(shown).toContainEqual(expect.stringMatching(titles));
      for (const value of ['seen', 'unseen'])
        expect(shown).toContainEqual(expect.stringMatching(new RegExp(`^${value} +trained .* %`)));

      const later = await evaluatePolicy({
        policy: join(folder, 'run'),
        options: {},
        split: 'test',
        tasks: 100,
        episodesPerTask: 1,
        host: await tabularHost(),
        settings: hostSettings(folder, createRandom(3)),
        runsFolder: folder,
      });
      const sizes = (labels: EvaluationSummary['labels']) =>
        labels!['training']!.map(({ value, tasks }) => [value, tasks]);
      expect(sizes(later.evaluation.labels)).toEqual(sizes(result.evaluation!.labels));
      expect(sizes(later.baselines.random!.labels)).toEqual(sizes(result.evaluation!.labels));
    });

    it('has nothing to tell apart where they share none', async () => {
      const folder = newFolder();
      const { result } = await run(folder);
      expect(Object.keys(result.evaluation!.labels!)).toEqual(['width']);
      expect(await readTrainedClusters(join(folder, 'run'))).toBeUndefined();
    });

    it('is refused where the environment does not say so, before anything is trained', async () => {
      const host = await tabularHost();
      const silent = {
        ...host,
        load: async (item: LocatedContribution) => {
          const module = await host.load(item);
          if (item.kind !== 'environment') return module;
          const { open } = module as EnvironmentModule<never>;
          const without: typeof open = async (...asked) => {
            const world = await open(...asked);
            return { ...world, create: (call) => world.create(call), sharesClusters: false };
          };
          return { ...module, open: without };
        },
      } as PluginHost;
      const folder = newFolder();
      await expect(run(folder, { changes, host: silent })).rejects.toMatchObject({
        code: 'AG_SPLIT_LEAK',
        message: expect.stringMatching(
          /^The training split and validation share \d+ clusters of tasks; the first is "(\d-\d)": "\1\/\d" of the training split and "\1\/\d" of validation\.$/,
        ) as string,
      });
      expect(existsSync(join(folder, 'run', 'metrics.jsonl'))).toBe(false);
    });
  });

  it('refuses an output folder that exists, and writes nothing', async () => {
    const folder = newFolder();
    await run(folder);
    const before = readdirSync(folder);
    await expect(run(folder)).rejects.toMatchObject({ code: 'AG_OUTPUT_EXISTS' });
    expect(readdirSync(folder)).toEqual(before);
  });
});
