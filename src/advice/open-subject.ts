import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { acceptRecipe, resolveRecipe } from '../config/resolve-recipe.js';
import type { RunPlan } from '../config/run-plan.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { shellWord } from '../errors/shell-word.js';
import { shownManifest } from '../reports/repeat-command.js';
import { loadRun, type LoadedRun } from '../runs/load-run.js';
import { planOfRun } from '../runs/plan-of-run.js';
import { resolveRun } from '../runs/resolve-run.js';
import { manifestPath } from '../runs/run-manifest.js';
import type { ProposalBase } from './propose.js';

/** The recipe or run that advice is about. */
export interface OpenedSubject {
  /** Its displayed name. */
  readonly name: string;
  readonly plan: RunPlan;
  readonly run?: LoadedRun;
  /** The base of commands about it; absent if this version refuses the recipe of an older run. */
  readonly base?: ProposalBase;
}

/**
 * Finds a recipe or a run. The name of a recipe has priority over the id of a run, and a folder with a manifest is a
 * run.
 *
 * @param what absent: the project's recipe
 * @throws AG_RECIPE_NOT_FOUND if it is neither, AG_COMMAND_USAGE for flags together with a run, and errors of the
 * search
 */
export async function openSubject(
  what: string | undefined,
  base: Omit<ProposalBase, 'source'>,
): Promise<OpenedSubject> {
  const directory = what === undefined ? undefined : await findRun(what, base);
  if (directory === undefined) {
    const given = { ...base, source: what };
    const { plan, file } = acceptRecipe(await resolveRecipe(given));
    return { name: what ?? file ?? plan.recipe.name, plan, base: given };
  }
  if (base.sets.length > 0) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: '`--set` has no effect on a run, because it is already trained.',
      hint: `To change its recipe: \`agentgym advise ${shellWord(join(directory, 'manifest.json'))} --set ...\`.`,
    });
  }
  const run = await loadRun(directory);
  const given = { ...base, source: shownManifest(directory, base.cwd) };
  const { resolved } = await resolveRecipe(given);
  return {
    name: directory,
    run,
    ...(resolved ? { plan: resolved.plan, base: given } : { plan: planOfRun(run.manifest) }),
  };
}

/** The folder of the run; undefined for a recipe. */
async function findRun(
  what: string,
  { cwd, runsFolder, host }: Pick<ProposalBase, 'cwd' | 'runsFolder' | 'host'>,
): Promise<string | undefined> {
  if (what === 'latest' || existsSync(manifestPath(what))) return resolveRun(what, runsFolder);
  try {
    await resolveRecipe({ source: what, cwd, host });
    return undefined;
  } catch (error) {
    // An existing but wrong recipe is read again with its flags, and its errors are reported then.
    if (!isAgentgymError(error) || error.code !== 'AG_RECIPE_NOT_FOUND') return undefined;
    try {
      return await resolveRun(what, runsFolder);
    } catch (noRun) {
      if (!isAgentgymError(noRun) || !['AG_RUN_NOT_FOUND', 'AG_NOT_A_RUN'].includes(noRun.code)) throw noRun;
      const hint = `${error.hint} \`agentgym runs list\` lists the runs.`;
      throw new AgentgymError('AG_RECIPE_NOT_FOUND', {
        message: `${error.message}, and there is no run with this name`,
        hint,
      });
    }
  }
}
