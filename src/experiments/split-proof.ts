import { createHash } from 'node:crypto';

import { AgentgymError } from '../errors/agentgym-error.js';

/** What tasks are used for; the first two are training. */
export type TaskUse = 'demonstrations' | 'rl' | 'validation' | 'test';

/** Which tasks a run used for what, by count and fingerprint, and how many two uses share. */
export interface SplitProof {
  readonly uses: {
    readonly [use in TaskUse]: {
      /** Different tasks. */
      readonly tasks: number;
      /** SHA-256 of their ids, sorted by code unit and joined by newlines. */
      readonly fingerprint: string;
    };
  };
  /** Demonstrations and RL may share tasks; every other number is 0. */
  readonly overlap: {
    readonly demonstrationsAndRl: number;
    readonly trainAndValidation: number;
    readonly trainAndTest: number;
    readonly validationAndTest: number;
  };
}

/**
 * Proves that training, validation and test share no task (law 10), from the ids of the tasks themselves.
 * Throws AG_SPLIT_LEAK, naming a shared task, where they do.
 */
export function proveSplits(tasks: { readonly [use in TaskUse]: Iterable<string> }): SplitProof {
  const demonstrations = new Set(tasks.demonstrations);
  const rl = new Set(tasks.rl);
  const train = new Set([...demonstrations, ...rl]);
  const validation = new Set(tasks.validation);
  const test = new Set(tasks.test);
  refuseShared('the training split', train, 'validation', validation);
  refuseShared('the training split', train, 'test', test);
  refuseShared('validation', validation, 'test', test);
  const describe = (ids: ReadonlySet<string>) => ({ tasks: ids.size, fingerprint: fingerprint(ids) });
  return {
    uses: {
      demonstrations: describe(demonstrations),
      rl: describe(rl),
      validation: describe(validation),
      test: describe(test),
    },
    overlap: {
      demonstrationsAndRl: shared(demonstrations, rl).length,
      trainAndValidation: shared(train, validation).length,
      trainAndTest: shared(train, test).length,
      validationAndTest: shared(validation, test).length,
    },
  };
}

function fingerprint(ids: ReadonlySet<string>): string {
  // Sorted by code units: the order of a locale would make the fingerprint depend on the machine.
  return createHash('sha256')
    .update([...ids].sort().join('\n'))
    .digest('hex');
}

function shared(left: ReadonlySet<string>, right: ReadonlySet<string>): string[] {
  return [...left].filter((id) => right.has(id));
}

function refuseShared(
  leftName: string,
  left: ReadonlySet<string>,
  rightName: string,
  right: ReadonlySet<string>,
): void {
  const both = shared(left, right);
  if (both.length === 0) return;
  throw new AgentgymError('AG_SPLIT_LEAK', {
    message: `${both.length} of the tasks of ${leftName} are also tasks of ${rightName}, the first being "${both[0]}".`,
  });
}
