import { finalEvaluation, readOutcomes, type Measure, type RunOutcomes } from '../ablation/read-outcomes.js';
import { environmentNames } from '../config/recipe-entries.js';
import type { EntryPlan } from '../config/run-plan.js';
import type { Json } from '../contracts/json.js';
import { shortKey } from '../reporting/short-key.js';
import { shownSetting, shownValue, shownValues } from '../reporting/shown-values.js';
import type { LoadedRun } from '../runs/load-run.js';
import { planOfRun } from '../runs/plan-of-run.js';
import { differingKeys, recipeLeaves } from '../runs/recipe-leaves.js';

/** What a run was tested on. Only successes on equal tests can be ranked. */
export interface FinalTest {
  /** Equal for equal tests. */
  readonly key: string;
  /** The environment, its options, the split, the turns and the number of tasks. */
  readonly parts: { readonly [part: string]: Json };
}

/**
 * The final test of a run; undefined before its final evaluation. Runs with different seeds may play different tasks of
 * one split: these are samples of one test.
 */
export function finalTestOf(run: LoadedRun): FinalTest | undefined {
  const played = finalEvaluation(run, 'policy');
  if (played === undefined) return undefined;
  const { recipe } = run.manifest;
  const { entries } = planOfRun(run.manifest);
  const [{ environment, evaluationHorizon }, ...others] = entries;
  const options = recipeLeaves(environment.options);
  // Runs of several environments have equal tests if these are equal, whatever their names are.
  const all = entries.map((one) => [one.environment.name, one.environment.options, one.evaluationHorizon] as Json);
  const parts = {
    environment: environmentNames(recipe).join(' + '),
    ...(others.length === 0
      ? Object.fromEntries(Object.entries(options).map(([key, value]) => [`options.${key}`, value]))
      : { environments: JSON.stringify(all) }),
    split: played.evaluation.split,
    turns: others.length === 0 ? evaluationHorizon : Math.max(...entries.map((one) => one.evaluationHorizon)),
    tasks: played.outcomes.length,
  };
  return { key: JSON.stringify(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1))), parts };
}

/** The test of a run in one of its environments. */
export interface EnvironmentTest {
  /** Equal for equal tests, also if one run trains in more environments than another. */
  readonly key: string;
  /** The environment's name in the recipe, or the environment. */
  readonly name: string;
  /** As its evaluations name it; absent: it is the only one. */
  readonly environment?: string | undefined;
}

/** The tests of a run in each environment that it trains in, and in those that only the final evaluation plays. */
export function environmentTests({ manifest }: Pick<LoadedRun, 'manifest'>): EnvironmentTest[] {
  const { entries, recipe, transfer } = planOfRun(manifest);
  const isNamed = (one: EntryPlan) => entries.length > 1 || one !== entries[0];
  return [...entries, ...transfer].map((one) => {
    const { entry, environment, evaluationHorizon } = one;
    const { name, options } = environment;
    return {
      key: JSON.stringify([name, recipeLeaves(options), evaluationHorizon, recipe.evaluation.final.split]),
      name: entry ?? name,
      environment: isNamed(one) ? entry : undefined,
    };
  });
}

/** The results of the trained policy in a test of one environment; undefined if it was not played. */
export function outcomesInTest(
  run: LoadedRun,
  key: EnvironmentTest['key'],
  measure: Measure,
  temperature: number,
): RunOutcomes | undefined {
  const test = environmentTests(run).find((one) => one.key === key);
  return test && readOutcomes(run, 'policy', measure, temperature, test.environment);
}

/**
 * Words for each of different tests: the environment, and everything in which they differ. Empty if all are equal.
 *
 * @param tests undefined for a run without a final evaluation, which gets no words
 */
export function nameTests(tests: readonly (FinalTest | undefined)[]): (string | undefined)[] {
  const known = tests.filter((test) => test !== undefined);
  if (new Set(known.map(({ key }) => key)).size < 2) return [];
  const parts = known.map((test) => test.parts);
  const common = differingKeys(parts).filter((key) => ['split', 'turns', 'tasks'].includes(key));
  return tests.map((test) => {
    if (test === undefined) return undefined;
    const { parts: own } = test;
    // Options of another environment say nothing about this one.
    const alike = parts.filter((other) => other['environment'] === own['environment']);
    const options = differingKeys(alike).filter((key) => key.startsWith('options.'));
    const told = [...options, ...common].map((key) => {
      const text = shownValues([own[key], ...parts.map((one) => one[key])])[0] ?? '';
      if (key === 'split') return `${text} split`;
      return common.includes(key) ? `${text} ${key}` : shownSetting(shortKey(key, options), text);
    });
    return [shownValue(own['environment']), ...told].join(', ');
  });
}
