import type { EntryPlan, RunPlan, SftStagePlan } from '../config/run-plan.js';
import { readEpisodes } from '../demonstrations/read-episodes.js';
import { writeDemonstration, type WrittenDemonstration } from '../rollout/write-demonstration.js';
import { checkKept, keepEpisodes, keptName, keptPath } from '../runs/kept-demonstrations.js';
import type { RunDirectory } from '../runs/run-directory.js';
import { atKey } from './at-key.js';
import { ExpertDemonstrations } from './expert-demonstrations.js';
import { FileDemonstrations } from './file-demonstrations.js';
import { expertHeader, playExpert } from './play-expert.js';
import {
  type DemonstrationContext,
  type EntryStage,
  type FileContext,
  noDemonstrations,
  nothingFits,
  type StageDemonstrations,
  type StoredDemonstrations,
  writingIn,
} from './stage-demonstrations.js';

/**
 * Demonstrations of each sft stage, by name, and of each environment. A stage gets at most as many as its budget pays for; a stage without units
 * is not prepared, and its demonstrations only build a tokenizer.
 *
 * @param stored what a resumed run has; absent: a new run
 * @throws AG_DEMONSTRATION if a stage has no demonstration left, or if one cannot be used; AG_RUN_DAMAGED
 */
export async function prepareDemonstrations(
  plan: RunPlan,
  contexts: readonly FileContext[],
  stored?: StoredDemonstrations,
): Promise<Map<string, readonly StageDemonstrations[]>> {
  const prepared = new Map<string, readonly StageDemonstrations[]>();
  for (const stage of plan.stages) {
    if (stage.kind !== 'sft') continue;
    const isFunded = plan.funded.includes(stage);
    if (isFunded) refuseUnpaid(stage);
    const all: StageDemonstrations[] = [];
    for (const [own, context] of ofEntries(stage, contexts)) {
      all.push(await atKey(own.demonstrations.path, () => prepareStage(plan, own, context, isFunded, stored)));
    }
    if (isFunded && all.every(({ facts }) => facts.learned === 0)) {
      const hint = 'Write some with `agentgym demonstrate`, with the options of the recipe, or choose another file.';
      throw noDemonstrations(stage.name, 'its files have none of these environments that succeeded', hint);
    }
    prepared.set(stage.name, all);
  }
  return prepared;
}

/** Throws AG_DEMONSTRATION if the budget pays for no demonstration. */
function refuseUnpaid({ name, budget, demonstrations }: SftStagePlan): void {
  if (demonstrations.some(({ count }) => count > 0)) return;
  throw noDemonstrations(
    name,
    `one costs ${budget?.costs.demonstration} units, and its budget is ${budget?.units} units`,
    'Raise `budget.units` or the share of the stage in `budget.split`, or give it a share of 0, which skips it.',
  );
}

/** A stage in each environment, with what its demonstrations are prepared with. */
function ofEntries(
  stage: SftStagePlan,
  contexts: readonly FileContext[],
): readonly (readonly [stage: EntryStage, context: FileContext])[] {
  const { name } = stage;
  return stage.demonstrations.map((demonstrations, place) => [
    { name, demonstrations },
    contexts[place] as FileContext,
  ]);
}

async function prepareStage(
  plan: RunPlan,
  stage: EntryStage,
  context: FileContext,
  isFunded: boolean,
  stored: StoredDemonstrations | undefined,
): Promise<StageDemonstrations> {
  const { count, entry, file } = stage.demonstrations;
  const record = stored?.records[keptName(stage.name, entry)]?.training;
  if (file !== undefined) {
    const demonstrations = new FileDemonstrations(file, stage, context);
    if (record !== undefined) await demonstrations.restore(record);
    if (isFunded) await demonstrations.prepare();
    return demonstrations;
  }
  const demonstrations = new ExpertDemonstrations(plan, stage, context);
  if (stored !== undefined && record !== undefined) await demonstrations.restore(stored.run, record);
  else if (isFunded) await demonstrations.prepare(count);
  return demonstrations;
}

/**
 * Reads the demonstrations of each stage that has a file. If there are none, or if none fits into an episode, it throws the
 * error of the run. Experts play nothing.
 *
 * @param fits whether a demonstration fits; absent: not known before the policy is created
 */
export async function tryFiles(
  plan: RunPlan,
  contexts: readonly FileContext[],
  fits?: {
    readonly maxTokens: number;
    readonly isShort: (demonstration: WrittenDemonstration, entry: EntryPlan) => boolean;
  },
): Promise<void> {
  for (const stage of plan.funded) {
    if (stage.kind !== 'sft') continue;
    refuseUnpaid(stage);
    for (const [own, context] of ofEntries(stage, contexts)) {
      const { count, file } = own.demonstrations;
      if (count === 0 || file === undefined) continue;
      await atKey(own.demonstrations.path, async () => {
        const demonstrations = new FileDemonstrations(file, own, context);
        await demonstrations.prepare();
        if (fits === undefined || demonstrations.facts.learned === 0) return;
        for await (const one of demonstrations.learned()) if (fits.isShort(one, context.entry)) return;
        throw nothingFits(stage.name, fits.maxTokens);
      });
    }
  }
}

/** Stores the demonstrations in the run's folder, and records them in its manifest. A resumed run has them already. */
export async function keepDemonstrations(
  run: RunDirectory,
  demonstrations: ReadonlyMap<string, readonly StageDemonstrations[]>,
): Promise<void> {
  const records = { ...run.manifest.demonstrations };
  for (const own of [...demonstrations.values()].flat()) {
    records[own.name] = { ...records[own.name], training: await own.keep(run.path) };
  }
  if (demonstrations.size > 0) await run.update({ demonstrations: records });
}

/** Number of games that measure how well a stage imitates its expert on tasks that it is not trained on. */
const heldOutGames = 100;

/**
 * Games of a stage's expert on validation tasks, which are never trained on. They are played once, and kept in the run's
 * folder. Empty if its demonstrations come from a file.
 */
export async function gatherHeldOut(
  plan: RunPlan,
  stage: EntryStage,
  context: DemonstrationContext,
  run: RunDirectory,
): Promise<readonly WrittenDemonstration[]> {
  const { environment } = context;
  const { entry, file } = stage.demonstrations;
  const name = keptName(stage.name, entry);
  const { validation } = environment.world.splits;
  const { tasks } = plan.recipe.evaluation;
  const available = validation.count === 'unbounded' ? Infinity : validation.count;
  const count = Math.min(heldOutGames, available, tasks === 'all' ? Infinity : tasks);
  if (file !== undefined || count === 0) return [];
  const path = keptPath(run.path, name, 'heldOut');
  let record = run.manifest.demonstrations?.[name];
  if (record === undefined) throw new Error(`the demonstrations of ${name} were not stored`);
  if (record.heldOut === undefined) {
    const stream = ['held-out', stage.name] as const;
    const { episodes } = await playExpert(plan, stage, context, { split: 'validation', stream, count });
    const header = expertHeader(plan, stage, context, 'validation');
    record = { ...record, heldOut: await keepEpisodes(run.path, path, header, episodes) };
    await run.update({ demonstrations: { ...run.manifest.demonstrations, [name]: record } });
  } else await checkKept(path, record.heldOut);
  if (record.heldOut?.episodes === 0) return [];
  const policy = writingIn(context, environment.world.instructions);
  const written: WrittenDemonstration[] = [];
  for await (const { episode, place } of readEpisodes(path, 'agentgym')) {
    written.push(writeDemonstration(episode, policy, place));
  }
  return written;
}
