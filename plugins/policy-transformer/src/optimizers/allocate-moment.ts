import type { Executor } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import type { Trained } from './optimizer.js';

/** One moment of some parameters, zero at the start, as `<moment>.<parameter>` in the order of the parameters. */
export function allocateMoment(
  executor: Executor,
  moment: string,
  { parameters }: Trained,
  names: readonly string[],
): State {
  const wanted = new Set(names);
  const shapes = [...parameters.shapes].filter(([name]) => wanted.has(name));
  return executor.allocate(new Map(shapes.map(([name, shape]) => [`${moment}.${name}`, shape])));
}
