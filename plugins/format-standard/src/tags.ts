import type { ActionFormat } from '@agentgym/cli';

import { buildFormat } from './build-format.js';
import { sectionTags, type TagsOptions } from './options.js';
import { findLastBetween } from './scan-text.js';
import { type Section, writeInstructions, writeSections } from './sections.js';

/**
 * The action is the content of the last closed tag behind the thoughts, `<think>...</think><action>go north</action>`,
 * without the white space around it. Sources: RAGEN (tag `answer`) and verl-agent (tag `action`).
 */
export function create(options: TagsOptions): ActionFormat {
  const { tag, thought } = options;
  const writeTagged = (section: Section, text: string) => wrap(sectionTags[section], text);
  const cure = `Write your action as ${wrap(tag, 'ACTION')}.`;
  return buildFormat(
    {
      instructions: writeInstructions(thought, writeTagged, cure),
      cure,
      read(text) {
        // An action that is only considered inside a thought is not taken.
        const thoughtEnd = Math.max(0, ...Object.values(sectionTags).map((name) => text.lastIndexOf(`</${name}>`)));
        const found = findLastBetween(text.slice(thoughtEnd), `<${tag}>`, `</${tag}>`);
        if (found === undefined) return { malformed: `no closed <${tag}>` };
        return { action: found.content.trim(), sections: findTaggedSections(text.slice(0, thoughtEnd + found.start)) };
      },
      write: (action) => [...writeSections(thought, writeTagged), wrap(tag, action)].join('\n'),
    },
    options,
  );
}

function wrap(tag: string, text: string): string {
  return `<${tag}>${text}</${tag}>`;
}

function findTaggedSections(text: string): ReadonlySet<Section> {
  const names = Object.keys(sectionTags) as Section[];
  return new Set(
    names.filter((section) => {
      const tag = sectionTags[section];
      return (findLastBetween(text, `<${tag}>`, `</${tag}>`)?.content.trim() ?? '') !== '';
    }),
  );
}
