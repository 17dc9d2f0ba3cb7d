// A good policy model, the tabular policy, and copies with one defect each. `expected` names the check that must find
// the defect.
import { tabularOptimizers, TabularPolicy } from '../../dist/testing/index.js';

const total = (batch) => batch.mask.reduce((sum, sampled) => sum + sampled, 0);
const learning = (change) => (model) => ({ forwardBackward: (batch, loss) => change(batch, loss, model) });

export const defects = {
  'wrong-logprobs': {
    expected: 'logprobs-agree',
    change: (model) => ({
      generate: async (...given) =>
        (await model.generate(...given)).map((answer) => ({
          ...answer,
          logprobs: answer.logprobs.map((value) => value / 2),
        })),
    }),
  },
  'overwrites-gradients': {
    expected: 'accumulation',
    change: (model) => {
      let pending = false;
      return {
        forwardBackward: async (batch, loss) => {
          if (pending) await model.optimizerStep({ learningRate: 0 });
          pending = true;
          return model.forwardBackward(batch, loss);
        },
        optimizerStep: (step) => ((pending = false), model.optimizerStep(step)),
      };
    },
  },
  'mean-instead-of-sum': {
    expected: 'loss-value',
    change: learning(async (batch, loss, model) => {
      const result = await model.forwardBackward(batch, loss);
      const mean = ([name, sum]) => [name, sum / Math.max(1, total(batch))];
      return { ...result, terms: Object.fromEntries(Object.entries(result.terms).map(mean)) };
    }),
  },
  'divides-by-tokens': {
    expected: 'masked-noise',
    change: learning(async (batch, loss, model) => {
      const result = await model.forwardBackward(batch, loss);
      const count = total(batch);
      return {
        ...result,
        terms: Object.fromEntries(Object.entries(result.terms).map(([name, sum]) => [name, (sum / count) * count])),
      };
    }),
  },
  'multiplies-with-the-mask': {
    expected: 'masked-noise',
    change: learning((batch, loss, model) => {
      const leak = batch.weight.reduce((sum, weight, index) => sum + weight * batch.mask[index], 0) * 0;
      return model.forwardBackward({ ...batch, weight: batch.weight.map((weight) => weight + leak) }, loss);
    }),
  },
  'cuts-actions-at-their-end': {
    expected: 'earlier-actions',
    change: ({ encoder }) => ({
      encoder: new Proxy(encoder, {
        get: (of, name) => {
          if (name === 'earlierActions') return { promptIds: 0, shown: (action) => action.slice(0, -1) };
          const member = Reflect.get(of, name, of);
          return typeof member === 'function' ? member.bind(of) : member;
        },
      }),
    }),
  },
  'takes-rows-for-episodes': {
    expected: 'cut-episodes',
    change: learning((batch, loss, model) =>
      model.forwardBackward({ ...batch, episode: batch.episode.map((_, row) => row) }, loss),
    ),
  },
  'version-stays': { expected: 'learns', change: () => ({ policyVersion: 0 }) },
  'forgets-moments': {
    expected: 'save-load',
    change: (model) => ({
      load: async (directory) => {
        await model.load(directory);
        await model.resetOptimizer({ name: 'adamw', options: {} });
      },
    }),
  },
  'steeper-than-its-loss': {
    expected: 'finite-differences',
    change: learning(async (batch, { terms, metrics }, model) => {
      const steeper = Object.entries(terms).map(([name, of]) => [
        name,
        { op: 'mul', left: { op: 'constant', value: 1.5 }, right: of },
      ]);
      const result = await model.forwardBackward(batch, { terms: Object.fromEntries(steeper), metrics });
      return {
        ...result,
        terms: Object.fromEntries(Object.entries(result.terms).map(([name, sum]) => [name, sum / 1.5])),
      };
    }),
  },
  'dice-of-its-own': {
    expected: 'draws-decide',
    change: (model) => ({
      generate: (requests, ...rest) =>
        model.generate(
          requests.map((request) => ({ ...request, draws: request.draws.map(() => 1 - Math.random()) })),
          ...rest,
        ),
    }),
  },
  'sums-by-the-size-of-the-call': {
    expected: 'batch-independent',
    change: (model) => ({
      generate: async (requests, ...rest) => {
        const off = requests.length === 3 ? 1e-4 : 0;
        const answers = await model.generate(requests, ...rest);
        return answers.map((answer) => ({ ...answer, logprobs: answer.logprobs.map((value) => value - off) }));
      },
    }),
  },
  'remembers-what-was-forgotten': {
    expected: 'batch-independent',
    change: (model) => {
      let forgotten = 0;
      return {
        release: (sequences) => void (forgotten += sequences.length),
        generate: (requests, ...rest) =>
          model.generate(
            requests.map((request) => ({ ...request, draws: request.draws.map((u) => u / (1 + forgotten)) })),
            ...rest,
          ),
      };
    },
  },
  'promises-nothing': {
    expected: 'create',
    change: (model) => ({ capabilities: { ...model.capabilities, sampler: undefined } }),
  },
  'reference-moves-along': {
    expected: 'freeze',
    change: (model) => ({
      freeze: () => Promise.resolve({ logprobs: (batch) => model.logprobs(batch), dispose: () => Promise.resolve() }),
    }),
  },
  'clipped-norm': {
    expected: 'accumulation',
    change: (model) => ({
      optimizerStep: async (step) => {
        const result = await model.optimizerStep(step);
        return { ...result, gradientNorm: Math.min(result.gradientNorm, step.clipNorm ?? Infinity) };
      },
    }),
  },
  'starts-from-nothing': {
    expected: 'save-load',
    change: (model) => ({ load: (directory) => model.load(directory).catch(() => undefined) }),
  },
};

function broken(model, changes) {
  return new Proxy(model, {
    get: (_, name) => {
      if (name in changes) return changes[name];
      const member = Reflect.get(model, name, model);
      return typeof member === 'function' ? member.bind(model) : member;
    },
  });
}

const contribution = (name, defect) => ({
  kind: 'policy',
  name,
  summary: 'A table of logits',
  options: {},
  presets: [{ name: 'table', summary: 'One row for each context' }],
  optimizers: tabularOptimizers,
  load: () =>
    Promise.resolve({
      create: async (_options, _host, context) => {
        const texts = [];
        for await (const text of context.corpus()) texts.push(text);
        const model = new TabularPolicy({ texts, contextLength: 3, deviation: 0.5, valueHead: context.valueHead });
        return defect === undefined ? model : broken(model, defect.change(model));
      },
    }),
});

export default [
  contribution('healthy'),
  ...Object.entries(defects).map(([name, defect]) => contribution(name, defect)),
];
