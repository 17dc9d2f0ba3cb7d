import { fine, unknown, type AdviceRule } from '../advice.js';

/** Whether test tasks are used for training. */
export const splits: AdviceRule = {
  id: 'splits',
  judge({ measured: { splits: counted } }) {
    const { train, validation, test, shared } = counted;
    const told = (count: number | 'unbounded') => (count === 'unbounded' ? 'an unlimited number of' : String(count));
    if (shared === undefined) {
      return unknown('a split is unbounded or very large; the manifest of a run proves that its splits share no task');
    }
    const evidence = `${told(train)} training, ${told(validation)} validation and ${told(test)} test tasks`;
    if (shared === 0) return fine(`${evidence}, and no task in two splits`);
    return {
      verdict: 'finding',
      severity: 'problem',
      finding: `${shared} tasks are in two splits, so they measure training tasks, or tasks used for selection.`,
      evidence,
      source: 'the Guide, section 5 item 6 (its repository validates on the seeds of its demonstrations)',
      basis: 'both',
    };
  },
};
