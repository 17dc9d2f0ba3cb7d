import { Flags, type Interfaces } from '@oclif/core';

import { AgentgymError } from '../errors/agentgym-error.js';

/** Flags of `report` for formats other than the page. */
export const exportFlags = {
  format: Flags.option({
    options: ['html', 'csv', 'parquet', 'markdown', 'svg'] as const,
    default: 'html' as const,
    description: 'Format: a page, a folder of tables, tables for a paper, or a figure',
  })(),
  by: Flags.option({
    options: ['step', 'episodes', 'turns', 'tokens', 'units', 'seconds'] as const,
    description: 'Horizontal axis of the figure (svg); default: units if every run has a budget, otherwise step',
  })(),
  metric: Flags.string({
    helpValue: 'NAME',
    description:
      'What the figure shows (svg): success, return or turns in the evaluations during training, at their lowest temperature, or a name of ' +
      'metrics.jsonl such as rollout/success; default: success',
  }),
  force: Flags.boolean({
    default: false,
    description: 'Overwrite files that `report` did not write (csv, parquet, markdown, svg)',
  }),
} as const;

/** The formats of each flag that does not apply to all. */
const formatsOf = {
  force: ['csv', 'parquet', 'markdown', 'svg'],
  episodes: ['html'],
  by: ['svg'],
  metric: ['svg'],
} as const;

/** The values of these flags and of one beside them. */
type ExportFlags = Interfaces.InferredFlags<typeof exportFlags> & { readonly episodes?: number | undefined };

/** Refuses a flag that has no effect, because this is the user's error. Throws AG_COMMAND_USAGE. */
export function refuseIdleFlags(flags: ExportFlags): void {
  const names = Object.keys(formatsOf) as (keyof typeof formatsOf)[];
  const idle = names.find((name) => {
    const formats: readonly string[] = formatsOf[name];
    return flags[name] !== undefined && flags[name] !== false && !formats.includes(flags.format);
  });
  if (idle === undefined) return;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--${idle}\` has no effect with \`--format ${flags.format}\`.`,
    hint: 'Remove one of the two.',
  });
}
