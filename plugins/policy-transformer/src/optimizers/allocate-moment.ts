import type { Executor } from '../executors/executor.js';
import type { StateArrays, StateType } from '../executors/state.js';
import type { Trained } from './optimizer.js';

/** Settings of all update rules. */
export interface MomentOptions {
  /** Type in which moments are kept. */
  readonly stateDtype: StateType;
}

/** One moment of some parameters, zero at the start, as `<moment>.<parameter>` in the order of the parameters. */
export function allocateMoment(
  executor: Executor,
  moment: string,
  { parameters }: Trained,
  names: readonly string[],
  { stateDtype }: MomentOptions,
): StateArrays {
  const wanted = new Set(names);
  const shapes = new Map(
    [...parameters.shapes].filter(([name]) => wanted.has(name)).map(([name, shape]) => [`${moment}.${name}`, shape]),
  );
  return stateDtype === 'bfloat16' ? executor.allocateRounded(shapes) : executor.allocate(shapes);
}
