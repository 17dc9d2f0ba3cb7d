import { WorkedExamples } from '../../rollout/worked-examples.js';
import type { KeptPrompt } from '../../runs/kept-prompt.js';

/** What the conversations of a served run begin with. */
export interface ServedPrompt {
  /** For conversations without a system message. */
  readonly system: string;
  /** Games before the first message of the user. Absent: none. */
  readonly examples?: WorkedExamples;
}

export function servedPrompt({ system, games }: KeptPrompt): ServedPrompt {
  const [first, ...others] = games;
  return { system, ...(first && { examples: new WorkedExamples([first, ...others]) }) };
}
