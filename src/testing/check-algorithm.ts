import { inspect, isDeepStrictEqual } from 'node:util';

import type { Advantages, Algorithm, AlgorithmModule } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { JsonObject } from '../contracts/json.js';
import type { Loss } from '../contracts/loss.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { evaluateLoss, type EvaluatedLoss, type LiveArrays } from '../credit/evaluate-loss.js';
import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import { createRandom } from '../random/create-random.js';
import { selectRows } from '../rollout/select-rows.js';
import { algorithmBatches, type AlgorithmBatch } from './algorithm-batches.js';
import { declareKit, findingsOf, runKit, type KitCheck, type KitReport, type KitSettings } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import { callsOfMathRandom, changedGlobals, withOtherClock } from './disturb-process.js';
import { gradientChecks } from './estimators/gradient-checks.js';
import type { Finding } from './finding.js';
import { requireMembers } from './require-members.js';
import { testHost } from './test-host.js';

/** An algorithm as the kit takes it: its module, and options to try it with. */
export interface AlgorithmSubject<Options> extends AlgorithmModule<Options> {
  readonly options: Options;
}

interface Context {
  create(): Promise<Algorithm>;
  readonly algorithm: Algorithm;
  readonly batches: readonly AlgorithmBatch[];
  readonly seed: number;
}

interface Credit {
  readonly advantages: Float64Array;
  readonly weights: Float64Array;
  readonly returns?: Float64Array;
}

/** The batch as the loop hands it to an engine. */
function credited(batch: TrainingBatch, credit: Advantages, weight = batch.weight): TrainingBatch {
  const { advantages, returns, klCoefficient } = credit;
  const coefficients =
    klCoefficient === undefined ? undefined : new Float64Array(advantages.length).fill(klCoefficient);
  return {
    ...batch,
    weight,
    advantages,
    ...(returns && { returns }),
    ...(coefficients && { klCoefficient: coefficients }),
  };
}

/** The loss of the policy, and the critic's. */
function lossOf(algorithm: Algorithm): Loss {
  const policy = algorithm.loss(lossOperations, lossInputs);
  const critic = algorithm.critic?.loss(lossOperations, lossInputs);
  return { terms: { ...policy.terms, ...critic?.terms }, metrics: { ...policy.metrics, ...critic?.metrics } };
}

/** What the loop makes of a batch: advantages, weights, and the loss where the policy is still the sampler. */
function update(
  algorithm: Algorithm,
  { batch, live }: { readonly batch: TrainingBatch; readonly live: LiveArrays },
): { readonly credit: Advantages; readonly weight: Float64Array; readonly result: EvaluatedLoss } {
  const credit = algorithm.advantages(batch, algorithm.initialState);
  const weight = algorithm.weights(credited(batch, credit));
  return { credit, weight, result: evaluateLoss(credited(batch, credit, weight), live, lossOf(algorithm)) };
}

const outside = (batch: TrainingBatch, array: Float64Array): number =>
  array.findIndex((value, index) => batch.mask[index] !== 1 && value !== 0);

const same = (left: ArrayLike<number>, right: ArrayLike<number>): boolean =>
  left.length === right.length && Array.from(left).every((value, index) => Object.is(value, right[index]));

/** Equal but for the order of additions. */
function near(left = NaN, right = NaN): boolean {
  return Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
}

/** Rows last to first; pairs stay together, the winner first. */
function turnedAround(rows: number, pairs: boolean): number[] {
  const unit = pairs ? 2 : 1;
  return Array.from({ length: rows }, (_, place) => {
    const at = rows - unit - unit * Math.floor(place / unit);
    return at + (place % unit);
  });
}

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
  // First: what is written into a batch a second time changes nothing any more.
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
  {
    id: 'state-json',
    title: 'the state is JSON: it comes out of a checkpoint as it went in',
    severity: 'error',
    likelyCause: 'a Map, a typed array, undefined or NaN is kept in the state; write plain lists and objects',
    run: async (context) => {
      const algorithm = await context.create();
      let state: JsonObject = algorithm.initialState;
      const complain = (when: string): string[] =>
        isDeepStrictEqual(JSON.parse(JSON.stringify(state)), state)
          ? []
          : [`${when} the state is not JSON: ${inspect(state)}`];
      const found = complain('at the beginning');
      for (const { name, batch } of context.batches) {
        if (found.length > 0) return found;
        ({ state } = algorithm.advantages(batch, state));
        requireMembers('advantages()', { state }, { state: 'object' });
        found.push(...complain(`after ${name}`));
      }
      return found;
    },
  },
  {
    id: 'rows-permuted',
    title: 'the order of the rows does not matter',
    severity: 'error',
    likelyCause:
      'groups are told by their place in the batch instead of `batch.group`, or a sum depends on what came before',
    run: (context) =>
      each(context, ({ batch }) => {
        const { algorithm } = context;
        const order = turnedAround(batch.rows, algorithm.pairs === true);
        const credit = (of: TrainingBatch): Credit => {
          const { advantages, returns } = algorithm.advantages(of, algorithm.initialState);
          return { advantages, weights: algorithm.weights({ ...of, advantages }), ...(returns && { returns }) };
        };
        const straight = credit(batch);
        const turned = credit(selectRows(batch, order));
        for (const name of ['advantages', 'weights', 'returns'] as const) {
          const [before, array] = [straight[name], turned[name]];
          if (before === undefined || array === undefined) continue;
          for (const [place, row] of order.entries()) {
            for (let column = 0; column < batch.width; column += 1) {
              const [was, is] = [before[row * batch.width + column], array[place * batch.width + column]];
              if (near(was, is)) continue;
              return `row ${row} has ${name} of ${was}, and ${is} where the rows stand in another order`;
            }
          }
        }
        return undefined;
      }),
  },
  {
    id: 'groups-apart',
    title: 'where it is claimed, the credit of a group does not depend on the other groups',
    severity: 'error',
    likelyCause: 'a mean or deviation is taken over the batch instead of the group',
    idle: ({ algorithm }) =>
      algorithm.claims?.includes('groups-apart') === true ? undefined : 'the algorithm does not claim it',
    run: (context) =>
      each(context, ({ batch }) => {
        const { algorithm } = context;
        const first = batch.group[0];
        const others = Float64Array.from(batch.rewards, (reward, index) =>
          batch.group[Math.floor(index / batch.width)] === first || batch.mask[index] !== 1 ? reward : 2 * reward + 1,
        );
        const [was, is] = [batch, { ...batch, rewards: others }].map(
          (given) => algorithm.advantages(given, algorithm.initialState).advantages,
        );
        const index = was!.findIndex(
          (value, at) => batch.group[Math.floor(at / batch.width)] === first && !near(value, is![at]),
        );
        return (
          index !== -1 &&
          `an advantage of group ${first} goes from ${was![index]} to ${is![index]} as other groups are rewarded otherwise`
        );
      }),
  },
  {
    id: 'loss-constant',
    title: 'loss and weights are functions of their arguments: the same in every minibatch, epoch and instance',
    severity: 'error',
    likelyCause:
      'a number of the batch before is baked into the loss; what changes belongs in `state` or `klCoefficient`',
    run: async (context) => {
      const { algorithm } = context;
      const fresh = await context.create();
      const losses = (of: Algorithm): string =>
        JSON.stringify([of.loss(lossOperations, lossInputs), of.critic?.loss(lossOperations, lossInputs)]);
      const before = losses(fresh);
      const found: string[] = [];
      for (const given of context.batches) {
        const { weight } = update(algorithm, given);
        if (losses(algorithm) !== before) found.push(`after ${given.name} the loss is another expression`);
        if (!same(update(fresh, given).weight, weight))
          found.push(`on ${given.name} the weights differ between instances`);
        if (found.length > 0) return found;
      }
      return found;
    },
  },
  {
    id: 'split-invariant',
    title: 'any split of a minibatch into micro-batches gives the same sums and derivatives',
    severity: 'error',
    likelyCause: 'a row of the loss reads another row; what a mean is taken over belongs in the weights',
    run: (context) =>
      each(context, (given) => {
        const { batch, live } = given;
        const { credit, weight, result } = update(context.algorithm, given);
        const loss = lossOf(context.algorithm);
        const whole = credited(batch, credit, weight);
        const unit = context.algorithm.pairs === true ? 2 : 1;
        const sums: Record<string, number> = {};
        for (let row = 0; row < batch.rows; row += unit) {
          const rows = Array.from({ length: unit }, (_, index) => row + index);
          const part = selectRows(whole, rows);
          const cut = (array: Float64Array): Float64Array => selectRows({ ...batch, weight: array }, rows).weight;
          const lived = { logprob: cut(live.logprob), entropy: cut(live.entropy), value: cut(live.value) };
          const { terms } = evaluateLoss(part, lived, loss);
          for (const [name, value] of Object.entries(terms)) sums[name] = (sums[name] ?? 0) + value;
        }
        const apart = Object.entries(result.terms).find(([name, value]) => !near(value, sums[name] ?? 0));
        return apart && `the term ${apart[0]} is ${apart[1]} at once, and ${sums[apart[0]]} row by row`;
      }),
  },
  {
    id: 'global-random',
    title: 'Math.random is not called',
    severity: 'error',
    likelyCause: 'ties are broken or episodes chosen by Math.random instead of the stream of the host',
    run: async (context) => {
      const work = (): void => context.batches.forEach((given) => update(context.algorithm, given));
      return (await callsOfMathRandom(work)).slice(0, 3).map((place) => `Math.random is called ${place}`);
    },
  },
  {
    id: 'clock',
    title: 'at another time of another day credit and weights are the same',
    severity: 'error',
    likelyCause: 'Date.now or performance.now is read: schedules count steps, never seconds',
    run: (context) => {
      const before = context.batches.map((given) => update(context.algorithm, given));
      return withOtherClock(() =>
        each(context, (given) => {
          const { credit, weight } = before[context.batches.indexOf(given)] as ReturnType<typeof update>;
          const later = update(context.algorithm, given);
          const alike = same(credit.advantages, later.credit.advantages) && same(weight, later.weight);
          return !alike && 'forty days later the answer is another';
        }),
      );
    },
  },
  {
    id: 'global-state',
    title: 'nothing of the process is changed',
    severity: 'error',
    likelyCause: 'process.on, or an assignment to a global',
    run: async (context) => {
      const work = (): void => context.batches.forEach((given) => update(context.algorithm, given));
      return (await changedGlobals(work)).map((name) => `${name} changed`);
    },
  },
  ...gradientChecks,
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

/** Checks an algorithm against its contract, on awkward batches and on a game that can be enumerated, and tells what became of each check. */
export async function examineAlgorithm<Options>(
  subject: AlgorithmSubject<Options>,
  settings: KitSettings = {},
): Promise<KitReport> {
  const checks = await runKit<Context>('algorithm', algorithmChecks, settings, async () => {
    const create = async (): Promise<Algorithm> => subject.create(subject.options, testHost(settings.seed));
    const algorithm = await create();
    const functions = { advantages: 'function', weights: 'function', loss: 'function' } as const;
    requireMembers('create()', algorithm, { ...functions, roles: 'object', initialState: 'object' });
    const batches = algorithmBatches(createRandom(settings.seed ?? 0), algorithm.pairs === true);
    return { create, algorithm, batches, seed: settings.seed ?? 0 };
  });
  return { checks };
}

/** Checks an algorithm against its contract. Nothing is found in a good one. */
export async function checkAlgorithm<Options>(
  subject: AlgorithmSubject<Options>,
  settings: KitSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineAlgorithm(subject, settings));
}

/** The kit as tests, one for each check; takes the runner's `it`. */
export function describeAlgorithm<Options>(
  it: DeclareTest,
  subject: AlgorithmSubject<Options>,
  settings: KitSettings = {},
): void {
  declareKit(it, algorithmChecks, settings, () => checkAlgorithm(subject, settings));
}
