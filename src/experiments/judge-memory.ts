// Compares the memory that a recipe needs with what there is, and finds out what to change.
import { formatPath, type KeyPath } from '../config/recipe-layer.js';
import type { RunPlan } from '../config/run-plan.js';
import type { Algorithm } from '../contracts/algorithm.js';
import type { PolicyContext } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { availableMemory, type AvailableMemory } from '../processes/available-memory.js';
import { formatBytes } from '../reporting/format-quantity.js';
import { criticLoad, estimateMemory, type MemoryEstimate, type ModelEstimates, policyLoad } from './estimate-memory.js';
import type { Instances } from './instances.js';
import type { OpenEnvironment } from './open-environment.js';

/** What happens if a recipe needs more memory than there is. */
export interface MemoryPolicy {
  /** `refuse`: an error; `advise`: the estimate says what to change; `ignore`: nothing. Default: `refuse`. */
  readonly short?: 'refuse' | 'advise' | 'ignore';
  /** Default: measured now. */
  readonly there?: AvailableMemory;
  /** Bytes that the run may use, if others run beside it. */
  readonly share?: number;
}

/** What an estimate is made of, besides the plan. */
export interface Estimation {
  readonly instances: Instances;
  readonly policyContext: Omit<PolicyContext, 'corpus'>;
  readonly algorithms: readonly Algorithm[];
  /** The recipe's own environment first. */
  readonly environments: readonly [OpenEnvironment, ...OpenEnvironment[]];
}

/** Estimates the policy, and a critic with its own trunk. Undefined if the policy's plugin cannot tell. */
export async function estimateModels(
  plan: RunPlan,
  { instances, policyContext, algorithms, environments }: Estimation,
): Promise<ModelEstimates | undefined> {
  const { name, options } = plan.recipe.policy;
  const { maxEpisodeTokens } = plan.recipe.rollout;
  const context = { ...policyContext, ...(maxEpisodeTokens !== undefined && { maxTokens: maxEpisodeTokens }) };
  const load = policyLoad(plan, environments[0].world.splits, algorithms);
  const policy = await instances.policyEstimate({ name, options }, context, load);
  if (policy === undefined) return undefined;
  if (!algorithms.some(({ critic }) => critic?.trunk === 'own')) return { policy };
  const withHead = { ...context, valueHead: true };
  const critic = await instances.policyEstimate({ name, options }, withHead, criticLoad(load));
  return { policy, ...(critic && { critic }) };
}

/**
 * The memory of a run.
 *
 * @throws AG_MEMORY with the largest parts and what to change, if it does not fit and the policy is to refuse
 */
export async function judgeMemory(
  plan: RunPlan,
  models: ModelEstimates | undefined,
  estimation: Estimation,
  { short = 'refuse', there: whole = availableMemory(), share }: MemoryPolicy = {},
): Promise<MemoryEstimate> {
  const there = share === undefined ? whole : { ...whole, available: share };
  const { environments } = estimation;
  const estimate = (of: RunPlan, made: ModelEstimates | undefined) =>
    estimateMemory(of, environments[0].world.splits, made, environments, there);
  const memory = estimate(plan, models);
  if (short === 'ignore' || models === undefined || memory.needed <= there.available) return memory;
  const again = async (changed: RunPlan): Promise<number> =>
    estimate(changed, await estimateModels(changed, estimation)).needed;
  const advice = await adviceFor(plan, levers(plan, models), there.available, again);
  if (short === 'advise') return { ...memory, advice };
  const fewer = share === undefined ? '' : ' Fewer runs at a time (`--workers`) leave more to each.';
  throw tooMuch(memory, `${advice}${fewer}`);
}

/** A key of the recipe with smaller values, largest first, and the plan with one of them. */
interface Lever {
  readonly key: KeyPath;
  readonly values: readonly number[];
  readonly pull: (plan: RunPlan, value: number) => RunPlan;
}

function levers({ recipe, funded }: RunPlan, { policy }: ModelEstimates): Lever[] {
  const { maxEpisodeTokens = policy.capabilities.maxTokens, inFlight } = recipe.rollout;
  const rollout = (key: 'maxEpisodeTokens' | 'inFlight', values: readonly number[]): Lever => ({
    key: ['rollout', key],
    values,
    pull: (plan, value) => withRecipe(plan, { rollout: { ...plan.recipe.rollout, [key]: value } }),
  });
  const all: Lever[] = [
    ...Object.entries(policy.smaller ?? {}).map(([option, values]) => ({
      key: ['policy', 'options', option],
      values,
      pull: (plan: RunPlan, value: number) => {
        const { policy: own } = plan.recipe;
        return withRecipe(plan, { policy: { ...own, options: { ...own.options, [option]: value } } });
      },
    })),
    rollout('maxEpisodeTokens', halvesOf(maxEpisodeTokens, 256)),
    rollout('inFlight', halvesOf(inFlight, 4)),
    ...funded.flatMap((stage): Lever[] =>
      stage.kind === 'sft'
        ? []
        : [
            {
              key: ['stages', stage.name, 'tasksPerStep'],
              values: halvesOf(stage.tasksPerStep, 1),
              pull: (plan, tasksPerStep) => {
                const episodesPerStep = tasksPerStep * stage.update.groupSize;
                const smaller = { ...stage, tasksPerStep, episodesPerStep };
                return { ...plan, funded: plan.funded.map((each) => (each.name === stage.name ? smaller : each)) };
              },
            },
          ],
    ),
  ];
  return all.filter(({ values }) => values.length > 0);
}

function withRecipe(plan: RunPlan, changes: Partial<RunPlan['recipe']>): RunPlan {
  return { ...plan, recipe: { ...plan.recipe, ...changes } };
}

/** Values below a number: halves of it, down to a least one. */
function halvesOf(value: number, least: number): number[] {
  const halves: number[] = [];
  for (let half = Math.floor(value / 2); half >= least; half = Math.floor(half / 2)) halves.push(half);
  return halves;
}

/** Changes of one key each that make the recipe fit; or, if there is none, changes of all keys together. */
async function adviceFor(
  plan: RunPlan,
  all: readonly Lever[],
  available: number,
  estimate: (plan: RunPlan) => Promise<number>,
): Promise<string> {
  const before = await estimate(plan);
  const fitting: string[] = [];
  const helping: Lever[] = [];
  for (const lever of all) {
    const { key, values, pull } = lever;
    const least = await estimate(pull(plan, values.at(-1) as number));
    if (least < before) helping.push(lever);
    if (least >= before || least > available) continue;
    for (const value of values) {
      const needed = await estimate(pull(plan, value));
      if (needed > available) continue;
      fitting.push(`${setting(key, value)} (${formatBytes(needed)})`);
      break;
    }
  }
  if (fitting.length > 0) return `Any of these fits: ${fitting.join(', ')}.`;
  if (helping.length === 0) return 'Use a smaller model or a machine with more memory.';
  const lowest = helping.map(({ key, values, pull }) => ({ key, value: values.at(-1) as number, pull }));
  const needed = await estimate(lowest.reduce((changed, { pull, value }) => pull(changed, value), plan));
  const settings = lowest.map(({ key, value }) => setting(key, value)).join(' ');
  return needed <= available
    ? `Only together these fit (${formatBytes(needed)}): ${settings}.`
    : `Even with ${settings} it needs ${formatBytes(needed)}: use a smaller model or a machine with more memory.`;
}

function setting(key: KeyPath, value: number): string {
  return `\`--set ${formatPath(key)}=${value}\``;
}

/** Parts that the message names. */
const namedParts = 3;

function tooMuch({ needed, parts, available }: MemoryEstimate, advice: string): AgentgymError {
  const largest = Object.entries(parts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, namedParts)
    .map(([part, bytes]) => `${part} ${formatBytes(bytes)}`);
  return new AgentgymError('AG_MEMORY', {
    message: `the run may need ${formatBytes(needed)} of memory (most of it: ${largest.join(', ')}), and ${formatBytes(available)} are available`,
    hint: `${advice} \`agentgym doctor --recipe\` lists all parts; \`--no-memory-check\` trains anyway.`,
    path: 'policy',
  });
}
