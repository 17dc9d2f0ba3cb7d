import { createHash } from 'node:crypto';

import type { ConversationEncoder } from '../../contracts/policy.js';
import { TokenSequence } from '../../rollout/token-sequence.js';
import type { Message } from './read-request.js';
import { RequestError } from './request-error.js';

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
  readonly #longest: number;
  readonly #release: (sequences: readonly string[]) => void;
  /** The oldest first. */
  readonly #remembered = new Map<string, Remembered>();
  readonly #sequences = new Map<string, Remembered>();
  #made = 0;

  constructor(encoder: ConversationEncoder, longest: number, release: (sequences: readonly string[]) => void) {
    this.#encoder = encoder;
    this.#longest = longest;
    this.#release = release;
  }

  /** Throws RequestError if the roles do not alternate. */
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
    for (let index = 0; index < others.length; index += 2) {
      const [answer, next] = [others[index]!, others[index + 1]];
      if (answer.role !== 'assistant' || (next?.role !== 'user' && next?.role !== 'tool')) {
        throw new RequestError(
          400,
          'messages of the user and of the assistant must alternate, and the user has the last one',
        );
      }
      last = this.#remembered.get(key.add(answer).value);
      if (last === undefined)
        tokens.addContext([...this.#encoder.encodeAction(answer.content), this.#encoder.endIds[0]!]);
      else tokens.addAction(last.tokens, [], last.ended);
      tokens.addObservation(next.content, this.#longest, next.role === 'tool');
      key.add(next);
    }
    return { messages, tokens, sequence: this.#take(last) };
  }

  /** A name for a sequence that no conversation has. */
  newSequence(): string {
    return `request-${(this.#made += 1)}`;
  }

  /** Remembers the answer to a conversation. */
  remember({ messages, sequence }: Conversation, text: string, tokens: readonly number[], ended: boolean): void {
    const key = new ConversationKey(messages).add({ role: 'assistant', content: text }).value;
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

  add({ role, content }: Message): this {
    this.#hash.update(JSON.stringify([role, content]));
    return this;
  }

  get value(): string {
    return this.#hash.copy().digest('base64');
  }
}
