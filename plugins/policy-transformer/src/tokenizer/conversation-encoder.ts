import type { ConversationEncoder } from '@agentgym/cli';

import {
  type ChatLayout,
  fillLayout,
  type LayoutPart,
  type LayoutPiece,
  type Slot,
  type Thinking,
  THOUGHTS_END,
} from './chat-layout.js';
import { ChatTemplate } from './chat-template.js';
import { actionPlace } from './action-place.js';
import { compileLayout } from './compile-layout.js';
import { fixedDate } from './fixed-date.js';
import { followFunctionCalls, splitAction } from './follow-function-calls.js';
import { readChatLayout } from './read-chat-layout.js';
import { usualCalls } from './read-function-calls.js';
import { stripStart } from './python-calls.js';
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
export function createConversationEncoder(
  files: TokenizerFiles,
  settings: EncoderSettings = {},
  tokenizer = openTokenizer(files.tokenizer),
): FolderEncoder {
  const { endIds = [], embeddingRows = Infinity, thinking = 'template' } = settings;
  if (tokenizer.vocabularySize > embeddingRows) {
    throw new Error(
      `tokenizer.json has ids up to ${tokenizer.vocabularySize - 1}, but the model's embedding has ${embeddingRows} rows (vocab_size of config.json): the two files belong to different models, or the embedding was not resized after tokens were added`,
    );
  }
  const outside = endIds.find((id) => !Number.isInteger(id) || id < 0 || id >= embeddingRows);
  if (outside !== undefined) {
    throw new Error(
      `generation_config.json or config.json: the eos_token_id ${outside} is not an id of the model, whose embedding has ${embeddingRows} rows`,
    );
  }
  const template = new ChatTemplate(files);
  const layout = readChatLayout(template, thinking);
  const lost = tokenizer.findLost(
    [layout.begin, layout.append]
      .flat()
      .map((part) => ('text' in part ? part.text : ''))
      .join(''),
  );
  if (lost !== undefined) {
    throw new Error(
      `tokenizer.json: the control token ${JSON.stringify(lost)} of the chat template is not found in a text, because it says \`normalized: true\` and the normalizer changes it: set \`"normalized": false\` for it in \`added_tokens\``,
    );
  }
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
  const calls = layout.functionCalls && followFunctionCalls(layout.functionCalls, tokenizer, template.file);
  const fill = (pieces: readonly LayoutPiece[], texts: { readonly [S in Slot]?: string }, describes = false) =>
    fillLayout(pieces, texts, layout, describes ? calls?.splitSystem : undefined);
  /** Ids behind the end of an action. The token may take white space beside it. */
  const encodeBehind = (pieces: readonly (string | number)[]) => tokenizer.encodePieces([end, ...pieces]).slice(1);
  const { behind, place } = actionPlace(
    [begin, beginWithSystem ?? begin, append, hasAnswers ? appendAnswer : append],
    tokenizer,
    template.file,
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
    begin(system, observation, describesFunctions = true) {
      const write = (pieces: readonly LayoutPiece[], texts: { readonly [S in Slot]?: string }) =>
        tokenizer.encodePieces(fill(pieces, texts, describesFunctions));
      if (system === '') return write(begin, { observation });
      if (beginWithSystem !== undefined) return write(beginWithSystem, { system, observation });
      return write(begin, { observation: `${system}\n\n${observation}` });
    },
    append: remember((observation) => encodeBehind(fill(append, { observation }))),
    ...(hasAnswers && { appendAnswer: remember((answer: string) => encodeBehind(fill(appendAnswer, { answer }))) }),
    encodeAction(text, content = 0) {
      const pieces = [
        ...tokenizer.splitThoughts(text.slice(0, content)),
        ...splitAction(text.slice(content), calls?.syntax ?? usualCalls, tokenizer),
      ];
      return tokenizer.encodePieces([...behind, ...pieces, end], place).slice(behind.length, -1);
    },
    ...(layout.behindThoughts !== undefined && {
      earlierActions: earlierActions(layout, { tokenizer, file: template.file, ends }),
    }),
    decode: (ids) =>
      tokenizer.decode(
        ids.filter((id) => !ends.includes(id)),
        place,
      ),
    piece: (id) => tokenizer.piece(id),
    encodeText: wholeTextEncoder(files.tokenizer, tokenizer),
    ...(calls && { functionCalls: calls.syntax }),
  };
}

/** How actions look in earlier turns, if the template drops thoughts: at boundaries of tokens. */
function earlierActions(
  layout: ChatLayout,
  {
    tokenizer,
    file,
    ends,
  }: { readonly tokenizer: TextTokenizer; readonly file: string; readonly ends: readonly number[] },
): NonNullable<ConversationEncoder['earlierActions']> {
  const { behindThoughts = '', lastPrompt } = layout;
  const [end, ...more] = tokenizer.splitMarkup(THOUGHTS_END);
  if (typeof end !== 'number' || more.length > 0) {
    throw new Error(
      `tokenizer.json has no token ${THOUGHTS_END}, so thoughts do not end at a boundary of tokens and cannot be dropped. Set policy.options.thinking to "keep" or "off".`,
    );
  }
  const isRemoved = (id: number): boolean =>
    !ends.includes(id) && stripStart(tokenizer.decode([id], 'inner'), behindThoughts) === '';
  return {
    promptIds: promptIds(layout.append, lastPrompt, tokenizer, file),
    shown: (action) => {
      const closing = action.lastIndexOf(end);
      if (closing < 0) return action;
      const rest = action.slice(closing + 1);
      const first = rest.findIndex((id) => !isRemoved(id));
      return first < 0 ? [] : rest.slice(first);
    },
  };
}

/** Number of ids of `lastPrompt`, which stands at the end of a layout. */
function promptIds(parts: readonly LayoutPart[], lastPrompt: string, tokenizer: TextTokenizer, file: string): number {
  if (lastPrompt === '') return 0;
  const last = parts.at(-1);
  const before = last !== undefined && 'text' in last ? last.text.slice(0, -lastPrompt.length) : '';
  const [whole, bare] = [before + lastPrompt, before].map((text) =>
    tokenizer.encodePieces(tokenizer.splitAddedTokens(text)),
  );
  if (bare!.every((id, place) => id === whole![place])) return whole!.length - bare!.length;
  throw new Error(
    `${file}: the chat template writes ${JSON.stringify(lastPrompt)} before the last action only, which does not begin at a boundary of tokens. Set policy.options.thinking to "keep".`,
  );
}

/** The tokenizer of a tokenizer.json. */
export function openTokenizer(text: string): TextTokenizer {
  let json: TokenizerJson;
  try {
    json = JSON.parse(text) as TokenizerJson;
  } catch (error) {
    throw new Error(`tokenizer.json is not JSON: ${(error as Error).message}`, { cause: error });
  }
  return new TextTokenizer(json);
}
