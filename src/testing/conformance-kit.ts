import { withinDeadline } from '../errors/within-deadline.js';
import { checkTable, type CheckedKind } from './check-table.js';
import type { DeclareTest } from './declare-test.js';
import type { Finding } from './finding.js';

/** One thing that a kit checks. `run` returns what it found wrong, each as a sentence. */
export interface KitCheck<Context> {
  readonly id: string;
  /** What holds when nothing is found. */
  readonly title: string;
  readonly severity: 'error' | 'warning';
  readonly likelyCause: string;
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
  /** Seconds that one check may wait. */
  readonly secondsPerCheck?: number;
}

/** The check that stands for a subject that cannot even be created. */
const creation = { id: 'create', title: 'it is created, and has the shape of its contract' };
const creationCause = 'create() fails with these options, or gives something else than the contract says';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Puts why and cure to what was found. */
export function findingOf(kind: CheckedKind, found: Omit<Finding, 'why' | 'cure'>): Finding {
  const entry = checkTable[kind][found.id];
  if (entry === undefined) throw new Error(`the check ${found.id} of ${kind} is missing from the table of checks`);
  return { ...found, ...entry };
}

/**
 * Runs checks one after the other; a check that breaks has found something too.
 *
 * @param prepare makes what every check is given; what it throws is a finding of its own, `create`
 */
export async function runKit<Context>(
  kind: CheckedKind,
  checks: readonly KitCheck<Context>[],
  settings: KitSettings,
  prepare: () => Promise<Context> | Context,
): Promise<CheckOutcome[]> {
  const { accept = [], only, secondsPerCheck = Infinity } = settings;
  const timed = <T>(what: string, work: () => Promise<T>): Promise<T> =>
    withinDeadline(what, 1000 * secondsPerCheck, work);
  const outcomes: CheckOutcome[] = [];
  const begin = performance.now();
  settings.started?.(creation.id);
  let context: Context;
  try {
    context = await timed('creating it', async () => prepare());
    outcomes.push({ id: creation.id, status: 'passed', findings: [], seconds: (performance.now() - begin) / 1000 });
  } catch (error) {
    const found = {
      id: creation.id,
      severity: 'error',
      message: messageOf(error),
      likelyCause: creationCause,
    } as const;
    return [{ id: creation.id, status: 'failed', findings: [findingOf(kind, found)] }];
  }
  for (const check of checks) {
    const { id, severity, likelyCause } = check;
    const skipped = (reason: string): void => void outcomes.push({ id, status: 'skipped', findings: [], reason });
    if (accept.includes(id)) {
      skipped('its findings are accepted');
      continue;
    }
    if (only !== undefined && !only.includes(id)) {
      skipped('it was not asked for');
      continue;
    }
    const started = performance.now();
    let messages: readonly string[];
    try {
      const reason = check.idle?.(context);
      if (reason !== undefined) {
        skipped(reason);
        continue;
      }
      settings.started?.(id);
      messages = await timed('the check', async () => check.run(context));
    } catch (error) {
      messages = [`the check could not be finished: ${messageOf(error)}`];
    }
    const findings = messages.map((message) => findingOf(kind, { id, severity, message, likelyCause }));
    const status = severity === 'error' && findings.length > 0 ? 'failed' : 'passed';
    outcomes.push({ id, status, findings, seconds: (performance.now() - started) / 1000 });
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
): void {
  let pending: Promise<Finding[]> | undefined;
  for (const { id, title } of [creation, ...checks]) {
    if (settings.accept?.includes(id) === true) continue;
    if (settings.only?.includes(id) === false && id !== creation.id) continue;
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
