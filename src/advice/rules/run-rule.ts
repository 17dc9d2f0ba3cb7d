import type { RlStagePlan, RunPlan } from '../../config/run-plan.js';
import { onlyARun, unknown, type AdviceRule, type Judgement, type Subject } from '../advice.js';
import type { RunMeasure } from '../measured.js';

/** The input of a rule about a run, with its last stage of reinforcement learning. */
interface RunSubject extends Subject {
  readonly run: RunMeasure;
  readonly rl: RlStagePlan;
}

interface RunRule extends Omit<AdviceRule, 'judge'> {
  /** Absent: the rule applies to every stage of reinforcement learning. */
  readonly appliesTo?: (rl: RlStagePlan) => boolean;
  readonly judge: (subject: RunSubject) => Judgement;
}

interface LateRule extends Omit<RunRule, 'judge'> {
  readonly metric: string;
  /** Why the metric may be missing in a run. Absent: the run did not log it. */
  readonly absent?: (planned: RunPlan) => string | undefined;
  readonly judge: (late: number, subject: RunSubject) => Judgement;
}

/** A rule about a run. It does not apply without reinforcement learning, and a recipe alone leaves it unknown. */
export function runRule({ appliesTo, judge, ...rule }: RunRule): AdviceRule {
  return {
    ...rule,
    judge(subject) {
      const { planned, measured } = subject;
      if (planned.lastRl === undefined || appliesTo?.(planned.lastRl) === false) return undefined;
      if (measured.run === undefined) return unknown(onlyARun);
      return judge({ ...subject, run: measured.run, rl: planned.lastRl });
    },
  };
}

/** A rule about the mean of a metric over the last steps of a run. */
export function lateRule({ metric, absent, judge, ...rule }: LateRule): AdviceRule {
  return runRule({
    ...rule,
    judge(subject) {
      const late = subject.run.late[metric];
      if (late === undefined) return unknown(absent?.(subject.planned) ?? `the run did not log \`${metric}\``);
      return judge(late, subject);
    },
  });
}

/** "over the last 50 steps of `rl`". */
export const overLate = ({ lateSteps, stage }: RunMeasure): string =>
  `over the last ${lateSteps} steps of \`${stage}\``;
