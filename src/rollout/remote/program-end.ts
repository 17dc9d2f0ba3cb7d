import type { EnvironmentPhase } from '../../contracts/environment.js';
import type { Log } from '../../contracts/host.js';
import type { Sandbox } from '../../contracts/sandbox.js';
import { DeadlineError } from '../../errors/within-deadline.js';
import { awaitEnding } from '../../processes/await-ending.js';
import { BoundedLines } from '../../processes/bounded-lines.js';
import { asciiJson } from '../../processes/ascii-json.js';
import { readAnswer } from '../../processes/read-answer.js';
import { type OwnedProcess, spawnOwned, type SpawnSettings } from '../../processes/spawn-owned.js';
import { EndDeath } from './end-death.js';
import { callLine } from './program-messages.js';
import { answerSandboxCall, readSandboxCall, type AskedSandbox } from './sandbox-calls.js';
import { type EndMethod, phaseOf, type WorldEnd } from './world-end.js';

/** How a process of a world is started. */
export interface ProgramEndSettings extends SpawnSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly milliseconds: { readonly [phase in EnvironmentPhase]: number };
  /** Longest line that it may write, in UTF-16 code units. A longer one ends it. */
  readonly maximumLine: number;
  readonly log: Log;
}

/** Milliseconds between checks whether a call takes too long. A busy main thread adds at most twice as much to its time. */
const lookEvery = 25;
/** Lines that a process prints are told up to this number. */
const mostPrinted = 100;

/** An answer, and the milliseconds that the process worked on it. */
export class Answered<T> {
  constructor(
    readonly answer: T,
    readonly milliseconds: number,
  ) {}

  /** Answers are equal whatever they took. */
  toJSON(): T {
    return this.answer;
  }
}

interface Open {
  readonly method: EndMethod;
  readonly instance: number;
  readonly asked: number;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A process with one world. It answers calls in their order, so the oldest open call is the one that it works on: that
 * call is timed, and is to blame if the process ends.
 */
export class ProgramEnd implements WorldEnd {
  readonly #process: OwnedProcess;
  readonly #settings: ProgramEndSettings;
  /** Calls without an answer, oldest first. */
  readonly #open = new Map<number, Open>();
  /** The sandboxes of the present episodes, by instance. */
  readonly #sandboxes = new Map<number, Sandbox | undefined>();
  #lines: string[] = [];
  #last = 0;
  #named = 0;
  #look: NodeJS.Timeout | undefined;
  #looked = 0;
  /** The oldest open call, and the milliseconds that it was seen at work. */
  #worked = { id: 0, milliseconds: 0 };
  /** When it answered last. */
  #answered = 0;
  #printed = 0;
  #lastPrinted = '';
  #failure: Error | undefined;
  #death: EndDeath | undefined;
  readonly #gone: Promise<void>;
  instances = 0;

  static async start(settings: ProgramEndSettings): Promise<ProgramEnd> {
    return new ProgramEnd(await spawnOwned(settings.command, settings.args, settings), settings);
  }

  private constructor(process: OwnedProcess, settings: ProgramEndSettings) {
    this.#process = process;
    this.#settings = settings;
    const answers = new BoundedLines(settings.maximumLine, () =>
      this.#stop(new Error(`wrote a line of more than ${settings.maximumLine} characters`)),
    );
    process.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of answers.read(text)) this.#take(line);
    });
    const messages = new BoundedLines(settings.maximumLine);
    process.stderr.setEncoding('utf8').on('data', (text: string) => {
      for (const line of messages.read(text)) this.#print(line);
    });
    this.#gone = awaitEnding(process).then(({ code, signal }) => {
      this.#die(this.#failure ?? new Error(`it ended its process: ${signal ?? `code ${code}`}. ${this.#lastWords()}`));
    });
  }

  get death(): EndDeath | undefined {
    return this.#death;
  }

  nameInstance(): number {
    return ++this.#named;
  }

  /** Resolves with `Answered`. */
  call<T>(method: EndMethod, instance: number, ...values: readonly unknown[]): Promise<T> {
    if (this.#death !== undefined) return Promise.reject(this.#death);
    const id = ++this.#last;
    if (method === 'reset') this.#sandboxes.set(instance, values[2] as Sandbox | undefined);
    if (method === 'dispose') this.#sandboxes.delete(instance);
    // Calls of one turn of the event loop are one write.
    if (this.#lines.push(callLine(id, method, instance, values)) === 1) setImmediate(() => this.#send());
    if (this.#look === undefined) {
      this.#looked = performance.now();
      this.#look = setInterval(() => this.#lookForHanging(), lookEvery);
    }
    return new Promise((resolve, reject) =>
      this.#open.set(id, { method, instance, asked: performance.now(), resolve, reject }),
    );
  }

  abort(): void {
    this.#stop(new Error('it was interrupted'));
  }

  async end(): Promise<void> {
    this.#process.kill();
    await this.#gone;
  }

  #send(): void {
    this.#process.stdin.write(this.#lines.join(''));
    this.#lines = [];
  }

  #take(line: string): void {
    if (this.#failure !== undefined || this.#death !== undefined) return;
    const asked = readSandboxCall(line);
    if (asked !== undefined) return void this.#askSandbox(asked);
    const read = readAnswer(line, this.#last);
    const [oldest] = this.#open.keys();
    const call = read === undefined ? undefined : this.#open.get(read.id);
    if (read === undefined || call === undefined || read.id !== oldest) {
      const shown = line.length > 80 ? `${line.slice(0, 80)}...` : line;
      const due = oldest === undefined ? 'no call is open' : `the answer to call ${oldest} is due`;
      return this.#stop(new Error(`wrote a line that is no answer, where ${due}: ${shown}`));
    }
    this.#open.delete(read.id);
    if (this.#open.size === 0) this.#stopLooking();
    const now = performance.now();
    const begun = Math.max(call.asked, this.#answered);
    this.#answered = now;
    if (read.error === undefined) return call.resolve(new Answered(read.answer, now - begun) as never);
    call.reject(Object.assign(new Error(read.error), read.code !== undefined && { code: read.code }));
  }

  /** The program asks something of the sandbox of the call that it works on. */
  async #askSandbox(asked: AskedSandbox): Promise<void> {
    const [oldest] = this.#open.values();
    const sandbox = this.#sandboxes.get(asked.sandbox);
    if (sandbox === undefined || oldest?.instance !== asked.sandbox) {
      return this.#stop(new Error(`asked for a sandbox that its call does not have: ${asked.sandbox}`));
    }
    const answer = await answerSandboxCall(asked, sandbox);
    if (this.#death === undefined) this.#process.stdin.write(`${asciiJson(answer)}\n`);
  }

  /** Ends the process if its oldest call takes too long. Its time begins when the process may have begun it. */
  #lookForHanging(): void {
    const now = performance.now();
    const passed = Math.min(now - this.#looked, 2 * lookEvery);
    this.#looked = now;
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    const [id, { method }] = oldest;
    if (this.#worked.id !== id) this.#worked = { id, milliseconds: 0 };
    else this.#worked.milliseconds += passed;
    const limit = this.#settings.milliseconds[phaseOf(method)];
    if (this.#worked.milliseconds <= limit) return;
    // An answer that has arrived meanwhile is read first.
    setImmediate(() => {
      if (this.#open.has(id)) this.#stop(new DeadlineError(`${method} took longer than ${limit / 1000} s`));
    });
  }

  #stopLooking(): void {
    clearInterval(this.#look);
    this.#look = undefined;
  }

  /** Ends a process that broke the rules. Its calls fail at once. */
  #stop(failure: Error): void {
    if (this.#failure !== undefined || this.#death !== undefined) return;
    this.#failure = failure instanceof DeadlineError ? failure : new Error(`its process ${failure.message}`);
    this.#process.kill();
    this.#die(this.#failure);
  }

  #die(failure: Error): void {
    this.#stopLooking();
    if (this.#death !== undefined) return;
    const [oldest] = this.#open.values();
    this.#death = new EndDeath(failure, oldest?.instance);
    for (const { reject } of this.#open.values()) reject(this.#death);
    this.#open.clear();
  }

  #print(line: string): void {
    if (line.trim() === '') return;
    // Languages print the stack of an error indented, and the error itself last.
    if (/^\S/.test(line)) this.#lastPrinted = line.slice(0, 400).trimEnd();
    this.#printed += 1;
    if (this.#printed <= mostPrinted) this.#settings.log.info(line.slice(0, 1000));
    else if (this.#printed === mostPrinted + 1) this.#settings.log.info('it prints more, which is not shown');
  }

  #lastWords(): string {
    return this.#lastPrinted === '' ? 'It printed nothing.' : `It printed: ${this.#lastPrinted}`;
  }
}
