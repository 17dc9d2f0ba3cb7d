/**
 * The title of a page: its first heading. Pages that `agentgym report` wrote begin with the name of an ablation, so their
 * title is the question below it. Undefined if there is no heading.
 */
export function pageTitle(markdown: string): string | undefined {
  const [, heading, rest = ''] = /^#{1,6} (.*)\n([^]*)$/m.exec(markdown) ?? [];
  if (!markdown.startsWith('<!-- Written by `agentgym report')) return heading;
  const question = /^(?![#`<|]).*\?$/m.exec(rest)?.[0];
  return question ?? heading;
}
