import type { SftStagePlan } from '../config/run-plan.js';
import { finalOutcomes } from '../reports/report-comparisons.js';
import type { RunMetricsLine } from '../files/metrics-log.js';
import type { LoadedRun } from '../runs/load-run.js';
import { planOfRun } from '../runs/plan-of-run.js';
import { gainOver, lateShare } from './measure-run.js';
import type { ImitationMeasure } from './measured.js';

/** The results of the supervised stages before reinforcement learning. Undefined if none was logged. */
export function measureImitationOf(run: LoadedRun): ImitationMeasure | undefined {
  const { recipe } = run.manifest;
  const { stages } = planOfRun(run.manifest);
  const firstRl = stages.findIndex(({ kind }) => kind === 'rl');
  const before = firstRl < 0 ? stages : stages.slice(0, firstRl);
  const stage = before.findLast((one): one is SftStagePlan => one.kind === 'sft');
  const lines = run.metrics.filter((line) => line.stage === stage?.name);
  const last = lines.at(-1)?.metrics;
  if (stage === undefined || last === undefined) return undefined;
  const [{ expert, file }] = stage.demonstrations;
  const late = lines.slice(-Math.ceil(lateShare * lines.length)).flatMap(({ metrics }) => metrics['train/loss'] ?? []);
  // Without reinforcement learning, the trained policy is the imitating one.
  const player = firstRl < 0 ? 'policy' : 'start';
  const [best] = [0, recipe.policy.sampling.temperature]
    .flatMap((temperature) => {
      const outcomes = finalOutcomes(run, player, temperature);
      return outcomes === undefined ? [] : [{ temperature, success: outcomes.rate }];
    })
    .sort((a, b) => b.success - a.success);
  const overExpert = file === undefined ? gainOver(run, expert, player, best?.temperature) : undefined;
  const overRandom = gainOver(run, 'random', player, best?.temperature);
  const trained = firstRl < 0 ? undefined : trainedOf(run, file === undefined ? expert : undefined);
  const heldOut = heldOutOf(lines);
  const tasks = run.manifest.splits?.uses['demonstrations']?.tasks;
  return {
    stage: stage.name,
    steps: lines.length,
    demonstrations: Number(last['cost/demonstrations'] ?? 0),
    ...(tasks !== undefined && { tasks }),
    epochs: Number(last['train/epoch'] ?? 0),
    loss: late.reduce((sum, value) => sum + value, 0) / late.length,
    ...(heldOut !== undefined && { heldOut }),
    ...(last['eval/agreement'] !== undefined && { agreement: last['eval/agreement'] }),
    ...best,
    ...(overExpert && { expert, overExpert }),
    ...(overRandom && { overRandom }),
    ...(trained && { trained }),
  };
}

/** The policy after reinforcement learning, at the temperature at which it solves more. */
function trainedOf(run: LoadedRun, expert: string | undefined): ImitationMeasure['trained'] {
  const [best] = [0, run.manifest.recipe.policy.sampling.temperature]
    .flatMap((temperature) => {
      const outcomes = run.result?.evaluation ? finalOutcomes(run, 'policy', temperature) : undefined;
      return outcomes === undefined ? [] : [{ temperature, success: outcomes.rate }];
    })
    .sort((a, b) => b.success - a.success);
  if (best === undefined) return undefined;
  const overExpert = expert === undefined ? undefined : gainOver(run, expert, 'policy', best.temperature);
  const overRandom = gainOver(run, 'random', 'policy', best.temperature);
  return { ...(overExpert && { overExpert }), ...(overRandom && { overRandom }) };
}

function heldOutOf(lines: readonly RunMetricsLine[]): ImitationMeasure['heldOut'] {
  const losses = lines.flatMap(({ metrics }, place) => {
    const loss = metrics['eval/held_out_loss'];
    return loss === undefined ? [] : [{ loss, place: place + 1 }];
  });
  const last = losses.at(-1)?.loss;
  if (last === undefined) return undefined;
  const before = losses.findLast(({ place }) => place <= (1 - lateShare) * lines.length)?.loss ?? last;
  return { last, least: Math.min(...losses.map(({ loss }) => loss)), fall: 1 - last / before };
}
