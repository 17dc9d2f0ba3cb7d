// Checks of a plugin's code besides the kits of its contributions. The first two kits run in a process of the plugin;
// the last checks are made by the process that observes it.
import type { Contribution } from '../contracts/plugin.js';
import { optionChecks } from '../credit/option-checks.js';
import type { OptionFinding } from '../contracts/options.js';
import { checkShape } from '../errors/check-shape.js';
import { messageOf } from '../errors/message-of.js';
import { checkContributions } from '../plugins/check-contributions.js';
import { moduleShapes } from '../rollout/contribution-shapes.js';
import { type CheckDescription, Kit, type KitSettings } from '../testing/conformance-kit.js';
import { changedGlobals } from '../testing/purity-checks.js';
import { type OptionSet, optionSets } from './option-sets.js';

interface EntryContext extends ReturnType<typeof checkContributions> {
  /** Names of the global state that the import changed. */
  readonly changed: readonly string[];
}

/** Checks the import of an entry, by its URL. */
export const entryKit = new Kit<string, KitSettings, EntryContext>({
  preparation: {
    id: 'entry-loads',
    title: 'the entry can be imported',
    cure: 'Import the entry alone in Node and fix the error. Move code that may fail into load() or create().',
  },
  checks: [
    {
      id: 'entry-shape',
      title: 'the entry exports a list of valid contributions',
      cure: 'Fix that member. `satisfies EnvironmentContribution<typeof options>` finds it while you type.',
      run: ({ complaints }) => complaints,
    },
    {
      id: 'entry-global-state',
      title: 'importing the entry does not change the process',
      cure: 'Do no work at import. Every command imports every plugin.',
      run: ({ changed }) => changed.map((name) => `importing the entry changed ${name}`),
    },
  ],
  prepare: async (entry) => {
    let exported: unknown;
    const changed = await changedGlobals(async () => {
      exported = ((await import(entry)) as { default?: unknown }).default;
    });
    return { ...checkContributions(exported), changed };
  },
});

/** Settings of a recipe's `algorithm` under which options of algorithms are validated. */
const updateSettings = { groupSize: 8, epochs: 2, minibatches: 2, recomputeLogprobs: false, importanceCap: 2 };

/** A set of options, and what validate() says about it. */
interface JudgedSet {
  readonly set: OptionSet;
  /** What is wrong with the findings themselves. */
  readonly misshapen?: string;
  /** Messages of the findings that refuse the options. */
  readonly refused: readonly string[];
}

interface LoadedContribution {
  readonly module: Record<string, unknown>;
  readonly judged: readonly JudgedSet[];
}

const findingShape = { path: 'array', message: 'string', hint: 'string' } as const;

function judge(contribution: Contribution, { validate }: Record<string, unknown>, set: OptionSet): JudgedSet {
  const refused: string[] = [];
  try {
    const said: unknown[] = [contribution.validate?.(set.options as never) ?? []];
    if (contribution.kind === 'algorithm' && typeof validate === 'function')
      said.push((validate as (...given: unknown[]) => unknown)(set.options, updateSettings, optionChecks));
    for (const finding of said.flatMap((findings) => checkShape(findings, 'array', 'validate()'))) {
      const { path, message, idle, setting } = checkShape(
        finding as OptionFinding & { readonly setting?: unknown },
        findingShape,
        'a finding of validate()',
      );
      if (path[0] !== undefined && !Object.hasOwn(contribution.options, path[0]))
        throw new Error(`validate() reports an option that is not declared: ${path[0]}`);
      if (idle !== true && setting === undefined) refused.push(message);
    }
    return { set, refused };
  } catch (error) {
    return { set, misshapen: messageOf(error), refused };
  }
}

/** Checks what a contribution loads, and its validate(). */
export const loadKit = new Kit<Contribution, KitSettings, LoadedContribution>({
  preparation: {
    id: 'load',
    title: 'load() returns the functions of the contract',
    cure: 'Let load() import the module, and export the functions of the contract from it.',
  },
  checks: [
    {
      id: 'options',
      title: 'validate() accepts the defaults and works for all options that the declaration allows',
      cure: 'Return a list of {path, message, hint} for all options that the declaration allows, and an empty list for the defaults.',
      run: ({ judged }) =>
        judged.flatMap(({ set: { label }, misshapen, refused }) => [
          misshapen && `with ${label ?? 'the defaults'}: ${misshapen}`,
          ...(label === undefined ? refused : []).map((message) => `validate() refuses the defaults: ${message}`),
        ]),
    },
  ],
  prepare: async (contribution) => {
    const loaded: unknown = await contribution.load();
    const module = checkShape(loaded, moduleShapes[contribution.kind], 'load()') as Record<string, unknown>;
    return { module, judged: optionSets(contribution.options).map((set) => judge(contribution, module, set)) };
  },
});

/** What only an observer sees of a process that imports an entry, or checks a contribution. */
export const observerChecks = {
  deadline: {
    id: 'deadline',
    title: 'no import and no call hangs',
    cure: 'Set a time limit for every wait, and look for endless loops. Download, compile and connect in open() or create(), not at import.',
  },
  exits: {
    id: 'exits',
    title: 'nothing ends the process',
    cure: 'Throw an error instead of calling process.exit, and handle the errors of streams, workers and child processes.',
  },
  silent: {
    id: 'silent',
    title: 'nothing is printed to standard output, which with `--json` is one document',
    cure: 'Print nothing; use `host.log`.',
  },
  ends: {
    id: 'ends',
    title: 'the process ends by itself after its work',
    cure: 'Open nothing at import. Close sockets, timers, workers and child processes in close() or dispose(), or unref() them.',
  },
} as const satisfies { readonly [id: string]: CheckDescription };
