// The program of a thread that reads the bodies of requests: it parses, checks and encodes them. It may be ended at any time.
import { parentPort, workerData } from 'node:worker_threads';

import { messageOf } from '../../errors/message-of.js';
import { outsideFiles } from '../../files/outside-files.js';
import type { Contribution } from '../../contracts/plugin.js';
import type { ConversationEncoder, EncoderSource } from '../../contracts/policy.js';
import { encodings } from './encode-request.js';
import type { FromReader, ReaderData, ReaderJob } from './reader-messages.js';
import { RequestError } from './request-error.js';
import { servedPrompt } from './served-prompt.js';

/** Encoders that are kept. Adapters usually have that of their base. */
const MOST_ENCODERS = 2;

const { entry, policy } = workerData as ReaderData;
const port = parentPort;
if (port === null) throw new Error('this program runs in a worker thread');
const say = (message: FromReader) => port.postMessage(message);

const encoders = new Map<string, ConversationEncoder>();

async function open(source: EncoderSource): Promise<ConversationEncoder> {
  const key = JSON.stringify(source);
  const encoder = encoders.get(key) ?? (await create(source));
  encoders.delete(key);
  encoders.set(key, encoder);
  for (const oldest of encoders.keys()) if (encoders.size > MOST_ENCODERS) encoders.delete(oldest);
  say({ begins: true });
  return encoder;
}

async function create({ folder, settings }: EncoderSource): Promise<ConversationEncoder> {
  const { default: contributions } = (await import(entry)) as { default: readonly Contribution[] };
  const found = contributions.find(({ kind, name }) => kind === 'policy' && name === policy);
  const module = found?.kind === 'policy' ? await found.load() : undefined;
  if (module?.openEncoder === undefined) throw new Error(`${entry} has no policy ${policy} that opens encoders`);
  return module.openEncoder(folder, settings, outsideFiles);
}

async function read({ bytes, kind, milliseconds, models }: ReaderJob): Promise<FromReader> {
  const opened = models.flatMap(({ source, prompt, ...model }) =>
    source ? [{ ...model, prompt: prompt && servedPrompt(prompt), encoder: () => open(source) }] : [],
  );
  return { encoded: await encodings[kind](bytes, { models: opened, milliseconds }) };
}

port.on('message', (job: ReaderJob) => {
  read(job).then(say, (error: unknown) => {
    const { details, message, status } =
      error instanceof RequestError ? error : new RequestError(500, messageOf(error));
    say({ refused: { details, message, status } });
  });
});
