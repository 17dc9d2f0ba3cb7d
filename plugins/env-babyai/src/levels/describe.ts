import { Description } from '../instructions/description.js';
import type { Thing } from '../world/thing.js';

/** A description by kind and colour. */
export function describe({ kind, colour }: Thing): Description {
  return kind === 'wall' ? new Description({ colour }) : new Description({ kind, colour });
}

export function describeKind({ kind }: Thing): Description {
  return kind === 'wall' ? new Description({}) : new Description({ kind });
}
