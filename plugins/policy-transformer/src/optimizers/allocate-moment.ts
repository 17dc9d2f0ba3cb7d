import type { Executor } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import type { Trained } from './optimizer.js';

/** One moment of some parameters, zero at the start, as `<moment>.<parameter>`. */
export function allocateMoment(
  executor: Executor,
  moment: string,
  { parameters }: Trained,
  names: readonly string[],
): State {
  return executor.allocate(new Map(names.map((name) => [`${moment}.${name}`, parameters.shapes.get(name) ?? []])));
}
