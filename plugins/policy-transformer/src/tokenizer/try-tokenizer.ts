/*
 * A chat template is a program, and the regular expressions of a tokenizer may take forever. So those of others are tried
 * in a process with limits before this process uses them (`docs/decisions/foreign-tokenizers.md`).
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createConversationEncoder, type EncoderSettings, type FolderEncoder } from './conversation-encoder.js';
import { isFromScratch } from './from-scratch-files.js';
import type { TokenizerFiles } from './tokenizer-files.js';
import type { Trial, TrialAnswer } from './tokenizer-trial.js';
import { byteParts } from './train-byte-level-tokenizer.js';
import { wordParts } from './train-word-tokenizer.js';

/** Limits of a trial. The tokenizers of large models need a fifth of both. */
interface TrialLimits {
  /** Processor time, which does not depend on other work of the machine. */
  readonly seconds: number;
  readonly megabytes: number;
}

const usualLimits: TrialLimits = { seconds: 20, megabytes: 2048 };
/** After this many times its processor time, a process that waits is ended, too. */
const PATIENCE = 15;
/** Characters of a tokenizer.json. The largest published ones have 35 million. */
const LONGEST_FILE = 200e6;
/** Other trials make other verdicts. */
const VERSION = 1;

const outOfTime = 'out of processor time';

/** Digests of files that passed in this process. */
const passed = new Set<string>();

/**
 * The encoder of a folder, whose files were tried before. What passed is remembered in the cache, so a folder is tried
 * once. Files of a tokenizer from scratch are not tried: they contain nothing of others.
 *
 * @param cacheDirectory absent: only this process remembers
 * @throws an error that names the file and what took too long or too much, or why the files cannot be used
 */
export async function openTriedEncoder(
  files: TokenizerFiles,
  settings: EncoderSettings,
  cacheDirectory?: string,
): Promise<FolderEncoder> {
  await tryTokenizer(files, settings, cacheDirectory);
  return createConversationEncoder(files, settings);
}

/** Tries the files of a tokenizer. Returns whether they had to be tried. */
export async function tryTokenizer(
  files: TokenizerFiles,
  settings: EncoderSettings,
  cacheDirectory: string | undefined,
  limits = usualLimits,
): Promise<boolean> {
  if (files.tokenizer.length > LONGEST_FILE) {
    throw new Error(
      `tokenizer.json has ${Math.round(files.tokenizer.length / 1e6)} million characters, and at most ${LONGEST_FILE / 1e6} million are read`,
    );
  }
  if (isMadeHere(files)) return false;
  const digest = digestOf(files, settings);
  const verdict = cacheDirectory && join(cacheDirectory, 'tried-tokenizers', digest);
  if (passed.has(digest) || (verdict && existsSync(verdict))) return false;
  const { problem } = await runTrial({ files, settings, seconds: limits.seconds, outOfTime }, limits.megabytes);
  if (problem !== undefined) throw new Error(problem);
  passed.add(digest);
  if (verdict) {
    await mkdir(join(cacheDirectory, 'tried-tokenizers'), { recursive: true });
    await writeFile(verdict, '');
  }
  return true;
}

/** Whether it is a tokenizer from scratch, with nothing of others. */
export function isMadeHere(files: TokenizerFiles): boolean {
  return [wordParts, byteParts].some((parts) => isFromScratch(files, parts));
}

function digestOf(files: TokenizerFiles, { thinking = 'template' }: EncoderSettings): string {
  const { additionalTemplates = {}, chatTemplate = null, config, tokenizer } = files;
  const hash = createHash('sha256');
  for (const text of [tokenizer, config]) hash.update(`${text.length} `).update(text);
  return hash
    .update(JSON.stringify([VERSION, thinking, chatTemplate, Object.entries(additionalTemplates)]))
    .digest('hex');
}

async function runTrial(trial: Trial, megabytes: number): Promise<TrialAnswer> {
  const { seconds } = trial;
  const child = fork(entry(), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${megabytes}`],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let doing = 'the tokenizer: to start a process for its trial';
  let said = '';
  child.stdout!.on('data', (data: Buffer) => (doing = data.toString().trim().split('\n').at(-1)!));
  child.stderr!.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-4096)));
  let isLate = false;
  const late = setTimeout(
    () => {
      isLate = true;
      child.kill('SIGKILL');
    },
    1000 * PATIENCE * seconds,
  );
  try {
    return await new Promise((resolve, reject) => {
      let answer: TrialAnswer | undefined;
      child.on('message', (message) => (answer = message as TrialAnswer));
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (answer !== undefined) return resolve(answer);
        const end =
          isLate || said.includes(outOfTime)
            ? `takes more than ${seconds} seconds`
            : said.includes('out of memory')
              ? `takes more than ${megabytes} MB of memory`
              : `ends the process (${signal ?? code})`;
        resolve({ problem: `${doing} ${end}. It was ended. Take the file from the model's own folder, or repair it.` });
      });
      child.send(trial);
    });
  } finally {
    clearTimeout(late);
    child.kill('SIGKILL');
  }
}

/** The compiled script: next to this file, or in `dist` if this file runs uncompiled. */
function entry(): string {
  const beside = fileURLToPath(new URL('./tokenizer-trial.js', import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL('../../dist/tokenizer/tokenizer-trial.js', import.meta.url));
}
