import type { ConversationEncoder } from '@agentgym/cli';

import { type ChatLayout, type LayoutPart, readChatLayout, type Slot } from './chat-layout.js';
import { TextTokenizer } from './text-tokenizer.js';
import type { TokenizerFiles, TokenizerJson } from './tokenizer-files.js';

/** A template compiled to ids: control tokens, literal text, and places to be filled. */
type Piece = number | { readonly text: string } | { readonly slot: Slot };

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
  const begin = compile(layout.begin, tokenizer);
  const beginWithSystem = layout.beginWithSystem && compile(layout.beginWithSystem, tokenizer);
  const [end, ...append] = compile(layout.append, tokenizer);
  if (typeof end !== 'number') {
    throw new Error('the chat template ends an action with text, not with a special token of the tokenizer');
  }
  const ends = [end, ...endIds.filter((id) => id !== end)];
  const fill = (pieces: readonly Piece[], texts: { readonly [S in Slot]?: string }) =>
    encodePieces(pieces, texts, layout, tokenizer);

  return {
    endIds: ends,
    vocabularySize: tokenizer.vocabularySize,
    begin(system, observation) {
      if (system === '') return fill(begin, { observation });
      if (beginWithSystem !== undefined) return fill(beginWithSystem, { system, observation });
      return fill(begin, { observation: `${system}\n\n${observation}` });
    },
    append: (observation) => fill(append, { observation }),
    encodeAction: (text) => tokenizer.encode(text),
    decode: (ids) => tokenizer.decode(ids.filter((id) => !ends.includes(id))),
    piece: (id) => tokenizer.piece(id),
  };
}

function compile(parts: readonly LayoutPart[], tokenizer: TextTokenizer): Piece[] {
  return parts.flatMap((part): Piece[] =>
    'slot' in part
      ? [part]
      : tokenizer.splitAddedTokens(part.text).map((piece) => (typeof piece === 'number' ? piece : { text: piece })),
  );
}

function encodePieces(
  pieces: readonly Piece[],
  texts: { readonly [S in Slot]?: string },
  { trims }: ChatLayout,
  tokenizer: TextTokenizer,
): number[] {
  const ids: number[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'number') {
      for (const id of tokenizer.encode(text)) ids.push(id);
      ids.push(piece);
      text = '';
    } else if ('text' in piece) {
      text += piece.text;
    } else {
      const given = texts[piece.slot] ?? '';
      text += trims[piece.slot] ? given.trim() : given;
    }
  }
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
