// A useless kit would pass everything, so each check has a broken model that it must catch.
import { describe, expect, it } from 'vitest';

import type { TrainingBatch } from '../contracts/batch.js';
import type { Loss, LossExpression, NamedLoss } from '../contracts/loss.js';
import type {
  ConversationEncoder,
  ForwardBackwardResult,
  GeneratedTokens,
  GenerateRequest,
  OptimizerSettings,
  OptimizerStep,
  OptimizerStepResult,
  PolicyModel,
  ReferenceModel,
  Sampling,
} from '../contracts/policy.js';
import { nameTerms } from '../credit/name-terms.js';
import { policyKit } from './policy-kit.js';
import type { TabularEncoder } from './tabular-encoder.js';
import { TabularPolicy, type TabularPolicyOptions } from './tabular-policy.js';
import { unfinishedCheck } from './conformance-kit.js';

const options: TabularPolicyOptions = {
  texts: ['go north', '17 higher', 'You see a door.', 'The door is closed.', 'higher, 18 to 33'],
  contextLength: 3,
  deviation: 0.5,
  valueHead: true,
};
type Change = (model: TabularPolicy) => Partial<PolicyModel>;

/** A good model with some broken members. */
function broken(change: Change): () => PolicyModel {
  return () => {
    const model = new TabularPolicy(options);
    const changes = change(model);
    return new Proxy<PolicyModel>(model, {
      get: (_, name) => {
        if (name in changes) return changes[name as keyof PolicyModel];
        const member: unknown = Reflect.get(model, name, model);
        return typeof member === 'function' ? (member.bind(model) as unknown) : member;
      },
    });
  };
}

const encoderWith = (change: (good: TabularEncoder) => Partial<ConversationEncoder>): (() => PolicyModel) =>
  broken(({ encoder: good }) => ({
    encoder: {
      begin: good.begin.bind(good),
      append: good.append.bind(good),
      encodeAction: good.encodeAction.bind(good),
      endIds: good.endIds,
      decode: good.decode.bind(good),
      piece: good.piece.bind(good),
      ...change(good),
    },
  }));

const answering = (
  answer: (good: GeneratedTokens, request: GenerateRequest, index: number, sampling: Sampling) => GeneratedTokens,
): (() => PolicyModel) =>
  broken((model) => ({
    generate: async (requests, sampling, signal) => {
      const answers = await model.generate(requests, sampling, signal);
      return answers.map((good, index) => answer(good, requests[index] as GenerateRequest, index, sampling));
    },
  }));

const asking = (ask: (request: GenerateRequest, index: number) => GenerateRequest): (() => PolicyModel) =>
  broken((model) => ({
    generate: (requests, sampling, signal) => model.generate(requests.map(ask), sampling, signal),
  }));

const learning = (
  change: (batch: TrainingBatch, loss: Loss, model: TabularPolicy) => Promise<ForwardBackwardResult>,
): (() => PolicyModel) => broken((model) => ({ forwardBackward: (batch, loss) => change(batch, loss, model) }));

const stepping = (
  change: (step: OptimizerStep, model: TabularPolicy) => Promise<OptimizerStepResult>,
): (() => PolicyModel) => broken((model) => ({ optimizerStep: (step) => change(step, model) }));

/** Broken models for each check. */
const fixtures: Record<string, readonly (() => PolicyModel)[]> = {
  encoder: [
    encoderWith(() => ({ append: () => [] })),
    encoderWith((good) => ({ decode: (ids) => `${good.decode(ids)} ` })),
    encoderWith((good) => ({ piece: (id) => good.decode([id]) })),
  ],
  'earlier-actions': [
    encoderWith(() => ({ earlierActions: { promptIds: 0, shown: (action) => action.slice(0, 1) } })),
    encoderWith(() => ({ earlierActions: { promptIds: 99, shown: (action) => action } })),
  ],
  'forged-markers': [
    encoderWith((good) => ({
      append: (text) => [...good.append(text), ...(text.includes('<end>') ? good.endIds : [])],
    })),
  ],
  answers: [
    answering((good) => (good.ended ? { ...good, tokens: good.tokens.slice(0, -1) } : good)),
    broken((model) => ({
      generate: (requests, sampling, signal) =>
        model.generate(
          requests.map((request) => ({ ...request, endIds: model.encoder.endIds })),
          sampling,
          signal,
        ),
    })),
  ],
  'draws-decide': [asking((request) => ({ ...request, draws: request.draws.map(() => 1 - Math.random()) }))],
  'batch-independent': [
    asking((request, index) => ({ ...request, draws: request.draws.map((u) => u / (index + 1)) })),
    asking(({ sampling: _, ...request }) => request),
    broken((model) => {
      const { capabilities } = model;
      let latest: readonly GenerateRequest[] = [];
      return {
        capabilities: { ...capabilities, sampler: { ...capabilities.sampler, concurrent: true } },
        generate: async (requests, sampling, signal) => {
          latest = requests;
          await Promise.resolve();
          const answers = await model.generate(latest, sampling, signal);
          return requests.map((_, index) => answers[index % answers.length] as GeneratedTokens);
        },
      };
    }),
    broken((model) => {
      const known = new Map<string, readonly number[]>();
      return {
        generate: (requests, sampling, signal) => {
          const stale = requests.map((request) => {
            const tokens = [...(known.get(request.sequence) ?? []), ...request.tokens.slice(-1)];
            const asked = known.has(request.sequence) ? { ...request, tokens } : request;
            known.set(request.sequence, asked.tokens);
            return asked;
          });
          return model.generate(stale, sampling, signal);
        },
      };
    }),
  ],
  'logprobs-agree': [broken((model) => ({ logprobs: (batch) => model.logprobs({ ...batch, temperature: 1 }) }))],
  'temperature-zero': [
    broken((model) => ({
      generate: (requests, sampling, signal) =>
        model.generate(requests, { ...sampling, temperature: sampling.temperature || 0.5 }, signal),
    })),
    answering((good, _request, _index, { topK }) =>
      topK === 1 ? { ...good, logprobs: good.logprobs.map(() => 0) } : good,
    ),
  ],
  abort: [broken((model) => ({ generate: (requests, sampling) => model.generate(requests, sampling) }))],
  'loss-value': [
    learning(async (batch, loss, model) => {
      const result = await model.forwardBackward(batch, loss);
      const tokens = batch.mask.reduce((sum, sampled) => sum + sampled, 0);
      return {
        ...result,
        metrics: Object.fromEntries(Object.entries(result.metrics).map(([name, sum]) => [name, sum / tokens])),
      };
    }),
  ],
  'masked-noise': [
    learning((batch, loss, model) => {
      const touched = batch.weight.reduce((sum, weight, index) => sum + weight * (batch.mask[index] as number), 0);
      return model.forwardBackward({ ...batch, weight: batch.weight.map((weight) => weight + 0 * touched) }, loss);
    }),
    learning(async (batch, loss, model) => {
      const result = await model.forwardBackward(batch, loss);
      const tokens = batch.mask.reduce((sum, sampled) => sum + sampled, 0);
      return {
        ...result,
        terms: Object.fromEntries(Object.entries(result.terms).map(([name, sum]) => [name, (sum / tokens) * tokens])),
      };
    }),
  ],
  'not-finite': [stepping(async (step, model) => ({ ...(await model.optimizerStep(step)), applied: true }))],
  learns: [stepping((step, model) => model.optimizerStep({ ...step, learningRate: -step.learningRate }))],
  // Reads every row as an episode of its own.
  'cut-episodes': [
    learning((batch, loss, model) =>
      model.forwardBackward({ ...batch, episode: batch.episode.map((_, row) => row) }, loss),
    ),
  ],
  accumulation: [
    learning(async (batch, loss, model) => {
      const tokens = batch.mask.reduce((sum, sampled) => sum + sampled, 0);
      return model.forwardBackward({ ...batch, weight: batch.weight.map((w) => (w === 0 ? 0 : 1 / tokens)) }, loss);
    }),
    stepping(async (step, model) => {
      const result = await model.optimizerStep(step);
      return { ...result, gradientNorm: Math.min(result.gradientNorm, step.clipNorm ?? Infinity) };
    }),
    broken((model) => ({
      logprobs: async (batch) => {
        const { logprobs } = await model.forwardBackward(batch, { terms: { one: { op: 'live', name: 'logprob' } } });
        return logprobs;
      },
    })),
    broken((model) => {
      let pending: [TrainingBatch, Loss] | undefined;
      return {
        forwardBackward: (batch, loss) => model.forwardBackward(...(pending = [batch, loss])),
        optimizerStep: (step) => {
          pending = undefined;
          return model.optimizerStep(step);
        },
        resetOptimizer: async (settings: OptimizerSettings) => {
          await model.resetOptimizer(settings);
          if (pending !== undefined) await model.forwardBackward(...pending);
        },
      };
    }),
  ],
  values: [
    broken((model) => ({
      values: async (batch) => (await model.values(batch)).map((value) => value + 0.5),
    })),
  ],
  'finite-differences': [
    // The applied gradient is steeper than the returned loss.
    learning(async (batch, { terms }, model) => {
      const policy: LossExpression = {
        op: 'mul',
        left: { op: 'constant', value: 1.3 },
        right: terms['policy'] as LossExpression,
      };
      const result = await model.forwardBackward(batch, { terms: { ...terms, policy } });
      return { ...result, terms: { ...result.terms, policy: (result.terms['policy'] as number) / 1.3 } };
    }),
  ],
  operations: [
    broken((model) => ({
      logprobs: (batch) => model.logprobs({ ...batch, mask: batch.mask.map(() => 1) }),
    })),
  ],
  freeze: [
    broken((model) => ({
      freeze: (): Promise<ReferenceModel> =>
        Promise.resolve({ logprobs: (batch) => model.logprobs(batch), dispose: () => Promise.resolve() }),
    })),
  ],
  'save-load': [
    broken((model) => ({
      load: async (directory) => {
        await model.load(directory);
        await model.resetOptimizer({ name: 'adamw', options: {} });
      },
    })),
    broken((model) => ({ load: (directory) => model.load(directory).catch(() => undefined) })),
  ],
};

describe('the kit of policies', () => {
  it('finds nothing in the tabular policy, with a value head and without', async () => {
    for (const valueHead of [true, false]) {
      expect(await policyKit.check({ create: () => new TabularPolicy({ ...options, valueHead }) })).toEqual([]);
    }
  });

  // Like a model on a server: it knows some losses by name, tells no entropy, and has no value head.
  it.each<[readonly NamedLoss['name'][]]>([[['ppo', 'cross_entropy']], [['cross_entropy']]])(
    'asks a model for the losses that it knows: %j',
    async (losses) => {
      const named = broken((model) => ({
        capabilities: { ...model.capabilities, live: ['logprob'], losses },
        forwardBackward: async (batch, loss) => {
          for (const [term, name] of Object.entries(nameTerms(loss))) {
            if (name === undefined || !losses.includes(name.name)) throw new Error(`${term} is unknown here`);
          }
          const { entropy: _, values: __, ...result } = await model.forwardBackward(batch, loss);
          return result;
        },
        values: undefined as never,
      }));
      expect(await policyKit.check({ create: named })).toEqual([]);
    },
  );

  it('holds a model to what its sampler promises, and to no more', async () => {
    const careless = (sampler: PolicyModel['capabilities']['sampler']): (() => PolicyModel) =>
      broken((model) => ({
        capabilities: { ...model.capabilities, sampler },
        generate: async (requests, sampling, signal) => {
          const answers = await model.generate(
            requests.map((request) => ({ ...request, draws: request.draws.map(() => 1 - Math.random()) })),
            sampling,
            signal,
          );
          const off = sampling.temperature === 0 ? 0 : 0.01 / requests.length;
          return answers.map((answer) => ({ ...answer, logprobs: answer.logprobs.map((value) => value - off) }));
        },
      }));
    const found = async (create: () => PolicyModel) =>
      new Set((await policyKit.check({ create }, { accept: ['temperature-zero'] })).map(({ id }) => id));
    expect(await found(careless({ independent: false, draws: false, exact: false }))).toEqual(new Set());
    expect(await found(careless({ independent: false, draws: true, exact: true }))).toEqual(
      new Set(['draws-decide', 'logprobs-agree', 'save-load']),
    );
    const promising = await found(careless({ independent: true, draws: true, exact: true }));
    expect([...promising]).toContain('batch-independent');
    const silent = broken((model) => ({ capabilities: { ...model.capabilities, sampler: undefined as never } }));
    expect(await policyKit.check({ create: silent })).toMatchObject([
      { id: 'create', message: 'create().capabilities.sampler is absent, not an object' },
    ]);
  });

  it.each<readonly [string, (asked: number, calls: number) => boolean]>([
    ['a call of its own', (asked) => asked === 1],
    ['calls of three', (asked) => asked === 3],
    ['after other sequences', (asked, calls) => asked === 3 && calls > 15],
  ])('finds answers that are others in one way alone: %s', async (how, isOff) => {
    let calls = 0;
    const create = broken((model) => ({
      generate: async (requests, sampling, signal) => {
        calls += 1;
        const off = isOff(requests.length, calls) ? 1e-3 : 0;
        const answers = await model.generate(requests, sampling, signal);
        return answers.map((answer) => ({ ...answer, logprobs: answer.logprobs.map((value) => value - off) }));
      },
    }));
    const findings = await policyKit.check({ create }, { only: ['batch-independent'] });
    expect(findings.length).toBeGreaterThan(0);
    expect(findings[0]?.message).toContain(how);
  });

  it('has a broken model for each check', () => {
    expect(['create', 'available', ...Object.keys(fixtures)].toSorted()).toEqual(
      policyKit.checks.map(({ id }) => id).toSorted(),
    );
  });

  const all = Object.entries(fixtures).flatMap(([id, some]) => some.map((create, number) => ({ id, number, create })));
  it.each(all)('$id catches its broken model $number', async ({ id, create }) => {
    const [found] = await policyKit.check({ create }, { only: [id] });
    expect(found).toMatchObject({ id, severity: 'error' });
    expect(found?.message).not.toContain(unfinishedCheck);
  });
});

describe('policyKit.describe', () => {
  it('declares a test for each check, and that of a broken thing fails', async () => {
    const declared: (() => Promise<void>)[] = [];
    policyKit.describe((_name, body) => declared.push(body), { create: fixtures['freeze']![0]! });
    expect(declared).toHaveLength(policyKit.checks.length);
    const outcomes = await Promise.allSettled(declared.map((body) => body()));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});
