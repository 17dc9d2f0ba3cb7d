import { loadRun } from '../runs/load-run.js';
import { planOfRun } from '../runs/plan-of-run.js';
import { referenceTo } from '../runs/resolve-run.js';
import type { Measured } from './measured.js';
import { measureImitationOf } from './measure-imitation-of.js';
import { judge } from './judge.js';
import { measureCollapse } from './measure-collapse.js';
import { measureRun } from './measure-run.js';
import { collapse } from './rules/collapse.js';
import { imitation } from './rules/imitation.js';
import { gain, overRandom } from './rules/outcome.js';

/** Rules whose problems are always reported at the end of training: the policy did not learn what it should. */
const alwaysTold = [imitation, collapse, gain, overRandom];

/** The problems in a run's log and evaluations, one sentence each, and a command for more advice. Nothing is played. */
export async function runProblems(directory: string): Promise<string[]> {
  const run = await loadRun(directory);
  const measured: Measured = {
    players: {},
    rewards: {},
    splits: { train: 'unbounded', validation: 'unbounded', test: 'unbounded' },
    run: measureRun(run),
    imitation: measureImitationOf(run),
    collapse: await measureCollapse(run),
  };
  const planned = planOfRun(run.manifest);
  const judged = judge({ planned, kind: 'run', measured }, alwaysTold);
  const findings = judged.flatMap(([, judgement]) =>
    judgement.verdict === 'finding' && judgement.severity === 'problem' ? [judgement.finding] : [],
  );
  if (findings.length === 0) return [];
  const reference = referenceTo(run.directory, run.manifest.id);
  const told = findings.map((finding) => `Problem: ${finding}`);
  // Advice is about one environment.
  return planned.entries.length > 1 ? told : [...told, `What to change: agentgym advise ${reference}`];
}
