import { type ChatLayout, fillLayout, type Thinking, withoutThoughts } from './chat-layout.js';
import type { ChatMessage, ChatTemplate } from './chat-template.js';
import { answerMessage } from './read-answers.js';
import { attempt, callMessage, writeCall } from './read-function-calls.js';

/** White space at the ends, markup and characters that templates may escape, trim or replace. */
const awkward = (name: string) =>
  `\n  ${name}: "a" <b> & 'c' \\ {{ d }} {% e %}\t\n\n  Überraschung – 你好 \u{1f600}.  \n`;
const plainActions = ['take "key" & <lamp>', 'go 2 × east'];
const thinkingActions = plainActions.map((action) => `<think>\nI should ${action}.\n</think>\n\n${action}`);
/** Thoughts without an end, and a block that is not at the start. */
const oddActions = ['<think>\nI should', 'Well.</think>go', ' \n</think> \n take it'];

/** An action: the text that is appended, and the message that the template gets. */
interface GrownAction {
  readonly text: string;
  readonly message: ChatMessage;
  /** The name of the function that it calls, which the next turn answers. */
  readonly called?: string;
}

const said = (text: string): GrownAction => ({ text, message: { role: 'assistant', content: text } });

interface Settings {
  readonly thinking: Thinking;
  readonly variables: { readonly [name: string]: unknown };
  /** Chooses the template of conversations with tools. */
  readonly tools?: readonly object[];
}

/**
 * Compares a conversation that grows by a layout with the template's own rendering, after every turn: with and without
 * a system text, with and without thinking blocks. Throws an error that names the file, the turn that changes, and what
 * to set.
 */
export function checkChatGrowth(template: ChatTemplate, layout: ChatLayout, settings: Settings): void {
  const { file } = template;
  const { thinking } = settings;
  const { lastPrompt } = layout;
  if (thinking === 'template' && lastPrompt !== '') {
    throw new Error(
      `${file}: the chat template writes ${show(lastPrompt)} before an action, and takes it back when the next turn is added, so a conversation cannot grow. ${thinkingCure}`,
    );
  }
  for (const system of layout.beginWithSystem === undefined ? [''] : ['', awkward('Rules')]) {
    const difference = findDifference(template, layout, settings, system, plainActions.map(said));
    if (difference !== undefined) throw new Error(`${file}: ${difference}, so a conversation cannot grow. ${cure}`);
  }
  const { behindThoughts: _, ...keeping } = layout;
  const dropped = findDifference(template, keeping, settings, '', thinkingActions.map(said));
  if (thinking === 'template' && dropped !== undefined) {
    throw new Error(
      `${file}: the chat template drops or changes thinking blocks (<think>): ${dropped}, so a conversation cannot grow. ${thinkingCure}`,
    );
  }
  if (thinking === 'drop') {
    if (dropped === undefined && lastPrompt === '')
      throw new Error(`${file}: thinking "drop" has no effect: the chat template keeps thinking blocks`);
    const actions = [...thinkingActions, ...oddActions].map(said);
    const difference = findDifference(template, layout, settings, '', actions);
    if (difference !== undefined)
      throw new Error(
        `${file}: ${difference}, so it does more than drop the thinking blocks of earlier turns. ${thinkingCure}`,
      );
  }
  if (thinking === 'keep' && dropped === undefined && lastPrompt === '') {
    throw new Error(`${file}: thinking "keep" has no effect: the chat template keeps thinking blocks itself`);
  }
}

/**
 * Whether a conversation with function calls also grows by the layout: calls with an answer, one after the other and
 * between actions that are none.
 */
export function answersGrow(template: ChatTemplate, layout: ChatLayout, settings: Settings): boolean {
  const { functionCalls } = layout;
  if (functionCalls === undefined) return false;
  const calls = plainActions.map((action): GrownAction => {
    const values = { action };
    return { text: writeCall(functionCalls, 'act', values), message: callMessage('act', values), called: 'act' };
  });
  const plain = plainActions.map(said);
  const actions = [calls[0]!, calls[1]!, plain[0]!, calls[0]!, plain[1]!];
  const systems = layout.beginWithSystem === undefined ? [''] : ['', awkward('Rules')];
  const withTools = { ...settings, ...(template.hasToolTemplate && { tools: [] }) };
  return systems.every((system) =>
    attempt(() => findDifference(template, layout, withTools, system, actions) === undefined),
  );
}

const cure = 'Put a template that renders a turn the same way, whatever follows it, into chat_template.jinja.';
const thinkingCure =
  'Set policy.options.thinking (`--policy-option thinking=...` of evaluate and play) to "drop" (earlier blocks are dropped as in the template, and each turn is a token sequence of its own), "keep" (blocks stay where they were sampled) or "off" (the template asks for none, if it can), or put a template that keeps them into chat_template.jinja.';

/** The first turn at which the template does not agree with the layout, in words. */
function findDifference(
  template: ChatTemplate,
  layout: ChatLayout,
  { tools, variables }: Settings,
  system: string,
  actions: readonly GrownAction[],
): string | undefined {
  const messages: ChatMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  const begin = system === '' ? layout.begin : layout.beginWithSystem!;
  let turns: string[] = [];
  for (const [index, action] of [undefined, ...actions].entries()) {
    const turn = index + 1;
    const seen = awkward(`Room ${turn}`);
    const { called } = action ?? {};
    if (action !== undefined) messages.push(action.message);
    messages.push(called === undefined ? { role: 'user', content: seen } : answerMessage(called, seen));
    const append = called === undefined ? layout.append : layout.appendAnswer!;
    const texts = { system, observation: seen, answer: seen };
    const added = fillLayout(index === 0 ? begin : append, texts, layout).join('');
    if (action !== undefined) {
      // The template writes the last prompt only before the last action.
      const previous = turns[index - 1]!;
      turns = [
        ...turns.slice(0, -1),
        previous.slice(0, previous.length - layout.lastPrompt.length) + withoutThoughts(action.text, layout),
      ];
    }
    turns.push(added);
    const grown = turns.join('');
    const rendered = template.render(messages, { addGenerationPrompt: true, variables, ...(tools && { tools }) });
    if (rendered === grown) continue;
    const at = firstDifference(grown, rendered);
    const where = turnAt(turns, at);
    const what = `${show(grown.slice(at, at + 40))} is ${show(rendered.slice(at, at + 40))}`;
    if (where < turn) return `turn ${where} changes when turn ${turn} is added (${what})`;
    if (turn === 1)
      return `the chat template changes the text of ${system === '' ? 'an observation' : 'the rules or of an observation'} (${what})`;
    return `the chat template formats turn ${turn} differently from the turns before it (${what})`;
  }
  return undefined;
}

/** The number of the turn, from 1, with the character at a place of the joined texts. */
function turnAt(turns: readonly string[], place: number): number {
  let end = 0;
  const index = turns.findIndex((text) => place < (end += text.length));
  return index === -1 ? turns.length : index + 1;
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function show(text: string): string {
  return JSON.stringify(text);
}
