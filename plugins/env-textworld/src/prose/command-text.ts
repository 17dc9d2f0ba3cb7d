import type { Action } from '../logic/logic.js';

/** The printed name of an entity by its id; undefined if it has none. */
export type NameOf = (id: string) => string | undefined;

/** A command with names for the ids that it has in braces: `take {o_0}` becomes `take brass key`. */
export function commandText(command: string, nameOf: NameOf): string {
  return command.replace(/\{([^{}]*)\}/g, (_, id: string) => nameOf(id) ?? id);
}

/** What a player types to do the action. */
export function commandOf({ command, rule }: Action, nameOf: NameOf): string {
  return commandText(command ?? rule, nameOf);
}
