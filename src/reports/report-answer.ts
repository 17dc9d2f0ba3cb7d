import { environmentTitle } from '../config/recipe-entries.js';
import type { Recipe } from '../config/recipe-schema.js';
import { formatShare } from '../reporting/format-quantity.js';
import type { ReportCell, ReportComparison, ReportMean, ReportRate } from '../reporting/report-data.js';
import type { LoadedRun } from '../runs/load-run.js';

/** The question that a run answers. */
export function questionOf(recipe: Recipe, seeds = 1): string {
  const { algorithm, stages } = recipe;
  const world = environmentTitle(recipe);
  const over = seeds > 1 ? ` over ${seeds} seeds` : '';
  const trained = Object.values(stages).some(({ kind }) => kind === 'rl');
  if (!trained || algorithm === undefined) {
    return `How much of ${world} does supervised fine-tuning solve${over}?`;
  }
  return `Does reinforcement learning with ${algorithm.name} improve the policy on ${world}${over}?`;
}

/** The answer of one run: its success, and its difference to the start of reinforcement learning. */
export function answerOfRun({ result, metrics, status }: LoadedRun, gain: ReportComparison | undefined): string {
  const evaluation = result?.evaluation;
  if (evaluation === undefined || evaluation === null) {
    const last = metrics.at(-1);
    const where = last === undefined ? 'before its first step' : `at step ${last.step} of stage ${last.stage}`;
    return `No answer yet: the run is ${status}, ${where}, and has no final evaluation.`;
  }
  const { success, split } = evaluation;
  const solved = `it solves ${rateText(success)} of ${success.episodes.toLocaleString('en')} ${split} episodes`;
  return gain === undefined ? `${capitalized(solved)}.` : verdict(solved, gain);
}

/** The answer of one recipe over several seeds. */
export function answerOfSeeds({ success, seeds, tested = 0 }: ReportCell, gain: ReportComparison | undefined): string {
  if (success === null) return 'No answer yet: no seed is complete.';
  const all = new Set(seeds).size;
  const over = tested < all ? `${tested} of ${all} seeds` : `${all} ${all === 1 ? 'seed' : 'seeds'}`;
  const solved = `mean success over ${over} is ${rateText(success)}`;
  return gain === undefined ? `${capitalized(solved)}.` : verdict(solved, gain);
}

function verdict(solved: string, { difference, pairs }: ReportComparison): string {
  if (!isSure(difference)) {
    return `Not shown: ${solved}, but the change of ${gainText(difference)} over ${pairs} may be chance.`;
  }
  const [word, sign] = difference.mean > 0 ? ['Yes', 'more'] : ['No', 'fewer'];
  const points = (Math.abs(difference.mean) * 100).toFixed(1);
  return `${word}: ${solved}, ${points} points ${sign} than before (${intervalText(difference)}, over ${pairs}).`;
}

/** Whether the interval excludes zero. */
function isSure({ low, high }: ReportMean): boolean {
  return low !== null && high !== null && (low > 0 || high < 0);
}

export function rateText({ rate, low, high }: ReportRate): string {
  if (low === null || high === null) return formatShare(rate);
  return `${formatShare(rate)} (95 % interval ${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)})`;
}

export function gainText(difference: ReportMean): string {
  return `${signed(difference.mean)} points (${intervalText(difference)})`;
}

function intervalText({ low, high }: ReportMean): string {
  return low === null || high === null ? 'no interval from one pair' : `${signed(low)} to ${signed(high)}`;
}

function signed(value: number): string {
  const points = (Math.abs(value) * 100).toFixed(1);
  return `${value < 0 && Number(points) !== 0 ? '−' : '+'}${points}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
