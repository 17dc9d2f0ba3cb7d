import { dirname } from 'node:path';

import { checkPins } from '../config/check-pins.js';
import { isTrackedBy } from '../config/is-tracked-by.js';
import { acceptRecipe, resolveRecipe, type ResolvedRecipe } from '../config/resolve-recipe.js';
import type { RunPlan } from '../config/run-plan.js';
import type { Setting } from '../config/parse-setting.js';
import type { RunEvent } from '../contracts/events.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import type { HostSettings } from '../plugins/create-host.js';
import { createRandom } from '../random/create-random.js';
import { planOfRun } from '../runs/plan-of-run.js';
import { resolveRun } from '../runs/resolve-run.js';
import { readManifest } from '../runs/run-manifest.js';
import { refuseExisting } from '../runs/run-directory.js';
import { rewardCheck } from './reward-check.js';
import { checkTraining, type CheckedTraining } from './check-training.js';
import { runRecipe, type RunRecipeOptions } from './run-recipe.js';
import { checkLabel } from '../runs/run-label.js';
import type { RunResult } from '../runs/run-result.js';
import type { LiveTracking } from '../tracking/live-tracking.js';
import { mlflowAccess } from '../tracking/mlflow-access.js';
import { followRun, type TrackingContext } from '../tracking/follow-run.js';

export interface TrainingRequest extends Pick<
  RunRecipeOptions,
  'output' | 'sharedStages' | 'sharedGames' | 'label' | 'memory' | 'command' | 'runsFolder' | 'host'
> {
  /** A built-in name or a path. Absent: the project's recipe, or the recipe of the run to resume. */
  readonly source?: string | undefined;
  readonly sets: readonly (string | Setting)[];
  /** RUN to resume. */
  readonly resume?: string | undefined;
  /** What servers that show the run are reached with. Absent: the run goes to no server, whatever the recipe says. */
  readonly tracking?: TrackingContext;
  readonly cwd: string;
  readonly settings: Omit<HostSettings, 'random'>;
  readonly version: string;
}

/** A checked request for training. Nothing has been written yet. */
export interface PlannedTraining {
  /** The plan of the resolved recipe. */
  readonly plan: RunPlan;
  /** Folder of the run to resume. Absent: a new run. */
  readonly resume?: string | undefined;
  /** Names of the stages that will be trained. */
  readonly stages: readonly string[];
  /** Checks the recipe as `run` does before it starts, and describes the planned run. */
  check(): Promise<CheckedTraining>;
  run(listener: (event: RunEvent) => void): Promise<RunResult>;
}

/** Finds and checks the recipe of a new run, or of the run to resume. */
export async function planTraining(request: TrainingRequest): Promise<PlannedTraining> {
  const { cwd, host, runsFolder } = request;
  const resume = request.resume === undefined ? undefined : await resolveRun(request.resume, runsFolder);
  if (resume !== undefined && request.output !== undefined) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: '`--output` has no effect with `--resume`: a run continues in its own folder.',
      hint: 'Remove one of the two.',
    });
  }
  const label = request.label && checkLabel(request.label);
  const { plan, file, placed } = await readPlan(request, resume);
  const { recipe } = plan;
  const { tracking } = request;
  const access = tracking && isTrackedBy(recipe, 'mlflow') ? mlflowAccess(tracking.environment) : undefined;
  const settings = { ...request.settings, random: createRandom(recipe.seed) };
  const inPlace = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw isAgentgymError(error) ? (placed?.(error) ?? error) : error;
    }
  };
  return {
    plan,
    resume,
    stages: plan.funded.map(({ name }) => name),
    check: () =>
      inPlace(async () => {
        if (request.output !== undefined) refuseExisting(request.output);
        return checkTraining(plan, host, settings, request.memory);
      }),
    run: (listener) =>
      inPlace(async () => {
        let live: LiveTracking | undefined;
        const follow = (run: string) => {
          if (tracking && access) live ??= followRun(run, access, tracking, listener);
        };
        try {
          return await runRecipe({
            ...request,
            ...{ plan, settings, resume, label, listener, opened: follow },
            sourceFolder: file === undefined ? cwd : dirname(file),
            versions: { agentgym: request.version, node: process.version },
          });
        } finally {
          await live?.finish(settings.signal);
        }
      }),
  };
}

/** The plan of a new run, or of the run to resume, which may get another recipe. */
async function readPlan(
  { source, sets, cwd, host, settings }: TrainingRequest,
  resume: string | undefined,
): Promise<Omit<ResolvedRecipe, 'recipe' | 'origin' | 'placed'> & Partial<Pick<ResolvedRecipe, 'placed'>>> {
  const kept = resume === undefined ? undefined : await readManifest(resume);
  if (kept !== undefined && source === undefined && sets.length === 0) {
    const [finding] = checkPins(kept.recipe.plugins, host.packages());
    if (finding !== undefined) throw new AgentgymError('AG_PLUGIN_VERSION', finding);
    return { plan: planOfRun(kept) };
  }
  const from = source ?? kept?.recipe;
  const checkRewards = rewardCheck(host, settings);
  return acceptRecipe(await resolveRecipe({ source: from, sets, cwd, host, checkRewards }));
}
