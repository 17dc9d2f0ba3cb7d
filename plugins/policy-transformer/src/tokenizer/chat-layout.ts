/*
 * A chat template is a program over a whole conversation. At creation it runs a few times on sentinels. The text
 * between the sentinels is the layout, and the template never runs again. Later texts are inserted between these
 * pieces, so they cannot change them.
 */
import type { FunctionCallSyntax } from '@agentgym/cli';
import { Template } from '@huggingface/jinja';

import { attempt, type Message, readFunctionCalls, type Render } from './read-function-calls.js';

/** Names of the texts that are filled in. */
export type Slot = 'system' | 'observation';

/** Literal text of the template, or a place to be filled. */
export type LayoutPart = { readonly text: string } | { readonly slot: Slot };

/** A chat template as constant pieces of one growing sequence. */
export interface ChatLayout {
  /**
   * The text before the first action, without and with a system text; the latter is absent if the template has no
   * system role.
   */
  readonly begin: readonly LayoutPart[];
  readonly beginWithSystem?: readonly LayoutPart[];
  /** The text from the end of an action, starting with its end token, up to the next action. */
  readonly append: readonly LayoutPart[];
  /** Whether the template trims white space around the text in these places. */
  readonly trims: { readonly [S in Slot]: boolean };
  /** How it writes function calls; absent if it has none, or none as one JSON object. */
  readonly functionCalls?: FunctionCallSyntax;
}

// Only letters and digits, so that no template reads them as markup. None is a prefix of another.
const sentinels = {
  system: 'Qsystem7Q',
  observation: ['Qobserve0Q', 'Qobserve1Q', 'Qobserve2Q'],
  action: ['Qaction0Q', 'Qaction1Q'],
} as const;

/**
 * Finds the pieces of a template. Throws with the reason if its conversations do not grow by appending.
 * @param template Source of the Jinja template.
 * @param variables `bos_token` and the like.
 */
export function readChatLayout(template: string, variables: { readonly [name: string]: unknown }): ChatLayout {
  // Today's date in a prompt would make runs depend on the day. This date is the default of Llama 3.2's template.
  const date = '26 Jul 2024';
  const program = new Template(`{%- macro strftime_now(format) -%}${date}{%- endmacro -%}${template}`);
  const render: Render = (messages, tools) =>
    program.render({ ...variables, date_string: date, messages, ...(tools && { tools }), add_generation_prompt: true });

  const system: Message = { role: 'system', content: sentinels.system };
  const users = sentinels.observation.map((content): Message => ({ role: 'user', content }));
  const actions = sentinels.action.map((content): Message => ({ role: 'assistant', content }));
  const [u0, u1, u2] = users as [Message, Message, Message];
  const [a0, a1] = actions as [Message, Message];

  const first = render([u0]);
  const begin = fill(first, { [u0.content]: 'observation' });
  const second = render([u0, a0, u1]);
  const growth = second.slice(first.length);
  if (!second.startsWith(first) || !growth.startsWith(a0.content)) {
    throw new Error('the chat template rewrites earlier turns when a turn is added, so a conversation cannot grow');
  }
  const between = growth.slice(a0.content.length);
  const append = fill(between, { [u1.content]: 'observation' });
  const third = second + a1.content + between.replace(u1.content, u2.content);
  if (render([u0, a0, u1, a1, u2]) !== third) {
    throw new Error('the chat template formats later turns differently from the first, so a conversation cannot grow');
  }

  const withSystem = attempt(() => render([system, u0]));
  const knowsSystem = withSystem !== undefined && withSystem.includes(sentinels.system);
  if (knowsSystem && render([system, u0, a0, u1]) !== withSystem + growth) {
    throw new Error('the chat template formats turns differently after a system text, so a conversation cannot grow');
  }
  const functionCalls = attempt(() =>
    readFunctionCalls(render, { user: u0, answer: u1, before: first, after: between, withSystem, system }),
  );
  const loose = (message: Message): Message => ({ ...message, content: `  ${message.content}  ` });
  return {
    begin,
    append,
    ...(knowsSystem
      ? { beginWithSystem: fill(withSystem, { [system.content]: 'system', [u0.content]: 'observation' }) }
      : {}),
    trims: {
      observation: render([loose(u0)]) === first,
      system: knowsSystem && render([loose(system), u0]) === withSystem,
    },
    ...(functionCalls && { functionCalls }),
  };
}

/** Splits a rendered text at its sentinels. Each must occur once, in the given order. */
function fill(rendered: string, slots: { readonly [sentinel: string]: Slot }): LayoutPart[] {
  const parts: LayoutPart[] = [];
  let rest = rendered;
  for (const [sentinel, slot] of Object.entries(slots)) {
    const [before, after, ...more] = rest.split(sentinel);
    if (before === undefined || after === undefined || more.length > 0) {
      throw new Error(`the chat template does not write the ${slot} exactly once and unchanged`);
    }
    if (before !== '') parts.push({ text: before });
    parts.push({ slot });
    rest = after;
  }
  if (rest !== '') parts.push({ text: rest });
  return parts;
}
