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
  /** The other environments that the final evaluation plays, by what the recipe calls them; absent where there are none. */
  readonly transfer?: { readonly [name: string]: TransferProof };
}

/** What is played of an environment that nothing is trained on. */
interface TransferProof {
  readonly environment: string;
  readonly split: 'validation' | 'test';
  readonly tasks: number;
  readonly fingerprint: string;
  /** Tasks shared with those that the run learns from or chooses by, both 0; absent where the ids are another environment's, and say nothing. */
  readonly overlap?: { readonly train: number; readonly heldOut: number };
}

/** Tasks that the final evaluation plays in another environment than the recipe's. */
export interface TransferTasks {
  /** What the recipe calls it. */
  readonly name: string;
  readonly environment: string;
  /** The recipe's environment with other options: the same id is the same task, or nearly. */
  readonly isKin: boolean;
  readonly split: 'validation' | 'test';
  readonly ids: readonly string[];
}

/**
 * Proves that training, validation and test share no task (law 10), from the ids of the tasks themselves.
 * Throws AG_SPLIT_LEAK, naming a shared task, where they do. Options may deal the tasks of one environment anew, so what is played of it
 * with other options must share none with training either, nor with the other held-out split.
 */
export function proveSplits(
  tasks: { readonly [use in TaskUse]: Iterable<string> },
  transfer: readonly TransferTasks[] = [],
): SplitProof {
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
    ...(transfer.length > 0 && {
      transfer: Object.fromEntries(
        transfer.map((one) => [one.name, proveTransfer(one, train, one.split === 'test' ? validation : test)]),
      ),
    }),
  };
}

function proveTransfer(
  { name, environment, isKin, split, ids }: TransferTasks,
  train: ReadonlySet<string>,
  heldOut: ReadonlySet<string>,
): TransferProof {
  const own = new Set(ids);
  const proof = { environment, split, tasks: own.size, fingerprint: fingerprint(own) };
  if (!isKin) return proof;
  const called = `the ${split} split of \`evaluation.final.transfer.${name}\``;
  const hint = `Give \`${name}\` options whose tasks are none of the recipe's own, or under which the environment deals them alike.`;
  refuseShared('the training split', train, called, own, hint);
  refuseShared(split === 'test' ? 'validation' : 'test', heldOut, called, own, hint);
  return { ...proof, overlap: { train: shared(train, own).length, heldOut: shared(heldOut, own).length } };
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
  hint?: string,
): void {
  const both = shared(left, right);
  if (both.length === 0) return;
  throw new AgentgymError('AG_SPLIT_LEAK', {
    message: `${both.length} of the tasks of ${leftName} are also tasks of ${rightName}, the first being "${both[0]}".`,
    ...(hint !== undefined && { hint }),
  });
}
