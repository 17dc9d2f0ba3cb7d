// A page for each plugin of this repository: its README, then the declarations of its contributions.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

import { describeOptionType } from '../../src/config/check-options.js';
import type { Contribution, ContributionKind } from '../../src/contracts/plugin.js';
import type { OptionsDeclaration } from '../../src/contracts/options.js';
import { checkContributions } from '../../src/plugins/check-contributions.js';

const root = new URL('../../', import.meta.url);

interface PluginPackage {
  /** Name of its folder below `plugins/`. */
  readonly folder: string;
  readonly packageName: string;
  readonly description: string;
  /** It comes with the CLI. */
  readonly bundled: boolean;
  readonly contributions: readonly Contribution[];
}

/** Every plugin of this repository, by folder. */
export async function pluginPackages(): Promise<PluginPackage[]> {
  const bundled = (readJson('package.json') as { oclif: { plugins: string[] } }).oclif.plugins;
  const folders = readdirSync(new URL('plugins/', root)).filter((name) =>
    existsSync(new URL(`plugins/${name}/package.json`, root)),
  );
  return Promise.all(
    folders.sort().map(async (folder) => {
      const json = readJson(`plugins/${folder}/package.json`) as {
        name: string;
        description: string;
        agentgym?: unknown;
      };
      const entry = new URL(`plugins/${folder}/src/index.ts`, root);
      const exported = json.agentgym === undefined ? [] : ((await import(entry.href)) as { default: unknown }).default;
      return {
        folder,
        packageName: json.name,
        description: json.description,
        bundled: bundled.includes(json.name),
        contributions: checkContributions(exported).contributions ?? [],
      };
    }),
  );
}

/** `docs/reference/plugins/NAME.md` for each, and a list of all. */
export async function pluginPages(): Promise<Record<string, string>> {
  const plugins = (await pluginPackages()).filter(({ contributions }) => contributions.length > 0);
  const rows = plugins.flatMap(({ folder, contributions, bundled }) =>
    contributions.map(
      ({ kind, name, summary }) =>
        `| ${kind} | \`${name}\` | ${summary} | [${folder}](${folder}.md)${bundled ? '' : ', not bundled'} |`,
    ),
  );
  const list = [
    '# Plugins of the project\n',
    'This page lists the contributions of all plugins of this repository. Install those that are not bundled with `agentgym plugins install`.\n',
    'Generated from the plugins themselves by `npm run reference`.\n',
    '| kind | name | what it is | page |',
    '|---|---|---|---|',
    ...rows.sort(),
  ];
  const pages = plugins.map((plugin) => [`plugins/${plugin.folder}.md`, pluginPage(plugin)] as const);
  return { 'plugins/README.md': `${list.join('\n')}\n`, ...Object.fromEntries(pages) };
}

function pluginPage({ folder, packageName, bundled, contributions }: PluginPackage): string {
  const readme = readFileSync(new URL(`plugins/${folder}/README.md`, root), 'utf8');
  const prose = readme
    .replace(/^# .*\n+/, '')
    .replaceAll(/(\]\()([^)#\s]+)([^)]*\))/g, (_, open: string, target: string, rest: string) => {
      return `${open}${moved(target, folder)}${rest}`;
    });
  const lines = [
    `# ${folder}\n`,
    `\`${packageName}\`; ${bundled ? 'bundled with the CLI' : `\`agentgym plugins install ${folder}\``}.\n`,
    prose.trim(),
    '\n## Declared options\n',
    `Generated from the code by \`npm run reference\`; \`agentgym describe KIND NAME\` prints the same.\n`,
    ...contributions.flatMap(contributionSection),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function contributionSection(contribution: Contribution): string[] {
  const { kind, name, summary, options } = contribution;
  const optimizers = contribution.kind === 'policy' ? contribution.optimizers : [];
  return [
    `### ${kind} \`${name}\`\n`,
    `${summary}.\n`,
    ...capabilities(contribution),
    ...optionTable(options, kind),
    ...optimizers.flatMap((optimizer) => [
      `#### optimizer \`${optimizer.name}\`\n`,
      `${optimizer.summary}. Constants of a stage's \`optimizer.options\`:\n`,
      ...optionTable(optimizer.options, kind),
    ]),
  ];
}

/** What a contribution declares besides its options. */
function capabilities(contribution: Contribution): string[] {
  const said: string[] = [];
  if (contribution.kind === 'environment') {
    said.push(
      `Reports ${['success', 'invalid', ...(contribution.facts ?? [])].map((fact) => `\`${fact}\``).join(', ')}.`,
    );
  }
  if (contribution.kind === 'reward' && contribution.needs !== undefined) {
    said.push(`Needs an environment that reports ${contribution.needs.map((fact) => `\`${fact}\``).join(', ')}.`);
  }
  if (contribution.kind === 'policy') {
    const { optimizers, presets } = contribution;
    const listed = (all: typeof presets) => all.map(({ name, summary }) => `\`${name}\` (${summary})`).join('; ');
    if (presets.length > 0) said.push(`Presets: ${listed(presets)}.`);
    said.push(`Optimizers: ${listed(optimizers)}.`);
  }
  return said.length === 0 ? [] : [`${said.join(' ')}\n`];
}

function optionTable(options: OptionsDeclaration, kind: ContributionKind): string[] {
  const rows = Object.entries(options).map(([name, option]) => {
    const value = option.default === null ? 'not set' : `\`${JSON.stringify(option.default)}\``;
    const axis = kind === 'environment' && option.axis === true ? ' Varied by `ablate complexity`.' : '';
    const resumable = option.resumable === true ? ' It may change at a resume.' : '';
    return `| \`${name}\` | ${describeOptionType(option)} | ${value} | ${option.description.replaceAll('|', '\\|')}.${axis}${resumable} |`.replace(
      '..',
      '.',
    );
  });
  if (rows.length === 0) return ['It has no options.\n'];
  return ['| option | takes | default | meaning |', '|---|---|---|---|', ...rows, ''];
}

/** A link in a plugin's README, relative to `docs/reference/plugins/`. */
function moved(target: string, folder: string): string {
  if (/^[a-z]+:/.test(target)) return target;
  const path = posix.normalize(posix.join('plugins', folder, target));
  const other = /^plugins\/([^/]+)\/README\.md$/.exec(path)?.[1];
  return other === undefined ? posix.relative('docs/reference/plugins', path) : `${other}.md`;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), 'utf8'));
