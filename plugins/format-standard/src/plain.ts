import type { ActionFormat } from '@agentgym/cli';

import type { PlainOptions } from './options.js';

/**
 * The whole text, without the white space around it, is the action. The environment decides whether it is valid, so an
 * empty text is passed on too.
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
