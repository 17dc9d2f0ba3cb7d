import { withinDeadline } from '../errors/within-deadline.js';
import { messageOf } from '../errors/message-of.js';
import type { DeclareTest } from './declare-test.js';
import type { Finding } from './finding.js';
import { isUnavailable } from './is-unavailable.js';

/**
 * A check in words, which stand beside its code. docs/reference/checks.md is written from them (`npm run reference`).
 */
export interface CheckDescription {
  readonly id: string;
  /** What holds when nothing is found. */
  readonly title: string;
  readonly likelyCause: string;
  /** What goes wrong in a run where this is left as it is. */
  readonly why: string;
  /** How to mend it. */
  readonly cure: string;
  /** Absent: `error`. */
  readonly severity?: 'error' | 'warning';
}

/** One thing that a kit checks. `run` returns what it found wrong, each as a sentence. */
export interface KitCheck<Context> extends CheckDescription {
  readonly severity: 'error' | 'warning';
  /** Why there is nothing to check here, if so: "it has no oracle". */
  idle?(context: Context): string | undefined;
  run(context: Context): Promise<readonly string[]> | readonly string[];
}

/** What became of one check. */
export interface CheckOutcome {
  readonly id: string;
  /** `failed`: an error was found; a check that merely warns has passed. */
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly findings: readonly Finding[];
  readonly seconds?: number;
  /** Why it was skipped. */
  readonly reason?: string;
}

/** What became of a kit. */
export interface KitReport {
  readonly checks: readonly CheckOutcome[];
  /** Steps that an environment plays in a second, at random. */
  readonly stepsPerSecond?: number;
}

/** What every kit takes beside its subject. */
export interface KitSettings {
  /** Root of all random numbers of the kit. */
  readonly seed?: number;
  /** Ids of checks whose findings are known and accepted. */
  readonly accept?: readonly string[];
  /** Ids of the only checks that run; absent: all. */
  readonly only?: readonly string[];
  /** Told of each check before it runs: whoever watches from another process knows what hangs. */
  readonly started?: (id: string) => void;
  /** Told of what became of it. */
  readonly finished?: (outcome: CheckOutcome) => void;
  /** Seconds that one check may wait. */
  readonly secondsPerCheck?: number;
}

/** The check that stands for a subject that cannot even be prepared. */
export interface Preparation extends CheckDescription {
  /**
   * The check that tells of a world that is down, in the place of all that could not be checked then; absent: nothing
   * of this kind can be down.
   */
  readonly availability?: CheckDescription;
}

export const creation: Preparation = {
  id: 'create',
  title: 'create() works and returns a valid instance',
  likelyCause: 'create() fails with these options, or returns a value that breaks the contract',
  why: 'It cannot be used. Every run with it ends immediately.',
  cure: 'Make create() work with the declared defaults, and return every member of the contract.',
};

/** What a check found, with what there is to say of it. */
export function findingOf(check: CheckDescription, message: string): Finding {
  const { id, severity = 'error', likelyCause, why, cure } = check;
  return { id, severity, message, likelyCause, why, cure };
}

/**
 * Runs checks one after the other; a check that breaks has found something too.
 *
 * @param prepare makes what every check is given; what it throws is a finding of its own, by default `create`
 */
export async function runKit<Context>(
  checks: readonly KitCheck<Context>[],
  settings: KitSettings,
  prepare: () => Promise<Context> | Context,
  preparation = creation,
): Promise<CheckOutcome[]> {
  const { accept = [], only, secondsPerCheck = Infinity } = settings;
  const outcomes: CheckOutcome[] = [];
  let down: string | undefined;
  const end = (outcome: CheckOutcome): void => {
    outcomes.push(outcome);
    settings.finished?.(outcome);
  };
  /** Runs one check, and tells of it. */
  const perform = async (check: CheckDescription, run: () => Promise<readonly string[]>) => {
    const { id, severity = 'error' } = check;
    const begin = performance.now();
    settings.started?.(id);
    let messages: readonly string[];
    try {
      messages = await withinDeadline(`the check \`${id}\``, 1000 * secondsPerCheck, run);
    } catch (error) {
      if (preparation.availability !== undefined && isUnavailable(error)) {
        down = error.message;
        end({ id, status: 'skipped', findings: [], reason: 'the world is down' });
        return;
      }
      messages = [id === preparation.id ? messageOf(error) : `the check did not finish: ${messageOf(error)}`];
    }
    const findings = messages.map((message) => findingOf(check, message));
    const status = severity === 'error' && findings.length > 0 ? 'failed' : 'passed';
    end({ id, status, findings, seconds: (performance.now() - begin) / 1000 });
  };
  let prepared: { readonly context: Context } | undefined;
  await perform(preparation, async () => {
    prepared = { context: await prepare() };
    return [];
  });
  const unwanted = (id: string): string | undefined => {
    if (accept.includes(id)) return 'its findings are accepted';
    return only?.includes(id) === false ? 'it was not selected' : undefined;
  };
  for (const check of prepared === undefined ? [] : checks) {
    const { context } = prepared as { readonly context: Context };
    const reason = unwanted(check.id) ?? (down === undefined ? check.idle?.(context) : 'the world is down');
    if (reason !== undefined) end({ id: check.id, status: 'skipped', findings: [], reason });
    else await perform(check, async () => check.run(context));
  }
  const { availability } = preparation;
  // What could not be checked has not passed: that is said even where nobody asked for it.
  if (
    availability !== undefined &&
    (down !== undefined || (prepared !== undefined && unwanted(availability.id) === undefined))
  ) {
    const found = down === undefined ? [] : [`the world is down: ${down}`];
    await perform(availability, () => Promise.resolve(found));
  }
  return outcomes;
}

/** Everything that a kit found. */
export function findingsOf({ checks }: KitReport): Finding[] {
  return checks.flatMap(({ findings }) => findings);
}

/** Declares a test for each check; all share one run of the kit. */
export function declareKit<Context>(
  it: DeclareTest,
  checks: readonly KitCheck<Context>[],
  settings: KitSettings,
  run: () => Promise<Finding[]>,
  { id: preparationId, title: preparationTitle, availability }: Preparation = creation,
): void {
  let pending: Promise<Finding[]> | undefined;
  const always = [
    { id: preparationId, title: preparationTitle },
    ...(availability === undefined ? [] : [availability]),
  ];
  for (const { id, title } of [...always, ...checks]) {
    if (settings.accept?.includes(id) === true) continue;
    if (settings.only?.includes(id) === false && !always.some((other) => other.id === id)) continue;
    it(title, async () => {
      pending ??= run();
      const found = (await pending).filter((finding) => finding.id === id);
      const [first] = found;
      if (first === undefined) return;
      const messages = found.map(({ message }) => `  ${message}`).join('\n');
      throw new Error(`${id}\n${messages}\n${first.why}\nlikely cause: ${first.likelyCause}\n${first.cure}`);
    });
  }
}
