import { createHash } from 'node:crypto';

import type { FunctionCall, FunctionCallSyntax } from '../../contracts/function-calls.js';
import type { ConversationEncoder } from '../../contracts/policy.js';
import { TokenSequence } from '../../rollout/token-sequence.js';
import type { Message } from './read-request.js';
import { RequestError } from './request-error.js';
import { usualSyntax, writeCalls } from './write-tools.js';

/** What was sampled after some messages. */
interface Remembered {
  readonly tokens: readonly number[];
  readonly ended: boolean;
  /** Names the sequence in the model's memory. Undefined while another request continues it. */
  sequence: string | undefined;
}

/** A conversation in ids, up to the next answer. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tokens: TokenSequence;
  /** Names the sequence in the model's memory. */
  readonly sequence: string;
}

/** Conversations whose last answer is remembered. */
const MOST_REMEMBERED = 4096;
/** Sequences whose keys and values the model may keep. */
const MOST_SEQUENCES = 512;

/**
 * Makes ids of conversations. Clients send the whole conversation as text each time, and text that is encoded again may give other
 * ids than were sampled. So the ids of each answer are remembered by the messages before it, and a conversation that goes on
 * is one growing sequence, as in training.
 */
export class Conversations {
  readonly #encoder: ConversationEncoder;
  readonly #syntax: FunctionCallSyntax;
  readonly #longest: number;
  readonly #release: (sequences: readonly string[]) => void;
  /** The oldest first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #sequences = new Map<string, Remembered>();
  #made = 0;

  constructor(encoder: ConversationEncoder, longest: number, release: (sequences: readonly string[]) => void) {
    this.#encoder = encoder;
    this.#syntax = encoder.functionCalls ?? usualSyntax;
    this.#longest = longest;
    this.#release = release;
  }

  /** Throws RequestError if the roles do not alternate, or if a call has no answer. */
  open(messages: readonly Message[]): Conversation {
    const [first, ...rest] = messages;
    const hasSystem = first?.role === 'system' || first?.role === 'developer';
    const turns = hasSystem ? rest : messages;
    const [opening, ...others] = turns;
    if (opening?.role !== 'user')
      throw new RequestError(400, 'the first message, or the one after the system message, must be of the user');
    const tokens = new TokenSequence(this.#encoder, hasSystem ? first.content : '', opening.content);
    let last: Remembered | undefined;
    const key = new ConversationKey(messages.slice(0, 1 + Number(hasSystem)));
    while (others.length > 0) {
      const answer = others.shift()!;
      const observation = takeObservation(answer, others);
      if (answer.role !== 'assistant' || observation === undefined) {
        throw new RequestError(
          400,
          'messages of the user and of the assistant must alternate, and the user has the last one',
        );
      }
      last = this.#remembered.get(key.add(answer).value);
      if (last === undefined) {
        const text = writeCalls(answer.content, answer.tool_calls.map(readCall), this.#syntax);
        tokens.addContext([...this.#encoder.encodeAction(text), this.#encoder.endIds[0]!]);
      } else tokens.addAction(last.tokens, [], last.ended);
      tokens.addObservation(observation.content, this.#longest, observation.role === 'tool');
      key.add(observation);
    }
    return { messages, tokens, sequence: this.#take(last) };
  }

  /** A name for a sequence that no conversation has. */
  newSequence(): string {
    return `request-${(this.#made += 1)}`;
  }

  /** Remembers the answer to a conversation: its text and calls as clients send them again, and its ids. */
  remember(
    { messages, sequence }: Conversation,
    { calls, content }: { readonly content: string; readonly calls: readonly FunctionCall[] },
    { ended, tokens }: { readonly tokens: readonly number[]; readonly ended: boolean },
  ): void {
    const key = new ConversationKey(messages).addAnswer(content, calls).value;
    this.#forget(key);
    const remembered: Remembered = { tokens, ended, sequence };
    this.#remembered.set(key, remembered);
    this.#sequences.set(sequence, remembered);
    for (const old of this.#remembered.keys()) {
      if (this.#remembered.size <= MOST_REMEMBERED) break;
      this.#forget(old);
    }
    for (const [name, holder] of this.#sequences) {
      if (this.#sequences.size <= MOST_SEQUENCES) break;
      this.#drop(name, holder);
    }
  }

  /** Continues the sequence of the last answer, unless another request does. */
  #take(last: Remembered | undefined): string {
    const { sequence } = last ?? {};
    if (last === undefined || sequence === undefined) return this.newSequence();
    last.sequence = undefined;
    this.#sequences.delete(sequence);
    return sequence;
  }

  #forget(key: string): void {
    const known = this.#remembered.get(key);
    if (known === undefined) return;
    this.#remembered.delete(key);
    if (known.sequence !== undefined) this.#drop(known.sequence, known);
  }

  #drop(name: string, holder: Remembered): void {
    holder.sequence = undefined;
    this.#sequences.delete(name);
    this.#release([name]);
  }
}

/** A digest of messages that grows with them, so that a long conversation is read once. */
class ConversationKey {
  readonly #hash = createHash('sha256');

  constructor(messages: readonly Message[]) {
    for (const message of messages) this.add(message);
  }

  add(message: Pick<Message, 'role' | 'content'>): this {
    if ('tool_calls' in message)
      return this.addAnswer(message.content, (message as Assistant).tool_calls.map(readCall));
    this.#hash.update(JSON.stringify([message.role, message.content]));
    return this;
  }

  /** Of calls, only names and arguments count: their ids are new each time. */
  addAnswer(content: string, calls: readonly FunctionCall[]): this {
    this.#hash.update(JSON.stringify(['assistant', content, ...calls.map((one) => [one.name, one.arguments])]));
    return this;
  }

  get value(): string {
    return this.#hash.copy().digest('base64');
  }
}

type Assistant = Extract<Message, { readonly role: 'assistant' }>;

function readCall({ function: { arguments: values, name } }: Assistant['tool_calls'][number]): FunctionCall {
  return { name, arguments: values };
}

/**
 * Takes what follows a message of the assistant: one message of the user or of a tool, or the answers to its calls, which
 * become one message in the order of the calls. Undefined if something else follows.
 *
 * @throws RequestError if a call has no answer
 */
function takeObservation(answer: Message, others: Message[]): Pick<Message, 'role' | 'content'> | undefined {
  const calls = answer.role === 'assistant' ? answer.tool_calls : [];
  if (calls.length === 0) {
    const next = others.shift();
    return next?.role === 'user' || next?.role === 'tool' ? next : undefined;
  }
  const texts = new Map<string, string>();
  for (; others[0]?.role === 'tool'; others.shift()) texts.set(others[0].tool_call_id ?? '', others[0].content);
  const missing = calls.find(({ id }) => !texts.has(id));
  if (missing !== undefined || texts.size !== calls.length) {
    const what =
      missing === undefined ? 'a message of a tool answers no call' : `no message answers the call \`${missing.id}\``;
    throw new RequestError(
      400,
      `${what}: each call of a message needs one message of the role tool with its tool_call_id`,
    );
  }
  return { role: 'tool', content: calls.map(({ id }) => texts.get(id)!).join('\n') };
}
