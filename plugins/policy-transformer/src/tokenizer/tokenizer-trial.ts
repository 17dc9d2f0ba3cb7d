// Opens the tokenizer and the templates of a folder, and tries them on conversations, in a process that `tryTokenizer`
// can end, and that ends itself. It writes what it does to standard output before it does it, and sends what it found.
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import type { FunctionDefinition } from '@agentgym/cli';

import { createConversationEncoder, type EncoderSettings, openTokenizer } from './conversation-encoder.js';
import { parseConfig } from './chat-template.js';
import { storedTemplates } from './stored-templates.js';
import { MissingToken } from './text-tokenizer.js';
import type { TokenizerFiles } from './tokenizer-files.js';

/** What is tried. */
export interface Trial {
  readonly files: TokenizerFiles;
  readonly settings: EncoderSettings;
  /** Processor time after which the process ends itself, and what it says then on standard error. */
  readonly seconds: number;
  readonly outOfTime: string;
}

/** What a trial found: nothing, or why the folder cannot be used. */
export interface TrialAnswer {
  readonly problem?: string;
}

const LONG = 10_000;
/** Texts on which regular expressions of tokenizers may take long: runs of one kind, and an end of another. */
const runs = ['a', '1', ' ', '\n', '!', '_', '\u4f60', 'aB', 'a1', 'a ', '\r\n', "a'", '<|', '\u2581'];
const texts = [
  ...runs.map((unit) => `${unit.repeat(64)}\u0000!`),
  ...['a', '1', ' ', 'aB 1\n'].map((unit) => `${unit.repeat(LONG / unit.length)}\u0000!`),
];

const parameters = { type: 'object', properties: { place: { type: 'string', enum: ['north', 'south'] } } };
const functions = (count: number, description: string): FunctionDefinition[] =>
  Array.from({ length: count }, (_, place) => ({ name: `look_${place}`, description, parameters }));

let doing = '';

process.once('message', (trial: Trial) => {
  limitTime(trial);
  process.send!(tryOut(trial), () => process.exit(0));
});

/** Counts processor time in a thread of its own, because a busy machine must not fail an honest folder. */
function limitTime({ outOfTime, seconds }: Trial): void {
  const watch = `setInterval(() => {
    const { system, user } = process.cpuUsage();
    if (system + user < ${1e6 * seconds}) return;
    require('node:fs').writeSync(2, '${outOfTime}');
    process.kill(process.pid, 'SIGKILL');
  }, 50)`;
  new Worker(watch, { eval: true }).unref();
}

function tryOut({ files, settings }: Trial): TrialAnswer {
  try {
    say('tokenizer.json', 'to read it');
    const tokenizer = openTokenizer(files.tokenizer);
    const { default: plain, toolUse } = storedTemplates(files, parseConfig(files.config));
    const templates = [plain.file, ...(toolUse && toolUse.file !== plain.file ? [toolUse.file] : [])].join(' or ');
    say(templates, 'to render conversations of a few turns');
    const encoder = createConversationEncoder(files, settings, tokenizer);
    say(toolUse?.file ?? plain.file, 'to describe functions');
    for (const described of [functions(1, 'Looks.'), functions(40, 'Looks around. '.repeat(20))]) {
      encoder.functionCalls?.describe(described);
    }
    say('tokenizer.json', `to encode texts of ${LONG} characters`);
    ignoreMissing(() => encoder.begin('Rules.', texts.join('\n')));
    for (const text of texts) ignoreMissing(() => encoder.decode(encoder.encodeAction(text)));
    return {};
  } catch (error) {
    const { message } = error as Error;
    // Errors of JavaScript itself (too deep, too long, null where a list should be) name no file.
    if (error instanceof TypeError) return { problem: `${doing} fails, because a part of the file has the wrong type` };
    return { problem: error instanceof RangeError ? `${doing} fails: ${message}` : message };
  }
}

/** A small vocabulary may lack the characters of a trial, and have those of its own texts. */
function ignoreMissing(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof MissingToken)) throw error;
  }
}

function say(file: string, what: string): void {
  doing = `${file}: ${what}`;
  // A message of the channel may wait until the work is done, which may be never.
  writeSync(1, `${doing}\n`);
}
