import { join } from 'node:path';

import type { PolicyContext, PolicyHost, PolicyModel } from '@agentgym/cli';

import { Connection, Unavailable } from './connection.js';
import { type Options, problemOfUrl } from './options.js';
import { type ModelSettings, RemoteModel, type SavedState } from './remote-model.js';
import { servers } from './servers.js';
import { readSaved, TinkerPolicy } from './tinker-policy.js';

/**
 * A policy on a server. `policy.from` is a folder with the tokenizer of the server's model and its chat template, or a
 * checkpoint of such a policy.
 *
 * @throws Error if there is no server, or it does not have the model
 */
export async function create(options: Options, host: PolicyHost, context: PolicyContext): Promise<PolicyModel> {
  const url = readUrl(options.url);
  const { from, valueHead } = context;
  if (valueHead) throw new Error('servers of the Tinker protocol have no critic: choose an algorithm without one');
  if (from === undefined) {
    throw new Error('it has no tokenizer: set policy.from to a folder with the tokenizer of the server’s model');
  }
  const key = process.env[options.keyVariable]?.trim();
  const connection = new Connection({
    ...{ url: `${url}/api/v1`, keyVariable: options.keyVariable, outageMilliseconds: 1000 * options.outageSeconds },
    key: key === '' ? undefined : key,
    ...{ fetch: host.fetch, openJson: host.openJson },
  });
  const baseModel = await chooseModel(connection, options.model, host.signal);
  const encoder = await host.openEncoder(from, { thinking: options.thinking });
  const settings: ModelSettings = {
    ...{ baseModel, rank: options.rank, protocol: options.protocol, keepSteps: options.keepSteps },
    seed: host.random.stream('adapter').integer(0, 2 ** 31),
    deadlineMilliseconds: 1000 * options.deadlineSeconds,
  };
  const open = (state?: SavedState) => new RemoteModel(connection, settings, state);
  const saved = await readSaved(host, from);
  const facts = servers[options.server];
  return new TinkerPolicy({
    remote: open(saved && { path: saved.state, optimizer: false }),
    openCopy: open,
    ...{ facts, encoder, folder: from, host, concurrency: options.concurrency },
    maxTokens: options.maxTokens ?? (await positionsOf(host.files, from)),
    limits: { sequences: options.batchSequences, tokens: options.batchTokens },
    description: { engine: 'tinker', server: options.server, address: url, model: baseModel, rank: options.rank },
  });
}

function readUrl(option: string | null): string {
  const url = option ?? process.env['TINKER_BASE_URL'];
  if (url === undefined || url === '') {
    throw new Unavailable('it has no server: set the option url, or TINKER_BASE_URL');
  }
  const problem = problemOfUrl(url);
  if (problem !== undefined) throw new Error(`TINKER_BASE_URL: ${problem.message}. ${problem.hint}`);
  return url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

/** The model's name, after asking the server for those that it has. */
async function chooseModel(connection: Connection, wanted: string | null, signal: AbortSignal): Promise<string> {
  const answer = await connection.ask({ path: 'get_server_capabilities', method: 'GET', signal });
  const listed = answer.member('supported_models');
  const models = listed.isAbsent ? [] : listed.items();
  const names = models.map((model) => model.member('model_name').text());
  if (wanted === null && names[0] !== undefined) return names[0];
  if (wanted !== null && names.includes(wanted)) return wanted;
  if (wanted === null) throw new Unavailable('the server lists no model: set the option model');
  const list = names.slice(0, 8).join(', ');
  throw new Error(`the server has no model ${wanted}. It has ${list}${names.length > 8 ? ', …' : ''}.`);
}

/** The positions of the model, from the folder of its tokenizer. */
async function positionsOf(files: PolicyHost['files'], folder: string): Promise<number> {
  try {
    const config: unknown = JSON.parse(String(await files.read(join(folder, 'config.json'))));
    const { max_position_embeddings: positions } = config as { readonly max_position_embeddings?: unknown };
    if (typeof positions === 'number') return positions;
  } catch {
    // Said below.
  }
  throw new Error(`${join(folder, 'config.json')} has no max_position_embeddings: set the option maxTokens`);
}
