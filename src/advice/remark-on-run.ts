import { isAgentgymError } from '../errors/agentgym-error.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { RunRemarks } from '../reports/report-runs.js';
import { repeatCommand } from '../reports/repeat-command.js';
import { loadRun } from '../runs/load-run.js';
import { advise } from './advise.js';

/**
 * Remarks for the page of a run, from its log. No episode is played; parts that this installation cannot judge are left
 * out.
 */
export async function remarkOnRun(
  directory: string,
  place: { readonly cwd: string; readonly host: PluginHost; readonly settings: HostSettings },
): Promise<RunRemarks> {
  const repeat = await repeatCommand(await loadRun(directory), place);
  try {
    const { findings, fine, notChecked } = await advise({
      ...place,
      what: directory,
      sets: [],
      tasks: 0,
      seed: 1,
      runsFolder: 'runs',
    });
    return { repeat, advice: { findings, fine, notChecked } };
  } catch (error) {
    // A plugin of the run may be missing; its page is still useful.
    if (!isAgentgymError(error)) throw error;
    return { repeat };
  }
}
