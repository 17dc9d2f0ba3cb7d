// Every format is played by a trained model: a small policy imitates a demonstrator in the format, and then samples.
import { ReadableStream } from 'node:stream/web';

import { afterAll, describe, expect, it } from 'vitest';

import { open } from '../../plugins/env-guess-number/src/guess-number.js';
import { options as gameOptions } from '../../plugins/env-guess-number/src/options.js';
import contributions from '../../plugins/format-standard/src/index.js';
import { createPolicy } from '../../plugins/policy-transformer/src/policy/create-policy.js';
import { options as transformerOptions } from '../../plugins/policy-transformer/src/options.js';
import { InProcessEngine } from '../../plugins/policy-transformer/src/worker/in-process-engine.js';
import type { ActionFormat, FormatModule } from '../../src/contracts/format.js';
import type { PolicyModel } from '../../src/contracts/policy.js';
import { createRandom } from '../../src/random/create-random.js';
import { collectDemonstrations } from '../../src/rollout/collect-demonstrations.js';
import { collectEpisodes } from '../../src/rollout/collect-episodes.js';
import { composeReward } from '../../src/rollout/compose-reward.js';
import { conversationText, layOutDemonstration } from '../../src/rollout/demonstration.js';
import { EnvironmentPool } from '../../src/rollout/environment-pool.js';
import { fitFormat } from '../../src/rollout/fit-format.js';
import { rolloutSettings, worldSettings } from '../../src/rollout/fixtures/collect.js';
import { localWorld } from '../../src/rollout/local-world.js';
import { writeDemonstration } from '../../src/rollout/write-demonstration.js';
import { optionDefaults } from '../../src/testing/option-defaults.js';
import { testHost } from '../../src/testing/test-host.js';
import { MemoryJournal } from '../../src/training/fixtures/memory-journal.js';
import { nothingSpent } from '../../src/training/spending.js';
import { trainSupervised } from '../../src/training/supervised.js';
import { isLong } from '../long.js';

const policies: PolicyModel[] = [];
afterAll(() => Promise.all(policies.map((policy) => policy.dispose())));

const { signal } = new AbortController();
const world = localWorld(
  open({ ...optionDefaults(gameOptions), width: [40, 50], reply: 'direction' }),
  worldSettings(),
);
const environments = new EnvironmentPool(world, Infinity);
const rollout = { ...rolloutSettings, inFlight: 32 };
const horizon = 3;

/** Trains a model for these steps on demonstrations in the format, and samples from it. */
async function playAfter(steps: number, format: ActionFormat) {
  const fitted = fitFormat(format, {});
  const { episodes: played } = await collectDemonstrations({
    tasks: world.splits.train,
    environments,
    expert: 'demonstrator',
    count: 100,
    horizon,
    random: createRandom(1),
    rollout,
    signal,
  });
  const policyOptions = {
    ...optionDefaults(transformerOptions),
    threads: 1,
    microBatchTokens: 4096,
    vocabularySize: 300,
  };
  const writing = { format: fitted, instructions: world.instructions };
  const demonstrations = played.map((episode) => writeDemonstration(episode, writing, 'the expert'));
  const model = await createPolicy(
    policyOptions,
    testHost(3),
    {
      corpus: () => ReadableStream.from(demonstrations.map(conversationText)),
      preset: 'pico',
      valueHead: false,
      maxTokens: 1024,
    },
    (settings, cores, log) => InProcessEngine.create(settings, cores, log),
  );
  policies.push(model);
  await trainSupervised({
    stage: 'sft',
    spent: nothingSpent(model, false),
    demonstrations: demonstrations.map((one) =>
      layOutDemonstration(one, model.encoder, { maxTokens: 1024, actionTokens: 1 })!,
    ),
    batchSize: 8,
    steps,
    optimizer: {
      settings: { name: 'muon', options: {} },
      learningRate: { peak: 0.04, warmup: 4, schedule: 'linear', floor: 0.1 },
      clipNorm: 1,
    },
    random: createRandom(4),
    signal,
    model,
    journal: new MemoryJournal(model),
  });
  const sampling = { temperature: 1, topP: 1, topK: 0 };
  const episodes = await collectEpisodes(
    demonstrations.slice(0, 24).map(({ task }, group) => ({ iteration: 1, task: task!, group, member: 0 })),
    {
      actor: { kind: 'model', model, format: fitted, sampling, maxActionTokens: 60 },
      environments,
      reward: composeReward([]),
      horizon,
      random: createRandom(5),
      rollout,
      signal,
    },
  );
  return episodes.flatMap(({ turns }) => turns);
}

/** One with thoughts, and the one that the chat template writes. */
const first = ['react', 'function-calling'];
const tried = contributions.filter(({ name }) => isLong || first.includes(name));
const cases = tried.map(({ name }) => [name, name === 'react' ? { thought: 'plan' } : {}] as const);

describe.each(cases)('%s', (name, settings) => {
  // Goes red when demonstrations are written in another way than they are read.
  it('is learnt from demonstrations, and then most sampled texts are actions', async () => {
    const contribution = contributions.find((one) => one.name === name)!;
    const { create } = (await contribution.load()) as unknown as FormatModule<object>;
    const options = { ...optionDefaults(contribution.options), ...settings, onMalformed: 'explain' };
    const turns = await playAfter(45, create(options, testHost()));
    const read = turns.filter(({ action }) => action !== undefined);
    const numbers = read.filter(({ action }) => /^\d+$/.test(action!));
    expect(read.length / turns.length).toBeGreaterThan(0.7);
    expect(numbers.length / turns.length).toBeGreaterThan(0.6);
  });
});
