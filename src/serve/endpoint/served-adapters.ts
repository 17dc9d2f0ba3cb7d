import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { messageOf } from '../../errors/message-of.js';
import type { PolicyEndpoint } from './policy-endpoint.js';
import { RequestError } from './request-error.js';

/** A model that answers requests, and its end. */
export interface OpenModel {
  readonly endpoint: PolicyEndpoint;
  dispose(): Promise<void>;
}

export interface ServedAdaptersOptions {
  /** The only folder from which adapters are loaded. */
  readonly folder: string;
  /** Opens the adapter of a folder under a name. Throws if the memory does not suffice. */
  readonly open: (name: string, folder: string) => Promise<OpenModel>;
}

/** Milliseconds between looks at an adapter that still answers requests. */
const PAUSE = 10;

/** Adapters that clients load and unload, in the words of vLLM (`vllm/entrypoints/openai/models/serving.py`). */
export class ServedAdapters {
  readonly #options: ServedAdaptersOptions;
  readonly #models = new Map<string, OpenModel>();
  /** Changes are made one after the other. */
  #change: Promise<unknown> = Promise.resolve();

  constructor(options: ServedAdaptersOptions) {
    this.#options = options;
  }

  get endpoints(): readonly PolicyEndpoint[] {
    return [...this.#models.values()].map(({ endpoint }) => endpoint);
  }

  /** @returns the text of the answer */
  load(name: string, path: string): Promise<string> {
    return this.#inTurn(async () => {
      if (this.#models.has(name)) {
        throw new RequestError(400, `The lora adapter '${name}' has already been loaded.`, { param: 'lora_name' });
      }
      const folder = this.#inside(path);
      if (folder === undefined) {
        const message = `Loading lora ${name} failed: No adapter found for ${path} in the folder of --adapters`;
        throw new RequestError(404, message, { param: 'lora_path' });
      }
      try {
        this.#models.set(name, await this.#options.open(name, folder));
      } catch (error) {
        throw new RequestError(400, `Loading lora ${name} failed: ${messageOf(error)}`, { param: 'lora_path' });
      }
      return `Success: LoRA adapter '${name}' added successfully.`;
    });
  }

  /** Requests that are being answered end first. @returns the text of the answer */
  unload(name: string): Promise<string> {
    return this.#inTurn(async () => {
      const model = this.#models.get(name);
      if (model === undefined) {
        throw new RequestError(404, `The lora adapter '${name}' cannot be found.`, { param: 'lora_name' });
      }
      this.#models.delete(name);
      while (model.endpoint.open > 0) await sleep(PAUSE);
      await model.dispose();
      return `Success: LoRA adapter '${name}' removed successfully.`;
    });
  }

  async dispose(): Promise<void> {
    await this.#change.catch(() => undefined);
    for (const model of this.#models.values()) await model.dispose();
    this.#models.clear();
  }

  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const done = this.#change.catch(() => undefined).then(work);
    this.#change = done;
    return done;
  }

  /** The folder of an adapter, if it is inside the one that clients may name. Links are followed before it is compared. */
  #inside(path: string): string | undefined {
    const asked = resolve(this.#options.folder, path);
    if (!existsSync(join(asked, 'adapter_config.json'))) return undefined;
    const way = relative(realpathSync(this.#options.folder), realpathSync(asked));
    return way.startsWith('..') || isAbsolute(way) ? undefined : asked;
  }
}
