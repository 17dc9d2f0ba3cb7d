// Turns the body of a request into ids. It runs in the main thread for short bodies and in a thread of its own for long ones, so it
// keeps nothing, and its results can be sent between threads.
import type { FunctionCallSyntax, FunctionDefinition } from '../../contracts/function-calls.js';
import type { ConversationEncoder } from '../../contracts/policy.js';
import type { History, Opening } from '../../rollout/episode-tokens.js';
import { encodeObservation } from '../../rollout/worked-examples.js';
import { parseBoundedJson } from './bounded-json.js';
import { ConversationKey } from './conversation-key.js';
import {
  type AssistantMessage,
  type ChatRequest,
  type CompletionRequest,
  type Message,
  readChatRequest,
  readCompletionRequest,
} from './read-request.js';
import { limitTime } from './limit-time.js';
import type { ServedPrompt } from './served-prompt.js';
import { RequestError, shortened, unsupported } from './request-error.js';
import { addTools, usualSyntax, writeCalls } from './write-tools.js';

/** What a body may hold: more values than tokens fit into any context, and deeper schemas than anybody writes. */
export const BODY_LIMITS = { depth: 100, values: 600_000 };

/** A model, as far as reading a request needs it. */
export interface ReadingModel {
  readonly name: string;
  /** Tokens of the longest conversation. */
  readonly maxTokens: number;
  /** Number of its token ids. Absent: unknown. */
  readonly vocabularySize?: number | undefined;
  /** No token has more characters, as it is shown. */
  readonly longestToken: number;
  /** What its conversations begin with. Absent: what the client sends. */
  readonly prompt?: ServedPrompt | undefined;
  /** What it reads of a conversation. Absent: everything. */
  readonly history?: History | undefined;
  /** Opened when a text has to be encoded. */
  readonly encoder: () => Promise<ConversationEncoder>;
}

/** A message of the assistant and what follows it. */
interface EncodedTurn {
  /** Of the conversation up to this message, with it. */
  readonly key: string;
  /** The ids of the message without an end token. Absent: the answer is remembered. */
  readonly answer?: readonly number[] | undefined;
  /** The ids of what follows, up to the start of the next answer. */
  readonly observation: readonly number[];
}

/** What earlier turns are shown from. */
export interface ConversationTexts extends Pick<Opening, 'system' | 'observation' | 'describesFunctions'> {
  /** What follows each answer. */
  readonly observations: readonly { readonly text: string; readonly isAnswer: boolean }[];
}

export interface EncodedChat {
  readonly kind: 'chat';
  readonly model: string;
  readonly request: Omit<ChatRequest, 'messages' | 'tools' | 'tool_choice'>;
  readonly begin: readonly number[];
  readonly turns: readonly EncodedTurn[];
  /** The texts of it. Present if the model reads earlier turns in another way, or not all of them. */
  readonly texts?: ConversationTexts;
  /** Of the whole conversation. */
  readonly key: string;
  /** Whether the answer may call functions. */
  readonly calls: boolean;
  readonly ignored: readonly string[];
}

export interface EncodedCompletion {
  readonly kind: 'completion';
  readonly model: string;
  readonly request: Omit<CompletionRequest, 'prompt'>;
  readonly prompts: readonly (readonly number[])[];
  /** What a client should know about its prompts. */
  readonly warnings: readonly string[];
  readonly ignored: readonly string[];
}

export type Encoded = EncodedChat | EncodedCompletion;

interface EncodeOptions {
  /** The models of the server, the first one for requests without a name. */
  readonly models: readonly ReadingModel[];
  /** Whether the ids of an answer are known, so that its text is not encoded. Default: none is. */
  readonly isKnown?: (key: string) => boolean;
  /** In which the texts must be encoded. Absent: there is no limit. */
  readonly milliseconds?: number | undefined;
}

/** The texts of a request take too long to encode. */
export class SlowTexts extends RequestError {
  constructor(milliseconds: number) {
    super(400, `the request cannot be read: its texts take longer than ${milliseconds} ms to encode`, {
      code: 'request_too_complex',
    });
  }
}

function inTime<Result>(milliseconds: number | undefined, work: () => Result): Result {
  return milliseconds === undefined ? work() : limitTime(milliseconds, () => new SlowTexts(milliseconds), work);
}

/** What reads a body into ids, by the kind of request. They throw RequestError. */
export const encodings = { chat: encodeChat, completion: encodeCompletion };

async function encodeChat(
  bytes: Uint8Array,
  { models, isKnown = () => false, milliseconds }: EncodeOptions,
): Promise<EncodedChat> {
  const read = readChatRequest(parseBoundedJson(bytes, BODY_LIMITS));
  const { messages, tool_choice: choice, tools } = read.request;
  const model = findModel(models, read.request.model);
  const functions = choice === 'none' ? [] : tools.map((tool) => tool.function);
  const described = functions.length === 0 ? 0 : JSON.stringify(functions).length;
  const room = new Room(model, 'messages');
  room.refuseLonger(messages.reduce((sum, one) => sum + lengthOf(one), described));
  const encoder = await model.encoder();
  return inTime(milliseconds, () => encodeMessages(read, functions, { encoder, isKnown, model, room }));
}

interface EncodingTools extends Required<Pick<EncodeOptions, 'isKnown'>> {
  readonly encoder: ConversationEncoder;
  readonly model: ReadingModel;
  readonly room: Room;
}

function encodeMessages(
  { ignored, request }: ReturnType<typeof readChatRequest>,
  functions: readonly FunctionDefinition[],
  { encoder, isKnown, model, room }: EncodingTools,
): EncodedChat {
  const { messages: sent, tool_choice: _, tools: __, ...rest } = request;
  const { examples, system = '' } = model.prompt ?? {};
  const isOwn = system !== '' && !isSystem(sent[0]);
  const messages = isOwn ? withSystem(sent, () => system) : sent;
  const syntax: FunctionCallSyntax = encoder.functionCalls ?? usualSyntax;
  const shown =
    functions.length === 0 ? messages : withSystem(messages, (system) => addTools(system, functions, syntax));

  const hasSystem = isSystem(shown[0]);
  const [opening, ...others] = hasSystem ? shown.slice(1) : shown;
  if (opening?.role !== 'user')
    throw new RequestError(400, 'the first message, or the one after the system message, must be of the user');
  const key = new ConversationKey(shown.slice(0, 1 + Number(hasSystem)));
  const told = hasSystem ? shown[0]!.content : '';
  // The run's own text may describe functions, too.
  const describes = functions.length > 0 || isOwn;
  const begin = room.take(
    examples === undefined
      ? encoder.begin(told, opening.content, describes)
      : [
          ...examples.begin(encoder, told, describes),
          ...encodeObservation(encoder, examples.before(opening.content), examples.endWithCall).ids,
        ],
  );
  const turns: EncodedTurn[] = [];
  const observations: ConversationTexts['observations'][number][] = [];
  for (const [answer, observation] of turnsOf(others)) {
    const own = key.add(answer).value;
    key.add(observation);
    const calls = answer.tool_calls.map(({ function: { arguments: given, name } }) => ({ name, json: given.json }));
    const { content, role } = observation;
    const observed = (role === 'tool' ? encoder.appendAnswer?.(content) : undefined) ?? encoder.append(content);
    const encodeAnswer = () => encoder.encodeAction(writeCalls(answer.content, calls, syntax), answer.content.length);
    const known = isKnown(own) ? undefined : room.take(encodeAnswer());
    turns.push({ key: own, answer: known, observation: room.take(observed) });
    observations.push({ text: content, isAnswer: role === 'tool' });
  }
  const isShortened = shortens(model) || encoder.earlierActions !== undefined;
  const texts = { system: told, observation: opening.content, describesFunctions: describes, observations };
  return {
    ...{ kind: 'chat', model: model.name, request: rest, begin, turns, key: key.value, ignored },
    ...(isShortened && { texts }),
    calls: functions.length > 0,
  };
}

async function encodeCompletion(
  bytes: Uint8Array,
  { models, milliseconds }: EncodeOptions,
): Promise<EncodedCompletion> {
  const { ignored, request } = readCompletionRequest(parseBoundedJson(bytes, BODY_LIMITS));
  const { prompt, ...rest } = request;
  const model = findModel(models, request.model);
  checkIds(rest.stop_token_ids, model, 'stop_token_ids');
  for (const one of prompt) if (typeof one === 'string') new Room(model, 'prompt').refuseLonger(one.length);
  const encoder = prompt.some((one) => typeof one === 'string') ? await model.encoder() : undefined;
  const warnings = new Set<string>();
  const encode = (one: string | readonly number[]): readonly number[] => {
    const ids = typeof one === 'string' ? encodeText(one, rest, encoder!, warnings) : one;
    new Room(model, 'prompt').take(ids);
    if (ids.length === 0) throw new RequestError(400, 'the prompt is empty', { param: 'prompt' });
    checkIds(ids, model, 'prompt');
    return ids;
  };
  const prompts = encoder === undefined ? prompt.map(encode) : inTime(milliseconds, () => prompt.map(encode));
  return { kind: 'completion', model: model.name, request: rest, prompts, ignored, warnings: [...warnings] };
}

function encodeText(
  text: string,
  { add_special_tokens: addSpecial, parse_special: parseSpecial }: EncodedCompletion['request'],
  encoder: ConversationEncoder,
  warnings: Set<string>,
): readonly number[] {
  if (encoder.encodeText === undefined) {
    if (addSpecial) throw unsupported('add_special_tokens');
    if (parseSpecial) throw unsupported('parse_special');
    return encoder.encodeAction(text);
  }
  const parsed = encoder.encodeText(text, { addSpecial, parseSpecial: true });
  if (parseSpecial) return parsed;
  const plain = encoder.encodeText(text, { addSpecial, parseSpecial });
  if (parsed.length !== plain.length) warnings.add(SPELLED);
  return addSpecial ? plain : encoder.encodeAction(text);
}

const SPELLED =
  'The prompt spells control tokens, which were read as plain text. Send token ids, use /v1/chat/completions, or set `parse_special: true`.';

function findModel(models: readonly ReadingModel[], asked: string | null | undefined): ReadingModel {
  const found = asked === undefined || asked === null ? models[0] : models.find(({ name }) => name === asked);
  if (found !== undefined) return found;
  const message = `The model \`${shortened(asked ?? '')}\` does not exist. This server has \`${models[0]!.name}\`.`;
  throw new RequestError(404, message, { code: 'model_not_found', param: 'model' });
}

/** Whether a model reads less than a conversation. */
function shortens({ history = 'full' }: ReadingModel): boolean {
  return history !== 'full';
}

/** The tokens that a prompt may still have. */
class Room {
  readonly #most: number;
  readonly #mostCharacters: number;
  readonly #param: string;
  #tokens = 0;

  constructor(model: ReadingModel, param: string) {
    const { longestToken, maxTokens } = model;
    // Of a conversation that is read in part, the part that is read is checked later.
    this.#most = shortens(model) && param === 'messages' ? Infinity : maxTokens;
    this.#mostCharacters = this.#most * longestToken;
    this.#param = param;
  }

  /** Refuses texts before they are encoded: no token is longer than the longest of the vocabulary. */
  refuseLonger(characters: number): void {
    if (characters <= this.#mostCharacters) return;
    throw this.#tooLong(`The texts of the request have ${characters} characters, more than ${this.#mostCharacters}.`);
  }

  take(ids: readonly number[]): readonly number[] {
    this.#tokens += ids.length;
    if (this.#tokens > this.#most) throw this.#tooLong('The request has more.');
    return ids;
  }

  #tooLong(why: string): RequestError {
    const message = `This model's maximum context length is ${this.#most} tokens. ${why}`;
    return new RequestError(400, message, { code: 'context_length_exceeded', param: this.#param });
  }
}

function checkIds(ids: readonly number[], { vocabularySize = Infinity }: ReadingModel, param: string): void {
  for (const id of ids) {
    if (Number.isInteger(id) && id >= 0 && id < vocabularySize) continue;
    throw new RequestError(400, `\`${param}\`: ${id} is not a token of this model, which has ${vocabularySize}`, {
      param,
    });
  }
}

function lengthOf(message: Message): number {
  const calls = message.role === 'assistant' ? message.tool_calls : [];
  return calls.reduce(
    (sum, one) => sum + one.function.name.length + one.function.arguments.json.length,
    message.content.length,
  );
}

const isSystem = (message: Message | undefined) => message?.role === 'system' || message?.role === 'developer';

/** Messages with another system text, which is the first one. */
function withSystem(messages: readonly Message[], change: (system: string) => string): readonly Message[] {
  const [first, ...rest] = messages;
  if (isSystem(first)) return [{ role: 'system', content: change(first!.content) }, ...rest];
  return [{ role: 'system', content: change('') }, ...messages];
}

type Observation = Pick<Message, 'role' | 'content'>;

/**
 * The messages of the assistant, each with what follows it.
 *
 * @throws RequestError if the roles do not alternate, or if a call has no answer
 */
function* turnsOf(messages: readonly Message[]): Iterable<readonly [AssistantMessage, Observation]> {
  let next = 0;
  while (next < messages.length) {
    const answer = messages[next]!;
    const calls = answer.role === 'assistant' ? answer.tool_calls : [];
    let end = next + 2;
    if (calls.length > 0) for (end = next + 1; messages[end]?.role === 'tool';) end += 1;
    const observation = calls.length > 0 ? joinAnswers(calls, messages.slice(next + 1, end)) : messages[next + 1];
    if (answer.role !== 'assistant' || (observation?.role !== 'user' && observation?.role !== 'tool')) {
      const rule = 'messages of the user and of the assistant must alternate, and the user has the last one';
      throw new RequestError(400, rule);
    }
    yield [answer, observation];
    next = end;
  }
}

/** The answers to the calls of a message as one message, in the order of the calls. */
function joinAnswers(calls: AssistantMessage['tool_calls'], answers: readonly Message[]): Observation {
  const texts = new Map(answers.map((one) => [(one.role === 'tool' && one.tool_call_id) || '', one.content]));
  const missing = calls.find(({ id }) => !texts.has(id));
  if (missing !== undefined || texts.size !== calls.length) {
    const unanswered = missing && `no message answers the call \`${shortened(missing.id)}\``;
    const what = unanswered ?? 'a message of a tool answers no call';
    const rule = 'each call of a message needs one message of the role tool with its tool_call_id';
    throw new RequestError(400, `${what}: ${rule}`);
  }
  return { role: 'tool', content: calls.map(({ id }) => texts.get(id)!).join('\n') };
}
