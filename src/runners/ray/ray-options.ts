import type { OptionsDeclaration, OptionsOf } from '../../contracts/options.js';

export const rayOptions = {
  command: {
    type: 'string',
    default: 'agentgym',
    description: 'Command that starts agentgym on the nodes, such as `npx --yes @agentgym/cli`',
  },
  cpus: { type: 'number', minimum: 0, default: 1, description: 'Processor cores that a run reserves' },
  gpus: { type: 'number', minimum: 0, default: 0, description: 'GPUs that a run reserves' },
  memoryGiB: {
    type: 'number',
    minimum: 0,
    default: null,
    description: 'Memory that a run reserves, and may use; default: it reserves none',
  },
  sharedDisk: {
    type: 'boolean',
    default: false,
    description: 'True if the nodes see the files of this machine at the same paths; runs then write there directly',
  },
  variables: {
    type: 'strings',
    default: [],
    description: 'Names of environment variables of this machine that runs get, such as `[HF_TOKEN]`',
  },
  attempts: {
    type: 'integer',
    minimum: 1,
    default: 4,
    description: 'Maximum number of jobs submitted for a run: a lost job is submitted again',
  },
  outageMinutes: {
    type: 'number',
    minimum: 0,
    default: 10,
    description: 'Minutes without an answer from the head after which a run is given up',
  },
  insecure: {
    type: 'boolean',
    default: false,
    description: 'Accept a head on another machine over http without a token',
  },
} as const satisfies OptionsDeclaration;

export type RayOptions = OptionsOf<typeof rayOptions>;
