/*
 * A chat template is a program over a whole conversation. At creation it runs a few times on sentinels. The text
 * between the sentinels is the layout, and the template never runs again. Later texts are inserted between these
 * pieces, so they cannot change them. `checkChatGrowth` compares the layout with the template, turn by turn.
 */
import { type ChatLayout, type LayoutPart, type Slot, type Thinking, THOUGHTS_END } from './chat-layout.js';
import type { ChatMessage, ChatTemplate } from './chat-template.js';
import { answersGrow, checkChatGrowth } from './check-chat-growth.js';
import { readAnswers } from './read-answers.js';
import { attempt, describedOnly, readFunctionCalls, type Render } from './read-function-calls.js';
import { findTrimmedCharacters } from './trimmed-text.js';

// Only letters and digits, so that no template reads them as markup. None is a prefix of another.
const sentinels = { system: 'Qsystem7Q', first: 'Qobserve0Q', next: 'Qobserve1Q', action: 'Qaction0Q' } as const;

/** Finds the pieces of a template. Throws with the reason if its conversations do not grow by appending. */
export function readChatLayout(template: ChatTemplate, thinking: Thinking = 'template'): ChatLayout {
  const variables = thinking === 'off' ? { enable_thinking: false } : {};
  const renderAll: Render = (messages, tools) =>
    template.render(messages, { addGenerationPrompt: true, variables, ...(tools && { tools }) });
  /** With tools, `transformers` uses the template `tool_use`. Without one, it is the same. */
  const renderCalls: Render = (messages, tools = template.hasToolTemplate ? [] : undefined) =>
    renderAll(messages, tools);
  const render = (...messages: ChatMessage[]) => renderAll(messages);
  const fill = (rendered: string, slots: { readonly [sentinel: string]: Slot }) =>
    splitAtSentinels(template.file, rendered, slots);
  const system: ChatMessage = { role: 'system', content: sentinels.system };
  const user = (content: string): ChatMessage => ({ role: 'user', content });
  const action: ChatMessage = { role: 'assistant', content: sentinels.action };

  const first = render(user(sentinels.first));
  if (thinking === 'off' && first === template.render([user(sentinels.first)], { addGenerationPrompt: true })) {
    throw new Error(`${template.file}: thinking "off" has no effect: the template does not read enable_thinking`);
  }
  const [before, between, ...more] = render(user(sentinels.first), action, user(sentinels.next)).split(
    sentinels.action,
  );
  if (before === undefined || between === undefined || more.length > 0) {
    const what = between === undefined ? 'drops the actions of earlier turns' : 'writes an action more than once';
    throw new Error(`${template.file}: the chat template ${what}, so a conversation cannot grow`);
  }
  if (before.length > first.length && before.startsWith(first)) {
    throw new Error(
      `${template.file}: the chat template writes ${JSON.stringify(before.slice(first.length))} in front of the actions of earlier turns, but not in front of the next one: an action begins in the middle of a text (as in the layout of Llama 2 chat), so a conversation cannot grow. Begin and end actions with special tokens in chat_template.jinja.`,
    );
  }
  const lastPrompt =
    first.startsWith(before) && between.endsWith(first.slice(before.length)) ? first.slice(before.length) : '';
  const withSystem = attempt(() => render(system, user(sentinels.first)));
  const knowsSystem = withSystem !== undefined && withSystem.includes(sentinels.system);
  const [u0, u1] = [user(sentinels.first), user(sentinels.next)];
  const calls = attempt(() =>
    readFunctionCalls(renderCalls, { user: u0, answer: u1, before, after: between, withSystem, system }),
  );
  const answers = calls && attempt(() => readAnswers(renderCalls, u0, calls.upToCall));
  const functionCalls =
    calls?.layout ??
    (template.hasToolTemplate ? describedOnly(renderCalls, { user: u0, withSystem, system }) : undefined);
  const trimmed = (rendered: (content: string) => string, sentinel: string) =>
    findTrimmedCharacters((start, end) => rendered(start + sentinel + end) === rendered(sentinel));
  const layout: ChatLayout = {
    begin: fill(first, { [sentinels.first]: 'observation' }),
    append: fill(between, { [sentinels.next]: 'observation' }),
    ...(knowsSystem
      ? { beginWithSystem: fill(withSystem, { [sentinels.system]: 'system', [sentinels.first]: 'observation' }) }
      : {}),
    lastPrompt,
    writes: {
      observation: trimmed((content) => render(user(content)), sentinels.first),
      system: knowsSystem
        ? trimmed((content) => render({ ...system, content }, user(sentinels.first)), sentinels.system)
        : { start: '', end: '' },
      answer: answers?.writes ?? { start: '', end: '' },
    },
    ...(functionCalls && { functionCalls }),
    ...(thinking === 'drop' && {
      behindThoughts: trimmed(
        (content) =>
          render(user(sentinels.first), { ...action, content: THOUGHTS_END + content }, user(sentinels.next)),
        sentinels.action,
      ).start,
    }),
  };
  checkChatGrowth(template, layout, { thinking, variables });
  // Which thoughts a template drops behind answers is not known, so answers are messages of the user.
  if (answers === undefined || thinking === 'drop') return layout;
  const answering: ChatLayout = { ...layout, appendAnswer: answers.append };
  return answersGrow(template, answering, { thinking, variables }) ? answering : layout;
}

/** Models from scratch have a template without thinking. Throws if the setting would have no effect. */
export function refuseThinking(thinking: Thinking): void {
  if (thinking === 'template') return;
  throw new Error(
    `thinking "${thinking}" has no effect on a model from scratch: leave policy.options.thinking out, or start from a folder with \`policy.from\``,
  );
}

/** Splits a rendered text at its sentinels. Each must occur once, in the given order. */
function splitAtSentinels(file: string, rendered: string, slots: { readonly [sentinel: string]: Slot }): LayoutPart[] {
  const parts: LayoutPart[] = [];
  let rest = rendered;
  for (const [sentinel, slot] of Object.entries(slots)) {
    const [before, after, ...more] = rest.split(sentinel);
    if (before === undefined || after === undefined || more.length > 0) {
      throw new Error(`${file}: the chat template does not write the ${slot} exactly once and unchanged`);
    }
    if (before !== '') parts.push({ text: before });
    parts.push({ slot });
    rest = after;
  }
  if (rest !== '') parts.push({ text: rest });
  return parts;
}
