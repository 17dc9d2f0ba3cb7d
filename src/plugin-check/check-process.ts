// The process that runs a plugin's code while the plugin is checked. If the code hangs, prints or exits, only this
// process is affected.
import { checkContributions } from '../plugins/check-contributions.js';
import type { Contribution, ContributionKind } from '../contracts/plugin.js';
import { optionChecks } from '../credit/option-checks.js';
import { messageOf } from '../errors/message-of.js';
import { findingOf, type CheckDescription, type CheckOutcome, type KitSettings } from '../testing/conformance-kit.js';
import { changedGlobals } from '../testing/disturb-process.js';
import type { CheckMessage, CheckRequest } from './check-messages.js';
import { examiners, type Examination } from './examine-contribution.js';
import { optionSets, type OptionSet } from './option-sets.js';
import { contributionChecks, entryChecks } from './process-checks.js';

/** Number of option sets besides the defaults; `--thorough` tries all. */
const fewSets = 12;

/** Settings of a recipe's `algorithm` under which options of algorithms are validated. */
const updateSettings = { groupSize: 8, epochs: 2, minibatches: 2, recomputeLogprobs: false, importanceCap: 2 };

process.once('message', (request: CheckRequest) => {
  void answer(request);
});

async function answer(request: CheckRequest): Promise<void> {
  try {
    await (request.job === 'entry' ? checkEntry(request) : checkContribution(request));
    // The work is done, so nothing of the plugin may keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, 50));
    tell({ type: 'done', open: process.getActiveResourcesInfo().filter((kind) => !ours.has(kind)) });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 70;
  } finally {
    process.disconnect();
  }
}

/** Open resources of every process with a channel and pipes. */
const ours = new Set(['PipeWrap', 'TTYWrap']);

function tell(message: CheckMessage): void {
  process.send?.(message);
}

/** Runs a check that does not belong to a kit, and reports it. */
async function perform(
  check: CheckDescription,
  request: CheckRequest,
  run: () => Promise<readonly string[]> | readonly string[],
): Promise<boolean> {
  const { id } = check;
  if (request.skip.includes(id) || request.only?.includes(id) === false) {
    // The check runs anyway, because later checks need its result.
    await run();
    tell({ type: 'finished', outcome: { id, status: 'skipped', findings: [], reason: 'it was not selected' } });
    return true;
  }
  tell({ type: 'started', id });
  const begin = performance.now();
  let messages: readonly string[];
  try {
    messages = await run();
  } catch (error) {
    messages = [messageOf(error)];
  }
  const findings = messages.map((message) => findingOf(check, message));
  const status = findings.length === 0 ? 'passed' : 'failed';
  tell({ type: 'finished', outcome: { id, status, findings, seconds: (performance.now() - begin) / 1000 } });
  return findings.length === 0;
}

async function checkEntry(request: Extract<CheckRequest, { job: 'entry' }>): Promise<void> {
  let exported: unknown;
  let changed: readonly string[] = [];
  const loads = await perform(entryChecks['entry-loads'], request, async () => {
    changed = await changedGlobals(async () => {
      exported = ((await import(request.entry)) as { default?: unknown }).default;
    });
    return [];
  });
  if (!loads) return;
  const { contributions, complaints } = checkContributions(exported);
  await perform(entryChecks['entry-shape'], request, () => complaints);
  await perform(entryChecks['entry-global-state'], request, () =>
    changed.map((name) => `importing the entry changed ${name}`),
  );
  tell({ type: 'listed', contributions: (contributions ?? []).map(({ kind, name }) => ({ kind, name })) });
}

async function checkContribution(request: Extract<CheckRequest, { job: 'contribution' }>): Promise<void> {
  const { entry, kind, name } = request;
  const { contributions = [] } = checkContributions(((await import(entry)) as { default?: unknown }).default);
  const contribution = contributions.find((item) => item.kind === kind && item.name === name) as Contribution;
  const examiner = examiners[kind];
  let module: Record<string, unknown> = {};
  const loaded = await perform(contributionChecks.load, request, async () => {
    module = (await contribution.load()) as unknown as Record<string, unknown>;
    return examiner.functions
      .filter((member) => typeof module[member] !== 'function')
      .map((member) => `load().${member}: must be a function, not ${typeof module[member]}`);
  });
  if (!loaded) return;
  const sets = optionSets(contribution.options);
  const complaints = new Map<OptionSet, readonly string[]>();
  const wrong = (set: OptionSet): string[] => {
    const { misshapen, refused } = validate(contribution, module, set);
    complaints.set(set, refused);
    const which = set.label === undefined ? 'the defaults' : set.label;
    const own = set.label === undefined ? refused.map((message) => `validate() refuses the defaults: ${message}`) : [];
    return [...misshapen.map((message) => `with ${which}: ${message}`), ...own];
  };
  const valid = await perform(contributionChecks.options, request, () => sets.flatMap(wrong));
  if (!valid && complaints.size < sets.length) return;
  const allowed = sets.filter((set) => complaints.get(set)?.length === 0 || set.label === undefined);
  const tried =
    kind === 'policy' && !request.thorough
      ? allowed.slice(0, 1)
      : request.thorough
        ? allowed
        : spread(allowed, 1 + fewSets);
  for (const set of tried) await examine(request, contribution, module, set);
}

/** The first item, and others spread evenly over the rest. */
function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from(
    { length: count },
    (_, i) => items[i === 0 ? 0 : 1 + Math.floor(((i - 1) * (items.length - 1)) / (count - 1))] as T,
  );
}

/** Findings of the contribution's validate() for options that its declaration allows. */
function validate(
  contribution: Contribution,
  module: Record<string, unknown>,
  { options }: OptionSet,
): { readonly misshapen: readonly string[]; readonly refused: readonly string[] } {
  const said: unknown[] = [contribution.validate?.(options as never) ?? []];
  const validateAlgorithm = module['validate'];
  if (contribution.kind === 'algorithm' && typeof validateAlgorithm === 'function') {
    said.push((validateAlgorithm as (...given: unknown[]) => unknown)(options, updateSettings, optionChecks));
  }
  const misshapen: string[] = [];
  const refused: string[] = [];
  for (const findings of said) {
    if (!Array.isArray(findings)) {
      misshapen.push(`validate() returned ${typeof findings} instead of a list`);
      continue;
    }
    for (const finding of findings as Record<string, unknown>[]) {
      const { path, message, hint, idle } = finding;
      if (
        !Array.isArray(path) ||
        typeof message !== 'string' ||
        typeof hint !== 'string' ||
        message === '' ||
        hint === ''
      ) {
        misshapen.push(`a finding of validate() lacks path, message or hint: ${JSON.stringify(finding)}`);
      } else if (typeof path[0] === 'string' && !Object.hasOwn(contribution.options, path[0])) {
        misshapen.push(`validate() reports an option that is not declared: ${path[0]}`);
      }
      if (idle !== true && finding['setting'] === undefined) refused.push(String(message));
    }
  }
  return { misshapen, refused };
}

async function examine(
  request: Extract<CheckRequest, { job: 'contribution' }>,
  contribution: Contribution,
  module: Record<string, unknown>,
  set: OptionSet,
): Promise<void> {
  const { kind, seed, seconds, only, skip, entry } = request;
  const examiner = examiners[kind] as unknown as {
    readonly onlyDefaults: readonly string[];
    examine(examination: Examination<ContributionKind>): Promise<{ stepsPerSecond?: number }>;
  };
  const defaults = set.label === undefined;
  const label = defaults ? {} : { label: set.label };
  const settings: KitSettings = {
    seed,
    secondsPerCheck: seconds,
    accept: defaults ? skip : [...skip, ...examiner.onlyDefaults],
    ...(only !== null && { only }),
    started: (id) => tell({ type: 'started', id, ...label }),
    finished: (outcome: CheckOutcome) => tell({ type: 'finished', outcome, ...label }),
  };
  const examination = { contribution, module, options: set.options, entry, defaults, settings } as unknown;
  const { stepsPerSecond } = await examiner.examine(examination as Examination<ContributionKind>);
  if (defaults && stepsPerSecond !== undefined) tell({ type: 'speed', stepsPerSecond });
}
