import type { EntryPlan, RunPlan, StagePlan } from '../config/run-plan.js';
import type { SplitName } from '../contracts/environment.js';
import type { FoundRequirement } from '../contracts/requirement.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { cutObservations } from '../rollout/cut-tokens.js';
import { layOutDemonstration } from '../rollout/demonstration.js';
import type { Splits, TaskList } from '../rollout/world-handle.js';
import type { ContributionRecord } from '../runs/run-manifest.js';
import type { MemoryEstimate } from './estimate-memory.js';
import { externalParts } from './inexact-reasons.js';
import type { MemoryPolicy } from './judge-memory.js';
import { longestSequence } from './history-sizes.js';
import { demonstrationContexts, layoutOf, refuseLongPrompt, refuseShortObservations } from './make-parts.js';
import { cutPrompt } from './write-prompt.js';
import { disposeParts, openParts } from './open-parts.js';
import { tryFiles } from './prepare-demonstrations.js';
import type { FileContext } from './stage-demonstrations.js';
import { proveTasks, splitTasks, transferTasks } from './used-tasks.js';

/** A stage of the planned run. */
interface CheckedStage {
  readonly name: string;
  readonly kind: StagePlan['kind'];
  readonly steps: number;
  /** True if its share of the budget is 0. */
  readonly skipped: boolean;
  /** Episodes of a step. Absent in sft. */
  readonly episodes?: number;
  /** Absent in rl, and if a file determines the number. */
  readonly demonstrations?: number;
}

/** The planned run, as `agentgym train --check --json` prints it. */
export interface CheckedTraining {
  readonly recipe: string;
  readonly stages: readonly CheckedStage[];
  /** Sum over all stages that are not skipped. */
  readonly steps: number;
  readonly plugins: readonly Pick<ContributionRecord, 'kind' | 'name' | 'package' | 'version'>[];
  /** Null if the policy's plugin cannot tell before it creates the model. */
  readonly parameters: number | null;
  /** Parameters of the model that are not trained. */
  readonly frozenParameters: number;
  /** What samples training episodes. Null: the policy itself. */
  readonly sampler: { readonly name: string; readonly address?: string | undefined } | null;
  /**
   * What a few steps would use besides this machine, as clauses. Such steps may cost something, so `train --check`
   * tries none.
   */
  readonly external: readonly string[];
  /** What its environments require besides npm packages; all of it is there. */
  readonly requirements: readonly FoundRequirement[];
  readonly memory: MemoryEstimate;
  readonly tasks: { readonly [split in SplitName]: TaskList['count'] };
}

/**
 * Makes all checks that a run of the plan makes before training, except those of games that experts would play: it reads
 * files of games, and plays none. Writes nothing, and throws the same errors as the run.
 */
export async function checkTraining(
  plan: RunPlan,
  host: PluginHost,
  settings: HostSettings,
  memory?: MemoryPolicy,
): Promise<CheckedTraining> {
  const parts = await openParts(plan, host, settings, { memory, plays: false });
  try {
    const { random } = settings;
    const { sampler } = plan.recipe.policy;
    const { encoder, capabilities } = parts.policyEstimate ?? {};
    const maxTokens = Math.min(capabilities?.maxTokens ?? Infinity, longestSequence(plan.recipe));
    const contexts = demonstrationContexts(plan, parts, settings, undefined, encoder);
    const told = parts.entries.map((entry, place) => {
      const { format } = contexts[place] as FileContext;
      const written = { ...entry, format, prompt: entry.writePrompt(format) };
      if (encoder === undefined) return written;
      refuseShortObservations(entry.plan, encoder);
      const read = { ...written, prompt: cutPrompt(written.prompt, entry.plan.environment.observationTokens, encoder) };
      refuseLongPrompt(plan, read, encoder, maxTokens);
      return read;
    });
    if (encoder !== undefined) for (const { plan: entry } of parts.transfer) refuseShortObservations(entry, encoder);
    const promptOf = (entry: EntryPlan) => told.find((one) => one.plan === entry)?.prompt;
    await tryFiles(
      plan,
      contexts,
      encoder && {
        maxTokens,
        isShort: (one, entry) => {
          const read = cutObservations(one, entry.environment.observationTokens, encoder);
          return (
            layOutDemonstration(read, encoder, layoutOf(plan, entry, { maxTokens }, promptOf(entry))) !== undefined
          );
        },
      },
    );
    const known = await splitTasks(plan, told, new Map(), random, 'check');
    proveTasks(known, await transferTasks(plan, parts.transfer, random));
    const splits = parts.entries.map(({ environment }) => environment.world.splits);
    return {
      recipe: plan.recipe.name,
      stages: plan.stages.map((stage) => describeStage(stage, !plan.funded.includes(stage))),
      steps: plan.funded.reduce((sum, { steps }) => sum + steps, 0),
      plugins: parts.instances.records.map(({ entry: _, options: __, ...plugin }) => plugin),
      parameters: parts.policyEstimate?.parameters ?? null,
      frozenParameters: parts.policyEstimate?.frozenParameters ?? 0,
      sampler: sampler === undefined ? null : { name: sampler.name, address: sampler.address },
      external: [...(await externalPolicy(plan, host)), ...externalParts(parts)],
      requirements: [...parts.entries, ...parts.transfer].flatMap(({ environment }) => environment.found),
      memory: parts.memory,
      tasks: {
        train: countOf(splits, 'train'),
        validation: countOf(splits, 'validation'),
        test: countOf(splits, 'test'),
      },
    };
  } finally {
    await disposeParts(parts);
  }
}

async function externalPolicy({ recipe: { policy } }: RunPlan, host: PluginHost): Promise<string[]> {
  const { contribution } = await host.find('policy', policy.name);
  return [
    ...(contribution.external === true ? ['the policy is on a server'] : []),
    ...(policy.sampler === undefined ? [] : [`the sampler ${policy.sampler.name} may be a server`]),
  ];
}

function describeStage(stage: StagePlan, skipped: boolean): CheckedStage {
  const { name, kind, steps } = stage;
  const common = { name, kind, steps, skipped };
  if (stage.kind === 'rl') return { ...common, episodes: stage.episodesPerStep };
  const count = stage.demonstrations.reduce((sum, one) => sum + one.count, 0);
  return { ...common, ...(Number.isFinite(count) && { demonstrations: count }) };
}

/** Number of tasks in a split of all environments. */
function countOf(splits: readonly Splits[], name: SplitName): TaskList['count'] {
  const counts = splits.map((own) => own[name].count);
  return counts.includes('unbounded') ? 'unbounded' : counts.reduce<number>((sum, count) => sum + Number(count), 0);
}
