import type { JsonLinesOptions, JsonLinesProcess } from '../contracts/host.js';
import { asciiJson } from './ascii-json.js';
import { awaitEnding } from './await-ending.js';
import { BoundedLines } from './bounded-lines.js';
import { readAnswer } from './read-answer.js';
import { spawnOwned, type OwnedProcess } from './spawn-owned.js';

const SECONDS = 600;
const LINE = 2 ** 24;
/** Node.js takes a longer one for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Characters of standard error that are kept. */
const PRINTED = 4000;

type Limits = Required<Pick<JsonLinesOptions, 'seconds' | 'maximumLine' | 'shared'>>;

interface Caller {
  resolve(answer: unknown): void;
  reject(reason: unknown): void;
}

/** Starts a program that answers questions in lines of JSON; see `JsonLinesProcess`. Throws what `spawnOwned` throws. */
export async function spawnJsonLines<Question extends object, Answer>(
  command: string,
  args: readonly string[] = [],
  { seconds = SECONDS, maximumLine = LINE, shared = false, ...settings }: JsonLinesOptions = {},
): Promise<JsonLinesProcess<Question, Answer>> {
  const limits = { seconds, maximumLine, shared };
  return new Program<Question, Answer>(`the program \`${command}\``, await spawnOwned(command, args, settings), limits);
}

class Program<Question extends object, Answer> implements JsonLinesProcess<Question, Answer> {
  readonly #name: string;
  readonly #child: OwnedProcess;
  readonly #limits: Limits;
  readonly #ended: Promise<void>;
  readonly #callers = new Map<number, Caller>();
  #asked = 0;
  #printed = '';
  #failure: Error | undefined;

  constructor(name: string, child: OwnedProcess, limits: Limits) {
    this.#name = name;
    this.#child = child;
    this.#limits = limits;
    const { maximumLine } = limits;
    const lines = new BoundedLines(maximumLine, () => {
      this.#stop(`wrote a line of more than ${maximumLine} characters. ${this.#lastWords()}`);
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of lines.read(text)) this.#hear(line);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#printed = (this.#printed + text).slice(-PRINTED);
    });
    this.#ended = this.#awaitEnd();
  }

  async ask(question: Question, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Answer> {
    if (this.#failure !== undefined) throw this.#failure;
    signal?.throwIfAborted();
    const id = (this.#asked += 1);
    const answer = new Promise<unknown>((resolve, reject) => this.#callers.set(id, { resolve, reject }));
    const giveUp = (reason: unknown) => this.#callers.get(id)?.reject(reason);
    const abort = () => giveUp(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const { seconds } = this.#limits;
    const late = () => giveUp(new Error(`${this.#name} did not answer within ${seconds} s. ${this.#lastWords()}`));
    const timer = setTimeout(late, Math.min(1000 * seconds, LONGEST_TIMER_MS));
    try {
      this.#child.stdin.write(`${asciiJson({ ...question, id })}\n`);
      return (await answer) as Answer;
    } finally {
      this.#callers.delete(id);
      signal?.removeEventListener('abort', abort);
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    this.#child.kill();
    await this.#ended;
  }

  async #awaitEnd(): Promise<void> {
    const { code, signal } = await awaitEnding(this.#child);
    this.#fail(`ended with ${signal ?? `code ${code}`}. ${this.#lastWords()}`);
  }

  #hear(line: string): void {
    if (this.#failure !== undefined) return;
    const read = readAnswer(line, this.#asked);
    if (read === undefined) {
      const shown = line.length > 80 ? `${line.slice(0, 80)}...` : line;
      return this.#stop(`wrote a line that answers no question: ${shown}. Print messages to standard error.`);
    }
    // The caller is gone if its call was aborted.
    const caller = this.#callers.get(read.id);
    if (read.error === undefined) caller?.resolve(read.answer);
    else caller?.reject(new Error(read.error));
  }

  /** Ends a program that broke the rules. */
  #stop(what: string): void {
    this.#fail(what);
    this.#child.kill();
  }

  #fail(what: string): void {
    if (this.#failure !== undefined) return;
    const failure = new Error(`${this.#name} ${what}`);
    this.#failure = this.#limits.shared ? Object.assign(failure, { code: 'UNAVAILABLE' }) : failure;
    for (const caller of this.#callers.values()) caller.reject(this.#failure);
  }

  /** The line that says what went wrong. Below the error, Node.js prints its version, and languages print the stack, indented. */
  #lastWords(): string {
    const lines = this.#printed.split('\n').filter((line) => /^\S/.test(line) && !/^Node\.js v\d/.test(line));
    const last = lines.at(-1)?.trimEnd();
    return last === undefined ? 'It printed nothing to standard error.' : `It printed: ${last.slice(0, 400)}`;
  }
}
