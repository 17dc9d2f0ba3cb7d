import type { ActionFormat } from '@agentgym/cli';

import type { PlainOptions } from './options.js';

/**
 * The whole text is the action, without the white space around it. Whether it means anything is for the environment to
 * say: an empty text is passed on as well.
 */
export function create({ maxCharacters }: PlainOptions): ActionFormat {
  return {
    instructions: '',
    parse: (text) =>
      text.length > maxCharacters
        ? { malformed: `${text.length} characters, more than ${maxCharacters}`, observation: 'invalid' }
        : { action: text.trim() },
    render: (action) => action,
  };
}
