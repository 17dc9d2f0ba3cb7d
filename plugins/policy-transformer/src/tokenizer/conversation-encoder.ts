import type { ConversationEncoder } from '@agentgym/cli';

import { fillLayout, type LayoutPiece, type Slot, type Thinking } from './chat-layout.js';
import { ChatTemplate } from './chat-template.js';
import { compileLayout } from './compile-layout.js';
import { fixedDate } from './fixed-date.js';
import { followFunctionCalls } from './follow-function-calls.js';
import { readChatLayout } from './read-chat-layout.js';
import { remember } from './remember.js';
import { TextTokenizer } from './text-tokenizer.js';
import type { TokenizerFiles, TokenizerJson } from './tokenizer-files.js';
import { wholeTextEncoder } from './whole-text.js';

/** A conversation encoder that also gives the number of ids. */
export interface FolderEncoder extends ConversationEncoder {
  /** The tokenizer defines ids from 0 to this, exclusive. A model may have more rows. */
  readonly vocabularySize: number;
  /** Facts for the manifest: the file of the template, the date that it writes, what happens to thinking blocks ... */
  readonly template: {
    readonly file: string;
    readonly date?: string;
    readonly thinking: Thinking;
    /** The role of answers to function calls; absent: the template has no call syntax that is known here. */
    readonly answers?: 'tool' | 'user';
  };
}

/** Settings of an encoder. */
export interface EncoderSettings {
  /**
   * Further ids that end an action (`eos_token_id` of generation_config.json). The template's end token comes first.
   */
  readonly endIds?: readonly number[];
  /** Rows of the model's embedding. A tokenizer with more ids is refused. */
  readonly embeddingRows?: number;
  readonly thinking?: Thinking;
}

/**
 * The encoder of a Hugging Face folder: its tokenizer, and its chat template as pieces of one growing sequence. Text is
 * encoded together with the template's literal text around it, as in the training of the model, but never as a control
 * token. In an action, markup such as `<think>` is encoded as the token that the model writes. Throws if there is no template, if a conversation cannot grow with it, or if the model has no row for an id.
 */
export function createConversationEncoder(files: TokenizerFiles, settings: EncoderSettings = {}): FolderEncoder {
  const { endIds = [], embeddingRows = Infinity, thinking = 'template' } = settings;
  const tokenizer = new TextTokenizer(parseTokenizer(files.tokenizer));
  if (tokenizer.vocabularySize > embeddingRows) {
    throw new Error(
      `tokenizer.json has ids up to ${tokenizer.vocabularySize - 1}, but the model's embedding has ${embeddingRows} rows (vocab_size of config.json): the two files belong to different models, or the embedding was not resized after tokens were added`,
    );
  }
  const template = new ChatTemplate(files);
  const layout = readChatLayout(template, thinking);
  const begin = compileLayout(layout.begin, tokenizer);
  const beginWithSystem = layout.beginWithSystem && compileLayout(layout.beginWithSystem, tokenizer);
  const [end, ...append] = compileLayout(layout.append, tokenizer);
  if (typeof end !== 'number') {
    throw new Error(
      `${template.file}: the chat template ends an action with text, not with a special token of the tokenizer, so the model could not end its action. End a message of the assistant with the eos_token in chat_template.jinja.`,
    );
  }
  const [answerEnd, ...appendAnswer] = compileLayout(layout.appendAnswer ?? [], tokenizer);
  const hasAnswers = answerEnd === end;
  const ends = [end, ...endIds.filter((id) => id !== end)];
  const calls = layout.functionCalls && followFunctionCalls(layout.functionCalls, tokenizer);
  const fill = (pieces: readonly LayoutPiece[], texts: { readonly [S in Slot]?: string }) =>
    tokenizer.encodePieces(fillLayout(pieces, texts, layout, calls?.splitSystem));

  /** The control tokens of a call, and markup such as `<think>`. */
  const splitAction = (text: string): (string | number)[] =>
    (calls?.splitAction(text) ?? [text]).flatMap((part) =>
      typeof part === 'number' ? [part] : tokenizer.splitMarkup(part),
    );

  return {
    endIds: ends,
    vocabularySize: tokenizer.vocabularySize,
    template: {
      file: template.file,
      ...(template.dated ? { date: fixedDate } : {}),
      thinking,
      ...(calls && { answers: hasAnswers ? 'tool' : 'user' }),
    },
    begin(system, observation) {
      if (system === '') return fill(begin, { observation });
      if (beginWithSystem !== undefined) return fill(beginWithSystem, { system, observation });
      return fill(begin, { observation: `${system}\n\n${observation}` });
    },
    append: remember((observation) => fill(append, { observation })),
    ...(hasAnswers && { appendAnswer: remember((answer: string) => fill(appendAnswer, { answer })) }),
    encodeAction: (text) => tokenizer.encodePieces(splitAction(text)),
    decode: (ids) => tokenizer.decode(ids.filter((id) => !ends.includes(id))),
    piece: (id) => tokenizer.piece(id),
    encodeText: wholeTextEncoder(files.tokenizer, tokenizer),
    ...(calls && { functionCalls: calls.syntax }),
  };
}

function parseTokenizer(text: string): TokenizerJson {
  try {
    return JSON.parse(text) as TokenizerJson;
  } catch (error) {
    throw new Error(`tokenizer.json is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
