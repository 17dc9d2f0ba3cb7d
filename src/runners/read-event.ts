import * as v from 'valibot';

import type { RunEvent } from '../contracts/events.js';
import { shortenText } from '../reporting/display-text.js';

/** Characters of the longest text of a node that is shown. */
const longestText = 4000;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const nodeText = v.pipe(
  v.string(),
  v.transform((text) => shortenText(text, longestText)),
);
/** A number that is not finite is null in JSON. */
const metrics = v.pipe(
  v.record(v.string(), v.nullable(v.number())),
  v.transform((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))),
);
const evaluation = v.looseObject({
  split: nodeText,
  temperature: v.number(),
  success: v.looseObject({ rate: v.number(), low: v.number(), high: v.number() }),
});

const eventSchema = v.variant('type', [
  v.object({
    type: v.literal('stage-started'),
    stage: nodeText,
    kind: v.picklist(['sft', 'rl']),
    steps: count,
    done: count,
  }),
  v.object({ type: v.literal('step'), stage: nodeText, step: count, steps: count, metrics }),
  v.object({ type: v.literal('evaluation'), stage: nodeText, step: count, evaluation }),
  v.object({ type: v.literal('stage-finished'), stage: nodeText, step: count, seconds: v.number() }),
  v.object({ type: v.literal('warning'), message: nodeText }),
  v.object({ type: v.literal('activity'), message: nodeText }),
]);

/** An event of a run that was trained elsewhere; undefined if it is none. Events are only shown, so one may be left out. */
export function readEvent(value: unknown): RunEvent | undefined {
  const { output, success } = v.safeParse(eventSchema, value);
  return success ? (output as unknown as RunEvent) : undefined;
}
