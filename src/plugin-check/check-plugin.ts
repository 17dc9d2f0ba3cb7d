// Checks a plugin against everything that the host and a run rely on: first its package, then its entry, then each
// contribution with the kit of its kind. The plugin's own code runs only in separate processes.
import { pathToFileURL } from 'node:url';

import { nearestName } from '../config/nearest-name.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { type CheckOutcome, outcomeOfCheck } from '../testing/conformance-kit.js';
import { allChecks } from './all-checks.js';
import type { CheckRequest, ContributionId } from './check-messages.js';
import { mergeOutcomes } from './merge-outcomes.js';
import { packageKit } from './package-checks.js';
import { observerChecks } from './process-checks.js';
import { type CheckProcessResult, runCheckProcess } from './run-check-process.js';

export interface CheckPluginOptions {
  /** Folder of the plugin's package. */
  readonly root: string;
  readonly hostVersion: string;
  readonly seed: number;
  /** Try every option set instead of about a dozen, also for policies. */
  readonly thorough: boolean;
  /** Seconds without a message after which the plugin's process is killed. */
  readonly seconds: number;
  /** Ids of the only checks to run; empty: all. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly signal: AbortSignal;
  /** Called with a line for each step, to show progress on the terminal. */
  readonly progress: (line: string) => void;
}

/** What `agentgym plugins check --json` prints. */
export interface PluginReport {
  /** Name of the package, or its folder if it has no name. */
  readonly plugin: string;
  readonly version: string;
  readonly root: string;
  /** Checks of the package and its entry. */
  readonly checks: readonly CheckOutcome[];
  readonly contributions: readonly (ContributionId & { readonly checks: readonly CheckOutcome[] })[];
  readonly passed: boolean;
}

/** @throws AgentgymError AG_PLUGIN_CHECK if a named check does not exist; the reason of an aborted `signal` */
export async function checkPlugin(options: CheckPluginOptions): Promise<PluginReport> {
  const { root, hostVersion, seed, thorough, skip, progress } = options;
  refuseUnknown([...options.only, ...skip]);
  const only = options.only.length > 0 ? options.only : null;
  progress('package');
  const { checks, context } = await packageKit.examine({ root, hostVersion }, { accept: skip, ...(only && { only }) });
  const { name: plugin = root, version = 'none' } = context?.json ?? {};
  const contributions: PluginReport['contributions'][number][] = [];
  const outcomes = [...checks];
  // The host would not run the code of a package with another fault either.
  if (context?.entry !== undefined && context.inspection.faults.every(({ kind }) => harmless.includes(kind))) {
    const request = { entry: pathToFileURL(context.entry).href, contribution: null, seed, thorough, only, skip };
    // The process has an earlier deadline, so that it can report what took too long.
    const ofEntry = { ...request, seconds: options.seconds / 2 };
    progress('entry');
    const entry = await examineInProcess(ofEntry, options, '');
    outcomes.push(...entry.checks);
    for (const contribution of entry.contributions) {
      const { checks: own } = await examineInProcess({ ...ofEntry, contribution }, options, entry.stdout);
      contributions.push({ ...contribution, checks: own });
    }
  }
  const all = [...outcomes, ...contributions.flatMap((contribution) => contribution.checks)];
  const passed = all.every(({ status }) => status !== 'failed');
  return { plugin: String(plugin), version: String(version), root, checks: outcomes, contributions, passed };
}

/** Faults with which a plugin's code can be checked. */
const harmless: readonly string[] = ['oclif-field', 'host-range'];

/** Runs a job, and adds the checks that need an observer outside its process. */
async function examineInProcess(
  request: CheckRequest,
  { seconds, signal, progress }: CheckPluginOptions,
  printedAtImport: string,
) {
  const { contribution, only, skip } = request;
  const subject = contribution === null ? 'entry' : `${contribution.kind} ${contribution.name}`;
  const process = await runCheckProcess(request, seconds, signal, (message) => {
    if (message.type === 'started')
      progress(`${subject}: ${message.id}${message.label === undefined ? '' : `, ${message.label}`}`);
  });
  const seen = observed(process, seconds, printedAtImport);
  const observations = Object.values(observerChecks)
    .filter(({ id }) => !skip.includes(id) && only?.includes(id) !== false)
    .map((check) => outcomeOfCheck(check, seen[check.id]));
  const { contributions = [] } = process.messages.find((message) => message.type === 'done') ?? {};
  return { checks: [...mergeOutcomes(process.messages), ...observations], contributions, stdout: process.stdout };
}

/** The findings of an observer, by check. */
function observed(
  { ending, code, messages, stdout, stderr }: CheckProcessResult,
  seconds: number,
  printedAtImport: string,
): { readonly [id in keyof typeof observerChecks]?: string } {
  const last = messages.findLast((message) => message.type === 'started');
  const label = last?.label === undefined ? '' : ` with ${last.label}`;
  const during = last === undefined ? 'before its first check' : `during \`${last.id}\`${label}`;
  const printed = stdout.startsWith(printedAtImport) ? stdout.slice(printedAtImport.length) : stdout;
  const said = stderr.trim().split('\n').slice(-3).join(' | ');
  const words = said === '' ? '' : `: ${said}`;
  const open = messages.find((message) => message.type === 'done')?.open.join(', ') || 'something';
  return {
    ...(printed !== '' && { silent: `it prints to standard output: ${JSON.stringify(printed.slice(0, 200))}` }),
    ...(ending === 'hung' && { deadline: `${during} it did not respond for ${seconds} s` }),
    ...(ending === 'open' && { ends: `the process did not end after its work; still open: ${open}` }),
    ...(ending === 'exited' && { exits: `${during} it ended the process with ${code ?? 'a signal'}${words}` }),
  };
}

/** Throws if an id is not the id of a check. */
function refuseUnknown(ids: readonly string[]): void {
  const known = [...new Set(Object.values(allChecks).flatMap((checks) => checks.map(({ id }) => id)))];
  const stranger = ids.find((id) => !known.includes(id));
  if (stranger === undefined) return;
  const near = nearestName(stranger, known);
  throw new AgentgymError('AG_PLUGIN_CHECK', {
    message: `there is no check named \`${stranger}\``,
    hint: near === undefined ? 'docs/reference/checks.md lists the checks.' : `Did you mean \`${near}\`?`,
  });
}
