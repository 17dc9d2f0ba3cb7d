import { formatPath } from '../../config/recipe-layer.js';
import type { RunPlan } from '../../config/run-plan.js';
import type { Json } from '../../contracts/json.js';
import { fine, percent, unknown, type AdviceRule } from '../advice.js';
import { horizonsOf } from '../play-tasks.js';
import { thresholds } from '../thresholds.js';

const source = 'the Guide, section 5 item 3 and table 4';

/** Whether an episode has the turns that its tasks need, with a reserve. */
export const turnBudget: AdviceRule = {
  id: 'turn-budget',
  judge({ planned, measured: { plan } }) {
    if (plan === undefined) return unknown('no oracle played, so the number of needed turns is unknown');
    if (plan.solved === 0) return unknown('the oracle solved no task');
    const { longest } = horizonsOf(planned);
    const measured = `the oracle, ${plan.tasks} training tasks: ${plan.mean.toFixed(1)} turns on average, ${plan.longest} at most`;
    const missed = plan.solved - plan.withinHorizon;
    const wanted = Math.max(plan.longest, Math.ceil(thresholds.turnsPerPlan.value * plan.mean));
    const change = lengthened(planned, wanted);
    const trial = { axis: 'horizon', values: [longest, wanted] };
    if (plan.withinHorizon < plan.solved - thresholds.unreachable.value) {
      return {
        verdict: 'finding',
        severity: 'problem',
        finding: `No player can solve ${percent(missed)} of the training tasks in ${longest} turns.`,
        evidence: `${measured}; ${percent(plan.withinHorizon)} of the tasks within ${longest}`,
        source,
        basis: 'both',
        change,
        trial,
      };
    }
    const ratio = longest / plan.mean;
    if (ratio >= thresholds.turnsPerPlan.value) {
      return fine(`${longest} turns are ${ratio.toFixed(1)} times the oracle's plan (${measured})`);
    }
    if (plan.longestPlayed <= longest) {
      return fine(`the game itself ends after ${plan.longestPlayed} turns; the oracle needs ${plan.mean.toFixed(1)}`);
    }
    return {
      verdict: 'finding',
      severity: 'advice',
      finding: `An episode has ${longest} turns, ${ratio.toFixed(1)} times the oracle's plan; about twice the plan leaves room for mistakes.`,
      evidence: measured,
      source,
      basis: 'paper',
      change,
      trial,
    };
  },
};

/** Whether a schedule of horizons begins with horizons long enough to learn from. */
export const firstHorizon: AdviceRule = {
  id: 'first-horizon',
  judge({ planned, measured: { plan } }) {
    const { first, longest } = horizonsOf(planned);
    if (first === longest) return undefined;
    if (plan === undefined) return unknown('no oracle played');
    const { withinFirst, solved, tasks } = plan;
    const evidence = `the oracle, ${tasks} training tasks: ${percent(withinFirst)} of them within ${first} turns, ${percent(solved)} without a limit`;
    if (withinFirst >= thresholds.firstHorizon.value) return fine(`the schedule begins at ${first} turns: ${evidence}`);
    return {
      verdict: 'finding',
      severity: 'advice',
      finding: `The schedule begins with ${first} turns, but only ${percent(withinFirst)} of the tasks can be solved in them: such short episodes hardly separate good play from bad.`,
      evidence,
      source: 'recipes/quickstart (ScalingInter)',
      basis: 'ours',
      change: { [horizonKey(planned)]: { schedule: 'fixed', turns: longest } },
      trial: { axis: 'horizon' },
    };
  },
};

/** The key of the horizon of the last stage of reinforcement learning. */
function horizonKey({ lastRl }: RunPlan): string {
  return lastRl === undefined ? 'horizon' : formatPath(lastRl.entries[0].horizonPath);
}

/** The same schedule with a longer last horizon. */
export function lengthened(planned: RunPlan, turns: number): { readonly [key: string]: Json } | undefined {
  const key = horizonKey(planned);
  const [{ horizon }] = planned.entries;
  if (turns <= horizonsOf(planned).longest) return undefined;
  if (horizon.schedule === 'fixed') return { [`${key}.turns`]: turns };
  if (horizon.schedule === 'linear') return { [`${key}.to`]: turns };
  return { [`${key}.turns`]: [...horizon.turns.slice(0, -1), turns] };
}
