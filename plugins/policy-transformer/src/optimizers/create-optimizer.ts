import type { JsonObject, OptimizerDeclaration, OptimizerSettings } from '@agentgym/cli';

import type { Executor } from '../executors/executor.js';
import type { MomentOptions } from './allocate-moment.js';
import { Adamw } from './adamw.js';
import { ClippedOptimizer } from './clipped-optimizer.js';
import { optimizers } from './declarations.js';
import { Muon } from './muon.js';
import type { Optimizer, Trained, UpdateRule } from './optimizer.js';
import { Sgd } from './sgd.js';

/** Names that `createOptimizer` knows. */
export const optimizerNames: readonly string[] = optimizers.map(({ name }) => name);

/**
 * Makes an optimizer over an executor's state, with the options of its declaration. Throws on an unknown name or option, and
 * on a value out of range. The error says what is allowed.
 */
export function createOptimizer(settings: OptimizerSettings, trained: Trained, executor: Executor): Optimizer {
  return new ClippedOptimizer(updateRule(), trained.gradients, executor);

  function updateRule(): UpdateRule {
    const names = [...trained.parameters.shapes.keys()];
    const { name, options } = readOptimizer(settings);
    if (name === 'sgd') return new Sgd(executor, trained, names, options);
    return name === 'muon' ? new Muon(executor, trained, options) : new Adamw(executor, trained, names, options);
  }
}

/** The name and all options of an optimizer, checked as `createOptimizer` says. */
export function readOptimizer({ name, options }: OptimizerSettings): {
  readonly name: string;
  readonly options: Constants;
} {
  const declared = optimizers.find((one) => one.name === name);
  if (declared === undefined) {
    throw new Error(`there is no optimizer ${JSON.stringify(name)}; available: ${optimizerNames.join(', ')}`);
  }
  return { name, options: readOptions(declared, options) };
}

/** All constants that some optimizer has. Those that this one does not declare are absent, and it does not read them. */
type Constants = MomentOptions & {
  readonly [name in 'momentum' | 'beta1' | 'beta2' | 'epsilon' | 'weightDecay']: number;
};

function readOptions({ name: kind, options }: OptimizerDeclaration, given: JsonObject): Constants {
  for (const [name, value] of Object.entries(given)) {
    const option = options[name];
    if (option === undefined) {
      throw new Error(`optimizer ${kind} has no option ${name}; it has ${Object.keys(options).join(', ')}`);
    }
    const wrong = (allowed: string) =>
      new Error(`${name} of optimizer ${kind} is ${JSON.stringify(value)}; it must ${allowed}`);
    if (option.type === 'choice' && !option.choices.includes(value as string)) {
      throw wrong(`be ${option.choices.join(' or ')}`);
    }
    const { maximum = Infinity } = option as { readonly maximum?: number };
    if (option.type === 'number' && !(typeof value === 'number' && value >= 0 && value < maximum)) {
      throw wrong(`lie in [0, ${maximum})`);
    }
  }
  const defaults = Object.entries(options).map(([name, option]) => [name, option.default] as const);
  return { ...Object.fromEntries(defaults), ...given } as unknown as Constants;
}
