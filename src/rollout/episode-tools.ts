import type { ActionFormat } from '../contracts/format.js';
import type { Random } from '../contracts/random.js';
import type { ToolContext, ToolResult, ToolSession } from '../contracts/tool.js';
import type { ToolCall } from '../contracts/trajectory.js';
import { DeadlineError, withinDeadline } from '../errors/within-deadline.js';
import { cutText } from './cut-text.js';
import type { EpisodeSandbox } from './episode-sandbox.js';
import type { NamedTool, Toolbox } from './toolbox.js';

/** The result of a turn whose text called tools. */
export interface ToolAnswer {
  readonly observation: string;
  readonly calls: readonly ToolCall[];
}

/** What tools are told of an episode. */
export interface ToolEpisode {
  /** The attempt's own stream. */
  readonly random: Random;
  readonly task: string;
  /** Absent if nobody needs one. */
  readonly sandbox?: EpisodeSandbox | undefined;
  /** Reads function calls, if it has any. */
  readonly format?: ActionFormat | undefined;
}

/** Time that a call has after its signal was aborted, so that it can report the abort itself. */
const graceMilliseconds = 1000;

/** The tools of one attempt at an episode: their sessions, and the number of calls. */
export class EpisodeTools {
  readonly #box: Toolbox;
  readonly #episode: ToolEpisode;
  readonly #sessions = new Map<string, ToolSession>();
  #calls = 0;
  #closed = false;

  constructor(box: Toolbox, episode: ToolEpisode) {
    this.#box = box;
    this.#episode = episode;
  }

  /**
   * Runs the call of a text: a function call of the action format, or the call that the first matching tool recognises.
   *
   * @param turn number of the turn, from 0
   * @returns undefined if no tool recognises the text
   * @throws errors of a tool, and DeadlineError: both are failures of the episode, not of the agent
   */
  async answer(text: string, turn: number, signal: AbortSignal): Promise<ToolAnswer | undefined> {
    const found = this.#box.read(text, this.#episode.format);
    if (found === undefined) return undefined;
    const { named, reading } = found;
    const { name } = named;
    if ('malformed' in reading) return this.#show(`${name}: ${reading.malformed}`, { name, status: 'malformed' });
    const { call } = reading;
    if (this.#calls >= (this.#box.limits.maxCalls ?? Infinity)) {
      return this.#show(`${name}: no calls are left`, { name, status: 'refused', call });
    }
    this.#calls += 1;
    const { output, failed } = await this.#run(named, turn, signal, (session, context) => session.run(call, context));
    return this.#show(output, { name, status: failed === true ? 'failed' : 'answered', call });
  }

  /** Ends the sessions. A session that is still beginning is ended once it has begun. */
  close(): void {
    this.#closed = true;
    for (const [name, session] of this.#sessions) this.#dispose(name, session);
    this.#sessions.clear();
  }

  /** Runs a call in the tool's session within the deadline. */
  async #run(
    named: NamedTool,
    turn: number,
    signal: AbortSignal,
    run: (session: ToolSession, context: ToolContext) => ToolResult | PromiseLike<ToolResult>,
  ): Promise<ToolResult> {
    const { name } = named;
    const { milliseconds } = this.#box.limits;
    const call = this.#box.signals.begin(signal);
    const timer = setTimeout(() => call.abort(new DeadlineError(`the call took too long`)), milliseconds);
    const start = performance.now();
    try {
      const result = await withinDeadline(`the tool "${name}"`, milliseconds + graceMilliseconds, async () => {
        const session = await this.#session(named);
        return run(session, { random: this.#episode.random.stream('turn', turn, 'tool', name), signal: call.signal });
      });
      if (typeof result?.output !== 'string') throw new Error(`the tool "${name}" answered without an output`);
      return result;
    } finally {
      clearTimeout(timer);
      this.#box.signals.end(signal, call);
      this.#box.milliseconds += performance.now() - start;
    }
  }

  async #session({ name, tool }: NamedTool): Promise<ToolSession> {
    const begun = this.#sessions.get(name);
    if (begun !== undefined) return begun;
    const { random: own, sandbox, task } = this.#episode;
    const random = own.stream('tool', name);
    const session = await tool.begin({
      ...{ random, task, seed: random.stream('seed').integer(0, 2 ** 48) },
      ...(tool.sandbox && sandbox && { sandbox: await sandbox.open() }),
    });
    if (this.#closed) this.#dispose(name, session);
    else this.#sessions.set(name, session);
    return session;
  }

  #dispose(name: string, session: ToolSession): void {
    if (session.dispose === undefined) return;
    this.#box.close(`dispose of a session of the tool "${name}"`, () => session.dispose?.());
  }

  #show(output: string, call: Omit<ToolCall, 'outputCharacters'>): ToolAnswer {
    const observation = cutText(output, this.#box.limits.maxOutputCharacters);
    return { observation, calls: [{ ...call, outputCharacters: output.length }] };
  }
}
