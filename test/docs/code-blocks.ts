import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { lexer, type Token } from 'marked';

import { repository } from '../architecture/source-files.js';

/** A fenced block of a document. */
export interface CodeBlock {
  readonly document: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** First word after the fence; empty if there is none. */
  readonly language: string;
  readonly text: string;
  /** The comments `<!-- example: NAME VALUE -->` directly before the block. */
  readonly notes: readonly ExampleNote[];
}

/**
 * - `file NAME`: the block is that file, for the commands below it
 * - `same PATH`: the block is that file below docs/guides/examples/, which is tested as code
 * - `made PATH`: the block is that file below templates/, as the page's `agentgym init` makes it
 * - `in RECIPE`: the block has keys that change a recipe
 * - `first COMMAND`: this command must run before the block
 * - `exits CODE`: the exit code of the block's last command
 * - `serves TEXT`: the block's command runs in another terminal until the end of the page, and prints that text first
 * - `input TEXT`: standard input of the block's commands, `\n` between lines
 */
export interface ExampleNote {
  readonly name: 'file' | 'same' | 'made' | 'in' | 'first' | 'exits' | 'serves' | 'input';
  readonly value: string;
}

const NOTE = /<!-- example: (file|same|made|in|first|exits|serves|input) (.+?) -->/g;

/** The fenced blocks of a document, in order, including those in lists and quotes. */
export function codeBlocks(document: string): CodeBlock[] {
  return blocksOf(document, readFileSync(join(repository, document), 'utf8'));
}

/** The blocks of a text as if it were a document of that name. */
export function blocksOf(document: string, text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let from = 0;
  const walk = (tokens: readonly Token[]) => {
    let comments = '';
    for (const token of tokens) {
      if (token.type === 'code') {
        const { raw, lang, text: code } = token as { raw: string; lang?: string; text: string };
        const at = text.indexOf(raw.trimEnd().split('\n')[0] ?? '', from);
        from = at + 1;
        const [language = ''] = (lang ?? '').split(/\s/);
        const notes = Array.from(comments.matchAll(NOTE), ([, name, value]) => ({ name, value }) as ExampleNote);
        blocks.push({ document, line: text.slice(0, at).split('\n').length, language, text: code, notes });
        from = text.indexOf(code.split('\n').at(-1) ?? '', from) + 1;
      } else if ('tokens' in token && token.tokens !== undefined) {
        walk(token.tokens);
      } else if ('items' in token) {
        walk(token['items'] as Token[]);
      }
      if (token.type === 'html') comments += token.raw;
      else if (token.type !== 'space') comments = '';
    }
  };
  walk(lexer(text));
  return blocks;
}

/** The value of a note of a block; undefined if there is no such note. */
export function noteOf({ notes }: CodeBlock, name: ExampleNote['name']): string | undefined {
  return notes.find((note) => note.name === name)?.value;
}
