import type { ActionFormat, ParsedAction } from '@agentgym/cli';

import type { FormatOptions } from './options.js';
import { requiredSections, type Section } from './sections.js';

/** What a format finds in a text: an action and the sections before it, or the cause why there is no action. */
export type Reading =
  | { readonly action: string; readonly sections: ReadonlySet<Section> }
  | { readonly malformed: string };

/** How a format reads and writes. `buildFormat` adds what all formats share. */
export interface Syntax {
  readonly instructions: string;
  /** The cure for a malformed text, a short sentence. */
  readonly cure: string;
  /** An action without visible characters is passed on, and the environment judges it. */
  readonly takesBlank?: boolean;
  readonly read: (text: string) => Reading;
  /** Writes an action; `buildFormat` refuses it if it is not read back. */
  readonly write: (action: string) => string;
}

/** A format out of its syntax: with the limit, the required sections, the reply to malformed texts, and safe `render`. */
export function buildFormat(
  { instructions, cure, takesBlank = false, read, write }: Syntax,
  { thought, onMalformed, maxCharacters }: FormatOptions,
): ActionFormat {
  const examine = (text: string): { readonly action: string } | { readonly malformed: string } => {
    const reading = read(text);
    if ('malformed' in reading) return reading;
    const { action, sections } = reading;
    if (!takesBlank && action.trim() === '') return { malformed: 'the action is empty' };
    if (action.length > maxCharacters) return { malformed: `${action.length} characters, more than ${maxCharacters}` };
    const missing = requiredSections(thought).find((section) => !sections.has(section));
    return missing === undefined ? { action } : { malformed: `no ${missing}` };
  };
  const replies = {
    invalid: () => 'invalid',
    explain: (cause: string) => `Malformed: ${cause}. ${cure}`,
    silent: () => '',
  };
  return {
    instructions,
    parse: (text): ParsedAction => {
      const examined = examine(text);
      if ('action' in examined) return examined;
      return { malformed: examined.malformed, observation: replies[onMalformed](examined.malformed) };
    },
    render: (action) => {
      const text = write(action);
      const examined = examine(text);
      if ('action' in examined && examined.action === action) return text;
      const cause = 'malformed' in examined ? examined.malformed : 'it would be read as another action';
      throw new Error(`This format cannot write the action ${shorten(action)}: ${cause}.`);
    },
  };
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
