import { pathToFileURL } from 'node:url';

import { foreignAlgorithm } from '../config/foreign-names.js';
import { nearestHint } from '../config/nearest-name.js';
import type { Contribution, ContributionKind } from '../contracts/plugin.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { checkShape } from '../errors/check-shape.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { callPlugin, type PluginOwner } from './call-plugin.js';
import { contributionKinds } from './check-contributions.js';
import { moduleShapes } from '../rollout/contribution-shapes.js';
import { loadPlugin, type PluginProblem } from './load-plugin.js';
import { byName, type PluginSource } from './plugin-source.js';

/** The contribution type of a kind. */
type ContributionOf<Kind extends ContributionKind> = Extract<Contribution, { kind: Kind }>;

/** The module type of a kind of contribution. */
type ModuleOf<Kind extends ContributionKind> = Awaited<ReturnType<ContributionOf<Kind>['load']>>;

/** A contribution and its origin. All fields except `contribution` are JSON, for a run's manifest and for workers. */
export interface LocatedContribution<Kind extends ContributionKind = ContributionKind> extends PluginOwner {
  readonly kind: Kind;
  /** URL of the module whose default export holds the contribution. */
  readonly entry: string;
  readonly contribution: ContributionOf<Kind>;
}

/** The contributions of all installed plugins. Their entries are imported once, on the first call. */
export interface PluginHost {
  /** All contributions of a kind in name order. A name that two plugins claim appears twice. */
  contributions<Kind extends ContributionKind>(kind: Kind): Promise<readonly LocatedContribution<Kind>[]>;
  /**
   * The one contribution of that name.
   *
   * @throws AgentgymError AG_CONTRIBUTION_UNKNOWN, AG_CONTRIBUTION_CONFLICT
   */
  find<Kind extends ContributionKind>(kind: Kind, name: string): Promise<LocatedContribution<Kind>>;
  /** Imports the implementation of a contribution. Throws AgentgymError AG_PLUGIN_FAILED. */
  load<Kind extends ContributionKind>(located: LocatedContribution<Kind>): Promise<ModuleOf<Kind>>;
  /** Plugins that are left out, and names that are claimed twice. */
  problems(): Promise<readonly PluginProblem[]>;
  /** All packages in name order, including those that are left out. Nothing is imported. */
  packages(): readonly PluginSource[];
}

/** The prefix of a package's short name, by kind: `agentgym plugins install env-babyai`. */
const PACKAGE_PREFIX: Record<ContributionKind, string> = {
  environment: 'env',
  reward: 'reward',
  policy: 'policy',
  algorithm: 'algo',
  format: 'format',
  tool: 'tool',
  // A model that plays, one that learns, and a server that samples for one are in one package.
  player: 'policy',
  sampler: 'policy',
  curriculum: 'curriculum',
};

/**
 * The friendly name of the package that may contribute a name, such as `env-babyai`. Undefined if the name is not
 * valid.
 */
export function friendlyPackage(kind: ContributionKind, name: string): string | undefined {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? `${PACKAGE_PREFIX[kind]}-${name}` : undefined;
}

/** The contributions of all plugins, of every kind. */
export async function allContributions(
  host: Pick<PluginHost, 'contributions'>,
): Promise<readonly LocatedContribution[]> {
  return (await Promise.all(contributionKinds.map((kind) => host.contributions(kind)))).flat();
}

interface Deadlines {
  /** For the import of an entry, which contains only metadata. */
  readonly deadlineSeconds?: number;
  /** For the import of the implementation of a contribution. */
  readonly loadDeadlineSeconds?: number;
}

/**
 * Opens a host for plugin packages. It does no work before the first call.
 *
 * @param missing plugins that should be installed, but are not
 */
export function openPluginHost(
  sources: readonly PluginSource[],
  { deadlineSeconds = 10, loadDeadlineSeconds = 60 }: Deadlines = {},
  missing: readonly PluginProblem[] = [],
): PluginHost {
  let opened: ReturnType<typeof importAll> | undefined;
  const open = () => (opened ??= importAll(sources, deadlineSeconds, missing));
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
          hint: removalHint(claims, sources),
        });
      }
      return first;
    },
    load<Kind extends ContributionKind>(located: LocatedContribution<Kind>) {
      const load = () => located.contribution.load() as Promise<unknown>;
      return callPlugin(located, 'load', async () => {
        const module = await withinDeadline('the import of its module', 1000 * loadDeadlineSeconds, load);
        return checkShape(module, moduleShapes[located.kind], 'its module');
      }) as Promise<ModuleOf<Kind>>;
    },
    async problems() {
      const { located, problems } = await open();
      return [...problems, ...conflicts(located, sources)];
    },
    packages: () => [...sources].sort(byName),
  };
}

async function importAll(sources: readonly PluginSource[], deadlineSeconds: number, missing: readonly PluginProblem[]) {
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
  const problems = loaded.flatMap((plugin) => ('problem' in plugin ? [plugin.problem] : []));
  return { located, problems: [...problems, ...missing] };
}

function ofKind<Kind extends ContributionKind>(located: readonly LocatedContribution[], kind: Kind) {
  // Array.prototype.sort is stable, so claims of one name stay in the order of their packages.
  return (located.filter((item) => item.kind === kind) as unknown as LocatedContribution<Kind>[]).sort(byName);
}

/** How to remove one of several claims. Plugins that came with the CLI stay. */
function removalHint(claims: readonly PluginOwner[], sources: readonly PluginSource[]): string {
  const origin = ({ package: name }: PluginOwner) =>
    sources.find((source) => source.name === name)?.origin ?? 'built-in';
  const foreign = claims.filter((claim) => origin(claim) !== 'built-in');
  const one = foreign.at(-1) ?? claims.at(-1);
  if (one === undefined) return '';
  return origin(one) === 'project'
    ? `Rename the ${one.kind}, or remove ${one.package} from the project's package.json.`
    : `Uninstall one of the two: \`agentgym plugins uninstall ${one.package}\`.`;
}

function conflicts(located: readonly LocatedContribution[], sources: readonly PluginSource[]): PluginProblem[] {
  return contributionKinds.flatMap((kind) => {
    const items = ofKind(located, kind);
    return items.flatMap((item, i) => {
      const before = items[i - 1];
      if (before?.name !== item.name) return [];
      const message = `it contributes a ${kind} called \`${item.name}\`, but ${before.package} contributes it too`;
      const hint = removalHint([before, item], sources);
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
  const install = `\`agentgym plugins install ${friendlyPackage(kind, name) ?? `${PACKAGE_PREFIX[kind]}-NAME`}\``;
  const foreign = kind === 'algorithm' ? foreignAlgorithm(name) : undefined;
  const hints = [
    foreign !== undefined
      ? `It is ${foreign} here.`
      : nearestHint(name, names, `Installed: ${names.join(', ') || 'none'}.`),
    ...(foreign === undefined ? [`If a plugin with this name exists, ${install} installs it.`] : []),
    ...problems.map((problem) => `${problem.plugin} is left out: ${problem.message}.`),
  ];
  return new AgentgymError('AG_CONTRIBUTION_UNKNOWN', {
    message: `there is no ${kind} called \`${name}\``,
    hint: hints.join(' '),
  });
}
