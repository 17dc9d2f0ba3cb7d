import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { formatPath, valueAt } from '../config/recipe-layer.js';
import type { Recipe } from '../config/recipe-schema.js';
import type { EntryPlan, RlStagePlan, RunPlan, SftStagePlan, StageEntryPlan, StagePlan } from '../config/run-plan.js';
import type { JsonObject } from '../contracts/json.js';
import type { PolicyModel, ReferenceModel } from '../contracts/policy.js';
import type { Random } from '../contracts/random.js';
import { inTemporaryFolder } from '../files/temporary-folder.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import { cutObservations } from '../rollout/cut-tokens.js';
import { type Demonstration, type DemonstrationRows, layOutDemonstration } from '../rollout/demonstration.js';
import { mapFilled } from '../rollout/filled.js';
import { PackedRows } from '../rollout/packed-rows.js';
import { taskName } from '../rollout/task-name.js';
import { unlessAborted } from '../rollout/unless-aborted.js';
import { measureImitation } from '../training/measure-imitation.js';
import { type StageEntry, trainReinforcement } from '../training/reinforcement.js';
import type { SharedStage, StageOptions, StageResult } from '../training/run-stage.js';
import type { Spending } from '../training/spending.js';
import { trainSupervised } from '../training/supervised.js';
import { loadWeights } from '../runs/load-weights.js';
import { checkCritic } from './check-parts.js';
import type { Checkpoint } from '../runs/checkpoints.js';
import type { DiskJournal } from '../runs/disk-journal.js';
import type { RunDirectory } from '../runs/run-directory.js';
import { openSharedStage, policyDigest } from '../runs/shared-stage.js';
import type { Evaluator } from './evaluator.js';
import { longestSequence } from './history-sizes.js';
import { layoutOf, type Parts, type PlayedEntry } from './make-parts.js';
import { gatherHeldOut } from './prepare-demonstrations.js';
import { nothingFits } from './stage-demonstrations.js';
import { stageRandom } from './stage-random.js';
import type { DrawnTasks } from './drawn-tasks.js';

export interface TrainStageOptions {
  readonly stage: StagePlan;
  /** Plan that contains the stage. */
  readonly plan: RunPlan;
  readonly parts: Parts;
  readonly journal: DiskJournal;
  readonly evaluator: Evaluator;
  /** The run's root stream. */
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly run: RunDirectory;
  /** What training draws. */
  readonly trainingTasks: DrawnTasks;
  /** Spending of the stages before. */
  readonly spent: Spending;
  /** Folder of shared supervised stages, and everything besides the recipe that affects this run's numbers. */
  readonly shared?: { readonly folder: string; readonly made: JsonObject };
  /** The checkpoint inside this stage that the policy was loaded from. */
  readonly resume?: Checkpoint | undefined;
}

/** The arguments of a stage's loop besides the stage's plan. */
type Surroundings = Omit<StageOptions, keyof StagePlan>;

/** Runs one stage of a recipe, or the rest of it. */
export async function trainStage(options: TrainStageOptions): Promise<StageResult> {
  const { stage, plan, parts, journal, evaluator, random, signal, spent, resume } = options;
  const evaluation = evaluator.during(stage.name);
  const seconds = plan.recipe.stopAfter?.seconds;
  const common: Surroundings = {
    stage: stage.name,
    model: parts.policy,
    random: stageRandom(random, stage.name),
    journal,
    ...(evaluation && { evaluation }),
    spent,
    ...(resume && { resume: resume.state.progress }),
    signal,
    ...(seconds !== undefined && { shouldStop: () => journal.seconds >= seconds }),
  };
  return stage.kind === 'sft' ? runSft(common, stage, options) : runRl(common, stage, options);
}

/** @param key of sampling, which an environment may replace */
function samplingKey(plan: RunPlan, { path }: EntryPlan, key: string): string {
  const own = [...path, 'sampling', key];
  return formatPath(valueAt(plan.recipe, own) === undefined ? ['policy', 'sampling', key] : own);
}

/** A warning if a policy that has learnt the demonstrations would be cut before it ends an action. */
function cutWarning(lengths: Iterable<number>, maxActionTokens: number, key: string): string | undefined {
  let [all, cut, longest] = [0, 0, 0];
  for (const length of lengths) {
    all += 1;
    if (length > maxActionTokens) cut += 1;
    longest = Math.max(longest, length);
  }
  if (cut === 0) return undefined;
  return (
    `${Math.ceil((100 * cut) / all)} % of the demonstrated actions are longer than \`${key}\` (${maxActionTokens}) ` +
    `and would be cut; the longest has ${longest} tokens.`
  );
}

async function runSft(
  common: Surroundings,
  stage: SftStagePlan,
  { plan, parts, resume, shared: place, run, signal }: TrainStageOptions,
): Promise<StageResult> {
  const { recipe } = plan;
  const { name } = stage;
  const { encoder, capabilities } = parts.policy;
  const maxTokens = Math.min(capabilities.maxTokens, longestSequence(recipe));
  const all = parts.demonstrations.get(name);
  if (all === undefined) throw new Error(`the sft stage ${name} has no demonstrations`);
  const learning = all.map((own, at) => {
    const { plan: entry, prompt } = parts.entries[at] as PlayedEntry;
    const layOut = (demonstration: Demonstration): DemonstrationRows | undefined => {
      const read = cutObservations(demonstration, entry.environment.observationTokens, encoder);
      const laid = layOutDemonstration(read, encoder, layoutOf(plan, entry, capabilities, prompt));
      const { task } = laid ?? {};
      return laid && task !== undefined ? { ...laid, task: taskName({ entry: entry.entry, task }) } : laid;
    };
    return { own, entry, layOut };
  });
  const rows = new PackedRows();
  const fitting: number[] = [];
  for (const { own, layOut } of learning) fitting.push(await packRows(rows, own.learned(), layOut, signal));
  if (rows.length === 0) throw nothingFits(name, maxTokens);
  const reached = stage.steps * stage.batchSize;
  const warn = (message: string) => {
    if (resume === undefined) common.journal.event({ type: 'warning', message: `${name}: ${message}` });
  };
  if (reached < rows.length) {
    warn(`its ${stage.steps} steps of ${stage.batchSize} use only ${reached} of ${rows.length} demonstrations.`);
  }
  let [bought, first] = [0, 0];
  for (const [at, { own, entry }] of learning.entries()) {
    const { learned, rendered } = own.facts;
    const of = entry.entry === undefined ? '' : ` of \`${entry.entry}\``;
    const fit = fitting[at] as number;
    const left = learned - fit;
    bought += own.facts.bought;
    if (left > 0) {
      warn(`${left} of ${learned} demonstrations${of} do not fit into ${maxTokens} tokens and are left out.`);
    }
    if (rendered > 0) {
      warn(`${rendered} texts${of} are not in the action format of the recipe; each is taken as the action itself.`);
    }
    const { maxActionTokens } = entry.sampling;
    const key = samplingKey(plan, entry, 'maxActionTokens');
    const cut = cutWarning(rows.actionLengths(first, fit), maxActionTokens, key);
    if (cut !== undefined) warn(cut);
    first += fit;
  }
  const units = (recipe.budget?.costs.demonstration ?? 0) * bought;
  // A stage resumed from a checkpoint no longer has the data that other runs would read.
  const shared = place && resume === undefined ? await openShared(place, stage, common, recipe) : undefined;
  const heldOut: DemonstrationRows[] = [];
  for (const [at, { layOut }] of common.evaluation === undefined ? [] : learning.entries()) {
    const [demonstrations, context] = [stage.demonstrations[at]!, parts.contexts[at]!];
    for (const one of await gatherHeldOut(plan, { name, demonstrations }, context, run)) {
      const laid = layOut(one);
      if (laid !== undefined) heldOut.push(laid);
    }
  }
  const measure = async () => {
    const { loss, agreement } = await measureImitation(parts.policy, heldOut, signal);
    return { held_out_loss: loss, agreement };
  };
  const evaluation = common.evaluation && { ...common.evaluation, ...(heldOut.length > 0 && { measure }) };
  return trainSupervised({
    ...stage,
    ...common,
    ...(evaluation && { evaluation }),
    ...(shared && { shared }),
    demonstrations: rows,
    units,
  });
}

/** Work of this long is done before timers and signals get their turn. */
const millisecondsAtOnce = 50;

/** Adds the demonstrations that fit. @returns their number */
async function packRows(
  rows: PackedRows,
  demonstrations: AsyncIterable<Demonstration>,
  layOut: (demonstration: Demonstration) => DemonstrationRows | undefined,
  signal: AbortSignal,
): Promise<number> {
  const before = rows.length;
  let since = performance.now();
  for await (const demonstration of demonstrations) {
    const laid = layOut(demonstration);
    if (laid !== undefined) rows.add(laid);
    if (performance.now() - since < millisecondsAtOnce) continue;
    await unlessAborted(setImmediate(), signal);
    since = performance.now();
  }
  return rows.length - before;
}

async function openShared(
  { folder, made }: NonNullable<TrainStageOptions['shared']>,
  { name }: SftStagePlan,
  { model, evaluation }: Surroundings,
  { checkpoint }: Recipe,
): Promise<SharedStage | undefined> {
  const isDue = (step: number, every: number): boolean => every > 0 && step % every === 0;
  return openSharedStage({
    folder: join(folder, encodeURIComponent(name)),
    identity: { ...made, policy: await policyDigest(model) },
    policy: model,
    needsWeights: (step) => isDue(step, evaluation?.every ?? 0) || isDue(step, checkpoint.every),
  });
}

async function runRl(common: Surroundings, stage: RlStagePlan, options: TrainStageOptions): Promise<StageResult> {
  const { plan, parts } = options;
  const own = parts.rl.get(stage.name);
  if (own === undefined) throw new Error(`the rl stage ${stage.name} has no parts`);
  const { algorithm, curriculum, rewards } = own;
  const entries = mapFilled(parts.entries, ({ actor, environment, plan: { entry } }, place): StageEntry => {
    const { horizon } = stage.entries[place] as StageEntryPlan;
    const reward = rewards[place] as ComposedReward;
    return { ...(entry !== undefined && { entry }), actor, environments: environment.pool, reward, horizon };
  });
  const counts = parts.entries.map(({ environment }) => environment.world.splits.train.count);
  const reference = algorithm.roles.includes('reference') ? await freezeReference(options) : undefined;
  const critic = algorithm.critic?.trunk === 'own' ? await openCritic(options) : undefined;
  options.journal.saveBeside(criticFolder, critic);
  try {
    if (critic) checkCritic(critic, plan.recipe.policy.name);
    return await trainReinforcement({
      // The plan has the loop's own keys. Parts that it can only name, such as the algorithm, follow as instances.
      ...stage,
      ...common,
      entries,
      algorithm,
      ...(reference && { reference }),
      ...(critic && { critic }),
      supply: {
        name: stage.curriculum.name,
        curriculum,
        count: counts.reduce<number>((sum, count) => sum + (count === 'unbounded' ? Infinity : count), 0),
        admit: (tasks) => options.trainingTasks.admit(tasks),
      },
      rollout: plan.rollout,
      record: plan.recipe.record.episodes,
    });
  } finally {
    options.journal.saveBeside(criticFolder, undefined);
    await critic?.dispose();
    await reference?.dispose();
  }
}

/** Folder of a separate critic in a checkpoint. */
const criticFolder = 'critic';

/** A critic that begins as a copy of the policy. After a resume, it comes from the checkpoint. */
async function openCritic({ parts, resume }: TrainStageOptions): Promise<PolicyModel> {
  if (resume !== undefined) {
    const folder = join(resume.directory, criticFolder);
    const critic = await parts.criticFrom(folder);
    await loadWeights(critic, folder);
    return critic;
  }
  return inTemporaryFolder('agentgym-critic-', async (folder) => {
    await parts.policy.save(folder);
    return parts.criticFrom(folder);
  });
}

/** The policy at the start of the stage. After a resume, it is loaded from the checkpoint of that start. */
async function freezeReference({
  stage: { name },
  parts: { policy },
  journal,
  resume,
}: TrainStageOptions): Promise<ReferenceModel> {
  if (resume === undefined) return policy.freeze();
  await loadWeights(policy, await journal.stageStart(name));
  const reference = await policy.freeze();
  await loadWeights(policy, resume.directory);
  return reference;
}
