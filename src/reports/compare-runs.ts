import { AgentgymError } from '../errors/agentgym-error.js';
import { shellWord } from '../errors/shell-word.js';
import { correctByHolm } from '../statistics/holm.js';
import { totalsOfMetrics } from '../training/spending.js';
import { compareCells, meanOfRuns, type CellComparison, type CellMean } from '../ablation/compare-cells.js';
import {
  finalEvaluation,
  readOutcomes,
  withPlaces,
  type Measure,
  type RunOutcomes,
} from '../ablation/read-outcomes.js';
import { loadRun, type LoadedRun } from '../runs/load-run.js';
import type { RunStatus } from '../runs/run-manifest.js';
import type { ReportCell } from '../reporting/report-data.js';
import { environmentTests, finalTestOf, nameTests, outcomesInTest } from './final-test.js';
import { nameRuns } from './name-runs.js';
import { logNotes } from './run-notes.js';
import { differencesOf, notesOnDifferences, type RunDifferences } from './differing-runs.js';

export interface CompareRunsOptions {
  readonly measure: Measure;
  /** Temperature of the final evaluations that are compared. */
  readonly temperature: number;
}

/** A run in a comparison. */
interface ComparedRun {
  readonly run: string;
  readonly id: string;
  /** The name that a user gave it; else its setting and its seed. Unique in a comparison. */
  readonly label: string;
  /** Name of the recipe. */
  readonly recipe: string;
  readonly seed: number;
  readonly status: RunStatus;
  /** Steps over all stages; 0 before the first. */
  readonly steps: number;
  /** Success of its final evaluation, with an interval for other tasks; null before that evaluation. */
  readonly success: CellMean | null;
  /** The compared measure, if it is not success. */
  readonly measured?: CellMean | null | undefined;
  /** What it was tested on, and other players there; present if the runs have different tests. */
  readonly test?: string | undefined;
  readonly baselines?: ReportCell['baselines'];
  readonly spent: { readonly [currency: string]: number };
}

/** Runs in one environment. */
interface EnvironmentComparison {
  /** Its name in a recipe. */
  readonly environment: string;
  /** The compared measure of each run that was tested there, by id. */
  readonly runs: { readonly [id: string]: CellMean };
  readonly comparisons: readonly CellComparison[];
}

/** What `runs compare --json` prints. */
export interface RunsComparison {
  readonly measure: Measure;
  readonly temperature: number;
  /** Split of the final evaluations; null if there is none yet. */
  readonly split: string | null;
  readonly runs: readonly ComparedRun[];
  readonly differences: RunDifferences['keys'];
  readonly packages: RunDifferences['packages'];
  /** Each run against each earlier one with the same test, by id. */
  readonly comparisons: readonly CellComparison[];
  /**
   * The same in each environment that two or more of the runs were tested in, in the order of the runs; `corrected` is over
   * all environments. Empty if every run has one environment.
   */
  readonly environments: readonly EnvironmentComparison[];
  readonly notes: readonly string[];
}

/**
 * Compares the final evaluations of runs over the tasks that both runs of a pair played, with one seed each. Intervals
 * are for other tasks, not for other seeds.
 *
 * @throws AG_RUNS_INCOMPARABLE if their final evaluations have different splits, or one has no such temperature
 */
export async function compareRuns(
  directories: readonly string[],
  { measure, temperature }: CompareRunsOptions,
): Promise<RunsComparison> {
  const loaded: LoadedRun[] = [];
  for (const directory of new Set(directories)) loaded.push(await loadRun(directory));
  if (loaded.length < 2) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: 'A comparison needs two runs or more.',
      hint: '`agentgym runs list` lists the runs; `agentgym runs show RUN` shows one.',
    });
  }
  const ended = loaded.filter(({ result }) => result?.evaluation);
  refuseSplits(ended);
  for (const run of ended) refuseTemperature(run, temperature);
  const read = (run: LoadedRun, what: Measure): RunOutcomes[] => {
    const found = readOutcomes(run, 'policy', what, temperature);
    // With the same seed in all runs, they are paired by their tasks.
    return found === undefined ? [] : [{ ...withPlaces(found, run.manifest.recipe), seed: 0 }];
  };
  const outcomes = new Map(loaded.map((run) => [run.manifest.id, read(run, measure)]));
  const labels = nameRuns(loaded);
  const tests = nameTests(loaded.map(finalTestOf));
  const runs = loaded.map((run, i): ComparedRun => {
    const { manifest, directory, metrics, status } = run;
    const last = metrics.at(-1);
    return {
      run: directory,
      id: manifest.id,
      recipe: manifest.name,
      seed: manifest.recipe.seed,
      status,
      steps: last?.runStep ?? 0,
      success: meanOfRuns(read(run, 'success'), 'success'),
      measured: measure === 'success' ? undefined : meanOfRuns(outcomes.get(manifest.id) ?? [], measure),
      spent: totalsOfMetrics(last?.metrics ?? {}),
      label: labels[i] ?? manifest.id,
      test: tests[i],
      baselines: tests[i] === undefined ? undefined : baselinesOf(run),
    };
  });
  const pairs = runs.flatMap((b, j) =>
    runs.slice(0, j).flatMap((a) => (a.test === b.test ? [[a.id, b.id] as const] : [])),
  );
  const differing = differencesOf(loaded);
  return {
    measure,
    temperature,
    split: ended[0]?.result?.evaluation?.split ?? null,
    runs,
    differences: differing.keys,
    packages: differing.packages,
    comparisons: compareCells(pairs, outcomes, measure),
    environments: compareEnvironments(ended, measure, temperature),
    notes: [...loaded.flatMap(notesOn), ...notesOnDifferences(differing), ...notesOnTests(runs)],
  };
}

/** Compares runs in each environment that two or more of them were tested in. */
function compareEnvironments(
  runs: readonly LoadedRun[],
  measure: Measure,
  temperature: number,
): readonly EnvironmentComparison[] {
  const tests = runs.map(environmentTests);
  if (tests.every(({ length }) => length < 2)) return [];
  const names = new Map<string, string>();
  // The names of a run with several environments say more than that of an environment.
  for (const { key, name } of [...tests].sort((one, other) => other.length - one.length).flat()) {
    if (!names.has(key)) names.set(key, name);
  }
  const places = [...names].flatMap(([key, environment]) => {
    const outcomes = new Map(
      runs.flatMap((run) => {
        const found = outcomesInTest(run, key, measure, temperature);
        return found === undefined ? [] : [[run.manifest.id, [{ ...found, seed: 0 }]] as const];
      }),
    );
    const ids = [...outcomes.keys()];
    const pairs = ids.flatMap((b, j) => ids.slice(0, j).map((a) => [a, b] as const));
    return ids.length < 2 ? [] : [{ environment, outcomes, comparisons: compareCells(pairs, outcomes, measure) }];
  });
  const corrected = correctByHolm(places.flatMap(({ comparisons }) => comparisons));
  return places.map(({ environment, outcomes, comparisons }) => ({
    environment,
    runs: Object.fromEntries(
      [...outcomes].flatMap(([id, played]): [string, CellMean][] => {
        const mean = meanOfRuns(played, measure);
        return mean === null ? [] : [[id, mean]];
      }),
    ),
    comparisons: corrected.splice(0, comparisons.length),
  }));
}

function baselinesOf(run: LoadedRun): NonNullable<ComparedRun['baselines']> {
  const rate = (player: string) => {
    const found = finalEvaluation(run, player)?.evaluation.success;
    return found === undefined ? null : { rate: found.rate, low: found.low, high: found.high };
  };
  return { start: rate('start'), random: rate('random') };
}

function notesOnTests(runs: readonly ComparedRun[]): string[] {
  if (runs.every(({ test }) => test === undefined)) return [];
  return ['The runs were tested on different tasks, so only runs with the same test are compared.'];
}

function refuseSplits(runs: readonly LoadedRun[]): void {
  const splits = new Map(runs.map(({ manifest, result }) => [result?.evaluation?.split, manifest.id]));
  if (splits.size < 2) return;
  const which = [...splits].map(([split, id]) => `${id} of ${split}`).join(', ');
  throw new AgentgymError('AG_RUNS_INCOMPARABLE', {
    message: `The final evaluations use different splits: ${which}. The splits share no task.`,
    hint: 'Compare runs with the same `evaluation.final.split`, or evaluate both on one split with `agentgym evaluate RUN --split SPLIT`.',
  });
}

function refuseTemperature({ manifest, result }: LoadedRun, temperature: number): void {
  const there = result?.evaluations.map((evaluation) => evaluation.temperature) ?? [];
  if (there.includes(temperature)) return;
  throw new AgentgymError('AG_RUNS_INCOMPARABLE', {
    message: `Run ${manifest.id} has no final evaluation at temperature ${temperature}, only at ${there.join(', ')}.`,
    hint: `Choose another \`--temperature\`, or evaluate it with \`agentgym evaluate ${shellWord(manifest.id)} --temperature ${temperature}\`.`,
  });
}

function notesOn(run: LoadedRun): string[] {
  const { manifest, result, status, halfWritten } = run;
  return [
    ...(result?.evaluation
      ? []
      : [`Run ${manifest.id} is ${status} and has no final evaluation, so it is not compared.`]),
    ...logNotes(run, halfWritten),
  ];
}
