import type { EvaluationSummary } from './evaluation.js';

/** What a run tells while it goes, for whoever shows progress. Not on disk: `metrics.jsonl` is the record. */
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
  /** Work that is no training step, such as building a tokenizer or playing baselines. */
  | { readonly type: 'activity'; readonly message: string };
