import type { ActionFormat } from '@agentgym/cli';

import { buildFormat } from './build-format.js';
import type { FormatOptions } from './options.js';
import { readJsonObject } from './scan-text.js';
import { explainSections, type Section, writeSections } from './sections.js';

const sectionKeys: readonly Section[] = ['thought', 'reflection', 'plan'];

/**
 * The whole text is one JSON object; the action is the exact string under `action`. Thoughts stand under `thought`,
 * `reflection` and `plan`; other keys are ignored. Strings of JSON can write every action.
 */
export function create(options: FormatOptions): ActionFormat {
  const { thought } = options;
  const writePair = (key: string, text: string) => `${JSON.stringify(key)}: ${JSON.stringify(text)}`;
  const pairs = [...explainSections(thought, writePair), writePair('action', 'ACTION')];
  const optional = thought === 'free' ? ' The thought is optional.' : '';
  const cure = `Write one JSON object and nothing else: {${pairs.join(', ')}}${optional}`;
  return buildFormat(
    {
      instructions: cure,
      cure,
      read(text) {
        const read = readJsonObject(text);
        if (typeof read === 'string') return { malformed: read };
        const values = new Map(Object.entries(read.object));
        const action = values.get('action');
        if (typeof action !== 'string') return { malformed: 'no string under "action"' };
        return { action, sections: new Set(sectionKeys.filter((key) => hasContent(values.get(key)))) };
      },
      write: (action) => `{${[...writeSections(thought, writePair), writePair('action', action)].join(', ')}}`,
    },
    options,
  );
}

function hasContent(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
