import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

import type { Host } from '@agentgym/cli';
import OpenAI, { NotFoundError } from 'openai';

import type { Endpoint } from './requests.js';
import { Unavailable } from './server-errors.js';

/** An adapter on a server. */
export interface ServedAdapter {
  /** The name of the model in requests. */
  readonly name: string;
  /** Its folder as the server sees it. */
  readonly path: string;
}

const howToStart = 'Start vLLM with `--enable-lora` and with VLLM_ALLOW_RUNTIME_LORA_UPDATING=True in its environment.';

/**
 * Names an adapter after its content. vLLM keeps computed prefixes by the name of an adapter, so other weights must never
 * have the name of earlier ones, not even those of another run.
 *
 * @param serverFolder the folder that contains it as the server sees it; null: by the same path
 */
export async function nameAdapter(
  files: Host['files'],
  folder: string,
  serverFolder: string | null,
): Promise<ServedAdapter> {
  const hash = createHash('sha256');
  for (const name of ['adapter_config.json', 'adapter_model.safetensors']) {
    const file = await files.open(join(folder, name));
    // The stream closes the file.
    for await (const part of file.createReadStream()) hash.update(part as Buffer);
  }
  const path = serverFolder === null ? folder : `${serverFolder.replace(/\/+$/, '')}/${basename(folder)}`;
  return { name: `agentgym-${hash.digest('hex').slice(0, 16)}`, path };
}

/** Loads an adapter, from the folder that it has now even if the server has one of that name. */
export async function loadAdapter(endpoint: Endpoint, adapter: ServedAdapter, signal: AbortSignal): Promise<void> {
  const { name, path } = adapter;
  const body = { lora_name: name, lora_path: path };
  // vLLM answers 500 to an adapter that it does not take, and would again.
  const load = () => endpoint.post('/load_lora_adapter', body, signal, 1);
  try {
    await load();
  } catch (error) {
    if (!/already/i.test(String((error as Error).message))) throw adapterError(error, path);
    await unloadAdapter(endpoint, name, signal);
    await load();
  }
}

/** Ends quietly if the server has no such adapter. */
export async function unloadAdapter(
  endpoint: Endpoint,
  name: string,
  signal: AbortSignal,
  retries?: number,
): Promise<void> {
  try {
    await endpoint.post('/unload_lora_adapter', { lora_name: name }, signal, retries);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

/** Whether the server has the route for adapters. A request without a name is refused by it. */
export async function refuseWithoutAdapters(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  try {
    await endpoint.post('/load_lora_adapter', {}, signal);
  } catch (error) {
    if (error instanceof NotFoundError) throw new Unavailable(`it takes no adapters. ${howToStart}`, { cause: error });
    // Refused for what was sent: the route is there.
    if (error instanceof OpenAI.BadRequestError || error instanceof OpenAI.UnprocessableEntityError) return;
    throw error;
  }
}

/** What a refusal to load means; the error itself if it is not about the adapter. */
function adapterError(error: unknown, path: string): unknown {
  if (!(error instanceof OpenAI.APIError) || error.status === undefined) return error;
  const told = error.message.replace(/^\d+ /, '');
  // vLLM hides the path in its answer.
  if (error instanceof NotFoundError && /no adapter found/i.test(told)) {
    return new Unavailable(
      `it does not see the folder ${path} (${told}). On another machine or as another user, set \`policy.sampler.folder\` to a folder that both see, and the option serverFolder if its path is another one there.`,
      { cause: error },
    );
  }
  if (error instanceof NotFoundError) return new Unavailable(`it takes no adapters. ${howToStart}`, { cause: error });
  if (error.status === 401 || error.status === 403) return error;
  return new Unavailable(
    `it did not load the adapter: ${told} ${howToStart} Its \`--max-lora-rank\` must be at least the rank of the adapter.`,
    { cause: error },
  );
}
