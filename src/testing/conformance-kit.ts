import { withinDeadline } from '../errors/within-deadline.js';
import { messageOf } from '../errors/message-of.js';
import type { DeclareTest } from './declare-test.js';
import type { Finding } from './finding.js';
import { isUnavailable } from '../errors/is-unavailable.js';

/** Begins the finding of a check that threw. Tests of findings make sure that theirs is another one. */
export const unfinishedCheck = 'the check did not finish';

/** The words of a check, next to its code. `npm run reference` writes docs/reference/checks.md from them. */
export interface CheckDescription {
  readonly id: string;
  /** The rule that holds if the check passes. */
  readonly title: string;
  readonly likelyCause: string;
  /** The consequence for a run if the problem is not fixed. */
  readonly why: string;
  /** How to fix it. */
  readonly cure: string;
  /** Default: `error`. */
  readonly severity?: 'error' | 'warning';
}

/** One check of a kit. `run` returns its findings, each as a sentence. */
export interface KitCheck<Context> extends CheckDescription {
  readonly severity: 'error' | 'warning';
  /** Why the check is not needed here, such as "it has no oracle"; undefined if it is needed. */
  idle?(context: Context): string | undefined;
  run(context: Context): Promise<readonly string[]> | readonly string[];
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

/** The outcome of a kit. */
export interface KitReport {
  readonly checks: readonly CheckOutcome[];
  /** Steps per second of random play in an environment. */
  readonly stepsPerSecond?: number;
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

/** The check that fails if the subject cannot be prepared. */
export interface Preparation extends CheckDescription {
  /**
   * The check that reports a world that is down, instead of the checks that could not run; absent: this kind cannot be
   * down.
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

/** A finding of a check, with the words of the check. */
export function findingOf(check: CheckDescription, message: string): Finding {
  const { id, severity = 'error', likelyCause, why, cure } = check;
  return { id, severity, message, likelyCause, why, cure };
}

/**
 * Runs checks one after the other. A check that throws has a finding, too.
 *
 * @param prepare creates the argument of every check; an exception is a separate finding, by default `create`
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
  /** Runs one check and reports its outcome. */
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
      messages = [id === preparation.id ? messageOf(error) : `${unfinishedCheck}: ${messageOf(error)}`];
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
  // A check that could not run has not passed. This is reported even if the check was not selected.
  if (
    availability !== undefined &&
    (down !== undefined || (prepared !== undefined && unwanted(availability.id) === undefined))
  ) {
    const found = down === undefined ? [] : [`the world is down: ${down}`];
    await perform(availability, () => Promise.resolve(found));
  }
  return outcomes;
}

/** All findings of a kit. */
export function findingsOf({ checks }: KitReport): Finding[] {
  return checks.flatMap(({ findings }) => findings);
}

/**
 * Time limit of a declared test, in milliseconds. The first test waits for the whole kit, which can take longer than
 * the default limit of test runners, 5 seconds.
 */
const testLimit = 600_000;

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
    it(
      title,
      async () => {
        pending ??= run();
        const found = (await pending).filter((finding) => finding.id === id);
        const [first] = found;
        if (first === undefined) return;
        const messages = found.map(({ message }) => `  ${message}`).join('\n');
        throw new Error(`${id}\n${messages}\n${first.why}\nlikely cause: ${first.likelyCause}\n${first.cure}`);
      },
      testLimit,
    );
  }
}
