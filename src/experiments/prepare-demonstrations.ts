import type { Recipe } from '../config/recipe-schema.js';
import type { ActionFormat } from '../contracts/format.js';
import type { Random } from '../contracts/random.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { systemPrompt } from '../rollout/actor.js';
import { collectDemonstrations, type CollectedDemonstrations } from '../rollout/collect-demonstrations.js';
import type { Demonstration } from '../rollout/demonstration.js';
import { readDemonstrations } from '../rollout/read-demonstrations.js';
import { affordableDemonstrations } from '../training/budget.js';
import type { OpenEnvironment } from './instances.js';
import { budgetsOf, longestHorizon, rolloutSettings } from './stage-plan.js';

export interface DemonstrationContext {
  readonly environment: OpenEnvironment;
  readonly format: ActionFormat;
  /** The run's root stream: the same demonstrations come again after a resume. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

/**
 * Demonstrations of each sft stage, by name; no more than its budget pays for. Throws AG_DEMONSTRATION where none is left.
 */
export async function prepareDemonstrations(
  recipe: Recipe,
  { environment, format, random, signal }: DemonstrationContext,
): Promise<Map<string, readonly Demonstration[]>> {
  const budgets = budgetsOf(recipe);
  const prepared = new Map<string, readonly Demonstration[]>();
  for (const [name, stage] of Object.entries(recipe.stages)) {
    if (stage.kind !== 'sft') continue;
    const { expert = 'demonstrator', file, count, successOnly } = stage.demonstrations;
    const budget = budgets.get(name);
    const most = Math.min(count ?? Infinity, budget === undefined ? Infinity : affordableDemonstrations(budget));
    const demonstrations =
      file !== undefined
        ? await readDemonstrations({
            file,
            system: await systemOf(environment, format),
            splits: environment.splits,
            count: most,
          })
        : await askExpert(name, environment.name, () =>
            collectDemonstrations({
              tasks: environment.splits.train,
              environments: environment.pool,
              expert,
              count: most,
              successOnly,
              format,
              horizon: longestHorizon(recipe),
              random: random.stream('demonstrations', name),
              rollout: rolloutSettings(recipe.rollout),
              signal,
            }),
          );
    if (demonstrations.length === 0) {
      throw new AgentgymError('AG_DEMONSTRATION', {
        message: `The stage \`${name}\` has no demonstrations: ${most === 0 ? 'its budget pays for none' : 'none succeeded'}.`,
        hint:
          most === 0
            ? 'Raise `budget.units` or the share of the stage in `budget.split`.'
            : 'Leave `successOnly` out, or take another expert.',
        path: `stages.${name}.demonstrations`,
      });
    }
    prepared.set(name, demonstrations);
  }
  return prepared;
}

/** Where the environment has no such expert, says which key names it. */
async function askExpert(
  stage: string,
  environment: string,
  collect: () => Promise<CollectedDemonstrations>,
): Promise<readonly Demonstration[]> {
  try {
    return (await collect()).demonstrations;
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

async function systemOf({ pool }: OpenEnvironment, format: ActionFormat): Promise<string> {
  const instance = await pool.acquire();
  const system = systemPrompt(instance.instructions, format);
  pool.release(instance);
  return system;
}
