// The process that runs a plugin's code while the plugin is checked. If the code hangs, prints or exits, only this
// process is affected.
import type { Contribution } from '../contracts/plugin.js';
import { checkContributions } from '../plugins/check-contributions.js';
import type { KitSettings } from '../testing/conformance-kit.js';
import type { CheckMessage, CheckRequest, ContributionId } from './check-messages.js';
import { examineContribution, onlyDefaults } from './examine-contribution.js';
import { entryKit, loadKit } from './process-checks.js';

/** Number of option sets besides the defaults; `--thorough` tries all. */
const fewSets = 12;

/** Open resources of every process with a channel and pipes. */
const ours = new Set(['PipeWrap', 'TTYWrap']);

process.once('message', (request: CheckRequest) => {
  void answer(request);
});

async function answer(request: CheckRequest): Promise<void> {
  try {
    const { contribution } = request;
    const contributions = await (contribution === null
      ? checkEntry(request)
      : checkContribution(request, contribution));
    // The work is done, so nothing of the plugin may keep the process alive.
    await new Promise((resolve) => setTimeout(resolve, 50));
    tell({ type: 'done', open: process.getActiveResourcesInfo().filter((kind) => !ours.has(kind)), contributions });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 70;
  } finally {
    process.disconnect();
  }
}

function tell(message: CheckMessage): void {
  process.send?.(message);
}

/** Settings of a kit that tells of its checks. */
function settingsOf({ only, seconds, seed, skip }: CheckRequest, label?: string): KitSettings {
  return {
    seed,
    secondsPerCheck: seconds,
    accept: skip,
    ...(only !== null && { only }),
    started: (id) => tell({ type: 'started', id, label }),
    finished: (outcome) => tell({ type: 'finished', outcome, label }),
  };
}

async function checkEntry(request: CheckRequest): Promise<readonly ContributionId[]> {
  const { context } = await entryKit.examine(request.entry, settingsOf(request));
  return (context?.contributions ?? []).map(({ kind, name }) => ({ kind, name }));
}

async function checkContribution(request: CheckRequest, wanted: ContributionId): Promise<readonly []> {
  const { entry, thorough } = request;
  const { contributions = [] } = checkContributions(((await import(entry)) as { default?: unknown }).default);
  const contribution = contributions.find(
    ({ kind, name }) => kind === wanted.kind && name === wanted.name,
  ) as Contribution;
  const { context } = await loadKit.examine(contribution, settingsOf(request));
  if (context === undefined) return [];
  const { module, judged } = context;
  const allowed = judged.filter(
    ({ set, misshapen, refused }) => set.label === undefined || (misshapen === undefined && refused.length === 0),
  );
  const tried = thorough
    ? allowed
    : contribution.kind === 'policy'
      ? allowed.slice(0, 1)
      : spread(allowed, 1 + fewSets);
  for (const { set } of tried) {
    const settings = settingsOf(request, set.label);
    const defaults = set.label === undefined;
    const accept = defaults ? request.skip : [...request.skip, ...onlyDefaults];
    const examination = { contribution, module, options: set.options, entry, defaults };
    await examineContribution({ ...examination, settings: { ...settings, accept } });
  }
  return [];
}

/** The first item, and others spread evenly over the rest. */
function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  const rest = Array.from(
    { length: count - 1 },
    (_, i) => items[1 + Math.floor((i * (items.length - 1)) / (count - 1))] as T,
  );
  return [...items.slice(0, 1), ...rest];
}
