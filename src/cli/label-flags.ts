import { Flags, type Interfaces } from '@oclif/core';

import { manyFlag } from './many-flag.js';
import type { RunLabel } from '../runs/run-label.js';

/** The user's name and note for a run. */
export const labelFlags = {
  name: Flags.string({ helpValue: 'NAME', description: 'Name of the run in lists; commands accept it as RUN' }),
  tag: manyFlag('TAG', 'Tag for `runs list --tag TAG`'),
  note: Flags.string({ helpValue: 'TEXT', description: 'Note about the run' }),
};

/** Empty if none of the flags is given. */
export function labelOf({ name, tag, note }: Interfaces.InferredFlags<typeof labelFlags>): {
  readonly label?: RunLabel;
} {
  if (name === undefined && tag === undefined && note === undefined) return {};
  return { label: { ...(name !== undefined && { name }), tags: tag ?? [], ...(note !== undefined && { note }) } };
}
