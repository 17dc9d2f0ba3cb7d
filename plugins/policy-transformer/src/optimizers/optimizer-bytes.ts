import type { OptimizerSettings } from '@agentgym/cli';

import { totalElements } from '../operations/shapes.js';
import type { Shape } from '../operations/tensor.js';
import { readOptimizer } from './create-optimizer.js';
import { isHiddenMatrix } from './muon.js';

/** Bytes of an optimizer. */
export interface OptimizerBytes {
  /** What it keeps from step to step. */
  readonly moments: number;
  /** What its programs hold besides. Vectors are computed in parts that take next to nothing. */
  readonly update: number;
}

/** Numbers of a hidden matrix that Muon's program holds at its peak, for each number of the matrix, with its results. */
const MUON_NUMBERS = 5;

/** The memory of an optimizer that `createOptimizer` would make for parameters of these shapes. */
export function optimizerBytes(settings: OptimizerSettings, shapes: ReadonlyMap<string, Shape>): OptimizerBytes {
  const { name, options } = readOptimizer(settings);
  const all = totalElements(shapes);
  const hidden = totalElements(new Map([...shapes].filter(isHiddenMatrix)));
  const bytes = options.stateDtype === 'bfloat16' ? 2 : 4;
  if (name === 'muon') return { moments: bytes * (hidden + 2 * (all - hidden)), update: 4 * MUON_NUMBERS * hidden };
  if (name === 'adamw') return { moments: bytes * 2 * all, update: 0 };
  return { moments: options.momentum > 0 ? bytes * all : 0, update: 0 };
}
