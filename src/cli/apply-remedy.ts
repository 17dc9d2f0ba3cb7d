import type { Remedy } from '../contracts/plugin.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { callPlugin } from '../plugins/call-plugin.js';
import { createHost, type HostSettings } from '../plugins/create-host.js';
import { allContributions, type LocatedContribution, type PluginHost } from '../plugins/open-plugin-host.js';

/** What `agentgym doctor --fix` can install, and who installs it. */
interface LocatedRemedy {
  readonly name: string;
  readonly remedy: Remedy;
  readonly located: LocatedContribution;
}

/** What asks and shows. */
interface Dialogue {
  readonly say: (line: string) => void;
  /** Whether to do it. */
  readonly confirm: (question: string) => Promise<boolean>;
}

/**
 * Installs what is called `name`, if it is not there, after the user has seen what it will do. Returns what was planned,
 * and whether it is there now.
 *
 * @throws AgentgymError AG_COMMAND_USAGE if nothing has this name
 */
export async function applyRemedy(
  name: string,
  host: PluginHost,
  settings: HostSettings,
  { say, confirm }: Dialogue,
): Promise<{ readonly plan: readonly string[]; readonly applied: boolean; readonly located: LocatedContribution }> {
  const all = (await allContributions(host)).flatMap(remediesOf);
  const found = all.find((each) => each.name === name);
  if (found === undefined) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `nothing that can be installed is called ${JSON.stringify(name)}`,
      hint:
        all.length === 0
          ? 'No plugin offers anything.'
          : `There is: ${all.map((each) => `${each.name} (${each.remedy.summary})`).join(', ')}.`,
    });
  }
  const { remedy, located } = found;
  const own = createHost(settings, located);
  const plan = await callPlugin(located, 'plan', () => remedy.plan(own));
  if (plan.length === 0) {
    say(`${name} is installed`);
    return { plan, applied: true, located };
  }
  say(`to install ${name}, agentgym will`);
  for (const line of plan) say(`  ${line}`);
  if (!(await confirm(`Install ${name}?`))) return { plan, applied: false, located };
  await callPlugin(located, 'apply', () => remedy.apply(own, say));
  return { plan, applied: true, located };
}

function remediesOf(located: LocatedContribution): LocatedRemedy[] {
  return Object.entries(located.contribution.remedies ?? {}).map(([name, remedy]) => ({ name, remedy, located }));
}
