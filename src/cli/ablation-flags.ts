import { Flags } from '@oclif/core';

import type { Json } from '../contracts/json.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { memoryCheckFlag } from './memory-check-flag.js';
import { runnerFlags } from './runner-flags.js';

/** Flags of `ablate` besides its axis. */
export const ablationFlags = {
  recipe: Flags.string({ helpValue: 'RECIPE', description: "Recipe to vary; default: the project's" }),
  seeds: Flags.integer({ min: 1, description: 'Seeds per cell; a later call with more seeds adds runs; default: 3' }),
  values: Flags.string({
    helpValue: 'LIST',
    description: 'Values of the axis, as YAML, such as "[0, 0.5, 1]"; default: the values that the axis proposes',
  }),
  workers: Flags.integer({
    min: 1,
    description: 'Runs at the same time; default: as many as there are cores and memory for',
  }),
  share: Flags.boolean({
    default: true,
    allowNo: true,
    description:
      'Play shared demonstrations and train shared supervised stages once per seed; the numbers are the same either way',
  }),
  ...memoryCheckFlag,
  ...runnerFlags(),
  output: Flags.string({
    helpValue: 'DIR',
    description: 'Folder of the ablation; default: a folder below runs/ablations',
  }),
  metric: Flags.option({
    options: ['success', 'return', 'turns'] as const,
    default: 'success' as const,
    description: 'Measure to compare',
  })(),
  temperature: Flags.custom<number>({
    helpValue: 'T',
    default: 0,
    description: 'Temperature of the final evaluation to compare',
    parse: (text) => Promise.resolve(Number(text)),
  })(),
  'budget-seconds': Flags.integer({
    min: 1,
    helpValue: 'S',
    description: 'Stop after this many seconds; the same command continues',
  }),
  'dry-run': Flags.boolean({
    description: 'Train a few steps, once for equally fast cells, print how long the grid will take, and stop',
  }),
  yes: Flags.boolean({
    char: 'y',
    description: 'Run a grid of any size, and install missing plugins',
  }),
} as const;

/** The value of `--values`: a list, or a map by option. Throws AG_COMMAND_USAGE. */
export async function parseValues(text: string): Promise<readonly Json[]> {
  const { parseDocument } = await import('../config/parse-document.js');
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
