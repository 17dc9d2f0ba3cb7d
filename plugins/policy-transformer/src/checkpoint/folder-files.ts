import { access } from 'node:fs/promises';
import { join } from 'node:path';

import type { OutsideFiles } from '@agentgym/cli';

/** Names of the files of a Hugging Face folder. */
export const fileNames = {
  config: 'config.json',
  weights: 'model.safetensors',
  index: 'model.safetensors.index.json',
  generation: 'generation_config.json',
  tokenizer: 'tokenizer.json',
  tokenizerConfig: 'tokenizer_config.json',
  chatTemplate: 'chat_template.jinja',
  /** A folder. */
  additionalTemplates: 'additional_chat_templates',
} as const;

/** The text of a file. Throws an error that names the folder and the file if it is missing. */
export async function readText(files: OutsideFiles, directory: string, name: string): Promise<string> {
  const text = await readOptional(files, directory, name);
  if (text === undefined) throw new Error(`${directory} has no ${name}`);
  return text;
}

/** Bytes. The largest published tokenizers have 33 megabytes, the largest indexes of shards have ten. */
const mostBytes = 256 * 2 ** 20;

/** The text of a file; undefined if it does not exist. */
export async function readOptional(files: OutsideFiles, directory: string, name: string): Promise<string | undefined> {
  const path = join(directory, name);
  return (await exists(path)) ? (await files.read(path, mostBytes)).toString('utf8') : undefined;
}

/** A parsed file. Throws an error that names it. */
export function parseJson(text: string, name: string): { readonly [key: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as { readonly [key: string]: unknown };
  throw new Error(`${name} is not a JSON object`);
}

/** JSON as it is written into a folder. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
