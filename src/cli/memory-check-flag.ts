import { Flags } from '@oclif/core';

/** Flag of commands that train. */
export const memoryCheckFlag = {
  'memory-check': Flags.boolean({
    default: true,
    allowNo: true,
    description:
      'Refuse a run that needs more memory than is available; `agentgym doctor --recipe` lists what it needs',
  }),
} as const;
