import type { ConversationEncoder } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { BatchRow } from './build-batch.js';
import { TokenSequence } from './token-sequence.js';
import type { WorkedExamples } from './worked-examples.js';

/** An expert's episode as text, for supervised fine-tuning. */
export interface Demonstration {
  /** Its source, for messages: a task id, or a file and line. */
  readonly name: string;
  /** Its task, if known. */
  readonly task?: string;
  readonly system: string;
  /** The observation before each text; a final observation may follow. */
  readonly observations: readonly string[];
  /** The texts that the policy must learn to write, in its action format, without end tokens. */
  readonly texts: readonly string[];
  /** Places of texts from which nothing is learned; absent: all are learned. */
  readonly context?: ReadonlySet<number>;
  /** Places of texts that call a function; what follows is the answer. Absent: none does. */
  readonly calls?: ReadonlySet<number>;
}

/** A demonstration as a row of a batch. */
export interface DemonstrationRow extends BatchRow {
  /** Its task, if known. */
  readonly task?: string;
}

/**
 * A demonstration in the tokens of a policy, with the same layout as a rollout of the same episode: actions and their
 * end tokens have mask 1, except those of context. Turns that exceed the model's limit are omitted from the end.
 * Undefined if not even the first turn to learn fits.
 *
 * @param examples games before it, from which nothing is learned; absent: none
 */
export function layOutDemonstration(
  demonstration: Demonstration,
  encoder: ConversationEncoder,
  maxTokens: number,
  examples?: WorkedExamples,
): DemonstrationRow | undefined {
  const { observations, task, texts, context = new Set(), calls = new Set() } = demonstration;
  const sequence = new TokenSequence(encoder, demonstration.system, observations[0] ?? '', examples);
  const turns: { sampled: readonly [number, number]; reward: number }[] = [];
  for (const [index, text] of texts.entries()) {
    if (index > 0) sequence.addObservation(observations[index] ?? '', maxTokens, calls.has(index - 1));
    const action = [...encoder.encodeAction(text), encoder.endIds[0] as number];
    if (action.slice(0, -1).some((id) => encoder.endIds.includes(id))) {
      throw new AgentgymError('AG_DEMONSTRATION', {
        message: `Text ${index + 1} of the demonstration ${demonstration.name} contains a token that ends an action.`,
      });
    }
    if (!sequence.hasRoom(action.length - 1, maxTokens)) break;
    if (context.has(index)) sequence.addContext(action);
    else turns.push({ sampled: sequence.addAction(action, [], true), reward: 0 });
  }
  if (turns.length === 0) return undefined;
  return { record: sequence.record(), turns, group: 0, truncated: false, ...(task !== undefined && { task }) };
}

/** The whole conversation as text, from which a tokenizer is built. */
export function conversationText({ system, observations, texts }: Demonstration): string {
  const parts = observations.flatMap((observation, index) => [observation, texts[index] ?? '']);
  return [system, ...parts].filter((part) => part !== '').join('\n');
}
