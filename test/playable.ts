import type { EnvironmentContribution } from '../src/contracts/plugin.js';
import { optionDefaults } from '../src/testing/index.js';

/** Whether an environment can be played with the defaults of its options. `python` plays what its user names. */
export function isPlayable({ options, validate }: EnvironmentContribution): boolean {
  return (validate?.(optionDefaults(options)) ?? []).every(({ idle }) => idle === true);
}
