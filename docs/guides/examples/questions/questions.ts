import type { EnvironmentHost, StepResult, World } from '@agentgym/cli';

import type { Options } from './options.js';

/** The last number at the end of a text, as in `3 + 4 = 7 #### 7`; undefined if it has none. */
const lastNumber = (text: string): number | undefined => {
  const found = text
    .slice(-200)
    .replaceAll(',', '')
    .match(/(?<![\w.-])-?\d{1,12}(\.\d{1,6})?(?!\w)/g)
    ?.at(-1);
  return found === undefined ? undefined : Number(found);
};

export async function open({ files, held }: Options, host: EnvironmentHost): Promise<World> {
  const rows = await host.openDataSet({
    files,
    columns: { question: 'string', answer: 'string' },
    splits: { train: 'train', validation: { of: 'train', share: held }, test: 'test' },
  });
  return {
    instructions: 'Answer the question. Only the last number that you write counts.',
    splits: rows.splits,
    splitOf: rows.splitOf,
    about: async (task) => ({ references: [String(lastNumber((await rows.row(task)).answer))] }),
    materials: rows.files,
    experts: ['oracle'],
    maxTurns: 1,
    create() {
      let answer: number | undefined;
      return {
        async reset(task) {
          const row = await rows.row(task);
          answer = lastNumber(row.answer);
          return row.question;
        },
        // A grader that takes time, such as a judge or a program that runs code, may be awaited here.
        step(action): StepResult {
          const given = lastNumber(action);
          const success = given !== undefined && given === answer;
          return {
            observation: `The answer is ${answer}.`,
            reward: Number(success),
            terminated: true,
            truncated: false,
            facts: { success, invalid: given === undefined },
          };
        },
        act: (player, { random }) => String(player === 'oracle' ? answer : random.integer(0, 100)),
      };
    },
    close: rows.close,
  };
}
