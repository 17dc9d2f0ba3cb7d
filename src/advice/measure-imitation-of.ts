import { finalEvaluation } from '../ablation/read-outcomes.js';
import type { SftStagePlan } from '../config/run-plan.js';
import type { RunMetricsLine } from '../files/metrics-log.js';
import type { LoadedRun } from '../runs/load-run.js';
import { mean } from '../statistics/mean.js';
import { planOfRun } from '../runs/plan-of-run.js';
import { gainOver, lateShare } from './measure-run.js';
import type { ImitationMeasure } from './measured.js';

/** The results of the supervised stages before reinforcement learning. Undefined if none was logged. */
export function measureImitationOf(run: LoadedRun): ImitationMeasure | undefined {
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
  const best = bestOf(run, player);
  const { temperature } = best ?? {};
  const imitated = file === undefined ? expert : undefined;
  const overExpert = imitated === undefined ? undefined : gainOver(run, imitated, player, temperature);
  return {
    stage: stage.name,
    steps: lines.length,
    demonstrations: Number(last['cost/demonstrations'] ?? 0),
    tasks: run.manifest.splits?.uses['demonstrations']?.tasks,
    epochs: Number(last['train/epoch'] ?? 0),
    loss: mean(late),
    heldOut: heldOutOf(lines),
    agreement: last['eval/agreement'],
    ...best,
    expert: overExpert && imitated,
    overExpert,
    overRandom: gainOver(run, 'random', player, temperature),
    trained: firstRl < 0 ? undefined : trainedOf(run, imitated),
  };
}

/** Success at the temperature at which a policy solves more: 0, or that of training. */
function bestOf(run: LoadedRun, player: 'policy' | 'start'): { temperature: number; success: number } | undefined {
  const [best] = [0, run.manifest.recipe.policy.sampling.temperature]
    .flatMap((temperature) => {
      const found = finalEvaluation(run, player, temperature);
      return found === undefined ? [] : [{ temperature, success: found.evaluation.success.rate }];
    })
    .sort((a, b) => b.success - a.success);
  return best;
}

/** The policy after reinforcement learning. */
function trainedOf(run: LoadedRun, expert: string | undefined): ImitationMeasure['trained'] {
  const best = bestOf(run, 'policy');
  if (best === undefined) return undefined;
  const over = (player: string) => gainOver(run, player, 'policy', best.temperature);
  return { overExpert: expert === undefined ? undefined : over(expert), overRandom: over('random') };
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
