import { Args } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import type { ContributionKind } from '../contracts/plugin.js';

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
};

/** `agentgym describe KIND NAME` */
export default class Describe extends BaseCommand {
  static override summary = 'Describe an environment, reward, policy, algorithm, format or tool and its options';
  static override examples = [
    '<%= config.bin %> <%= command.id %> environment textcraft',
    '<%= config.bin %> <%= command.id %> env guess-number',
    '<%= config.bin %> <%= command.id %> algorithm grpo --json',
  ];
  static override args = {
    kind: Args.string({ required: true, options: Object.keys(KINDS), description: 'Kind of the contribution' }),
    name: Args.string({ required: true, description: 'Name of the contribution; `agentgym list` shows the names' }),
  };

  async run() {
    const { args } = await this.parse(Describe);
    const { optionsJsonSchema } = await import('../config/option-schema.js');
    const { optionLines } = await import('../config/option-lines.js');
    const { surveyEnvironment, surveyLines } = await import('../experiments/survey-environment.js');
    const host = await this.openPluginHost();
    const {
      kind,
      name,
      package: plugin,
      version,
      contribution,
    } = await host.find(KINDS[args.kind] as ContributionKind, args.name);
    const { summary, options } = contribution;
    const presets = 'presets' in contribution ? contribution.presets : undefined;
    const facts =
      contribution.kind === 'environment' ? ['success', 'invalid', ...(contribution.facts ?? [])] : undefined;
    const external = contribution.kind === 'tool' ? contribution.external : undefined;
    const survey = kind === 'environment' ? await surveyEnvironment(host, await this.hostSettings(0), name) : undefined;
    const needs = contribution.kind === 'reward' ? contribution.needs : undefined;

    this.say(`${name}: ${summary}`);
    this.say(`${kind} of ${plugin} ${version}`);
    if (facts !== undefined) this.say(`reports ${facts.join(', ')}`);
    if (survey !== undefined) for (const line of surveyLines(survey)) this.say(line);
    if (needs !== undefined) this.say(`needs an environment that reports ${needs.join(', ')}`);
    if (external === true) this.say('its answers may change between calls: runs with it are not exactly repeatable');
    if (presets !== undefined) {
      this.say('\nPresets');
      for (const preset of presets) this.say(`  ${preset.name}  ${preset.summary}`);
    }
    this.say('\nOptions');
    for (const line of optionLines(options, kind)) this.say(`  ${line}`);
    return {
      kind,
      name,
      plugin,
      version,
      summary,
      ...(presets && { presets }),
      ...(facts && { facts }),
      ...(survey && survey),
      ...(needs && { needs }),
      ...(external !== undefined && { external }),
      options,
      schema: optionsJsonSchema(options),
    };
  }
}
