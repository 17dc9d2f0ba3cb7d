import type { ActionFormat } from '../contracts/format.js';
import type { ConversationEncoder } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { BatchRow } from './build-batch.js';
import { TokenSequence } from './token-sequence.js';

/** An expert's episode as text: what supervised fine-tuning learns from. */
export interface Demonstration {
  /** Where it comes from, for messages: a task id, or a file and line. */
  readonly name: string;
  /** The task it plays, where that is known. */
  readonly task?: string;
  readonly system: string;
  /** What was seen before each text; one more, seen at the very end, may follow. */
  readonly observations: readonly string[];
  /** What the policy is to write, in its action format, without end tokens. */
  readonly texts: readonly string[];
}

/** A demonstration as a row of a batch. */
export interface DemonstrationRow extends BatchRow {
  /** The task it plays, where that is known. */
  readonly task?: string;
}

/**
 * A demonstration in the tokens of a policy, laid out as a rollout of the same episode would be: actions and their end
 * tokens have mask 1. Turns that the model cannot hold are left out from the end; undefined where not even the first
 * fits.
 */
export function layOutDemonstration(
  demonstration: Demonstration,
  encoder: ConversationEncoder,
  maxTokens: number,
): DemonstrationRow | undefined {
  const { observations, task, texts } = demonstration;
  const sequence = new TokenSequence(encoder, demonstration.system, observations[0] ?? '');
  const turns: { sampled: readonly [number, number]; reward: number }[] = [];
  for (const [index, text] of texts.entries()) {
    if (index > 0) sequence.addObservation(observations[index] ?? '', maxTokens);
    const action = [...encoder.encodeAction(text), encoder.endIds[0] as number];
    if (action.slice(0, -1).some((id) => encoder.endIds.includes(id))) {
      throw new AgentgymError('AG_DEMONSTRATION', {
        message: `Text ${index + 1} of the demonstration ${demonstration.name} contains a token that ends an action.`,
      });
    }
    if (!sequence.hasRoom(action.length - 1, maxTokens)) break;
    turns.push({ sampled: sequence.addAction(action, [], true), reward: 0 });
  }
  if (turns.length === 0) return undefined;
  return { record: sequence.record(), turns, group: 0, truncated: false, ...(task !== undefined && { task }) };
}

/** The whole conversation as text: what a tokenizer is built from. */
export function conversationText({ system, observations, texts }: Demonstration): string {
  const parts = observations.flatMap((observation, index) => [observation, texts[index] ?? '']);
  return [system, ...parts].filter((part) => part !== '').join('\n');
}

/**
 * The text that a policy would write for an action. Throws if the format cannot write it, or reads another action from
 * it.
 */
export function writeAction(action: string, format: ActionFormat): string {
  const text = format.render(action);
  const parsed = format.parse(text);
  if (!('action' in parsed) || parsed.action !== action.trim()) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The action format reads the expert's action ${JSON.stringify(action)} back as ${JSON.stringify(parsed)}.`,
    });
  }
  return text;
}
