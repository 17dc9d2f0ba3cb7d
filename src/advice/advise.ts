import { planRun } from '../config/run-plan.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { Advice, AdviceRule, Finding, Judgement, Severity } from './advice.js';
import { adviceRules } from './all-rules.js';
import { measure } from './measure.js';
import { openSubject } from './open-subject.js';
import { proposeAblation, proposeChange, type ProposalBase } from './propose.js';

export interface AdviceRequest {
  /** A recipe as `train` takes it, or a RUN; absent: the project's recipe. */
  readonly what?: string;
  readonly sets: readonly string[];
  /** Training tasks that are played; 0: nothing is played. */
  readonly tasks: number;
  /** Of the plays. */
  readonly seed: number;
  readonly cwd: string;
  readonly runsFolder: string;
  readonly host: PluginHost;
  readonly settings: HostSettings;
}

const order: readonly Severity[] = ['problem', 'advice', 'hint'];

/**
 * Holds a recipe or a run against what has been measured elsewhere. Nothing is written; the same seed gives the same
 * advice.
 */
export async function advise(request: AdviceRequest): Promise<Advice> {
  const { what, sets, tasks, seed, cwd, runsFolder, host, settings } = request;
  const { name, recipe, run, base } = await openSubject(what, { sets, cwd, runsFolder, host, settings });
  const planned = planRun(recipe);
  const measured = await measure({ planned, ...(run && { run }), tasks, seed, host, settings });
  const kind = run === undefined ? 'recipe' : 'run';
  const judged = adviceRules.flatMap((rule): [AdviceRule, Judgement][] => {
    const judgement = rule.judge({ planned, kind, measured });
    return judgement === undefined ? [] : [[rule, judgement]];
  });
  const findings: Finding[] = [];
  for (const [rule, judgement] of judged) {
    if (judgement.verdict === 'finding') findings.push(await toldFinding(rule, judgement, base));
  }
  return {
    subject: name,
    kind,
    measured,
    findings: findings.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity)),
    fine: judged.flatMap(([{ id }, judgement]) =>
      judgement.verdict === 'fine' ? [{ rule: id, fact: judgement.fact }] : [],
    ),
    notChecked: judged.flatMap(([{ id }, judgement]) =>
      judgement.verdict === 'unknown' ? [{ rule: id, why: judgement.why }] : [],
    ),
  };
}

async function toldFinding(
  { id }: AdviceRule,
  judgement: Extract<Judgement, { verdict: 'finding' }>,
  base: ProposalBase | undefined,
): Promise<Finding> {
  const { severity, finding, evidence, source, basis, change, trial } = judgement;
  const flags = base && change && (await proposeChange(change, base));
  const ablate = base && trial && (await proposeAblation(trial, base));
  return {
    rule: id,
    severity,
    finding,
    evidence,
    source,
    basis,
    ...(flags !== undefined && { change: flags }),
    ...(ablate !== undefined && { ablate }),
  };
}
