import { access, constants, mkdir } from 'node:fs/promises';
import { availableParallelism, loadavg, totalmem } from 'node:os';

import type { Diagnosis, DiagnosisSettings } from '../contracts/plugin.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { callPlugin } from '../plugins/call-plugin.js';
import { createHost, type HostSettings } from '../plugins/create-host.js';
import { requiredBy } from '../plugins/required-by.js';
import { allContributions, type LocatedContribution, type PluginHost } from '../plugins/open-plugin-host.js';
import { delegatedGroup } from '../sandbox/control-group.js';
import { openSandbox } from '../sandbox/open-sandbox.js';

/** One subject that the doctor examined. */
export interface DiagnosedSubject {
  readonly subject: string;
  readonly findings: readonly Diagnosis[];
}

/** The machine counts as busy if the load is at least this share of its processors. */
const busyFrom = 0.5;
const OLDEST_NODE = [20, 19] as const;
const DEADLINE_SECONDS = 60;

/** Examines the machine, the folders and the plugins, and calls `diagnose` of every contribution that has it. */
export async function diagnose(
  host: PluginHost,
  settings: HostSettings,
  folders: { readonly [purpose: string]: string },
  how: DiagnosisSettings = {},
): Promise<readonly DiagnosedSubject[]> {
  const located = await allContributions(host);
  const problems = (await host.problems()).map(({ plugin, version, message, hint }): DiagnosedSubject => {
    return { subject: `plugin ${plugin} ${version}`, findings: [{ level: 'problem', message, hint }] };
  });
  return [
    { subject: 'machine', findings: machine() },
    { subject: 'folders', findings: await Promise.all(Object.entries(folders).map(writable)) },
    { subject: 'plugins', findings: plugins(located) },
    { subject: 'sandbox for programs of agents', findings: [await sandbox(settings.signal)] },
    ...problems,
    ...(await Promise.all(located.map((item) => requirementsOf(item, settings.signal)))).flat(),
    ...(await Promise.all(located.map((item) => diagnoseContribution(item, settings, how)))).flat(),
  ];
}

function machine(): Diagnosis[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const node = `Node ${process.versions.node}`;
  const memory = `${(totalmem() / 2 ** 30).toFixed(1)} GiB of memory`;
  return [
    old
      ? { level: 'problem', message: `${node} is too old`, hint: `Install Node ${OLDEST_NODE.join('.')} or newer.` }
      : { level: 'ok', message: node },
    { level: 'ok', message: `${process.platform} ${process.arch}, ${availableParallelism()} processors, ${memory}` },
    ...busyness(loadavg()[0] ?? 0, availableParallelism()),
  ];
}

/**
 * Whether other processes use this machine: then training takes longer than documented. Windows measures no load and
 * reports 0.
 *
 * @param load processes that wanted a processor over the last minute
 */
export function busyness(load: number, processors: number): Diagnosis[] {
  const share = load / processors;
  if (share < busyFrom) return [];
  const message = `the machine is busy: ${load.toFixed(1)} processes share its ${processors} processors`;
  return [
    {
      level: 'note',
      message,
      hint: 'Training takes longer now, and measured times are unreliable.',
    },
  ];
}

async function writable([purpose, folder]: [string, string]): Promise<Diagnosis> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return { level: 'ok', message: `${purpose}: ${folder}` };
  } catch (error) {
    const message = `${purpose}: ${folder} cannot be written to: ${(error as Error).message}`;
    return {
      level: 'problem',
      message,
      hint: 'Make the folder writable, or choose another one with AGENTGYM_DATA_DIR and AGENTGYM_CACHE_DIR.',
    };
  }
}

/** Tries one out. Few environments need it, so that it is missing is no problem. */
async function sandbox(signal: AbortSignal): Promise<Diagnosis> {
  try {
    const opened = await openSandbox({}, signal);
    await opened.close();
    const group = await delegatedGroup();
    if ('folder' in group) {
      const message = `bubblewrap makes it; a cgroup below ${group.folder} limits its memory and processes, and agentgym counts its files`;
      return { level: 'ok', message };
    }
    const counted = process.getuid?.() === 0 ? 'memory and files' : 'memory, files and processes';
    const message = `bubblewrap makes it; agentgym counts its ${counted}, because no cgroup limits them: ${group.problem}`;
    return { level: 'ok', message };
  } catch (error) {
    if (!isAgentgymError(error)) throw error;
    return { level: 'note', message: error.message, hint: error.hint };
  }
}

/** One finding for each package, because a line of all of them is too long to read. */
function plugins(located: readonly LocatedContribution[]): Diagnosis[] {
  const packages = [...new Set(located.map((item) => `${item.package} ${item.version}`))];
  return packages.length === 0
    ? [{ level: 'note', message: 'none' }]
    : packages.sort().map((message) => ({ level: 'ok', message }));
}

/** What an environment with its default options requires. Nobody has to play it, so what is missing is no problem. */
async function requirementsOf(located: LocatedContribution, signal: AbortSignal): Promise<DiagnosedSubject[]> {
  const findings = (await requiredBy(located, signal)).map((finding): Diagnosis => {
    const { get, title } = finding.requirement;
    if ('problem' in finding) return { level: 'note', message: `${title}: ${finding.problem}`, hint: get };
    const { path, version } = finding.found;
    return { level: 'ok', message: `${title}: ${version === undefined ? '' : `${version}, `}${path}` };
  });
  return findings.length === 0 ? [] : [{ subject: `${located.kind} ${located.name}, besides npm packages`, findings }];
}

/** The findings of a contribution, if it has `diagnose`. */
export async function diagnoseContribution(
  located: LocatedContribution,
  settings: HostSettings,
  how: DiagnosisSettings = {},
): Promise<DiagnosedSubject[]> {
  const { contribution } = located;
  if (contribution.diagnose === undefined) return [];
  const subject = `${located.kind} ${located.name}`;
  try {
    const answer = callPlugin(
      located,
      'diagnose',
      () => contribution.diagnose?.(createHost(settings, located), how) ?? [],
    );
    return [
      { subject, findings: await withinDeadline(`the diagnosis of ${subject}`, 1000 * DEADLINE_SECONDS, () => answer) },
    ];
  } catch (error) {
    const hint = `Report it to the author of ${located.package}.`;
    return [{ subject, findings: [{ level: 'problem', message: (error as Error).message, hint }] }];
  }
}
