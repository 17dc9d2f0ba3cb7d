import { Flags } from '@oclif/core';

/** A flag that may be given several times, each time with one value. */
export function manyFlag(helpValue: string, description: string) {
  return Flags.string({ multiple: true, multipleNonGreedy: true, helpValue, description });
}
