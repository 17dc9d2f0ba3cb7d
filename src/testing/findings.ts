import type { Awaitable } from '../contracts/environment.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { messageOf } from '../errors/message-of.js';
import { copyJson } from '../rollout/copy-json.js';

/** What a check finds, as sentences: one, several, or nothing. */
export type Found = string | undefined | readonly (string | undefined)[];

/** What is found about the first item of which anything is: a broken rule is usually broken for all. */
export async function firstFound<T>(
  items: Iterable<T>,
  find: (item: T) => Awaitable<string | undefined>,
): Promise<string | undefined> {
  for (const item of items) {
    const found = await find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What `find` finds, or what it throws, unless the world is down; with the place. */
export async function foundAt(place: string, find: () => Awaitable<string | undefined>): Promise<string | undefined> {
  try {
    const found = await find();
    return found === undefined ? undefined : `${place}: ${found}`;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return `${place}: ${messageOf(error)}`;
  }
}

/** The first part of a value that JSON cannot store, in words. */
export function notJson(value: unknown, place: string): string | undefined {
  try {
    copyJson(value, place);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
