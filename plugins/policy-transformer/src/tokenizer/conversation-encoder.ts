import type { ConversationEncoder } from '@agentgym/cli';

import { type ChatLayout, readChatLayout, type Slot } from './chat-layout.js';
import { compileLayout, type LayoutPiece } from './compile-layout.js';
import { followFunctionCalls } from './follow-function-calls.js';
import { TextTokenizer } from './text-tokenizer.js';
import type { TokenizerFiles, TokenizerJson } from './tokenizer-files.js';

/** A conversation encoder that also gives the number of ids. */
export interface FolderEncoder extends ConversationEncoder {
  /** The tokenizer defines ids from 0 to this, exclusive. A model may have more rows. */
  readonly vocabularySize: number;
}

/**
 * The encoder of a Hugging Face folder: its tokenizer, and its chat template as pieces of one growing sequence. Text is
 * encoded together with the template's literal text around it, as in the training of the model, but never as a control
 * token.
 * @param endIds Further ids that end an action (`eos_token_id` of generation_config.json). The template's end token
 * comes first. Throws if there is no template, or if a conversation cannot grow with it.
 */
export function createConversationEncoder(files: TokenizerFiles, endIds: readonly number[] = []): FolderEncoder {
  const config = JSON.parse(files.config) as { readonly [key: string]: unknown };
  const tokenizer = new TextTokenizer(JSON.parse(files.tokenizer) as TokenizerJson);
  const layout = readChatLayout(templateOf(files, config), specialTokens(config));
  const begin = compileLayout(layout.begin, tokenizer);
  const beginWithSystem = layout.beginWithSystem && compileLayout(layout.beginWithSystem, tokenizer);
  const [end, ...append] = compileLayout(layout.append, tokenizer);
  if (typeof end !== 'number') {
    throw new Error('the chat template ends an action with text, not with a special token of the tokenizer');
  }
  const ends = [end, ...endIds.filter((id) => id !== end)];
  const calls = layout.functionCalls && followFunctionCalls(layout.functionCalls, tokenizer);
  const fill = (pieces: readonly LayoutPiece[], texts: { readonly [S in Slot]?: string }) =>
    encodePieces(pieces, texts, { layout, tokenizer, splitSystem: calls?.splitSystem });

  return {
    endIds: ends,
    vocabularySize: tokenizer.vocabularySize,
    begin(system, observation) {
      if (system === '') return fill(begin, { observation });
      if (beginWithSystem !== undefined) return fill(beginWithSystem, { system, observation });
      return fill(begin, { observation: `${system}\n\n${observation}` });
    },
    append: (observation) => fill(append, { observation }),
    encodeAction: (text) => encodePieces(calls?.splitAction(text) ?? [{ text }], {}, { layout, tokenizer }),
    decode: (ids) => tokenizer.decode(ids.filter((id) => !ends.includes(id))),
    piece: (id) => tokenizer.piece(id),
    ...(calls && { functionCalls: calls.syntax }),
  };
}

function encodePieces(
  pieces: readonly LayoutPiece[],
  texts: { readonly [S in Slot]?: string },
  {
    layout: { trims },
    tokenizer,
    splitSystem = (system) => [{ text: system }],
  }: {
    readonly layout: ChatLayout;
    readonly tokenizer: TextTokenizer;
    readonly splitSystem?: ((system: string) => readonly LayoutPiece[]) | undefined;
  },
): number[] {
  const ids: number[] = [];
  let text = '';
  const add = (all: readonly LayoutPiece[]): void => {
    for (const piece of all) {
      if (typeof piece === 'number') {
        for (const id of tokenizer.encode(text)) ids.push(id);
        ids.push(piece);
        text = '';
      } else if ('text' in piece) {
        text += piece.text;
      } else {
        const given = texts[piece.slot] ?? '';
        const filled = trims[piece.slot] ? given.trim() : given;
        add(piece.slot === 'system' ? splitSystem(filled) : [{ text: filled }]);
      }
    }
  };
  add(pieces);
  for (const id of tokenizer.encode(text)) ids.push(id);
  return ids;
}

/** The folder's template: from its file, or from the configuration, which may contain several with names. */
function templateOf(files: TokenizerFiles, config: { readonly [key: string]: unknown }): string {
  if (files.chatTemplate !== undefined) return files.chatTemplate;
  const stored = config['chat_template'];
  if (typeof stored === 'string') return stored;
  if (Array.isArray(stored)) {
    const named = stored as { readonly name: string; readonly template: string }[];
    const found = named.find(({ name }) => name === 'default');
    if (found !== undefined) return found.template;
  }
  throw new Error(
    'the folder has no chat template: use an instruction-tuned model, or add a chat_template.jinja to the folder',
  );
}

/** `bos_token`, `eos_token` and so on, as templates read them. */
function specialTokens(config: { readonly [key: string]: unknown }): { [name: string]: string } {
  const tokens: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(config)) {
    if (!name.endsWith('_token')) continue;
    if (typeof value === 'string') tokens[name] = value;
    else if (typeof value === 'object' && value !== null && 'content' in value) tokens[name] = String(value.content);
  }
  return tokens;
}
