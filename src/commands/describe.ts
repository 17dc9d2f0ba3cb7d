import { existsSync } from 'node:fs';

import { Args } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import type { ContributionKind } from '../contracts/plugin.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Accepted names of kinds; the short ones occur in names of packages. */
const KINDS: { readonly [word: string]: ContributionKind } = {
  environment: 'environment',
  env: 'environment',
  reward: 'reward',
  policy: 'policy',
  algorithm: 'algorithm',
  algo: 'algorithm',
  format: 'format',
  tool: 'tool',
  player: 'player',
  sampler: 'sampler',
};

/** `agentgym describe KIND NAME`, `agentgym describe FILE` */
export default class Describe extends BaseCommand {
  static override summary =
    'Describe an environment, reward, policy, algorithm, format, tool, player or sampler and its options, or a file of demonstrations';
  static override examples = [
    '<%= config.bin %> <%= command.id %> environment textcraft',
    '<%= config.bin %> <%= command.id %> env guess-number',
    '<%= config.bin %> <%= command.id %> algorithm grpo --json',
    '<%= config.bin %> <%= command.id %> games.jsonl',
  ];
  static override args = {
    kind: Args.string({
      name: 'kind|file',
      required: true,
      description: `Kind of the contribution (${Object.keys(KINDS).join(', ')}), or a file of demonstrations`,
    }),
    name: Args.string({ description: 'Name of the contribution; `agentgym list` shows the names' }),
  };

  async run() {
    const { args } = await this.parse(Describe);
    const kind = Object.hasOwn(KINDS, args.kind) ? KINDS[args.kind] : undefined;
    if (args.name === undefined && existsSync(args.kind)) return this.describeFile(args.kind);
    if (kind === undefined || args.name === undefined) {
      throw new AgentgymError('AG_COMMAND_USAGE', {
        message:
          kind === undefined
            ? `\`${args.kind}\` is not a kind of contributions${args.name === undefined ? ', and there is no such file' : ''}.`
            : `The name of the ${kind} is missing.`,
        hint:
          kind === undefined
            ? `Kinds: ${Object.keys(KINDS).join(', ')}.`
            : `List the names with \`agentgym list ${kind}\`.`,
      });
    }
    const { describeContribution } = await import('../cli/describe-contribution.js');
    const host = await this.openPluginHost();
    const { document, lines } = await describeContribution(host, await this.hostSettings(0), kind, args.name);
    for (const line of lines) this.say(line);
    return document;
  }

  private async describeFile(file: string) {
    const [{ surveyDemonstrations }, { demonstrationLines }] = await Promise.all([
      import('../demonstrations/survey-demonstrations.js'),
      import('../reporting/demonstration-lines.js'),
    ]);
    const survey = await surveyDemonstrations(file);
    for (const line of demonstrationLines(survey)) this.say(line);
    return survey;
  }
}
