import type { Readable } from 'node:stream';

import type { Call, ChildProcess } from '@agentgym/cli';

interface Caller<Answer> {
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/**
 * Questions to a child process, a line of JSON each: `{"id": 7, ...}` on its standard input, and on its standard output
 * `{"id": 7, "answer": ...}` or `{"id": 7, "error": "..."}`. Many may be open at once, and are answered in any order.
 */
export class JsonLines<Question extends object, Answer> {
  readonly #child: ChildProcess;
  readonly #explain: (complaint: string) => Error;
  readonly #ended: Promise<void>;
  readonly #callers = new Map<number, Caller<Answer>>();
  #questions = 0;
  /** Pieces of a line whose end has not come yet. */
  #pieces: string[] = [];
  #complaints = '';
  #failure: Error | undefined;

  /** @param explain makes an error of what is wrong: the last line of the child's standard error, once it has ended */
  constructor(child: ChildProcess, explain: (complaint: string) => Error) {
    this.#child = child;
    this.#explain = explain;
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#complaints = (this.#complaints + text).slice(-2000);
    });
    const closed = (stream: Readable) => new Promise((resolve) => stream.once('close', resolve));
    this.#ended = Promise.all([child.ended, closed(child.stdout), closed(child.stderr)]).then(() => {
      this.#fail(explain(this.#complaints.trim().split('\n').at(-1) || 'it said nothing'));
    });
  }

  /** Throws what the child answers as an error, how it ended, or the reason of an abort. */
  async ask(question: Question, call?: Call): Promise<Answer> {
    if (this.#failure !== undefined) throw this.#failure;
    const signal = call?.signal;
    signal?.throwIfAborted();
    const id = (this.#questions += 1);
    const answer = new Promise<Answer>((resolve, reject) => this.#callers.set(id, { resolve, reject }));
    const abort = () => this.#callers.get(id)?.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#child.stdin.write(`${JSON.stringify({ ...question, id })}\n`);
    try {
      return await answer;
    } finally {
      this.#callers.delete(id);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Kills the child, and waits until it is gone. */
  async end(): Promise<void> {
    this.#child.kill();
    await this.#ended;
  }

  #read(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.#pieces.push(first);
    for (const next of others) {
      this.#hear(this.#pieces.join(''));
      this.#pieces = [next];
    }
  }

  #hear(line: string): void {
    try {
      const { id, answer, error } = JSON.parse(line) as { id: number; answer: Answer; error?: string };
      // Nobody waits any more for the answer to a call that was aborted.
      const caller = this.#callers.get(id);
      if (error === undefined) caller?.resolve(answer);
      else caller?.reject(new Error(error));
    } catch {
      this.#fail(this.#explain(`it wrote a line that is no answer: ${line.slice(0, 80)}`));
      this.#child.kill();
    }
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    for (const caller of this.#callers.values()) caller.reject(this.#failure);
  }
}
