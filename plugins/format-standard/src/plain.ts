import type { ActionFormat } from '@agentgym/cli';

import { buildFormat, type Reading } from './build-format.js';
import type { FormatOptions } from './options.js';
import { findLabelledSections, writeInstructions, writeLabelled, writeSections } from './sections.js';

/**
 * The whole text, without the white space around it, is the action. The environment decides whether it is valid, so an
 * empty text is passed on too. With thoughts, the last line is the action.
 */
export function create(options: FormatOptions): ActionFormat {
  const { thought } = options;
  if (thought === 'none') {
    const read = (text: string): Reading => ({ action: text.trim(), sections: new Set() });
    const cure = 'Write only the action.';
    return buildFormat({ instructions: '', cure, takesBlank: true, read, write: (action) => action }, options);
  }
  const lastLine = 'Write the action alone on the last line.';
  return buildFormat(
    {
      instructions: writeInstructions(thought, writeLabelled, lastLine),
      cure: lastLine,
      read(text) {
        const trimmed = text.trim();
        const start = trimmed.lastIndexOf('\n') + 1;
        return { action: trimmed.slice(start).trim(), sections: findLabelledSections(trimmed.slice(0, start)) };
      },
      write: (action) => [...writeSections(thought, writeLabelled), action].join('\n'),
    },
    options,
  );
}
