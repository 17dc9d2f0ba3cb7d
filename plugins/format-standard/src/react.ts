import type { ActionFormat } from '@agentgym/cli';

import { buildFormat } from './build-format.js';
import type { FormatOptions } from './options.js';
import { findLabelledSections, writeInstructions, writeLabelled, writeSections } from './sections.js';

const label = 'Action:';

/**
 * Thoughts, and then the action: everything after the last `Action:`, without the white space around it. Sources: ReAct
 * (Yao et al. 2022); the parsing is that of AgentGym-RL.
 */
export function create(options: FormatOptions): ActionFormat {
  const { thought } = options;
  const cure = `Write your action after "${label}" at the end.`;
  return buildFormat(
    {
      instructions: writeInstructions(thought, writeLabelled, cure),
      cure,
      read(text) {
        const start = text.lastIndexOf(label);
        if (start === -1) return { malformed: `no "${label}"` };
        return {
          action: text.slice(start + label.length).trim(),
          sections: findLabelledSections(text.slice(0, start)),
        };
      },
      write: (action) => [...writeSections(thought, writeLabelled), `${label} ${action}`].join('\n'),
    },
    options,
  );
}
