import type { JsonObject, OptimizerSettings } from '@agentgym/cli';

import type { Executor } from '../executors/executor.js';
import type { StateType } from '../executors/state.js';
import type { MomentOptions } from './allocate-moment.js';
import { Adamw } from './adamw.js';
import { ClippedOptimizer } from './clipped-optimizer.js';
import { Muon } from './muon.js';
import type { Optimizer, Trained, UpdateRule } from './optimizer.js';
import { Sgd } from './sgd.js';

const stateTypes: readonly StateType[] = ['float32', 'bfloat16'];

const kinds = {
  adamw: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 },
  muon: { momentum: 0.95, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 },
  sgd: { momentum: 0, weightDecay: 0 },
} as const;

/** Names that `createOptimizer` knows. */
export const optimizerNames: readonly string[] = Object.keys(kinds);

/**
 * Makes an optimizer over an executor's state. Options and defaults: `adamw` beta1 0.9, beta2 0.999, epsilon 1e-8,
 * weightDecay 0; `muon` momentum 0.95 on hidden matrices, and beta1 0.9, beta2 0.95, epsilon 1e-8 for AdamW on the rest,
 * weightDecay 0; `sgd` momentum 0, weightDecay 0; all of them `stateDtype` float32, in which they keep moments. Throws on
 * an unknown name or option, and on a value out of range. The error says what is allowed.
 */
export function createOptimizer({ name, options }: OptimizerSettings, trained: Trained, executor: Executor): Optimizer {
  return new ClippedOptimizer(updateRule(), trained.gradients, executor);

  function updateRule(): UpdateRule {
    const names = [...trained.parameters.shapes.keys()];
    if (name === 'adamw') return new Adamw(executor, trained, names, readOptions(options, name));
    if (name === 'muon') return new Muon(executor, trained, readOptions(options, name));
    if (name === 'sgd') return new Sgd(executor, trained, names, readOptions(options, name));
    throw new Error(`there is no optimizer ${JSON.stringify(name)}; available: ${optimizerNames.join(', ')}`);
  }
}

type OptionsOfKind<Kind extends keyof typeof kinds> = MomentOptions & {
  readonly [Name in keyof (typeof kinds)[Kind]]: number;
};

function readOptions<Kind extends keyof typeof kinds>(
  { stateDtype = 'float32', ...given }: JsonObject,
  kind: Kind,
): OptionsOfKind<Kind> {
  const defaults: { readonly [name: string]: number } = kinds[kind];
  if (!stateTypes.includes(stateDtype as StateType)) {
    const allowed = stateTypes.join(' or ');
    throw new Error(`stateDtype of optimizer ${kind} is ${JSON.stringify(stateDtype)}; it must be ${allowed}`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults)) {
      const known = [...Object.keys(defaults), 'stateDtype'].join(', ');
      throw new Error(`optimizer ${kind} has no option ${name}; it has ${known}`);
    }
    const highest = name === 'weightDecay' || name === 'epsilon' ? Infinity : 1;
    if (typeof value !== 'number' || !(value >= 0 && value < highest)) {
      throw new Error(`${name} of optimizer ${kind} is ${JSON.stringify(value)}; it must lie in [0, ${highest})`);
    }
  }
  return { ...defaults, ...given, stateDtype } as OptionsOfKind<Kind>;
}
