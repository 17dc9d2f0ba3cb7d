import { Flags } from '@oclif/core';

/** What `report` takes for forms other than the page. */
export const exportFlags = {
  format: Flags.option({
    options: ['html', 'csv', 'parquet', 'markdown'] as const,
    default: 'html' as const,
    description: 'A page, a folder of tables, or the tables of a paper',
  })(),
  force: Flags.boolean({
    default: false,
    description: 'Write over, or beside, what `report` did not write (csv, parquet, markdown)',
  }),
} as const;

/** A flag that was written and does nothing is the user's error. Throws AG_COMMAND_USAGE. */
export async function refuseIdleFlags(flags: { format: string; force: boolean; episodes?: number | undefined }) {
  const idle = flags.format === 'html' ? flags.force && 'force' : flags.episodes !== undefined && 'episodes';
  if (idle === false) return;
  const { AgentgymError } = await import('../errors/agentgym-error.js');
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--${idle}\` has no effect with \`--format ${flags.format}\`.`,
    hint: 'Leave one of the two out.',
  });
}
