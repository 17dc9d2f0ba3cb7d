import { createHash } from 'node:crypto';

import type { FunctionCall } from '../../contracts/function-calls.js';
import type { AssistantMessage, Message } from './read-request.js';

/**
 * A digest of messages that grows with them, so that a long conversation is read once. It is made of texts, so another thread can go
 * on with it.
 */
export class ConversationKey {
  #value: string;

  /** @param messages of the conversation; or its key so far */
  constructor(messages: readonly Message[] | string) {
    this.#value = typeof messages === 'string' ? messages : '';
    if (typeof messages !== 'string') for (const message of messages) this.add(message);
  }

  get value(): string {
    return this.#value;
  }

  add(message: Pick<Message, 'role' | 'content'>): this {
    if ('tool_calls' in message) {
      const calls = (message as AssistantMessage).tool_calls.map(({ function: { arguments: given, name } }) => {
        return { name, arguments: given.values };
      });
      return this.addAnswer(message.content, calls);
    }
    return this.#update([message.role, message.content]);
  }

  /** Of calls, only names and the values of arguments count: their ids are new each time. */
  addAnswer(content: string, calls: readonly FunctionCall[]): this {
    return this.#update(['assistant', content, ...calls.map((one) => [one.name, one.arguments])]);
  }

  #update(part: unknown): this {
    this.#value = createHash('sha256').update(this.#value).update(JSON.stringify(part)).digest('base64');
    return this;
  }
}
