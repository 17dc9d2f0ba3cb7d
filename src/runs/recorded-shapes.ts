import * as v from 'valibot';

import { typeProblem } from '../config/check-structure.js';
import { isKeyMap } from '../config/recipe-layer.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** JSON has no NaN: a statistic of too few tasks is null. */
const statistic = v.nullable(v.number());
const mean = v.looseObject({ low: statistic, high: statistic, mean: statistic });

const evaluationSchema = v.looseObject({
  split: v.string(),
  temperature: v.number(),
  success: v.looseObject({
    low: statistic,
    high: statistic,
    rate: statistic,
    episodes: v.number(),
    method: v.string(),
  }),
  return: mean,
  turns: mean,
  truncated: v.number(),
  invalid: v.number(),
  failed: v.number(),
  attempts: v.exactOptional(v.looseObject({ k: v.number(), avg: v.number(), pass: v.number() })),
  labels: v.exactOptional(
    v.record(v.string(), v.array(v.looseObject({ tasks: v.number(), success: v.looseObject({ rate: v.number() }) }))),
  ),
});

const baselinesSchema = v.record(v.string(), evaluationSchema);
const place = { stage: v.string(), step: v.number() };

/**
 * The parts of the files of a run that commands use without further checks, also of runs that older versions wrote. A
 * user may have changed the files.
 */
export const recordedShapes = {
  metrics: v.looseObject({ ...place, runStep: v.number() }),
  evaluation: v.looseObject({
    ...place,
    runStep: v.number(),
    player: v.string(),
    evaluation: evaluationSchema,
    outcomes: v.array(v.looseObject({})),
  }),
  episode: v.looseObject({
    ...place,
    status: v.string(),
    turns: v.array(v.looseObject({ components: v.looseObject({}) })),
  }),
  result: v.looseObject({
    formatVersion: v.literal(1),
    status: v.string(),
    seconds: v.number(),
    spent: v.looseObject({ seconds: v.number() }),
    stages: v.array(
      v.looseObject({
        name: v.string(),
        kind: v.string(),
        steps: v.number(),
        seconds: v.number(),
        evaluation: v.exactOptional(evaluationSchema),
      }),
    ),
    evaluation: v.nullable(evaluationSchema),
    evaluations: v.array(evaluationSchema),
    starts: v.array(evaluationSchema),
    baselines: baselinesSchema,
    transfer: v.exactOptional(
      v.record(v.string(), v.looseObject({ evaluations: v.array(evaluationSchema), baselines: baselinesSchema })),
    ),
  }),
};

/** What a document lacks: "it is null, not a map of keys"; undefined if nothing. */
export function shapeProblem(shape: keyof typeof recordedShapes, document: unknown): string | undefined {
  if (!isKeyMap(document)) return `it is ${document === null ? 'empty' : JSON.stringify(document)}, not a map of keys`;
  return typeProblem(recordedShapes[shape], document);
}

/** Throws AG_RUN_DAMAGED if a line of a log is not what a run writes there. */
export function checkLine(shape: keyof typeof recordedShapes, document: unknown, file: string, line: number): void {
  const problem = shapeProblem(shape, document);
  if (problem === undefined) return;
  throw new AgentgymError('AG_RUN_DAMAGED', {
    message: `Line ${line} of ${file} is not what a run writes there: ${problem}.`,
    file,
    line,
  });
}
