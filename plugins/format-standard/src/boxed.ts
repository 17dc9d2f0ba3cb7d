import type { ActionFormat } from '@agentgym/cli';

import { buildFormat } from './build-format.js';
import type { FormatOptions } from './options.js';
import { findLastBox } from './scan-text.js';
import { findLabelledSections, writeInstructions, writeLabelled, writeSections } from './sections.js';

/**
 * The action is the content of the last box with balanced braces, `\boxed{go north}`, without the white space around
 * it. The text before it is thought. Source: GEM, whose games read the last box.
 */
export function create(options: FormatOptions): ActionFormat {
  const { thought } = options;
  const cure = 'Write your action as \\boxed{ACTION}.';
  return buildFormat(
    {
      instructions: writeInstructions(thought, writeLabelled, cure),
      cure,
      read(text) {
        const box = findLastBox(text);
        if (box === undefined) return { malformed: 'no closed \\boxed{}' };
        return { action: box.content.trim(), sections: findLabelledSections(text.slice(0, box.start)) };
      },
      write: (action) => [...writeSections(thought, writeLabelled), `\\boxed{${action}}`].join('\n'),
    },
    options,
  );
}
