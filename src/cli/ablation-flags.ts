import { Flags } from '@oclif/core';

import type { Json } from '../contracts/json.js';
import { messageOf } from '../errors/message-of.js';

/** What `ablate` takes beside its axis. */
export const ablationFlags = {
  recipe: Flags.string({ helpValue: 'RECIPE', description: "The recipe that is varied; absent: the project's" }),
  seeds: Flags.integer({ min: 1, description: 'Seeds of each cell; more seeds later add to what is there' }),
  values: Flags.string({
    helpValue: 'LIST',
    description: 'What to try along the axis, as YAML, such as "[0, 0.5, 1]"; absent: what the axis proposes',
  }),
  workers: Flags.integer({ min: 1, description: 'Runs side by side; absent: one a processor core' }),
  share: Flags.boolean({
    default: true,
    allowNo: true,
    description: 'Train supervised stages that cells have in common once a seed; the numbers are the same either way',
  }),
  output: Flags.string({ helpValue: 'DIR', description: "The ablation's folder; absent: one below runs/ablations" }),
  metric: Flags.option({
    options: ['success', 'return', 'turns'] as const,
    default: 'success' as const,
    description: 'What is compared',
  })(),
  temperature: Flags.custom<number>({
    helpValue: 'T',
    default: 0,
    description: 'Temperature of the final evaluation that is compared',
    parse: (text) => Promise.resolve(Number(text)),
  })(),
  'budget-seconds': Flags.integer({
    min: 1,
    helpValue: 'S',
    description: 'Stop after so many seconds, resumable; the same command goes on',
  }),
  'dry-run': Flags.boolean({ description: 'Train a few steps of one cell, print what the grid will take, and stop' }),
  yes: Flags.boolean({
    char: 'y',
    description: 'Run a grid of any size, and install plugins that are named and not installed',
  }),
} as const;

/** The value of `--values`: a list, or a map by option. Throws AG_COMMAND_USAGE. */
export async function parseValues(text: string): Promise<readonly Json[]> {
  const [{ parseDocument }, { AgentgymError }] = await Promise.all([
    import('../config/parse-document.js'),
    import('../errors/agentgym-error.js'),
  ]);
  let value: Json;
  try {
    value = parseDocument(text).content;
  } catch (error) {
    const hint = 'Quote it for the shell, such as `--values "[sparse, dense]"`.';
    const message = `\`--values\` cannot be read: ${messageOf(error)}`;
    throw new AgentgymError('AG_COMMAND_USAGE', { message, hint, cause: error });
  }
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}
