import type { Advantages, Algorithm, AlgorithmModule } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { JsonObject } from '../contracts/json.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { evaluateLoss, type EvaluatedLoss, type LiveArrays } from '../credit/evaluate-loss.js';
import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import { createRandom } from '../random/create-random.js';
import { selectRows } from '../rollout/select-rows.js';
import { algorithmBatches, type AlgorithmBatch } from './algorithm-batches.js';
import { declareKit, runKit, type KitCheck, type KitSettings } from './conformance-kit.js';
import type { DeclareTest } from './describe-environment.js';
import type { Finding } from './finding.js';
import { testHost } from './test-host.js';

/** An algorithm as the kit takes it: its module, and options to try it with. */
export interface AlgorithmSubject<Options> extends AlgorithmModule<Options> {
  readonly options: Options;
}

interface Context {
  create(): Promise<Algorithm>;
  readonly algorithm: Algorithm;
  readonly batches: readonly AlgorithmBatch[];
}

/** What the loop makes of a batch: advantages, weights, and the loss where the policy is still the sampler. */
function update(
  algorithm: Algorithm,
  { batch, live }: { readonly batch: TrainingBatch; readonly live: LiveArrays },
): { readonly credit: Advantages; readonly weight: Float64Array; readonly result: EvaluatedLoss } {
  const credit = algorithm.advantages(batch, algorithm.initialState);
  const { advantages, returns, klCoefficient } = credit;
  const coefficients =
    klCoefficient === undefined ? undefined : new Float64Array(advantages.length).fill(klCoefficient);
  const credited = {
    ...batch,
    advantages,
    ...(returns && { returns }),
    ...(coefficients && { klCoefficient: coefficients }),
  };
  const weight = algorithm.weights(credited);
  const policy = algorithm.loss(lossOperations, lossInputs);
  const critic = algorithm.critic?.loss(lossOperations, lossInputs);
  const terms = { ...policy.terms, ...critic?.terms };
  const metrics = { ...policy.metrics, ...critic?.metrics };
  return { credit, weight, result: evaluateLoss({ ...credited, weight }, live, { terms, metrics }) };
}

const outside = (batch: TrainingBatch, array: Float64Array): number =>
  array.findIndex((value, index) => batch.mask[index] !== 1 && value !== 0);

const same = (left: ArrayLike<number>, right: ArrayLike<number>): boolean =>
  left.length === right.length && Array.from(left).every((value, index) => Object.is(value, right[index]));

/** One sentence for each batch where `sentence` has one. */
function each(
  { batches }: Context,
  sentence: (given: AlgorithmBatch) => string | undefined | false,
): readonly string[] {
  return batches.flatMap((given) => {
    const found = sentence(given);
    return typeof found === 'string' ? [`on ${given.name}: ${found}`] : [];
  });
}

export const algorithmChecks: readonly KitCheck<Context>[] = [
  {
    id: 'zero-outside-actions',
    title: 'advantages, returns and weights are 0 where nothing was sampled',
    severity: 'error',
    likelyCause: 'a number of the episode is written on every token of its row, padding and observations included',
    run: (context) =>
      each(context, (given) => {
        const { credit, weight } = update(context.algorithm, given);
        const { advantages, returns } = credit;
        for (const [name, array] of Object.entries({ advantages, weight, ...(returns && { returns }) })) {
          const index = outside(given.batch, array);
          if (index !== -1) return `${name}[${index}] is ${array[index]} where the mask is 0`;
        }
        return undefined;
      }),
  },
  {
    id: 'finite',
    title:
      'advantages, weights, terms and derivatives are finite, also for groups of one, equal returns and rows without a sampled token',
    severity: 'error',
    likelyCause: 'a deviation of 0, or a count of 0, is divided by',
    run: (context) =>
      each(context, (given) => {
        const { credit, weight, result } = update(context.algorithm, given);
        const arrays = { advantages: credit.advantages, weight, ...result.gradients };
        for (const [name, array] of Object.entries(arrays)) {
          if (array.some((value) => !Number.isFinite(value))) return `${name} has a number that is not finite`;
        }
        const term = Object.entries(result.terms).find(([, value]) => !Number.isFinite(value));
        return term && `the term ${term[0]} is ${term[1]}`;
      }),
  },
  {
    id: 'masked-noise',
    title: 'what stands where nothing was sampled does not matter, NaN included',
    severity: 'error',
    likelyCause: 'the mask is multiplied with instead of selected by',
    run: (context) =>
      each(context, (given) => {
        const [clean, noisy] = [given, { ...given, ...given.spoilt }].map((one) => update(context.algorithm, one));
        if (!same(clean!.credit.advantages, noisy!.credit.advantages)) return 'the advantages change';
        if (!same(clean!.weight, noisy!.weight)) return 'the weights change';
        if (!same(clean!.credit.returns ?? [], noisy!.credit.returns ?? [])) return 'the returns change';
        const differs = (['logprob', 'value'] as const).some(
          (live) => !same(clean!.result.gradients[live], noisy!.result.gradients[live]),
        );
        return differs && 'the derivatives change';
      }),
  },
  {
    id: 'state-suffices',
    title: 'state is JSON and the only memory: the same batch and state give the same answer, in a new instance too',
    severity: 'error',
    likelyCause:
      'something is remembered in the instance, or in values that JSON cannot hold; a resumed run would differ',
    run: async (context) => {
      const [old, fresh] = [await context.create(), await context.create()];
      let state: JsonObject = old.initialState;
      for (const { name, batch } of context.batches) {
        const copied = JSON.parse(JSON.stringify(state)) as JsonObject;
        const first = old.advantages(batch, state);
        const again = old.advantages(batch, copied);
        const elsewhere = fresh.advantages(batch, copied);
        for (const other of [again, elsewhere]) {
          if (!same(first.advantages, other.advantages)) return [`on ${name}: the advantages differ`];
          if (JSON.stringify(first.state) !== JSON.stringify(other.state)) return [`on ${name}: the states differ`];
        }
        state = first.state;
      }
      return [];
    },
  },
  {
    id: 'batch-untouched',
    title: 'the batch is left as it was',
    severity: 'error',
    likelyCause: 'an array of the batch is filled in place instead of a new one',
    run: (context) =>
      each(context, (given) => {
        const before = structuredClone(given.batch);
        update(context.algorithm, given);
        for (const [name, value] of Object.entries(given.batch)) {
          const was = before[name as keyof TrainingBatch];
          if (ArrayBuffer.isView(value) && !same(value as Float64Array, was as Float64Array)) return `${name} changed`;
        }
        return undefined;
      }),
  },
  {
    id: 'weights-normalised',
    title: 'weights are not negative, and a minibatch twice over has the same total weight',
    severity: 'error',
    likelyCause:
      'the weights are not divided by the tokens or sequences of the minibatch: its size would scale the step',
    run: (context) =>
      each(context, ({ batch }) => {
        const total = (of: TrainingBatch): number => context.algorithm.weights(of).reduce((sum, w) => sum + w, 0);
        if (context.algorithm.weights(batch).some((weight) => weight < 0)) return 'a weight is negative';
        const rows = Array.from({ length: batch.rows }, (_, row) => row);
        const [once, twice] = [total(batch), total(selectRows(batch, [...rows, ...rows]))];
        if (Math.abs(once - twice) <= 1e-9 * Math.max(1, once)) return undefined;
        return `the weights add up to ${once}, and to ${twice} with every row twice`;
      }),
  },
  {
    id: 'roles',
    title: 'losses read a reference, a critic or a greedy return only where the algorithm asks for one',
    severity: 'error',
    likelyCause: 'the role is missing from `roles`, or `critic` is; the trainer fills only what they name',
    run: (context) => {
      const { roles, critic } = context.algorithm;
      return each(context, (given) => {
        const { referenceLogprobs, values, greedyReturn, ...bare } = given.batch;
        const batch: TrainingBatch = {
          ...bare,
          ...(roles.includes('reference') && referenceLogprobs && { referenceLogprobs }),
          ...(roles.includes('greedy') && greedyReturn && { greedyReturn }),
          ...(critic && values && { values }),
        };
        const { logprob, entropy, value } = given.live;
        try {
          update(context.algorithm, { batch, live: { logprob, entropy, ...(critic && { value }) } });
        } catch (error) {
          return String(error);
        }
        return undefined;
      });
    },
  },
  {
    id: 'direction',
    title: 'where the policy is still the sampler, the loss falls as tokens with a positive advantage grow likelier',
    severity: 'error',
    likelyCause: 'a sign: a loss is minimised, an objective maximised',
    run: (context) =>
      each(context, (given) => {
        const { credit, weight, result } = update(context.algorithm, given);
        const { logprob } = result.gradients;
        const slope = credit.advantages.reduce(
          (sum, a, i) => sum + a * (logprob[i] as number) * (weight[i] as number),
          0,
        );
        return slope > 0 && 'the derivatives of the loss point the way of the advantages';
      }),
  },
  {
    id: 'select',
    title: 'select answers with units of the episodes it was given: not empty, and two by two where it promises pairs',
    severity: 'error',
    likelyCause: 'episodes are copied or marked instead of chosen',
    run: ({ algorithm }) => {
      const { pairs } = algorithm;
      if (algorithm.select === undefined) return pairs ? ['pairs are promised, and nothing chooses them'] : [];
      return [[1, 0, 0], [1, 1], [0.5]].flatMap((returns) => {
        const group = returns.map((value, member) => episodeOf(value, member));
        const units: unknown = algorithm.select?.(group);
        const fits =
          Array.isArray(units) &&
          units.every(
            (unit) =>
              Array.isArray(unit) &&
              (pairs ? unit.length === 2 : unit.length > 0) &&
              unit.every((episode) => group.includes(episode as CompletedEpisode)),
          );
        return fits ? [] : [`a group with the returns ${returns.join(', ')} is answered with ${JSON.stringify(units)}`];
      });
    },
  },
];

/** An episode of one turn. */
function episodeOf(value: number, member: number): CompletedEpisode {
  const key = { iteration: 1, task: 'task', group: 0, member };
  const facts = { success: value > 0, invalid: false };
  const sampled = [2, 4] as const;
  const rest = { text: String(member), action: String(member), cut: false, components: {}, native: value };
  return {
    ...key,
    status: 'completed',
    turns: [{ observation: 'first', ...rest, reward: value, facts, sampled, policyVersion: 0 }],
    finalObservation: 'last',
    terminated: true,
    success: value > 0,
    return: value,
    record: { tokens: [1, 2, 3 + member, 0], mask: [0, 0, 1, 1], logprobs: [0, 0, -1, -0.1] },
    retries: 0,
  };
}

/** Checks an algorithm against its contract, on awkward batches. Nothing is found in a good one. */
export function checkAlgorithm<Options>(
  subject: AlgorithmSubject<Options>,
  settings: KitSettings = {},
): Promise<Finding[]> {
  return runKit(algorithmChecks, settings, async () => {
    const create = async (): Promise<Algorithm> => subject.create(subject.options, testHost(settings.seed));
    const algorithm = await create();
    const batches = algorithmBatches(createRandom(settings.seed ?? 0), algorithm.pairs === true);
    return { create, algorithm, batches };
  });
}

/** The kit as tests, one for each check; takes the runner's `it`. */
export function describeAlgorithm<Options>(
  it: DeclareTest,
  subject: AlgorithmSubject<Options>,
  settings: KitSettings = {},
): void {
  declareKit(it, algorithmChecks, settings, () => checkAlgorithm(subject, settings));
}
