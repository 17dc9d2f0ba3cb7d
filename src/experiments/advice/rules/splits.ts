import { fine, unknown, type AdviceRule } from '../advice.js';

/** Whether tasks are trained on that are tested. An environment whose splits share tasks is refused before it comes to this. */
export const splits: AdviceRule = {
  id: 'splits',
  judge({ measured: { splits: counted } }) {
    const { train, validation, test, shared } = counted;
    if (shared === undefined)
      return unknown('a split is unbounded or very large; the manifest of a run proves that its tasks are not shared');
    return fine(`${train} training, ${validation} validation and ${test} test tasks, none in two of them`);
  },
};
