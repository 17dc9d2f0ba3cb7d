import type { RunPlan } from '../config/run-plan.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { Advice, AdviceRule, Finding, FoundJudgement, Severity } from './advice.js';
import { judge } from './judge.js';
import { measure, type MeasureRequest } from './measure.js';
import { openSubject } from './open-subject.js';
import { proposeAblation, proposeChange, type ProposalBase } from './propose.js';

export interface AdviceRequest extends Omit<ProposalBase, 'source'>, Pick<MeasureRequest, 'tasks' | 'seed'> {
  /** A recipe as `train` accepts it, or a RUN; absent: the project's recipe. */
  readonly what?: string;
}

const order: readonly Severity[] = ['problem', 'advice', 'hint'];

/**
 * Compares a recipe or a run with published and measured results. It writes nothing; the same seed gives the same
 * advice.
 */
export async function advise(request: AdviceRequest): Promise<Advice> {
  const { what, tasks, seed, ...place } = request;
  const { host, settings } = place;
  const { name, plan: planned, run, base } = await openSubject(what, place);
  refuseSeveral(planned);
  const measured = await measure({ planned, run, tasks, seed, host, settings });
  const kind = run === undefined ? 'recipe' : 'run';
  const judged = judge({ planned, kind, measured });
  const proposed: { finding: Finding; command: string | undefined }[] = [];
  for (const [rule, judgement] of judged) {
    if (judgement.verdict === 'finding') proposed.push(await toldFinding(rule, judgement, base));
  }
  proposed.sort((a, b) => order.indexOf(a.finding.severity) - order.indexOf(b.finding.severity));
  return {
    subject: name,
    kind,
    measured,
    findings: proposed.map(({ finding }) => finding),
    fine: judged.flatMap(([{ id }, judgement]) =>
      judgement.verdict === 'fine' ? [{ rule: id, fact: judgement.fact }] : [],
    ),
    notChecked: judged.flatMap(([{ id }, judgement]) =>
      judgement.verdict === 'unknown' ? [{ rule: id, why: judgement.why }] : [],
    ),
    next: proposed.find(({ command }) => command !== undefined)?.command,
  };
}

/** What is measured and published is about agents of one environment. */
function refuseSeveral({ entries }: RunPlan): void {
  if (entries.length === 1) return;
  const names = entries.map(({ entry }) => entry).join(', ');
  throw new AgentgymError('AG_RECIPE_INVALID', {
    message: `The recipe trains in several environments (${names}), and advice is about one.`,
    hint: 'Ask for a recipe with one `environment`, such as one of these alone.',
    path: 'environments',
  });
}

async function toldFinding(
  { id }: AdviceRule,
  { verdict: _, explainedBy: __, change, trial, ...found }: FoundJudgement,
  base: ProposalBase | undefined,
): Promise<{ finding: Finding; command: string | undefined }> {
  const proposed = base && change && (await proposeChange(change, base));
  const ablate = base && trial && (await proposeAblation(trial, base));
  return { finding: { rule: id, ...found, change: proposed?.flags, ablate }, command: proposed?.command };
}
