import * as v from 'valibot';

import { errorCodes, exitCodeOf, type ErrorCode } from '../errors/error-codes.js';
import { nodeText } from './read-event.js';
import type { TrainOutcome } from './runner.js';

/** How a job says that its run ended. */
export const outcomeSchema = v.union([
  v.object({
    status: v.literal('failed'),
    cause: nodeText,
    code: v.optional(v.string()),
    hint: v.optional(nodeText),
  }),
  v.object({
    status: v.picklist(['completed', 'interrupted', 'stopped', 'failed']),
    seconds: v.pipe(v.number(), v.finite(), v.minValue(0)),
  }),
]);

/** The outcome as this process treats it. */
export function toldOutcome(told: v.InferOutput<typeof outcomeSchema>): TrainOutcome {
  if (!('cause' in told)) return told;
  const { cause, code, hint, status } = told;
  return { status, cause, ...(isOfUser(code) && { code, ...(hint !== undefined && { hint }) }) };
}

/** Whether it is an error that the user can mend. What is a defect on a node is none of this process. */
function isOfUser(code: string | undefined): code is ErrorCode {
  if (code === undefined || !Object.hasOwn(errorCodes, code)) return false;
  return [1, 2].includes(exitCodeOf(code as ErrorCode));
}
