import type { Recipe, SftStage } from '../config/recipe-schema.js';
import { usualDemonstrations } from '../config/stage-settings.js';
import type { ActionFormat } from '../contracts/format.js';
import type { Random } from '../contracts/random.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { systemPrompt } from '../rollout/actor.js';
import { collectDemonstrations, type CollectedDemonstrations } from '../rollout/collect-demonstrations.js';
import type { Demonstration } from '../rollout/demonstration.js';
import { readDemonstrations } from '../rollout/read-demonstrations.js';
import type { Toolbox } from '../rollout/toolbox.js';
import { affordableDemonstrations, type StageBudget } from '../training/budget.js';
import type { OpenEnvironment } from './open-environment.js';
import { budgetsOf, fundedStages, longestHorizon, rolloutSettings } from './stage-plan.js';

export interface DemonstrationContext {
  readonly environment: OpenEnvironment;
  readonly format: ActionFormat;
  /** What the policy may call; absent: nothing. */
  readonly tools?: Toolbox;
  /** The run's root stream: the same demonstrations come again after a resume. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** What an sft stage learns from. */
export interface StageDemonstrations {
  /** In the order of collection. */
  readonly demonstrations: readonly Demonstration[];
  /** How many were paid for: with those that `successOnly` left out. */
  readonly bought: number;
}

/**
 * Demonstrations of each sft stage, by name; no more than its budget pays for, and no stage that it gives nothing. Throws AG_DEMONSTRATION where none is left.
 */
export async function prepareDemonstrations(
  recipe: Recipe,
  context: DemonstrationContext,
): Promise<Map<string, StageDemonstrations>> {
  const budgets = budgetsOf(recipe);
  const prepared = new Map<string, StageDemonstrations>();
  for (const [name, stage] of fundedStages(recipe)) {
    if (stage.kind === 'sft') {
      prepared.set(name, await gatherDemonstrations(recipe, name, stage, budgets.get(name), context));
    }
  }
  return prepared;
}

/** Demonstrations of one stage, the same ones however many. */
export async function gatherDemonstrations(
  recipe: Recipe,
  name: string,
  stage: SftStage,
  budget: StageBudget | undefined,
  { environment, format, tools, random, signal }: DemonstrationContext,
): Promise<StageDemonstrations> {
  const { expert = 'demonstrator', file, count, successOnly } = stage.demonstrations;
  const affordable = budget === undefined ? Infinity : affordableDemonstrations(budget);
  const most = Math.min(count ?? Infinity, affordable);
  if (most === 0) {
    const { units, costs } = budget as StageBudget;
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The stage \`${name}\` has no demonstrations: its budget of ${units} units pays for none at ${costs.demonstration ?? 0} each.`,
      hint: 'Raise `budget.units` or the share of the stage in `budget.split`, or give it a share of 0, which skips it.',
      path: `stages.${name}.demonstrations`,
    });
  }
  if (file !== undefined) {
    const { splits, instructions } = environment.world;
    const system = systemPrompt(instructions, format, tools);
    const demonstrations = await readDemonstrations({ file, system, splits, count: most });
    return { demonstrations, bought: demonstrations.length };
  }
  const { demonstrations, played } = await askExpert(name, environment.name, () =>
    collectDemonstrations({
      tasks: environment.world.splits.train,
      environments: environment.pool,
      expert,
      count: most === Infinity ? usualDemonstrations : most,
      successOnly,
      format,
      ...(tools && { tools }),
      horizon: longestHorizon(recipe),
      random: random.stream('demonstrations', name),
      rollout: rolloutSettings(recipe.rollout),
      signal,
    }),
  );
  if (demonstrations.length > 0) return { demonstrations, bought: played };
  throw new AgentgymError('AG_DEMONSTRATION', {
    message: `The stage \`${name}\` has no demonstrations: none succeeded.`,
    hint: 'Leave `successOnly` out, or take another expert.',
    path: `stages.${name}.demonstrations`,
  });
}

/** Where the environment has no such expert, says which key names it. */
async function askExpert(
  stage: string,
  environment: string,
  collect: () => Promise<CollectedDemonstrations>,
): Promise<CollectedDemonstrations> {
  try {
    return await collect();
  } catch (error) {
    if (!isAgentgymError(error) || error.code !== 'AG_NO_EXPERT') throw error;
    const path = `stages.${stage}.demonstrations.expert`;
    throw new AgentgymError('AG_NO_EXPERT', {
      message: `${path}: ${error.message.replace('The environment', `The environment \`${environment}\``)}`,
      hint: `${error.hint} Choose one with \`--set ${path}=NAME\`.`,
      path,
    });
  }
}
