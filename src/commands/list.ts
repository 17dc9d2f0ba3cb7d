import { Args } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import { contributionLists } from '../cli/contribution-lists.js';
import type { ListedContribution } from '../cli/list-contributions.js';

const LISTS = [...Object.values(contributionLists), 'recipes'] as const;

const { environment, ...others } = contributionLists;

/** `describe` takes the singular of a kind, so `list` accepts it too. */
const SINGULAR: { readonly [kind: string]: (typeof LISTS)[number] } = {
  environment,
  env: environment,
  ...others,
  recipe: 'recipes',
};

/** `agentgym list [KIND]` */
export default class List extends BaseCommand {
  static override summary =
    'List environments, rewards, policies, algorithms, formats, tools, players, samplers and recipes';
  static override description =
    'Lists the contributions of the installed plugins and of the current project, and the built-in recipes. `agentgym plugins install` adds more.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> environments',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override args = {
    kind: Args.string({ options: [...LISTS, ...Object.keys(SINGULAR)], description: 'Kind to list; default: all' }),
  };

  async run() {
    const { args } = await this.parse(List);
    const { listContributions, listLines } = await import('../cli/list-contributions.js');
    const host = await this.openPluginHost();
    const all = await listContributions(host);
    const asked = SINGULAR[args.kind ?? ''] ?? args.kind;
    const kinds = LISTS.filter((kind) => asked === undefined || asked === kind);
    const shown: Partial<Record<string, readonly ListedContribution[]>> = {};
    for (const kind of kinds) shown[kind] = all[kind];
    for (const kind of kinds) {
      if (all[kind].length === 0 && args.kind === undefined) continue;
      this.say(kind);
      for (const line of listLines(all[kind])) this.say(line);
      this.say();
    }
    return shown;
  }
}
