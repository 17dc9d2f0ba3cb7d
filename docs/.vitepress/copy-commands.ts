import type { MarkdownOptions } from 'vitepress';

type CodeTransformer = NonNullable<MarkdownOptions['codeTransformers']>[number];

/** The class of what VitePress's copy button leaves out. */
const NOT_COPIED = 'vp-copy-ignore';

/** A node of highlighted code: elements have a tag, texts a value. */
interface CodeNode {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  properties?: Record<string, unknown>;
  children?: CodeNode[];
}

/**
 * In `console` blocks, the copy button copies the commands: without the prompt `$ `, without comments behind commands,
 * and without the output.
 */
export const copyCommands: CodeTransformer = {
  name: 'copy-commands',
  code(node) {
    if (this.options.lang !== 'console') return;
    let continued = false;
    const children: CodeNode[] = [];
    for (const child of (node as CodeNode).children ?? []) {
      if (child.type !== 'element') {
        // The line break belongs to the line below it.
        children.push({ type: 'element', tagName: 'span', properties: {}, children: [child] });
        continue;
      }
      const text = textOf(child);
      const isCommand: boolean = continued || text.startsWith('$ ');
      const lineBreak = children.at(-1);
      // The first command needs no line break in front of it.
      if (!isCommand || !children.some(isCopied)) ignore(lineBreak);
      if (!isCommand) ignore(child);
      else child.children = [...split(child.children ?? [], continued ? 0 : 2, commentOf(text))];
      continued = isCommand && text.endsWith('\\');
      children.push(child);
    }
    (node as CodeNode).children = children;
  },
};

const textOf = (node: CodeNode): string => node.value ?? (node.children ?? []).map(textOf).join('');

/** Whether a node is a line that is copied. */
const isCopied = (node: CodeNode): boolean => {
  const names = classesOf(node);
  return names !== '' && !names.includes(NOT_COPIED);
};

/** Classes that the highlighter gave; it writes them as one text. */
function classesOf({ properties }: CodeNode): string {
  const names = properties?.['class'];
  return typeof names === 'string' ? names : '';
}

function ignore(node: CodeNode | undefined): void {
  if (node === undefined) return;
  node.properties = { ...node.properties, class: `${classesOf(node)} ${NOT_COPIED}`.trimStart() };
}

/** Where the comment of a command begins, with the spaces before it; the end of the text if there is none. */
function commentOf(text: string): number {
  const at = /\s+# .*$/.exec(text)?.index;
  return at ?? text.length;
}

/** Cuts the tokens of a line at two offsets. What is before the first and behind the second is not copied. */
function* split(tokens: readonly CodeNode[], from: number, to: number): Generator<CodeNode> {
  let at = 0;
  for (const token of tokens) {
    const text = textOf(token);
    const cuts = [from, to].map((offset) => Math.min(Math.max(offset - at, 0), text.length));
    const [first = 0, last = 0] = cuts;
    const parts = [
      [text.slice(0, first), true],
      [text.slice(first, last), false],
      [text.slice(last), true],
    ] as const;
    for (const [value, isIgnored] of parts) {
      if (value === '') continue;
      const part = { ...token, properties: { ...token.properties }, children: [{ type: 'text', value }] };
      if (isIgnored) ignore(part);
      yield part;
    }
    at += text.length;
  }
}
