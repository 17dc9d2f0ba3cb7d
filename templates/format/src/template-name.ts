import type { ActionFormat } from '@agentgym/cli';

import type { Options } from './options.js';

/** The action stands after the last arrow, thoughts before it: `the lamp is to the left -> left`. */
export function create({ arrow }: Options): ActionFormat {
  return {
    // Edit here: what the policy reads about the format.
    instructions: `Think aloud, then write ${arrow} and your action.`,
    // Edit here: the action of a text. Any text may come, also an empty one or one of megabytes.
    parse(text) {
      const at = text.lastIndexOf(arrow);
      const action = at < 0 ? '' : text.slice(at + arrow.length).trim();
      if (action !== '') return { action };
      return { malformed: 'no action after an arrow', observation: `Write ${arrow} and your action.` };
    },
    // Edit here: the text of an action, for demonstrations. `parse` must return the same action for it.
    render(action) {
      if (action.includes(arrow)) throw new Error(`an action cannot contain ${arrow}`);
      return `${arrow} ${action}`;
    },
  };
}
