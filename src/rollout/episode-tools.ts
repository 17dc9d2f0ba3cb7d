import type { Artifact } from '../contracts/artifact.js';
import type { ActionFormat } from '../contracts/format.js';
import type { Json, JsonObject } from '../contracts/json.js';
import type { Random } from '../contracts/random.js';
import type { ToolSession } from '../contracts/tool.js';
import type { ToolCall } from '../contracts/trajectory.js';
import { DeadlineError, withinDeadline } from '../errors/within-deadline.js';
import { checkToolResult } from './check-answers.js';
import { cutText } from './cut-text.js';
import type { EpisodeSandbox } from './episode-sandbox.js';
import type { FoundCall, NamedTool, Toolbox, ToolList } from './toolbox.js';
import type { Called, InstanceHandle } from './world-handle.js';

/** The result of a turn whose text called tools: all outputs, in the order of the calls. */
export interface ToolAnswer {
  readonly observation: string;
  readonly calls: readonly ToolCall[];
  /** A digest of the state after calls of the world's tools, if the episode asks for it. */
  readonly state?: string;
  readonly artifacts?: readonly Artifact[];
}

interface Answer {
  readonly output: string;
  readonly status: ToolCall['status'];
}

/** What tools are told of an episode. */
export interface ToolEpisode {
  /** The attempt's own stream. */
  readonly random: Random;
  readonly task: string;
  /** Answers calls of the world's tools. */
  readonly instance: InstanceHandle;
  /** What the task offers. Absent: everything in the box. */
  readonly offered?: ToolList | undefined;
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
   * Runs the calls of a text, one after the other.
   *
   * @param turn number of the turn, from 0
   * @returns undefined if the text calls no tool
   * @throws errors of a tool, and DeadlineError: both are failures of the episode, not of the agent
   */
  async answer(text: string, turn: number, signal: AbortSignal): Promise<ToolAnswer | undefined> {
    const { format, offered = this.#box } = this.#episode;
    const found = offered.read(text, format);
    if (found === undefined) return undefined;
    const outputs: string[] = [];
    const calls: ToolCall[] = [];
    const { maxCalls = Infinity, maxCallsPerTurn = Infinity, maxOutputCharacters } = this.#box.limits;
    let state: string | undefined;
    const artifacts: Artifact[] = [];
    for (const [place, one] of found.slice(0, maxCallsPerTurn + 1).entries()) {
      const { name, reading } = one;
      let answer: Answer;
      if (place === maxCallsPerTurn) {
        answer = { output: `${name}: no more than ${place} calls at once`, status: 'refused' };
      } else if ('malformed' in reading) answer = { output: `${name}: ${reading.malformed}`, status: 'malformed' };
      else if ('refused' in reading) answer = { output: `${name}: ${reading.refused}`, status: 'refused' };
      else if (this.#calls >= maxCalls) answer = { output: `${name}: no calls are left`, status: 'refused' };
      else {
        this.#calls += 1;
        const ran = await this.#run(one, reading.call, { turn, place }, signal);
        state = ran.state ?? state;
        artifacts.push(...(ran.artifacts ?? []));
        answer = { output: ran.output, status: ran.failed === true ? 'failed' : 'answered' };
      }
      const { output, status } = answer;
      outputs.push(cutText(output, maxOutputCharacters));
      const call = 'call' in reading ? { call: reading.call } : {};
      calls.push({ name, status, ...call, outputCharacters: output.length });
    }
    return {
      observation: outputs.join('\n'),
      calls,
      ...(state !== undefined && { state }),
      ...(artifacts.length > 0 && { artifacts }),
    };
  }

  /** Ends the sessions. A session that is still beginning is ended once it has begun. */
  close(): void {
    this.#closed = true;
    for (const [name, session] of this.#sessions) this.#dispose(name, session);
    this.#sessions.clear();
  }

  /** Runs a call within the deadline: in the tool's session, or in the world. */
  async #run(
    { name, tool }: FoundCall,
    values: Json,
    { turn, place }: { readonly turn: number; readonly place: number },
    signal: AbortSignal,
  ): Promise<Called> {
    const { instance, random: own } = this.#episode;
    // The first call of a turn has the stream that it had when a turn had one call.
    const random = own.stream('turn', turn, 'tool', name, ...(place > 0 ? [place] : []));
    if (tool === undefined) return instance.call(name, values as JsonObject, random);
    const { milliseconds } = this.#box.limits;
    const call = this.#box.signals.begin(signal);
    const timer = setTimeout(() => call.abort(new DeadlineError(`the call took too long`)), milliseconds);
    const start = performance.now();
    try {
      const result = await withinDeadline(`the tool "${name}"`, milliseconds + graceMilliseconds, async () => {
        const session = await this.#session(tool);
        return session.run(values, { random, signal: call.signal });
      });
      return checkToolResult(result, name);
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
}
