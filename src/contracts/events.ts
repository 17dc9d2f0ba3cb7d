import type { EvaluationSummary } from './evaluation.js';

/**
 * Events of a run for progress displays. They are not saved; `metrics.jsonl` is the record.
 *
 * @example
 * ```ts
 * // line-of-event.ts
 * import type { RunEvent } from '@agentgym/cli';
 *
 * export function lineOf(event: RunEvent): string {
 *   switch (event.type) {
 *     case 'stage-started':
 *     case 'stage-finished':
 *       return `${event.stage}: ${event.type}`;
 *     case 'step':
 *       return `${event.stage}: step ${event.step} of ${event.steps}`;
 *     case 'evaluation':
 *       return `${event.stage}: success ${event.evaluation.success.rate} at step ${event.step}`;
 *     case 'warning':
 *     case 'activity':
 *       return event.message;
 *   }
 * }
 * ```
 */
export type RunEvent =
  | {
      readonly type: 'stage-started';
      readonly stage: string;
      readonly kind: 'sft' | 'rl';
      readonly steps: number;
      readonly done: number;
    }
  | {
      readonly type: 'step';
      readonly stage: string;
      readonly step: number;
      readonly steps: number;
      readonly metrics: { readonly [name: string]: number };
    }
  | {
      readonly type: 'evaluation';
      readonly stage: string;
      readonly step: number;
      readonly evaluation: EvaluationSummary;
    }
  | { readonly type: 'stage-finished'; readonly stage: string; readonly step: number; readonly seconds: number }
  | { readonly type: 'warning'; readonly message: string }
  /** Work outside training steps, such as building a tokenizer or playing baselines. */
  | { readonly type: 'activity'; readonly message: string };
