import type { Tool } from '../contracts/tool.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { CallSignals } from './call-signals.js';

export interface ToolLimits {
  /** Calls of an episode that reach a tool; absent: as many as there are turns. */
  readonly maxCalls?: number;
  /** UTF-16 units after which an output is cut. */
  readonly maxOutputCharacters: number;
  /** What a call may take before it is asked to stop. */
  readonly milliseconds: number;
}

/** A tool under the name that a recipe gives it. */
export interface NamedTool {
  readonly name: string;
  readonly tool: Tool;
  /** The same calls may be answered otherwise another time. */
  readonly external?: boolean;
}

/** How long a tool may take to clean up before it is left behind. */
const disposalMilliseconds = 5000;

/** The tools of an agent: shared by all its episodes, each of which has sessions of its own. */
export class Toolbox {
  /** What calls took so far, summed up over episodes that ran side by side. */
  milliseconds = 0;
  readonly signals = new CallSignals();
  readonly #closing = new Set<Promise<void>>();

  constructor(
    /** The first that claims a text has it. */
    readonly tools: readonly NamedTool[],
    readonly limits: ToolLimits,
  ) {}

  /** The text about them in the system prompt. */
  get instructions(): string {
    const { maxCalls } = this.limits;
    const limit =
      maxCalls === undefined ? [] : [`Tools answer ${maxCalls} ${maxCalls === 1 ? 'call' : 'calls'} at most.`];
    return [...this.tools.map(({ tool }) => tool.instructions), ...limit].join('\n');
  }

  /** Disposes of something and forgets what goes wrong with it: no result depends on it any more. */
  close(what: string, dispose: () => unknown): void {
    const closing = withinDeadline(what, disposalMilliseconds, async () => void (await dispose())).catch(
      () => undefined,
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  /** Disposes of the tools, once the sessions that were closed are gone. */
  async dispose(): Promise<void> {
    await Promise.all(this.#closing);
    for (const { name, tool } of this.tools) this.close(`dispose of the tool "${name}"`, () => tool.dispose?.());
    await Promise.all(this.#closing);
  }
}
