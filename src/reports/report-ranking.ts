import { level } from '../ablation/compare-cells.js';
import { saturationOf } from '../ablation/saturation.js';
import { formatShare } from '../reporting/format-quantity.js';
import type { ReportCell, ReportComparison, ReportRate } from '../reporting/report-data.js';
import { gainText, rateText } from './report-answer.js';

type Tested = ReportCell & { readonly success: ReportRate };

/** The most names in one sentence. */
const mostNames = 6;

/** The question that several settings answer. */
export function questionOfCells(cells: readonly ReportCell[], environment: string): string {
  if (new Set(testsOf(cells)).size > 1) return `What does each of ${cells.length} settings reach on its own tasks?`;
  return `Which of ${cells.length} settings solves more of ${environment}?`;
}

/**
 * The answer for several settings. Settings with different tests are not ranked, and a setting is called the best only
 * if its difference to each other one is shown.
 */
export function answerOfCells(cells: readonly ReportCell[], comparisons: readonly ReportComparison[]): string {
  const tested = cells.filter((cell): cell is Tested => cell.success !== null);
  const tests = [...new Set(testsOf(tested))];
  const open = tested.length === 0 ? [] : withoutResult(cells);
  if (tested.length === 0) return 'No answer yet: no setting is complete.';
  if (tests.length < 2) return [...ranking(tested, comparisons), ...open].join(' ');
  const each = tests.flatMap((test) => {
    const [first, ...others] = tested.filter((cell) => cell.test === test);
    if (first === undefined) return [];
    if (others.length === 0) return [`On ${test}: ${besideBaselines(first)}.`];
    const [lead = '', ...rest] = ranking([first, ...others], comparisons);
    const isName = [first, ...others].some(({ label }) => lead.startsWith(label));
    return [`On ${test}: ${isName ? lead : lead.charAt(0).toLowerCase() + lead.slice(1)}`, ...rest];
  });
  return ['The settings were tested on different tasks, so they are not ranked.', ...each, ...open].join(' ');
}

function testsOf(cells: readonly ReportCell[]): string[] {
  return cells.flatMap(({ success, test }) => (success === null ? [] : [test ?? '']));
}

function besideBaselines({ label, success, baselines }: Tested): string {
  const { start = null, random = null } = baselines ?? {};
  const beside = [
    ...(start === null ? [] : [`${formatShare(start.rate)} before RL`]),
    ...(random === null ? [] : [`${formatShare(random.rate)} for random play`]),
  ].join(', ');
  return `${label} reaches ${rateText(success)}${beside === '' ? '' : `, compared with ${beside}`}`;
}

/** Sentences about settings with the same test. */
function ranking(tested: readonly Tested[], comparisons: readonly ReportComparison[]): string[] {
  const [best, ...others] = [...tested].sort((a, b) => b.success.rate - a.success.rate);
  if (best === undefined) return [];
  if (others.length === 0) return [`Only ${best.label} has a result: ${rateText(best.success)}.`];
  const between = (other: Tested) =>
    comparisons.find(
      ({ a, b, environment }) =>
        environment === undefined &&
        ((a === other.label && b === best.label) || (a === best.label && b === other.label)),
    );
  const below = others.filter((other) => isShown(between(other)));
  const near = others.filter((other) => !below.includes(other));
  const [second] = others;
  if (near.length === 0 && second !== undefined) return bestOf(best, second, between(second));
  const rate = formatShare(best.success.rate);
  const ties = near.filter(({ success }) => formatShare(success.rate) === rate);
  const lower = near.filter((other) => !ties.includes(other));
  const saturation = below.length === 0 ? saturationOf(tested, 'success') : undefined;
  const doubts = others.flatMap((other) => between(other) ?? []);
  return [
    ties.length > 0
      ? `${countText(ties.length + 1)} settings reach ${rate}${below.length + lower.length > 0 ? ` (${joined([best, ...ties].map(({ label }) => label))})` : ''}; no difference is shown.`
      : `${best.label} has the highest success: ${rateText(best.success)}.`,
    ...(lower.length > 0
      ? [`No difference is shown to ${withRates(lower)}.`, ...chanceOf(ties.length === 0 ? lower : [], between, others)]
      : []),
    ...(below.length > 0 ? [`Below that, with a difference that is shown: ${withRates(below)}.`] : []),
    ...(saturation === undefined ? fewSeeds(doubts) : [saturation]),
  ];
}

function bestOf(best: Tested, second: Tested, found: ReportComparison | undefined): string[] {
  const doubts = found === undefined ? [] : fewSeeds([found]);
  const lead =
    doubts.length > 0
      ? `${best.label} solves the most with ${rateText(best.success)}; the next is ${second.label} with ${rateText(second.success)}.`
      : `The best setting is ${best.label} with ${rateText(best.success)}; the second is ${second.label} with ${rateText(second.success)}.`;
  return [lead, ...(found === undefined ? [] : [overText(found)]), ...doubts];
}

/** The one difference that a reader asks for if there is only one near setting. */
function chanceOf(
  lower: readonly Tested[],
  between: (other: Tested) => ReportComparison | undefined,
  compared: readonly Tested[],
): string[] {
  const [only, ...others] = lower;
  const found = only && others.length === 0 ? between(only) : undefined;
  if (found === undefined) return [];
  const { low, high, reservation } = found.difference;
  // The sentence about the seeds follows.
  if (reservation === 'narrow') return [overText(found)];
  const isCorrected = compared.length > 1 && ((low ?? 0) > 0 || (high ?? 0) < 0);
  return [overText(found), isCorrected ? 'Among so many comparisons, it may be chance.' : 'It may be chance.'];
}

function overText({ difference, design, pairs }: ReportComparison): string {
  const over = design === 'paired' ? `over ${pairs}` : 'without pairs, because they share no seed or no task';
  return `The difference is ${gainText(difference)}, ${over}.`;
}

/**
 * Whether a difference counts: its p is significant after correction, and the seeds do not make its interval too narrow.
 * With one or two seeds it counts for these policies only: see `fewSeeds`.
 */
function isShown(comparison: ReportComparison | undefined): boolean {
  if (comparison === undefined || comparison.difference.reservation === 'narrow') return false;
  const { corrected, p, difference } = comparison;
  return (corrected ?? p ?? 1) < level && difference.mean !== 0;
}

/** Why other seeds may give another order. */
function fewSeeds(comparisons: readonly ReportComparison[]): string[] {
  const fewest = Math.min(...comparisons.map(({ seeds }) => seeds));
  if (fewest === 1) return ['A difference is based on one seed; other seeds may give another result.'];
  if (fewest === 2) return ['A difference is based on two seeds, which are too few to show how much seeds differ.'];
  if (comparisons.some(({ difference }) => difference.reservation === 'narrow'))
    return ['The seeds differ too little to trust the intervals: run more seeds.'];
  return [];
}

/** The settings that the ranking leaves out. */
function withoutResult(cells: readonly ReportCell[]): string[] {
  const open = cells.filter(({ success }) => success === null);
  if (open.length === 0) return [];
  return [`Without a result: ${joined(open.map(({ label, status }) => `${label} (${status})`))}.`];
}

function withRates(cells: readonly Tested[]): string {
  return joined(cells.map(({ label, success }) => `${label} (${formatShare(success.rate)})`));
}

/** The first of some names, which may contain commas. */
function joined(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return `${names.slice(0, mostNames).join('; ')}${more}`;
}

const words = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];

function countText(count: number): string {
  return words[count] ?? String(count);
}
