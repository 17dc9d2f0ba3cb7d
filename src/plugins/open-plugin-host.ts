import { pathToFileURL } from 'node:url';

import { nearestName } from '../config/nearest-name.js';
import type { Contribution, ContributionKind } from '../contracts/plugin.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { callPlugin } from './call-plugin.js';
import { contributionKinds } from './check-contributions.js';
import { loadPlugin, type PluginProblem } from './load-plugin.js';
import { byName, type PluginSource } from './plugin-source.js';

/** The contribution type of a kind. */
type ContributionOf<Kind extends ContributionKind> = Extract<Contribution, { kind: Kind }>;

/** What the module of a kind of contribution exports. */
type ModuleOf<Kind extends ContributionKind> = Awaited<ReturnType<ContributionOf<Kind>['load']>>;

/** A contribution and where it came from; all but `contribution` is JSON, for a run's manifest and for workers. */
export interface LocatedContribution<Kind extends ContributionKind = ContributionKind> {
  readonly kind: Kind;
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** URL of the module whose default export holds the contribution. */
  readonly entry: string;
  readonly contribution: ContributionOf<Kind>;
}

/** All that installed plugins contribute. Their entries are imported on the first question, once. */
export interface PluginHost {
  /** Every contribution of a kind in name order; one that two plugins claim appears twice. */
  contributions<Kind extends ContributionKind>(kind: Kind): Promise<readonly LocatedContribution<Kind>[]>;
  /**
   * The one contribution of that name.
   *
   * @throws AgentgymError AG_CONTRIBUTION_UNKNOWN, AG_CONTRIBUTION_CONFLICT
   */
  find<Kind extends ContributionKind>(kind: Kind, name: string): Promise<LocatedContribution<Kind>>;
  /** Imports what a contribution stands for. Throws AgentgymError AG_PLUGIN_FAILED. */
  load<Kind extends ContributionKind>(located: LocatedContribution<Kind>): Promise<ModuleOf<Kind>>;
  /** Plugins that are left out, and names that are claimed twice. */
  problems(): Promise<readonly PluginProblem[]>;
}

/** How a package of each kind begins its short name: `agentgym plugins install env-babyai`. */
const PACKAGE_PREFIX: Record<ContributionKind, string> = {
  environment: 'env',
  reward: 'reward',
  policy: 'policy',
  algorithm: 'algo',
  format: 'format',
};

/** The friendly name of the package that may contribute a name, such as `env-babyai`; undefined where the name is none. */
export function friendlyPackage(kind: ContributionKind, name: string): string | undefined {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? `${PACKAGE_PREFIX[kind]}-${name}` : undefined;
}

/** Opens a host over plugin packages; costs nothing until something is asked of it. */
export function openPluginHost(sources: readonly PluginSource[], deadlineSeconds = 10): PluginHost {
  let opened: Promise<Opened> | undefined;
  const open = () => (opened ??= importAll(sources, deadlineSeconds));
  return {
    async contributions(kind) {
      return ofKind((await open()).located, kind);
    },
    async find(kind, name) {
      const { located, problems } = await open();
      const claims = ofKind(located, kind).filter((item) => item.name === name);
      const [first, second] = claims;
      if (first === undefined) throw unknownContribution(kind, name, located, problems);
      if (second !== undefined) {
        throw new AgentgymError('AG_CONTRIBUTION_CONFLICT', {
          message: `${claims.map((claim) => claim.package).join(' and ')} both contribute the ${kind} \`${name}\``,
          hint: `Uninstall one of the two: \`agentgym plugins uninstall ${second.package}\`.`,
        });
      }
      return first;
    },
    load: (located) =>
      callPlugin(located, 'load', () => located.contribution.load() as Promise<ModuleOf<typeof located.kind>>),
    async problems() {
      const { located, problems } = await open();
      return [...problems, ...conflicts(located)];
    },
  };
}

interface Opened {
  readonly located: readonly LocatedContribution[];
  readonly problems: readonly PluginProblem[];
}

async function importAll(sources: readonly PluginSource[], deadlineSeconds: number): Promise<Opened> {
  const ordered = [...sources].sort(byName);
  const loaded = await Promise.all(ordered.map((source) => loadPlugin(source, deadlineSeconds)));
  const located = ordered.flatMap(({ name: packageName, version }, i) => {
    const plugin = loaded[i];
    if (plugin === undefined || 'problem' in plugin) return [];
    const entry = pathToFileURL(plugin.entry).href;
    return plugin.contributions.map((contribution): LocatedContribution => ({
      kind: contribution.kind,
      name: contribution.name,
      package: packageName,
      version,
      entry,
      contribution,
    }));
  });
  return { located, problems: loaded.flatMap((plugin) => ('problem' in plugin ? [plugin.problem] : [])) };
}

function ofKind<Kind extends ContributionKind>(located: readonly LocatedContribution[], kind: Kind) {
  // Array.prototype.sort is stable, so claims of one name stay in the order of their packages.
  return (located.filter((item) => item.kind === kind) as unknown as LocatedContribution<Kind>[]).sort(byName);
}

function conflicts(located: readonly LocatedContribution[]): PluginProblem[] {
  return contributionKinds.flatMap((kind) => {
    const items = ofKind(located, kind);
    return items.flatMap((item, i) => {
      const before = items[i - 1];
      if (before?.name !== item.name) return [];
      const message = `it contributes a ${kind} called \`${item.name}\`, and so does ${before.package}`;
      const hint = `Uninstall one of the two: \`agentgym plugins uninstall ${item.package}\`.`;
      return [{ plugin: item.package, version: item.version, message, hint }];
    });
  });
}

function unknownContribution(
  kind: ContributionKind,
  name: string,
  located: readonly LocatedContribution[],
  problems: readonly PluginProblem[],
): AgentgymError {
  const names = ofKind(located, kind).map((item) => item.name);
  const near = nearestName(name, names);
  const install = `\`agentgym plugins install ${friendlyPackage(kind, name) ?? `${PACKAGE_PREFIX[kind]}-NAME`}\``;
  const hints = [
    near === undefined ? `Installed: ${names.join(', ') || 'none'}.` : `Did you mean \`${near}\`?`,
    `Another plugin's ${kind} is installed by ${install}.`,
    ...problems.map((problem) => `${problem.plugin} is left out: ${problem.message}.`),
  ];
  return new AgentgymError('AG_CONTRIBUTION_UNKNOWN', {
    message: `there is no ${kind} called \`${name}\``,
    hint: hints.join(' '),
  });
}
