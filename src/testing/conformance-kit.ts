import type { DeclareTest } from './describe-environment.js';
import type { Finding } from './finding.js';

/** One thing that a kit checks. `run` returns what it found wrong, each as a sentence. */
export interface KitCheck<Context> {
  readonly id: string;
  /** What holds when nothing is found. */
  readonly title: string;
  readonly severity: 'error' | 'warning';
  readonly likelyCause: string;
  run(context: Context): Promise<readonly string[]> | readonly string[];
}

/** What every kit takes beside its subject. */
export interface KitSettings {
  /** Root of all random numbers of the kit. */
  readonly seed?: number;
  /** Ids of checks whose findings are known and accepted. */
  readonly accept?: readonly string[];
}

/** The check that stands for a subject that cannot even be created. */
const creation = { id: 'create', title: 'it is created', likelyCause: 'create() fails with these options' };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Runs checks one after the other; a check that breaks has found something too.
 *
 * @param prepare makes what every check is given; what it throws is a finding of its own, `create`
 */
export async function runKit<Context>(
  checks: readonly KitCheck<Context>[],
  settings: KitSettings,
  prepare: () => Promise<Context> | Context,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let context: Context;
  try {
    context = await prepare();
  } catch (error) {
    const { id, likelyCause } = creation;
    return [{ id, severity: 'error', message: messageOf(error), likelyCause }];
  }
  for (const check of checks) {
    if (settings.accept?.includes(check.id) === true) continue;
    const { id, severity, likelyCause } = check;
    let messages: readonly string[];
    try {
      messages = await check.run(context);
    } catch (error) {
      messages = [`the check could not be finished: ${messageOf(error)}`];
    }
    for (const message of messages) findings.push({ id, severity, message, likelyCause });
  }
  return findings;
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
    it(title, async () => {
      pending ??= run();
      const found = (await pending).filter((finding) => finding.id === id);
      if (found.length === 0) return;
      const messages = found.map(({ message }) => `  ${message}`).join('\n');
      throw new Error(`${id}\n${messages}\nlikely cause: ${found[0]?.likelyCause}`);
    });
  }
}
