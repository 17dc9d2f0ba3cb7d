import type { ActionFormat } from '../contracts/format.js';
import type { ConversationEncoder } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import type { BatchRow } from './build-batch.js';
import { TokenSequence } from './token-sequence.js';

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
}

/** A demonstration as a row of a batch. */
export interface DemonstrationRow extends BatchRow {
  /** Its task, if known. */
  readonly task?: string;
}

/**
 * A demonstration in the tokens of a policy, with the same layout as a rollout of the same episode: actions and their
 * end tokens have mask 1. Turns that exceed the model's limit are omitted from the end. Undefined if not even the first
 * turn fits.
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

/** The whole conversation as text, from which a tokenizer is built. */
export function conversationText({ system, observations, texts }: Demonstration): string {
  const parts = observations.flatMap((observation, index) => [observation, texts[index] ?? '']);
  return [system, ...parts].filter((part) => part !== '').join('\n');
}

/**
 * The text that a policy would write for an action. Throws if the format cannot write it, or parses another action from
 * it.
 */
export function writeAction(action: string, format: ActionFormat): string {
  const text = renderAction(action.trim(), format);
  const parsed = format.parse(text);
  if (!('action' in parsed) || parsed.action !== action.trim()) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The action format reads the expert's action ${JSON.stringify(action)} back as ${JSON.stringify(parsed)}.`,
    });
  }
  return text;
}

function renderAction(action: string, format: ActionFormat): string {
  try {
    return format.render(action);
  } catch (error) {
    throw new AgentgymError('AG_DEMONSTRATION', {
      message: `The action format cannot write an action of the expert: ${messageOf(error)}`,
      hint: 'Choose a format that can write every action, such as `--set format.name=json`, or a larger `format.options.maxCharacters`.',
      cause: error,
    });
  }
}
