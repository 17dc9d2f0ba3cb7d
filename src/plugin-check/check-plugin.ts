// Checks a plugin against everything that the host and a run rely on: first its package, then its entry, then each
// contribution with the kit of its kind. The plugin's own code runs only in separate processes.
import { pathToFileURL } from 'node:url';

import { nearestName } from '../config/nearest-name.js';
import type { ContributionKind } from '../contracts/plugin.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { findingOf, runKit, type CheckDescription, type CheckOutcome } from '../testing/conformance-kit.js';
import { allChecks } from './all-checks.js';
import type { CheckMessage, CheckRequest } from './check-messages.js';
import { mergeOutcomes } from './merge-outcomes.js';
import { packageChecks, packagePreparation } from './package-checks.js';
import { openPackage } from './package-context.js';
import { contributionChecks, entryChecks } from './process-checks.js';
import { runCheckProcess, type CheckProcessResult } from './run-check-process.js';

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

/** The outcome of one contribution. */
interface ContributionReport {
  readonly kind: ContributionKind;
  readonly name: string;
  readonly checks: readonly CheckOutcome[];
  readonly stepsPerSecond?: number;
}

/** What `agentgym plugins check --json` prints. */
export interface PluginReport {
  /** Name of the package, or its folder if it has no name. */
  readonly plugin: string;
  readonly version: string;
  readonly root: string;
  /** Checks of the package and its entry. */
  readonly checks: readonly CheckOutcome[];
  readonly contributions: readonly ContributionReport[];
  readonly passed: boolean;
}

/** @throws AgentgymError AG_PLUGIN_CHECK if a named check does not exist; the reason of an aborted `signal` */
export async function checkPlugin(options: CheckPluginOptions): Promise<PluginReport> {
  const { root, only, skip, progress } = options;
  refuseUnknown([...only, ...skip]);
  progress('package');
  let names = { plugin: root, version: 'none' };
  let entry: string | undefined;
  const ofPackage = await runKit(
    packageChecks,
    { accept: skip, ...(only.length > 0 && { only }) },
    () => {
      const opened = openPackage(root, options.hostVersion);
      const { name, version } = opened.json as { name: string; version: string };
      names = { plugin: name, version };
      entry = opened.entry;
      return opened;
    },
    packagePreparation,
  );
  const report = (checks: readonly CheckOutcome[], contributions: readonly ContributionReport[]): PluginReport => {
    const outcomes = [...checks, ...contributions.flatMap((contribution) => contribution.checks)];
    return { ...names, root, checks, contributions, passed: outcomes.every(({ status }) => status !== 'failed') };
  };
  // The host would not run the code of such a plugin either.
  const refused = ofPackage.some(
    ({ id, status }) => status === 'failed' && (id === 'api-version' || id === 'plugin-field'),
  );
  if (entry === undefined || refused) return report(ofPackage, []);
  progress('entry');
  const url = pathToFileURL(entry).href;
  const selection = { only: only.length > 0 ? only : null, skip };
  const ofEntry = await examineInProcess('entry', { job: 'entry', entry: url, ...selection }, options, '');
  const listed = ofEntry.messages.flatMap((message) => (message.type === 'listed' ? message.contributions : []));
  const contributions: ContributionReport[] = [];
  for (const { kind, name } of listed) {
    const request = {
      job: 'contribution',
      entry: url,
      kind,
      name,
      seed: options.seed,
      thorough: options.thorough,
      // The process has an earlier deadline, so that it can report what took too long.
      seconds: options.seconds / 2,
      ...selection,
    } as const;
    const { checks, messages } = await examineInProcess('contribution', request, options, ofEntry.stdout);
    const speed = messages.find((message) => message.type === 'speed');
    contributions.push({ kind, name, checks, ...(speed && { stepsPerSecond: speed.stepsPerSecond }) });
  }
  return report([...ofPackage, ...ofEntry.checks], contributions);
}

/** Runs a job, and adds the checks that need an observer outside its process: output, exits and deadlines. */
async function examineInProcess(
  kind: 'entry' | 'contribution',
  request: CheckRequest,
  { seconds, signal, progress }: CheckPluginOptions,
  printedAtImport: string,
): Promise<{
  readonly checks: readonly CheckOutcome[];
  readonly messages: readonly CheckMessage[];
  readonly stdout: string;
}> {
  const subject = request.job === 'entry' ? 'entry' : `${request.kind} ${request.name}`;
  const result = await runCheckProcess(request, seconds, signal, (message) => {
    if (message.type === 'started')
      progress(`${subject}: ${message.id}${message.label === undefined ? '' : `, ${message.label}`}`);
  });
  const checks = mergeOutcomes(result.messages);
  const wanted = (id: string): boolean => !request.skip.includes(id) && request.only?.includes(id) !== false;
  const seen = observed(result, seconds, printedAtImport);
  const outside = checksFromOutside[kind]
    .filter(([, { id }]) => wanted(id))
    .map(([what, check]): CheckOutcome => {
      const findings = seen[what].map((message) => findingOf(check, message));
      return { id: check.id, status: findings.length === 0 ? 'passed' : 'failed', findings };
    });
  return { checks: [...checks, ...outside], messages: result.messages, stdout: result.stdout };
}

type Observed = 'deadline' | 'exits' | 'silent' | 'ends';

/** Checks that need an observer outside the process. */
const checksFromOutside: {
  readonly [Kind in 'entry' | 'contribution']: readonly (readonly [Observed, CheckDescription])[];
} = {
  entry: [
    ['deadline', entryChecks['entry-deadline']],
    ['exits', entryChecks['entry-exits']],
    ['silent', entryChecks['entry-silent']],
    ['ends', entryChecks['entry-ends']],
  ],
  contribution: [
    ['deadline', contributionChecks.deadline],
    ['exits', contributionChecks.exits],
    ['silent', contributionChecks.silent],
    ['ends', contributionChecks.ends],
  ],
};

/** The findings of these checks. */
function observed(
  result: CheckProcessResult,
  seconds: number,
  printedAtImport: string,
): { readonly [what in Observed]: readonly string[] } {
  const { ending, code, messages, stdout, stderr } = result;
  const last = messages.findLast((message) => message.type === 'started');
  const during =
    last === undefined
      ? 'before its first check'
      : `during \`${last.id}\`${last.label === undefined ? '' : ` with ${last.label}`}`;
  const printed = stdout.startsWith(printedAtImport) ? stdout.slice(printedAtImport.length) : stdout;
  const said = stderr.trim().split('\n').slice(-3).join(' | ');
  const done = messages.find((message) => message.type === 'done');
  const is = (wanted: typeof ending, message: string): readonly string[] => (ending === wanted ? [message] : []);
  return {
    deadline: is('hung', `${during} it did not respond for ${seconds} s`),
    exits: is('exited', `${during} it ended the process with ${code ?? 'a signal'}${said === '' ? '' : `: ${said}`}`),
    silent: printed === '' ? [] : [`it prints to standard output: ${JSON.stringify(printed.slice(0, 200))}`],
    ends: is('open', `the process did not end after its work; still open: ${done?.open.join(', ') || 'something'}`),
  };
}

/** Throws if an id is not the id of a check. */
function refuseUnknown(ids: readonly string[]): void {
  const known = new Set(allChecks().flatMap(({ checks }) => checks.map(({ id }) => id)));
  const stranger = ids.find((id) => !known.has(id));
  if (stranger === undefined) return;
  const near = nearestName(stranger, [...known]);
  throw new AgentgymError('AG_PLUGIN_CHECK', {
    message: `there is no check named \`${stranger}\``,
    hint: near === undefined ? 'docs/reference/checks.md lists the checks.' : `Did you mean \`${near}\`?`,
  });
}
