import { existsSync } from 'node:fs';

import { Args } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import { contributionLists } from '../cli/contribution-lists.js';
import type { ContributionKind } from '../contracts/plugin.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';

/** Short names of kinds, which occur in names of packages. */
const SHORT: { readonly [word: string]: ContributionKind } = { env: 'environment', algo: 'algorithm' };

/** All accepted names of kinds. */
const WORDS = Object.keys(contributionLists).flatMap((kind) => [
  kind,
  ...Object.keys(SHORT).filter((word) => SHORT[word] === kind),
]);

/** `agentgym describe [KIND] NAME`, `agentgym describe FILE` */
export default class Describe extends BaseCommand {
  static override summary =
    'Describe an environment, reward, policy, algorithm, format, tool, player or sampler and its options, or a file of demonstrations';
  static override examples = [
    '<%= config.bin %> <%= command.id %> environment textcraft',
    '<%= config.bin %> <%= command.id %> env guess-number',
    '<%= config.bin %> <%= command.id %> grpo --json',
    '<%= config.bin %> <%= command.id %> games.jsonl',
  ];
  static override args = {
    kind: Args.string({
      name: 'kind|name|file',
      required: true,
      description: `Kind of the contribution (${WORDS.join(', ')}), a name that only one kind has, or a file of demonstrations`,
    }),
    name: Args.string({ description: 'Name of the contribution; `agentgym list` shows the names' }),
  };

  async run() {
    const { args } = await this.parse(Describe);
    const kind = WORDS.includes(args.kind) ? (SHORT[args.kind] ?? (args.kind as ContributionKind)) : undefined;
    if (args.name === undefined && existsSync(args.kind)) return this.describeFile(args.kind);
    if (kind === undefined && args.name !== undefined) {
      throw new AgentgymError('AG_COMMAND_USAGE', {
        message: `\`${args.kind}\` is not a kind of contribution.`,
        hint: `Kinds: ${WORDS.join(', ')}.`,
      });
    }
    if (kind !== undefined && args.name === undefined) {
      throw new AgentgymError('AG_COMMAND_USAGE', {
        message: `The name of the ${kind} is missing.`,
        hint: `List the names with \`agentgym list ${kind}\`.`,
      });
    }
    const host = await this.openPluginHost();
    const name = args.name ?? args.kind;
    const found = kind ?? (await this.onlyKindOf(host, name));
    const { describeContribution } = await import('../cli/describe-contribution.js');
    const { document, lines } = await describeContribution(host, await this.hostSettings(0), found, name);
    for (const line of lines) this.say(line);
    return document;
  }

  /** The only kind that has a contribution with this name. Throws AG_COMMAND_USAGE. */
  private async onlyKindOf(host: PluginHost, name: string): Promise<ContributionKind> {
    const { allContributions } = await import('../plugins/open-plugin-host.js');
    const { nearestName } = await import('../config/nearest-name.js');
    const all = await allContributions(host);
    const kinds = [...new Set(all.filter((one) => one.name === name).map(({ kind }) => kind))];
    const [only] = kinds;
    if (only !== undefined && kinds.length === 1) return only;
    if (kinds.length > 1) {
      throw new AgentgymError('AG_COMMAND_USAGE', {
        message: `\`${name}\` is the name of more than one contribution.`,
        hint: `Write ${kinds.map((kind) => `\`agentgym describe ${kind} ${name}\``).join(' or ')}.`,
      });
    }
    const near = nearestName(name, [...WORDS, ...all.map((one) => one.name)]);
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `\`${name}\` is not a kind of contribution, not the name of a contribution, and not a file.`,
      hint: `${near === undefined ? '' : `Did you mean \`${near}\`? `}Kinds: ${WORDS.join(', ')}. \`agentgym list\` shows the names.`,
    });
  }

  private async describeFile(file: string) {
    const { surveyDemonstrations } = await import('../demonstrations/survey-demonstrations.js');
    const { demonstrationLines } = await import('../reporting/demonstration-lines.js');
    const survey = await surveyDemonstrations(file);
    for (const line of demonstrationLines(survey)) this.say(line);
    return survey;
  }
}
