import { probability } from '../reporting/format-quantity.js';
import { describeDetectableEffect } from '../statistics/detectable-effect.js';
import type { GridEffect } from './grid-effects.js';
import { isSeparable, level, type CellComparison } from './compare-cells.js';
import type { Measure } from './read-outcomes.js';
import { saturationOf } from './saturation.js';
import { titleOf, trainedCells, type AblationResult, type CellSummary } from './ablation-result.js';

/** At most this many differences are reported individually. */
const mostDifferences = 3;
/** With more cells than this, only the first ones and the last are reported. */
const mostCells = 6;
const firstCells = 3;

/**
 * The answer of an ablation in sentences that a reader can quote: the best cell, and the real differences or the
 * smallest difference that could have been detected.
 */
export function answerQuestion(result: Omit<AblationResult, 'formatVersion' | 'ablation' | 'answer'>): string {
  const { cells, measure, reference } = result;
  const comparisons = result.comparisons.map((one) => ({ ...one, a: titleOf(cells, one.a), b: titleOf(cells, one.b) }));
  const known = cells.filter((cell) => comparedValue(cell, measure) !== undefined);
  if (known.length === 0) return 'No answer yet: no run is complete.';
  const ordered = rank(known, measure);
  const saturation = comparisons.some(isSeparable) ? undefined : saturationOf(known, measure);
  const sentences = [
    ranking(ordered, measure),
    ...(saturation === undefined
      ? [
          ...differences(comparisons, titleOf(cells, ordered[0]?.id ?? reference), titleOf(cells, reference), measure),
          ...effectSentences(result.effects ?? [], measure),
        ]
      : [saturation]),
    ...otherTasks(comparisons),
    ...missing(cells),
  ];
  return sentences.join(' ');
}

/** A difference between cells with different tasks has two causes. */
function otherTasks(comparisons: readonly CellComparison[]): string[] {
  if (comparisons.every(({ design }) => design === 'paired')) return [];
  return ['Some cells played different tasks: such a difference also shows how hard the tasks are.'];
}

/** The compared measure of a cell; undefined before its first run is complete. */
export function comparedValue(cell: CellSummary | undefined, measure: Measure): number | undefined {
  return (measure === 'success' ? cell?.success?.rate : cell?.measured?.mean) ?? undefined;
}

/** The best cell first. Fewer turns are better. */
function rank(cells: readonly CellSummary[], measure: Measure): CellSummary[] {
  const sign = measure === 'turns' ? 1 : -1;
  const value = (cell: CellSummary) => comparedValue(cell, measure) ?? Number.NaN;
  return [...cells].sort((a, b) => sign * (value(a) - value(b)));
}

function ranking(ordered: readonly CellSummary[], measure: Measure): string {
  const values = ordered.map((cell) => quantity(comparedValue(cell, measure) ?? Number.NaN, measure));
  const [best, ...others] = ordered.map(({ id, title = id }, i) => `${title} (${values[i]})`);
  if (others.length === 0) return `Only ${best} has a result so far.`;
  if (new Set(values).size === 1) return `${measureName(measure)}: all ${values.length} cells reach ${values[0]}.`;
  const all = [best, ...others];
  if (all.length <= mostCells) return `${measureName(measure)}: ${all.join('; ')}.`;
  const between = all.length - firstCells - 1;
  return `${measureName(measure)}: ${all.slice(0, firstCells).join('; ')}; then ${between} more cells down to ${all.at(-1)}.`;
}

function differences(
  comparisons: readonly CellComparison[],
  best: string,
  reference: string,
  measure: Measure,
): string[] {
  if (comparisons.length === 0) return ['No two cells have a common seed yet.'];
  const real = comparisons.filter(isSeparable);
  if (real.length === 0) return notSeparable(comparisons, measure);
  if (comparisons.some(({ a }) => a !== reference)) return ofBest(best, comparisons, measure);
  const largest = [...real]
    .sort((x, y) => Math.abs(y.difference.mean) - Math.abs(x.difference.mean))
    .slice(0, mostDifferences);
  const more = real.length - mostDifferences;
  const rest = comparisons.length - real.length;
  return [
    ...largest.map((comparison) => difference(comparison, measure)),
    ...(more > 0
      ? [`Of the ${comparisons.length} differences, ${more} more ${more === 1 ? 'is' : 'are'} separable.`]
      : []),
    ...(rest > 0 ? [`${rest === 1 ? 'The other difference is' : `${rest} other differences are`} not separable.`] : []),
    ...doubtful(comparisons),
  ];
}

/**
 * For comparisons of all pairs: the best cell against each other cell. Only the nearest cell that it beats gets all
 * numbers.
 */
function ofBest(best: string, comparisons: readonly CellComparison[], measure: Measure): string[] {
  const own = comparisons
    .filter(({ a, b }) => a === best || b === best)
    .sort((x, y) => Math.abs(x.difference.mean) - Math.abs(y.difference.mean));
  const other = ({ a, b }: CellComparison) => (a === best ? b : a);
  const [nearest, ...beaten] = own.filter(isSeparable);
  const equals = own.filter((comparison) => !isSeparable(comparison)).map(other);
  return [
    ...(nearest === undefined ? [] : [difference(nearest, measure)]),
    ...(beaten.length === 0 ? [] : [`It is also separable from ${listOf(beaten.map(other))}.`]),
    ...(equals.length === 0 ? [] : [`${best} is not separable from ${listOf(equals)}.`]),
    ...doubtful(own),
  ];
}

function difference(
  { a, b, difference: { mean, low, high }, corrected }: Pick<CellComparison, 'a' | 'b' | 'difference' | 'corrected'>,
  measure: Measure,
): string {
  const [more, less, sign] = mean >= 0 ? [b, a, 1] : [a, b, -1];
  const by = differenceText(Math.abs(mean), measure);
  const [from, to] = sign > 0 ? [low, high] : [-high, -low];
  const interval = `${differenceText(from, measure, false)} to ${differenceText(to, measure, false)}`;
  const verb = measure === 'turns' ? 'takes more turns than' : 'is above';
  return `${more} ${verb} ${less} by ${by} (95 % interval ${interval}; p ${formatP(corrected)} after Holm's correction).`;
}

function notSeparable(comparisons: readonly CellComparison[], measure: Measure): string[] {
  const [{ seeds, tasks }] = comparisons as [CellComparison];
  const few = comparisons.every(({ difference: { reservation } }) => reservation?.endsWith('-seeds') ?? false)
    ? 'Two seeds do not show how much seeds differ'
    : comparisons.every(({ difference: { reservation } }) => reservation === 'one-seed')
      ? 'One seed per cell says nothing about other seeds'
      : undefined;
  if (few !== undefined) return [`${few}, so no difference is called separable. Run three seeds or more.`];
  const alone = comparisons.filter(({ p, difference }) => p < level && difference.reservation === undefined);
  const unsure = doubtful(comparisons);
  if (alone.length > 0) {
    const those = alone.length === 1 ? 'One difference is' : `${alone.length} differences are`;
    return [
      `${those} separable without correction for ${comparisons.length} comparisons, but not with it: ${namesOf(alone)}. Run more seeds.`,
      ...unsure,
    ];
  }
  if (unsure.length > 0) return ['No difference is separable.', ...unsure];
  const effects = comparisons.flatMap(({ detectable }) => detectable ?? []);
  if (measure !== 'success' || effects.length < comparisons.length) {
    return [`Not separable with ${seeds} ${seeds === 1 ? 'seed' : 'seeds'} and ${tasks.toLocaleString('en')} tasks.`];
  }
  return [`Not separable: ${describeDetectableEffect(Math.max(...effects), seeds, tasks)}.`];
}

/** The main effect of each key, and whether keys interact. */
function effectSentences(effects: readonly GridEffect[], measure: Measure): string[] {
  const of = (kind: GridEffect['kind']) => effects.filter((effect) => effect.kind === kind);
  const [main, together] = [of('main'), of('interaction')];
  if (main.length === 0) return [];
  if (effects.every(({ difference: { reservation } }) => reservation === 'one-seed'))
    return ['With one seed per cell, no effect over the whole grid is called separable either.'];
  const told = main.filter(isSeparable).map((effect) => difference(effect, measure));
  const joint = together.filter(isSeparable).map(({ a, b, difference: { mean } }) => {
    const [verb, by] = [mean > 0 ? 'larger' : 'smaller', differenceText(Math.abs(mean), measure)];
    return `The effect of ${b} is ${by} ${verb} with ${a} than with the first value of that key.`;
  });
  return [
    ...(told.length === 0 ? ['Over the whole grid no key has a separable effect.'] : ['Over the whole grid:', ...told]),
    ...(joint.length === 0 && together.length > 0 ? ['No interaction is separable.'] : joint),
  ];
}

/** Differences whose interval excludes 0, but is too narrow to be reliable. */
function doubtful(comparisons: readonly CellComparison[]): string[] {
  const narrow = comparisons.filter(({ p, difference }) => p < level && difference.reservation === 'narrow');
  if (narrow.length === 0) return [];
  const whose = narrow.length === 1 ? 'One interval excludes' : `${narrow.length} intervals exclude`;
  return [
    `${whose} 0, but ${narrow.length === 1 ? 'is' : 'are'} narrow (${namesOf(narrow)}): the seeds differ less than the sampling of tasks alone would make them differ. Run more seeds.`,
  ];
}

function namesOf(comparisons: readonly CellComparison[]): string {
  const names = comparisons.slice(0, mostDifferences).map(({ a, b }) => `${b} − ${a}`);
  const more = comparisons.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/** The names of cells, which may contain commas; of many names, only the first ones. */
function listOf(names: readonly string[]): string {
  if (names.length <= mostCells) return names.join('; ');
  return `${names.slice(0, firstCells).join('; ')} and ${names.length - firstCells} more`;
}

/** How many runs failed, and how many are missing. */
export function missing(cells: readonly CellSummary[]): string[] {
  const runs = trainedCells(cells).flatMap((cell) => cell.runs);
  const failed = runs.filter(({ status }) => status === 'failed').length;
  const absent = runs.filter(({ status }) => status !== 'completed').length - failed;
  return [
    ...(failed > 0 ? [`${failed} of ${runs.length} runs failed.`] : []),
    ...(absent > 0 ? [`${absent} of ${runs.length} runs ${absent === 1 ? 'is' : 'are'} missing.`] : []),
  ];
}

/** "p < 0.001" or "p = 0.013", without the p. */
export function formatP(p: number): string {
  return p < 0.001 ? probability(p) : `= ${probability(p)}`;
}

function measureName(measure: Measure): string {
  return measure === 'success' ? 'Success' : measure === 'return' ? 'Return' : 'Turns';
}

export function quantity(value: number, measure: Measure): string {
  return measure === 'success' ? `${(value * 100).toFixed(1)} %` : value.toFixed(2);
}

/** A difference in points of a rate, or in the measure's own unit. */
export function differenceText(value: number, measure: Measure, unit = true): string {
  return measure === 'success' ? `${(value * 100).toFixed(1)}${unit ? ' points' : ''}` : value.toFixed(2);
}
