import type { KeyPath } from '../config/recipe-layer.js';
import type { RunPlan, SftStagePlan } from '../config/run-plan.js';
import type { ActionFormat } from '../contracts/format.js';
import type { Random } from '../contracts/random.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { systemPrompt } from '../rollout/actor.js';
import { collectDemonstrations } from '../rollout/collect-demonstrations.js';
import type { Demonstration } from '../rollout/demonstration.js';
import { readDemonstrations } from '../rollout/read-demonstrations.js';
import type { Toolbox } from '../rollout/toolbox.js';
import { atKey } from './at-key.js';
import type { OpenEnvironment } from './open-environment.js';

export interface DemonstrationContext {
  readonly environment: OpenEnvironment;
  readonly format: ActionFormat;
  /** Tools that the policy may call. Absent: no tools. */
  readonly tools?: Toolbox;
  /** The run's root stream. It gives the same demonstrations after a resume. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** The data that an sft stage learns from. */
export interface StageDemonstrations {
  /** In the order of collection. */
  readonly demonstrations: readonly Demonstration[];
  /** Number of paid demonstrations, including those that `successOnly` left out. */
  readonly bought: number;
}

/**
 * Demonstrations of each sft stage, by name: at most as many as its budget pays for. Stages without units are left out.
 * Throws AG_DEMONSTRATION if a stage has no demonstration left.
 */
export async function prepareDemonstrations(
  plan: RunPlan,
  context: DemonstrationContext,
): Promise<Map<string, StageDemonstrations>> {
  const prepared = new Map<string, StageDemonstrations>();
  for (const stage of plan.funded) {
    if (stage.kind !== 'sft') continue;
    const { count } = stage.demonstrations;
    prepared.set(stage.name, await atKey(pathOf(stage), () => gatherDemonstrations(plan, stage, count, context)));
  }
  return prepared;
}

/** Number of expert games that show whether there will be demonstrations. */
const tried = 8;

/**
 * Makes the first demonstrations of each stage, or reads its file. If there can be none, it throws the error of
 * `prepareDemonstrations`.
 */
export async function tryDemonstrations(plan: RunPlan, context: DemonstrationContext): Promise<void> {
  for (const stage of plan.funded) {
    if (stage.kind !== 'sft') continue;
    const { count, file } = stage.demonstrations;
    // All of the first games may be lost, even if later ones are won.
    const any = { ...stage, demonstrations: { ...stage.demonstrations, successOnly: false } };
    const few = file === undefined ? Math.min(count, tried) : count;
    await atKey(pathOf(stage), () => gatherDemonstrations(plan, any, few, context));
  }
}

function pathOf({ name }: SftStagePlan): KeyPath {
  return ['stages', name, 'demonstrations'];
}

/**
 * Demonstrations of one stage. A larger count begins with the same ones.
 *
 * @param count Infinity: all in its file
 */
export async function gatherDemonstrations(
  plan: RunPlan,
  { name, demonstrations: { expert, file, successOnly }, budget }: SftStagePlan,
  count: number,
  { environment, format, tools, random, signal }: DemonstrationContext,
): Promise<StageDemonstrations> {
  if (count === 0) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The stage \`${name}\` has no demonstrations: one costs ${budget?.costs.demonstration} units, and its budget is ${budget?.units} units.`,
      hint: 'Raise `budget.units` or the share of the stage in `budget.split`, or give it a share of 0, which skips it.',
      path: `stages.${name}.demonstrations`,
    });
  }
  if (file !== undefined) {
    const { splits, instructions } = environment.world;
    const system = systemPrompt(instructions, format, tools);
    const demonstrations = await readDemonstrations({ file, system, splits, count });
    return { demonstrations, bought: demonstrations.length };
  }
  const { demonstrations, played } = await collectDemonstrations({
    tasks: environment.world.splits.train,
    environments: environment.pool,
    expert,
    count,
    successOnly,
    format,
    ...(tools && { tools }),
    horizon: plan.longestHorizon,
    random: random.stream('demonstrations', name),
    rollout: plan.rollout,
    signal,
  });
  if (demonstrations.length > 0) return { demonstrations, bought: played };
  throw new AgentgymError('AG_DEMONSTRATION', {
    message: `The stage \`${name}\` has no demonstrations: no game of the expert succeeded.`,
    hint: 'Remove `successOnly`, or choose another expert.',
    path: `stages.${name}.demonstrations`,
  });
}

/** Number of games that measure how well a stage imitates its expert on tasks that it is not trained on. */
const heldOutGames = 100;

/**
 * Games of a stage's expert on validation tasks, which are never trained on. Empty if its demonstrations come from a
 * file.
 */
export async function gatherHeldOut(
  plan: RunPlan,
  { name, demonstrations: { expert, file, successOnly } }: SftStagePlan,
  { environment, format, tools, random, signal }: DemonstrationContext,
): Promise<readonly Demonstration[]> {
  const { validation } = environment.world.splits;
  const { tasks } = plan.recipe.evaluation;
  const available = validation.count === 'unbounded' ? Infinity : validation.count;
  const count = Math.min(heldOutGames, available, tasks === 'all' ? Infinity : tasks);
  if (file !== undefined || count === 0) return [];
  const { demonstrations } = await collectDemonstrations({
    tasks: validation,
    environments: environment.pool,
    expert,
    count,
    successOnly,
    format,
    ...(tools && { tools }),
    horizon: plan.longestHorizon,
    random: random.stream('held-out', name),
    rollout: plan.rollout,
    signal,
  });
  return demonstrations;
}
