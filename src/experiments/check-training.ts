import type { ResolvedRecipe } from '../config/resolve-recipe.js';
import type { RunPlan, StagePlan } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { TaskList } from '../rollout/world-handle.js';
import type { ContributionRecord } from '../runs/run-manifest.js';
import { proveSplits } from '../runs/split-proof.js';
import type { MemoryEstimate } from './estimate-memory.js';
import { disposeParts, openParts } from './open-parts.js';
import { tryDemonstrations } from './prepare-demonstrations.js';
import { splitTasks, transferTasks } from './used-tasks.js';

/** A stage as it would be run. */
interface CheckedStage {
  readonly name: string;
  readonly kind: StagePlan['kind'];
  readonly steps: number;
  /** Its share of the budget is 0. */
  readonly skipped: boolean;
  /** Of a step; absent in sft. */
  readonly episodes?: number;
  /** Absent in rl, and if a file determines the number. */
  readonly demonstrations?: number;
}

/** What `agentgym train --check --json` prints: what would be run. */
export interface CheckedTraining {
  readonly recipe: string;
  readonly stages: readonly CheckedStage[];
  /** Of all stages that are not skipped. */
  readonly steps: number;
  readonly plugins: readonly Pick<ContributionRecord, 'kind' | 'name' | 'package' | 'version'>[];
  /** Null where the policy's plugin cannot tell before it makes the model. */
  readonly parameters: number | null;
  readonly memory: MemoryEstimate;
  readonly tasks: { readonly [split in SplitName]: TaskList['count'] };
}

/**
 * Checks all that a run of the plan checks before it trains, of its demonstrations the first few. Nothing is written.
 * Throws what the run would.
 */
export async function checkTraining(
  plan: RunPlan,
  host: PluginHost,
  settings: HostSettings,
  origin: ResolvedRecipe['origin'] | undefined,
): Promise<CheckedTraining> {
  const parts = await openParts(plan, host, settings, origin);
  try {
    const { random } = settings;
    await tryDemonstrations(plan, { ...parts, ...settings });
    const noDemonstrations = new Map<string, never>();
    const tasks = await splitTasks(plan, { ...parts, demonstrations: noDemonstrations }, random);
    proveSplits(tasks, await transferTasks(plan, parts, random));
    const { train, validation, test } = parts.environment.world.splits;
    return {
      recipe: plan.recipe.name,
      stages: plan.stages.map((stage) => describeStage(stage, !plan.funded.includes(stage))),
      steps: plan.funded.reduce((sum, { steps }) => sum + steps, 0),
      plugins: parts.instances.records.map(({ kind, name, package: from, version }) => ({
        kind,
        name,
        package: from,
        version,
      })),
      parameters: parts.policyEstimate?.parameters ?? null,
      memory: parts.memory,
      tasks: { train: train.count, validation: validation.count, test: test.count },
    };
  } finally {
    await disposeParts(parts);
  }
}

function describeStage(stage: StagePlan, skipped: boolean): CheckedStage {
  const { name, kind, steps } = stage;
  const common = { name, kind, steps, skipped };
  if (stage.kind === 'rl') return { ...common, episodes: stage.episodesPerStep };
  const { count } = stage.demonstrations;
  return { ...common, ...(Number.isFinite(count) && { demonstrations: count }) };
}
