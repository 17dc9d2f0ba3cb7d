import { Flags } from '@oclif/core';

import { manyFlag } from './many-flag.js';
import { promptFlags } from './prompt-flags.js';

/** Flags that `play` and `evaluate` share. */
export const playingFlags = {
  split: Flags.option({
    options: ['train', 'validation', 'test'] as const,
    description: 'Split of the tasks',
  })(),
  tasks: Flags.integer({ min: 1, description: 'Number of tasks, each at most once' }),
  'episodes-per-task': Flags.integer({ min: 1, default: 1, description: 'Attempts per task' }),
  temperature: Flags.string({ helpValue: 'T', default: '0', description: 'Sampling temperature of a model' }),
  turns: Flags.integer({ min: 1, description: "Horizon; default: the run's or the environment's own" }),
  option: manyFlag('KEY=VALUE', 'Set an option of the environment; the value is read as YAML'),
  'policy-option': manyFlag(
    'KEY=VALUE',
    "Set an option of a model's policy, which overrides the run's own, or of a text model",
  ),
  format: Flags.string({
    helpValue: 'NAME',
    description: "Action format of a model; default: the run's own, or plain",
  }),
  'format-option': manyFlag('KEY=VALUE', 'Set an option of the action format'),
  'max-action-tokens': Flags.integer({
    min: 1,
    helpValue: 'N',
    description: "Tokens after which an answer is cut; default: the run's own, or 64",
  }),
  tool: manyFlag('NAME', "A tool that the player may call; default: the run's own"),
  ...promptFlags,
  seed: Flags.integer({ default: 0, description: 'Seed of all random numbers' }),
};
