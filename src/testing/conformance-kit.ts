import type { Awaitable } from '../contracts/environment.js';
import { checkShape } from '../errors/check-shape.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { messageOf } from '../errors/message-of.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { instanceShapes } from '../rollout/contribution-shapes.js';
import type { Found } from './findings.js';

/** Begins the finding of a check that threw. Tests of findings make sure that theirs is another one. */
export const unfinishedCheck = 'the check did not finish';

/** The words of a check, next to its code. `npm run reference` writes docs/reference/checks.md from them. */
export interface CheckDescription {
  readonly id: string;
  /** What is promised if the check passes. */
  readonly title: string;
  /** How to repair it. */
  readonly cure: string;
  /** Default: `error`. */
  readonly severity?: 'error' | 'warning';
}

/** One check of a kit. `run` returns its findings, as sentences that name the place. */
export interface KitCheck<Context> extends CheckDescription {
  /** Why the check is not needed here, such as "it has no oracle"; undefined if it is needed. */
  idle?(context: Context): string | undefined;
  run(context: Context): Awaitable<Found>;
}

/** A problem that a check found. */
export interface Finding extends Required<CheckDescription> {
  /** What went wrong, and where: task, turn, action. */
  readonly message: string;
}

/** The outcome of one check. */
export interface CheckOutcome {
  readonly id: string;
  /** `failed`: the check found an error; a check with only warnings has passed. */
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly findings: readonly Finding[];
  readonly seconds?: number;
  /** Why it was skipped. */
  readonly reason?: string;
}

/** Settings of every kit, besides its subject. */
export interface KitSettings {
  /** Root seed of all random numbers of the kit. */
  readonly seed?: number;
  /** Ids of checks that are skipped because their findings are known and accepted. */
  readonly accept?: readonly string[];
  /** Ids of the only checks to run; absent: all. */
  readonly only?: readonly string[];
  /** Called before each check, so that an observer in another process knows which check hangs. */
  readonly started?: (id: string) => void;
  /** Called with each outcome. */
  readonly finished?: (outcome: CheckOutcome) => void;
  /** Maximum seconds of one check. */
  readonly secondsPerCheck?: number;
}

/** The outcomes of a kit, and what its checks read; without a context the subject could not be prepared. */
export interface KitReport<Context> {
  readonly checks: readonly CheckOutcome[];
  readonly context?: Context;
}

/**
 * The function of a test runner that declares a test: `it` of vitest, `test` of node:test, and so on. The third
 * argument is the time limit of the test, in milliseconds. A runner that does not know the argument ignores it.
 */
export type DeclareTest = (name: string, body: () => Promise<void>, limit: number) => unknown;

/**
 * Time limit of a declared test, in milliseconds. The first test waits for the whole kit, which can take longer than
 * the default limit of test runners, 5 seconds.
 */
const testLimit = 600_000;

/** What a kit checks: a contribution's module, which takes options of a type that no kit knows, and such options. */
export type SubjectOf<Module> = Module & { readonly options: unknown };

interface KitParts<Subject, Settings, Context> {
  readonly checks: readonly KitCheck<Context>[];
  /** The check that fails if the subject cannot be prepared. */
  readonly preparation?: CheckDescription;
  /** Reports what is down, instead of the checks that could not run; absent: this kind cannot be down. */
  readonly availability?: CheckDescription;
  /** Creates the argument of every check. `atEnd` takes what is called after the last check, the newest first. */
  readonly prepare: (
    subject: Subject,
    settings: Settings,
    atEnd: (free: () => Awaitable<unknown>) => void,
  ) => Awaitable<Context>;
}

const creation: CheckDescription = {
  id: 'create',
  title: 'create() works and returns a valid instance',
  cure: 'Make create() work with the declared defaults, and return every member of the contract.',
};

/**
 * The checks of one kind of subject. They run one after the other; a check that throws has a finding, too. They need no
 * test runner.
 *
 * @example
 * ```ts
 * const findings = await environmentKit.check({ ...module, contribution, options: { depths: [1, 2] } });
 * describe('conformance', () => environmentKit.describe(it, { ...module, contribution, options: { depths: [1] } }));
 * ```
 */
export class Kit<Subject, Settings extends KitSettings, Context> {
  readonly #parts: KitParts<Subject, Settings, Context>;
  /** Those that run whatever is selected. */
  readonly #always: readonly CheckDescription[];

  constructor(parts: KitParts<Subject, Settings, Context>) {
    this.#parts = parts;
    const { preparation = creation, availability } = parts;
    this.#always = availability === undefined ? [preparation] : [preparation, availability];
  }

  /** All checks, in order. */
  get checks(): readonly CheckDescription[] {
    return [...this.#always, ...this.#parts.checks];
  }

  /** Runs the checks and reports the outcome of each. */
  async examine(subject: Subject, settings: Settings): Promise<KitReport<Context>> {
    const { accept = [], only, started, finished, secondsPerCheck = Infinity } = settings;
    const { availability, checks, prepare } = this.#parts;
    const [preparation] = this.#always as [CheckDescription];
    const outcomes: CheckOutcome[] = [];
    const frees: (() => Awaitable<unknown>)[] = [];
    const prepared: { context?: Context } = {};
    let down: string | undefined;
    const end = (outcome: CheckOutcome): void => {
      outcomes.push(outcome);
      finished?.(outcome);
    };
    const skip = (id: string, reason: string): void => end({ id, status: 'skipped', findings: [], reason });
    const perform = async (check: CheckDescription, run: () => Awaitable<Found>): Promise<void> => {
      const { id } = check;
      const begin = performance.now();
      started?.(id);
      let found: Found;
      try {
        found = await withinDeadline(`the check \`${id}\``, 1000 * secondsPerCheck, run);
      } catch (error) {
        if (availability !== undefined && isUnavailable(error)) down = error.message;
        if (down !== undefined) return skip(id, 'it is down');
        found = check === preparation ? messageOf(error) : `${unfinishedCheck}: ${messageOf(error)}`;
      }
      return end({ ...outcomeOfCheck(check, found), seconds: (performance.now() - begin) / 1000 });
    };
    try {
      await perform(preparation, async () => {
        prepared.context = await prepare(subject, settings, (free) => frees.push(free));
        return undefined;
      });
      const isWanted = ({ id }: CheckDescription) => !accept.includes(id) && only?.includes(id) !== false;
      const { context } = prepared;
      for (const check of context === undefined ? [] : checks) {
        const idle = down === undefined ? check.idle?.(context as Context) : 'it is down';
        if (!isWanted(check) || idle !== undefined) skip(check.id, idle ?? 'it was not selected');
        else await perform(check, () => check.run(context as Context));
      }
      // A check that could not run has not passed. This is reported even if the check was not selected.
      if (availability !== undefined && (down !== undefined || (context !== undefined && isWanted(availability))))
        end(outcomeOfCheck(availability, down && `it is down: ${down}`));
      return { checks: outcomes, ...prepared };
    } finally {
      for (const free of frees.toReversed()) await quietly(free);
    }
  }

  /** Runs the checks and returns their findings. The list is empty if all checks pass. */
  async check(subject: Subject, settings = {} as Settings): Promise<Finding[]> {
    return (await this.examine(subject, settings)).checks.flatMap(({ findings }) => findings);
  }

  /** Declares a test for each check; all share one run of the kit. `it` is the function of the test runner. */
  describe(it: DeclareTest, subject: Subject, settings = {} as Settings): void {
    const { accept = [], only } = settings;
    let pending: Promise<Finding[]> | undefined;
    for (const check of this.checks) {
      const { id, title, cure } = check;
      if (accept.includes(id) || (only?.includes(id) === false && !this.#always.includes(check))) continue;
      const body = async (): Promise<void> => {
        pending ??= this.check(subject, settings);
        const found = (await pending).filter((finding) => finding.id === id);
        if (found.length === 0) return;
        throw new Error(`${id}: ${title}\n${found.map(({ message }) => `  ${message}`).join('\n')}\n${cure}`);
      };
      it(title, body, testLimit);
    }
  }
}

/** The outcome of a check that has found this. */
export function outcomeOfCheck(check: CheckDescription, found: Found): CheckOutcome {
  const { id, title, cure, severity = 'error' } = check;
  const messages = [found].flat().filter((message) => message !== undefined);
  const findings = messages.map((message) => ({ id, title, cure, severity, message }));
  return { id, status: severity === 'error' && findings.length > 0 ? 'failed' : 'passed', findings };
}

/** Creates instances, which have the members of their kind and are disposed of at the end. */
export function creating<Instance extends { dispose?(): Awaitable<void> }>(
  kind: keyof typeof instanceShapes,
  atEnd: (free: () => Awaitable<unknown>) => void,
  create: () => Awaitable<Instance>,
): () => Promise<Instance> {
  return async () => {
    const made = checkShape(await create(), instanceShapes[kind], 'create()');
    atEnd(() => made.dispose?.());
    return made;
  };
}

/** Calls something at once, whose outcome does not matter: a check of its own reports what it throws. */
export async function quietly(call: () => Awaitable<unknown>): Promise<void> {
  try {
    await call();
  } catch {
    // The outcome does not matter.
  }
}
