import { Template } from '@huggingface/jinja';

import { fixedDate, formatFixedDate } from './fixed-date.js';
import { redirectStrips, stripFunctions } from './python-strip.js';
import type { TokenizerFiles } from './tokenizer-files.js';

/** A message as templates read it. Templates with tools also read `tool_calls`, `name` and so on. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly [field: string]: unknown;
}

/** The arguments of one rendering. */
export interface ChatRendering {
  readonly addGenerationPrompt: boolean;
  /** Declarations of functions as JSON, in the form of OpenAI's interface. */
  readonly tools?: readonly object[] | null;
  /** Further variables of the template: `enable_thinking`, `date_string` ... */
  readonly variables?: { readonly [name: string]: unknown };
}

/** The Jinja template of a folder, with the special tokens of its configuration. It gives the same text every day. */
export class ChatTemplate {
  /** The file with the template. */
  readonly file: string;
  /** Whether the template can write a date. It gets `fixedDate`. */
  readonly dated: boolean;
  readonly #program: Template;
  readonly #tokens: { readonly [name: string]: string };

  /** Throws if the folder has no template, or one with a syntax error. */
  constructor(files: Pick<TokenizerFiles, 'config' | 'chatTemplate'>) {
    const config = parseConfig(files.config);
    const source = files.chatTemplate ?? storedTemplate(config);
    this.file = files.chatTemplate === undefined ? 'tokenizer_config.json' : 'chat_template.jinja';
    this.dated = /\b(?:date_string|strftime_now)\b/.test(source);
    this.#tokens = specialTokens(config);
    // The library's own `strftime_now` cannot be replaced by a variable, but by a macro. The empty text keeps the
    // white space at the start of the template.
    const prelude = "{%- macro strftime_now(format) -%}{{- fixed_date(format) -}}{%- endmacro -%}{{ '' }}";
    this.#program = this.#named('has a syntax error', () => new Template(prelude + source));
    redirectStrips(this.#program.parsed as object);
  }

  /** Renders a conversation. Throws if the template refuses it, with the template's reason as the error's cause. */
  render(messages: readonly ChatMessage[], { addGenerationPrompt, tools, variables }: ChatRendering): string {
    if (messages.length === 0) throw new Error('a conversation without messages cannot be rendered');
    return this.#named('does not render', () =>
      this.#program.render({
        ...this.#tokens,
        ...(this.dated ? { date_string: fixedDate } : {}),
        ...stripFunctions,
        fixed_date: formatFixedDate,
        tools: tools ?? null,
        ...variables,
        // As in `transformers`, a message without content has no such key.
        messages: messages.map(({ content, ...rest }) => (content == null ? rest : { ...rest, content })),
        add_generation_prompt: addGenerationPrompt,
      }),
    );
  }

  #named<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${this.file}: the chat template ${what}: ${reason}`, { cause: error });
    }
  }
}

function parseConfig(text: string): { readonly [key: string]: unknown } {
  try {
    return JSON.parse(text) as { readonly [key: string]: unknown };
  } catch (error) {
    throw new Error(`tokenizer_config.json is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** The template in the configuration, which may contain several with names. */
export function storedTemplate(config: { readonly [key: string]: unknown }): string {
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
