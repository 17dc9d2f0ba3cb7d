// Compares the memory that a recipe needs with what there is, and finds out what to change.
import { formatPath, type KeyPath, valueAt } from '../config/recipe-layer.js';
import { planRun, settingPath, type RunPlan } from '../config/run-plan.js';
import type { Algorithm } from '../contracts/algorithm.js';
import type { PolicyContext, SampleConversation } from '../contracts/policy.js';
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
  readonly conversations: readonly SampleConversation[];
}

/** Estimates the policy, and a critic with its own trunk. Undefined if the policy's plugin cannot tell. */
export async function estimateModels(
  plan: RunPlan,
  { instances, policyContext, algorithms, environments, conversations }: Estimation,
): Promise<ModelEstimates | undefined> {
  const { name, options } = plan.recipe.policy;
  const { maxEpisodeTokens } = plan.recipe.rollout;
  const context = { ...policyContext, ...(maxEpisodeTokens !== undefined && { maxTokens: maxEpisodeTokens }) };
  const load = policyLoad(plan, environments[0].world.splits, algorithms, conversations);
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
  const again = async (recipe: RunPlan['recipe']): Promise<number> => {
    const changed = planRun(recipe);
    return estimate(changed, await estimateModels(changed, estimation)).needed;
  };
  const advice = adviceOf(await changesThatHelp(plan, models, there.available, again), there.available);
  if (short === 'advise') return { ...memory, advice };
  const fewer = share === undefined ? '' : ' Fewer runs at a time (`--workers`) leave more to each.';
  throw tooMuch(memory, `${advice}${fewer}`);
}

/** Another value of a key. */
interface MemoryChange {
  readonly key: KeyPath;
  readonly value: number;
  /** Bytes that the run then needs. */
  readonly needed: number;
}

/** Changes of one key each that make the recipe fit; or, if there is none, changes of all keys together. */
interface MemoryChanges {
  readonly alone: readonly MemoryChange[];
  readonly together?: { readonly changes: readonly Omit<MemoryChange, 'needed'>[]; readonly needed: number };
}

/** Values below a number: halves of it, down to a least one. */
function halvesOf(value: number, least: number): number[] {
  const halves: number[] = [];
  for (let half = Math.floor(value / 2); half >= least; half = Math.floor(half / 2)) halves.push(half);
  return halves;
}

/** Keys with smaller values to try, largest first. */
function candidates(plan: RunPlan, { policy }: ModelEstimates): (readonly [KeyPath, readonly number[]])[] {
  const { recipe, funded } = plan;
  const stages = funded.flatMap((stage) => (stage.kind === 'rl' ? [stage] : []));
  return [
    ...Object.entries(policy.smaller ?? {}).map(([option, values]) => [['policy', 'options', option], values] as const),
    [['rollout', 'maxEpisodeTokens'], halvesOf(recipe.rollout.maxEpisodeTokens ?? 8192, 256)],
    [['rollout', 'inFlight'], halvesOf(recipe.rollout.inFlight, 4)],
    ...stages.flatMap((stage) => [
      [['stages', stage.name, 'tasksPerStep'], halvesOf(stage.tasksPerStep, 1)] as const,
      [settingPath(stage, ['algorithm', 'groupSize']), halvesOf(stage.update.groupSize, 2)] as const,
    ]),
  ];
}

async function changesThatHelp(
  plan: RunPlan,
  models: ModelEstimates,
  available: number,
  estimate: (recipe: RunPlan['recipe']) => Promise<number>,
): Promise<MemoryChanges> {
  const keys = candidates(plan, models).filter(([, values]) => values.length > 0);
  const alone: MemoryChange[] = [];
  const lowest: Omit<MemoryChange, 'needed'>[] = [];
  const before = await estimate(plan.recipe);
  for (const [key, values] of keys) {
    const least = values.at(-1) as number;
    const best = await estimate(withValue(plan.recipe, key, least));
    if (best >= before) continue;
    lowest.push({ key, value: least });
    if (best > available) continue;
    for (const value of values) {
      const needed = value === least ? best : await estimate(withValue(plan.recipe, key, value));
      if (needed > available) continue;
      alone.push({ key, value, needed });
      break;
    }
  }
  if (alone.length > 0 || lowest.length === 0) return { alone };
  const changed = lowest.reduce((recipe, { key, value }) => withValue(recipe, key, value), plan.recipe);
  return { alone, together: { changes: lowest, needed: await estimate(changed) } };
}

function withValue<Root extends object>(root: Root, path: KeyPath, value: number): Root {
  const [key, ...rest] = path as readonly [string, ...string[]];
  const inner = valueAt(root, [key]);
  return { ...root, [key]: rest.length === 0 ? value : withValue(inner ?? {}, rest, value) };
}

/** Parts that the message names. */
const namedParts = 3;

function adviceOf({ alone, together }: MemoryChanges, available: number): string {
  const setting = ({ key, value }: Omit<MemoryChange, 'needed'>) => `\`--set ${formatPath(key)}=${value}\``;
  if (alone.length > 0) {
    return `Any of these fits: ${alone.map((change) => `${setting(change)} (${formatBytes(change.needed)})`).join(', ')}.`;
  }
  if (together === undefined) return 'Use a smaller model or a machine with more memory.';
  const [settings, needed] = [together.changes.map(setting).join(' '), formatBytes(together.needed)];
  return together.needed <= available
    ? `Only together these fit (${needed}): ${settings}.`
    : `Even with ${settings} it needs ${needed}: use a smaller model or a machine with more memory.`;
}

function tooMuch({ needed, parts, available }: MemoryEstimate, advice: string): AgentgymError {
  const largest = Object.entries(parts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, namedParts)
    .map(([part, bytes]) => `${part} ${formatBytes(bytes)}`);
  return new AgentgymError('AG_MEMORY', {
    message: `the run needs about ${formatBytes(needed)} of memory (most of it: ${largest.join(', ')}), and ${formatBytes(available)} are available`,
    hint: `${advice} \`agentgym doctor --recipe\` lists all parts; \`--no-memory-check\` trains anyway.`,
    path: 'policy',
  });
}
