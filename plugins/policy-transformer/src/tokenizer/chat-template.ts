import { Template } from '@huggingface/jinja';

import { fixedDate, formatFixedDate } from './fixed-date.js';
import { type StoredTemplate, storedTemplates } from './stored-templates.js';
import { redirectToPython, pythonFunctions } from './python-calls.js';
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

/** A compiled template with its file. */
interface Program {
  readonly file: string;
  readonly template: Template;
}

/** The Jinja templates of a folder, with the special tokens of its configuration. They give the same text every day. */
export class ChatTemplate {
  /** The file with the template of conversations without tools. */
  readonly file: string;
  /** Whether a template can write a date. It gets `fixedDate`. */
  readonly dated: boolean;
  /** Whether conversations with tools have a template of their own. */
  readonly hasToolTemplate: boolean;
  readonly #plain: Program;
  readonly #toolUse: Program;
  readonly #tokens: { readonly [name: string]: string };

  /** Throws if the folder has no template, or one with a syntax error. */
  constructor(files: Pick<TokenizerFiles, 'config' | 'chatTemplate' | 'additionalTemplates'>) {
    const config = parseConfig(files.config);
    const { default: plain, toolUse = plain } = storedTemplates(files, config);
    this.file = plain.file;
    this.dated = [plain, toolUse].some(({ source }) => /\b(?:date_string|strftime_now)\b/.test(source));
    this.hasToolTemplate = toolUse !== plain;
    this.#tokens = specialTokens(config);
    this.#plain = compile(plain);
    this.#toolUse = this.hasToolTemplate ? compile(toolUse) : this.#plain;
  }

  /**
   * Renders a conversation. With tools, also with an empty list of them, it is the template of such conversations. Throws
   * if the template refuses it, with the template's reason as the error's cause.
   */
  render(messages: readonly ChatMessage[], { addGenerationPrompt, tools, variables }: ChatRendering): string {
    if (messages.length === 0) throw new Error('a conversation without messages cannot be rendered');
    const { file, template } = tools == null ? this.#plain : this.#toolUse;
    return naming(file, 'does not render', () =>
      template.render({
        ...this.#tokens,
        ...(this.dated ? { date_string: fixedDate } : {}),
        ...pythonFunctions,
        fixed_date: formatFixedDate,
        tools: tools ?? null,
        ...variables,
        // As in `transformers`, a message without content has no such key.
        messages: messages.map(({ content, ...rest }) => (content == null ? rest : { ...rest, content })),
        add_generation_prompt: addGenerationPrompt,
      }),
    );
  }
}

function compile({ file, source }: StoredTemplate): Program {
  // The library's own `strftime_now` cannot be replaced by a variable, but by a macro. The empty text keeps the white
  // space at the start of the template.
  const prelude = "{%- macro strftime_now(format) -%}{{- fixed_date(format) -}}{%- endmacro -%}{{ '' }}";
  // Jinja2 reads every line end as a line feed, also in strings and `raw` blocks.
  const template = naming(file, 'has a syntax error', () => new Template(prelude + source.replaceAll(/\r\n?/g, '\n')));
  redirectToPython(template.parsed as object);
  return { file, template };
}

function naming<T>(file: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${file}: the chat template ${what}: ${reasonOf(error)}`, { cause: error });
  }
}

/** The engine of JavaScript has its own words for the limits of its texts, lists and calls. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it makes a text or a list that is too long, or is nested too deeply';
  return error instanceof Error ? error.message : String(error);
}

/** A tokenizer_config.json. Throws if it is no JSON object. */
export function parseConfig(text: string): { readonly [key: string]: unknown } {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch (error) {
    throw new Error(`tokenizer_config.json is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config as never;
  throw new Error('tokenizer_config.json is not a JSON object');
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
