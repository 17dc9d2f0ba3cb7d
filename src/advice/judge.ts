import { unknown, type AdviceRule, type Judgement, type Subject } from './advice.js';
import { adviceRules } from './all-rules.js';

/** The judgements of all rules. A finding that another one explains is set aside. */
export function judge(subject: Subject, rules = adviceRules): readonly (readonly [AdviceRule, Judgement])[] {
  const judged = rules.flatMap((rule): (readonly [AdviceRule, Judgement])[] => {
    const judgement = rule.judge(subject);
    return judgement === undefined ? [] : [[rule, judgement]];
  });
  const found = new Set(judged.flatMap(([{ id }, { verdict }]) => (verdict === 'finding' ? [id] : [])));
  return judged.map(([rule, judgement]) => {
    if (judgement.verdict !== 'finding') return [rule, judgement];
    const cause = (judgement.explainedBy ?? rule.explainedBy)?.find((other) => found.has(other));
    if (cause === undefined) return [rule, judgement];
    return [rule, unknown(`it may follow from the finding of ${cause}: fix that first`)];
  });
}
