import type { FormatOptions } from './options.js';

/** A part of the text before an action. */
export type Section = 'thought' | 'reflection' | 'plan';

const required: { readonly [T in FormatOptions['thought']]: readonly Section[] } = {
  none: [],
  free: [],
  think: ['thought'],
  plan: ['plan'],
  reflect: ['reflection'],
  'plan-and-reflect': ['reflection', 'plan'],
};

/** The label of each section in formats of lines. */
const labels: { readonly [S in Section]: string } = {
  thought: 'Thought',
  reflection: 'Reflection',
  plan: 'Plan',
};

/** What each section is for, in the instructions. */
const purposes: { readonly [S in Section]: string } = {
  thought: 'what you think',
  reflection: 'what the last answer means',
  plan: 'your next steps',
};

/** The text of each section in demonstrations, whose experts give actions without reasons. */
const demonstrated: { readonly [S in Section]: string } = {
  thought: 'The next move.',
  reflection: 'As expected.',
  plan: 'One step more.',
};

/** The sections that a text must have, in the order in which they are asked for. */
export function requiredSections(thought: FormatOptions['thought']): readonly Section[] {
  return required[thought];
}

/** The required sections of a demonstration. `write` writes one. */
export function writeSections(
  thought: FormatOptions['thought'],
  write: (section: Section, text: string) => string,
): string[] {
  return required[thought].map((section) => write(section, demonstrated[section]));
}

/** The sections that the instructions ask for, each with its purpose as its text. */
export function explainSections(
  thought: FormatOptions['thought'],
  write: (section: Section, text: string) => string,
): string[] {
  const sections: readonly Section[] = thought === 'free' ? ['thought'] : required[thought];
  return sections.map((section) => write(section, purposes[section]));
}

/** The instructions of a format: the sections, then how the action is written. */
export function writeInstructions(
  thought: FormatOptions['thought'],
  write: (section: Section, text: string) => string,
  action: string,
): string {
  if (thought === 'none') return action;
  return [
    thought === 'free' ? 'You may first write:' : 'First write:',
    ...explainSections(thought, write),
    action,
  ].join('\n');
}

const labelled = new RegExp(`^[ \\t]*(${Object.values(labels).join('|')}):`, 'gmu');

/** The sections with content in a text of labelled lines, `Plan: ...`. A section lasts until the next label. */
export function findLabelledSections(text: string): ReadonlySet<Section> {
  const found = new Set<Section>();
  const starts = [...text.matchAll(labelled)];
  for (const [index, match] of starts.entries()) {
    const end = starts[index + 1]?.index ?? text.length;
    const [section] = Object.entries(labels).find(([, label]) => label === match[1]) as [Section, string];
    if (text.slice(match.index + match[0].length, end).trim() !== '') found.add(section);
  }
  return found;
}

/** A section as a labelled line. */
export function writeLabelled(section: Section, text: string): string {
  return `${labels[section]}: ${text}`;
}
