import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Recipe, RlStage, SftStage } from '../config/recipe-schema.js';
import { updateSettings } from '../config/stage-settings.js';
import type { PolicyModel, ReferenceModel } from '../contracts/policy.js';
import type { Random } from '../contracts/random.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { layOutDemonstration } from '../rollout/demonstration.js';
import { trainReinforcement } from '../training/reinforcement.js';
import type { StageOptions, StageResult } from '../training/run-stage.js';
import type { Spending } from '../training/spending.js';
import { trainSupervised } from '../training/supervised.js';
import { checkCritic } from './check-parts.js';
import type { Checkpoint } from '../runs/checkpoints.js';
import type { DiskJournal } from '../runs/disk-journal.js';
import type { Evaluator } from './evaluator.js';
import type { Parts } from './make-parts.js';
import { budgetsOf, horizonSchedule, optimizerPlan, rolloutSettings } from './stage-plan.js';
import { stageRandom } from './used-tasks.js';

export interface TrainStageOptions {
  readonly name: string;
  readonly stage: SftStage | RlStage;
  readonly recipe: Recipe;
  readonly parts: Parts;
  readonly journal: DiskJournal;
  readonly evaluator: Evaluator;
  /** The run's root stream. */
  readonly random: Random;
  readonly signal: AbortSignal;
  /** By the stages before. */
  readonly spent: Spending;
  /** The checkpoint inside this stage that the policy was loaded from. */
  readonly resume?: Checkpoint;
}

/** Runs one stage of a recipe, or the rest of it. */
export async function trainStage(options: TrainStageOptions): Promise<StageResult> {
  const { name, stage, recipe, parts, journal, evaluator, random, signal, spent, resume } = options;
  const evaluation = evaluator.during(name);
  const seconds = recipe.stopAfter?.seconds;
  const common: StageOptions = {
    stage: name,
    model: parts.policy,
    steps: stage.steps,
    optimizer: optimizerPlan(stage.optimizer),
    random: stageRandom(random, name),
    journal,
    ...(evaluation && { evaluation }),
    spent,
    ...(resume && { resume: resume.state.progress }),
    signal,
    ...(stage.stopWhen && { stopWhen: stage.stopWhen }),
    ...(seconds !== undefined && { shouldStop: () => journal.seconds >= seconds }),
  };
  return stage.kind === 'sft' ? runSft(common, stage, options) : runRl(common, stage, options);
}

async function runSft(
  common: StageOptions,
  stage: SftStage,
  { name, recipe, parts, resume }: TrainStageOptions,
): Promise<StageResult> {
  const { encoder, capabilities } = parts.policy;
  const maxTokens = Math.min(capabilities.maxTokens, recipe.rollout.maxEpisodeTokens ?? Infinity);
  const { demonstrations, bought } = parts.demonstrations.get(name) ?? { demonstrations: [], bought: 0 };
  const rows = demonstrations.flatMap((demonstration) => layOutDemonstration(demonstration, encoder, maxTokens) ?? []);
  if (rows.length === 0) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `No demonstration of the stage \`${name}\` fits into the ${maxTokens} tokens of an episode.`,
      hint: 'Raise `rollout.maxEpisodeTokens`, or take a policy that holds more.',
      path: `stages.${name}.demonstrations`,
    });
  }
  const reached = stage.steps * stage.batchSize;
  if (resume === undefined && reached < rows.length) {
    const message = `${name}: its ${stage.steps} steps of ${stage.batchSize} reach ${reached} of ${rows.length} demonstrations.`;
    common.journal.event({ type: 'warning', message });
  }
  const units = (recipe.budget?.costs.demonstration ?? 0) * bought;
  return trainSupervised({ ...common, demonstrations: rows, batchSize: stage.batchSize, units });
}

async function runRl(common: StageOptions, stage: RlStage, options: TrainStageOptions): Promise<StageResult> {
  const { name, recipe, parts } = options;
  const own = parts.rl.get(name);
  if (own === undefined) throw new Error(`the rl stage ${name} has no parts`);
  const { settings, algorithm, reward } = own;
  const budget = budgetsOf(recipe).get(name);
  const reference = algorithm.roles.includes('reference') ? await freezeReference(options) : undefined;
  const critic = algorithm.critic?.trunk === 'own' ? await openCritic(options) : undefined;
  options.journal.saveBeside(criticFolder, critic);
  try {
    if (critic) checkCritic(critic, recipe.policy.name);
    return await trainReinforcement({
      ...common,
      actor: parts.actor,
      algorithm,
      update: updateSettings(settings.algorithm),
      ...(reference && { reference }),
      ...(critic && { critic }),
      tasks: parts.environment.world.splits.train,
      tasksPerStep: stage.tasksPerStep,
      environments: parts.environment.pool,
      reward,
      horizon: horizonSchedule(settings.horizon),
      rollout: rolloutSettings(recipe.rollout),
      ...(budget && { budget }),
      record: recipe.record.episodes,
    });
  } finally {
    options.journal.saveBeside(criticFolder, undefined);
    await critic?.dispose();
    await reference?.dispose();
  }
}

/** Where a checkpoint keeps a critic of its own. */
const criticFolder = 'critic';

/** A critic that begins as a copy of the policy; after a resume, as the checkpoint has it. */
async function openCritic({ parts, resume }: TrainStageOptions): Promise<PolicyModel> {
  if (resume !== undefined) {
    const folder = join(resume.directory, criticFolder);
    const critic = await parts.criticFrom(folder);
    await critic.load(folder);
    return critic;
  }
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-critic-'));
  try {
    await parts.policy.save(folder);
    return await parts.criticFrom(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The policy as the stage found it; after a resume, read back from where the stage began. */
async function freezeReference({
  name,
  parts: { policy },
  journal,
  resume,
}: TrainStageOptions): Promise<ReferenceModel> {
  if (resume === undefined) return policy.freeze();
  return frozenAt(policy, await journal.stageStart(name), resume.directory);
}

async function frozenAt(policy: PolicyModel, start: string, present: string): Promise<ReferenceModel> {
  await policy.load(start);
  const reference = await policy.freeze();
  await policy.load(present);
  return reference;
}
