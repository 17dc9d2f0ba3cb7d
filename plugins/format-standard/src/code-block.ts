import type { ActionFormat } from '@agentgym/cli';

import { buildFormat } from './build-format.js';
import type { CodeBlockOptions } from './options.js';
import { findLastFencedBlock, longestBackticks } from './scan-text.js';
import { findLabelledSections, writeInstructions, writeLabelled, writeSections } from './sections.js';

/**
 * The action is the exact content of the last closed fenced block of Markdown. It is data: nothing evaluates it. A fence
 * is written with more backticks than any run in the action. Sources: the code actions of AgentGym, and CommonMark.
 */
export function create(options: CodeBlockOptions): ActionFormat {
  const { language, thought } = options;
  const block = (ticks: string, action: string) => `${ticks}${language}\n${action}\n${ticks}`;
  const cure = `Write your action in a fenced block:\n${block('```', 'ACTION')}`;
  return buildFormat(
    {
      instructions: writeInstructions(thought, writeLabelled, cure),
      cure,
      read(text) {
        const found = findLastFencedBlock(text);
        if (found === undefined) return { malformed: 'no closed block between lines of ```' };
        return { action: found.content, sections: findLabelledSections(text.slice(0, found.start)) };
      },
      write(action) {
        const ticks = '`'.repeat(Math.max(3, longestBackticks(action) + 1));
        return [...writeSections(thought, writeLabelled), block(ticks, action)].join('\n');
      },
    },
    options,
  );
}
