import type { TokenizerFiles } from './tokenizer-files.js';

/** A chat template and the file that has it. */
export interface StoredTemplate {
  readonly file: string;
  readonly source: string;
}

/** The templates of a folder: of conversations, and of conversations with tools if that is another one. */
export interface StoredTemplates {
  readonly default: StoredTemplate;
  readonly toolUse?: StoredTemplate;
}

const folder = 'additional_chat_templates';
const configFile = 'tokenizer_config.json';

/**
 * Finds the templates as `transformers` does: files with templates take the place of those in the configuration, which
 * may contain one, a list of named ones, or an object of them. `default` is used, and with tools `tool_use` if there is
 * one.
 *
 * @throws if there is no template, or several of which none is named `default`
 */
export function storedTemplates(
  files: Pick<TokenizerFiles, 'chatTemplate' | 'additionalTemplates'>,
  config: { readonly [key: string]: unknown },
): StoredTemplates {
  const named = new Map<string, StoredTemplate>();
  for (const [name, source] of Object.entries(files.additionalTemplates ?? {})) {
    named.set(name, { file: `${folder}/${name}.jinja`, source });
  }
  if (files.chatTemplate !== undefined)
    named.set('default', { file: 'chat_template.jinja', source: files.chatTemplate });
  if (named.size === 0) for (const [name, source] of configured(config)) named.set(name, { file: configFile, source });
  const [found, toolUse] = [named.get('default'), named.get('tool_use')];
  if (named.size === 0) {
    throw new Error(
      'the folder has no chat template: use an instruction-tuned model, or add a chat_template.jinja to the folder',
    );
  }
  if (found === undefined) {
    const [{ file }] = [...named.values()] as [StoredTemplate];
    throw new Error(
      `${file}: the folder has several chat templates (${[...named.keys()].sort().join(', ')}), but none is named "default": write the one to use into chat_template.jinja`,
    );
  }
  return { default: found, ...(toolUse && { toolUse }) };
}

/** The templates in the configuration by their names. Throws if they have another form. */
function configured({ chat_template: stored }: { readonly [key: string]: unknown }): [string, string][] {
  if (stored === undefined || stored === null) return [];
  if (typeof stored === 'string') return [['default', stored]];
  const list: unknown[] = Array.isArray(stored)
    ? stored
    : Object.entries(stored).map(([name, template]) => ({ name, template: template as unknown }));
  return list.map((one) => {
    const { name, template } = Object(one) as { readonly name?: unknown; readonly template?: unknown };
    if (typeof name === 'string' && typeof template === 'string') return [name, template];
    throw new Error(
      `${configFile}: "chat_template" must be a text, a list of {"name", "template"}, or an object of named texts`,
    );
  });
}
