import type { ActionFormat } from '../contracts/format.js';
import type { FunctionDefinition } from '../contracts/function-calls.js';
import type { Tool, ToolReading } from '../contracts/tool.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { CallSignals } from './call-signals.js';

export interface ToolLimits {
  /** Calls of an episode that reach a tool; absent: unlimited. */
  readonly maxCalls?: number;
  /** UTF-16 units after which an output is cut. */
  readonly maxOutputCharacters: number;
  /** Time of a call before it is asked to stop. */
  readonly milliseconds: number;
}

/** A tool under the name that a recipe gives it. */
export interface NamedTool {
  readonly name: string;
  readonly tool: Tool;
  /** The same calls may get other answers another time. */
  readonly external?: boolean;
}

/** Time that a tool has for its cleanup; after that it is abandoned. */
const disposalMilliseconds = 5000;

/** The tools of an agent. All episodes share them, but each episode has separate sessions. */
export class Toolbox {
  /** Total time of calls so far, summed over concurrent episodes. */
  milliseconds = 0;
  readonly signals = new CallSignals();
  readonly #closing = new Set<Promise<void>>();

  constructor(
    /** The first tool that claims a text receives it. */
    readonly tools: readonly NamedTool[],
    readonly limits: ToolLimits,
  ) {}

  /** The tools that are functions, for action formats with function calls. */
  get functions(): FunctionDefinition[] {
    return this.tools.flatMap(({ name, tool }) => {
      if (tool.function === undefined) return [];
      const { description, parameters } = tool.function;
      return [{ name, description, parameters }];
    });
  }

  /**
   * The tool that a text calls, and what it reads: by a function call of the action format, or else in the syntax of
   * the first tool that recognises it. Undefined if no tool does.
   */
  read(
    text: string,
    format: ActionFormat | undefined,
  ): { readonly named: NamedTool; readonly reading: ToolReading } | undefined {
    const call = format?.readCall?.(text);
    const named = call && this.tools.find(({ name, tool }) => name === call.name && tool.function !== undefined);
    if (named !== undefined) return { named, reading: named.tool.function!.read(call!.arguments) };
    for (const one of this.tools) {
      const reading = one.tool.parse(text);
      if (reading !== undefined) return { named: one, reading };
    }
    return undefined;
  }

  /** The text about the tools in the system prompt. */
  get instructions(): string {
    return this.#describe(this.tools);
  }

  /** The same where the action format describes the tools that are functions. */
  get instructionsBesideFunctions(): string {
    return this.#describe(this.tools.filter(({ tool }) => tool.function === undefined));
  }

  #describe(tools: readonly NamedTool[]): string {
    const { maxCalls } = this.limits;
    const limit =
      maxCalls === undefined ? [] : [`Tools answer ${maxCalls} ${maxCalls === 1 ? 'call' : 'calls'} at most.`];
    return [...tools.map(({ tool }) => tool.instructions), ...limit].join('\n');
  }

  /** Disposes of a resource and ignores errors, because no result depends on it any more. */
  close(what: string, dispose: () => unknown): void {
    const closing = withinDeadline(what, disposalMilliseconds, async () => void (await dispose())).catch(
      () => undefined,
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  /** Disposes of the tools after all closing sessions are disposed of. */
  async dispose(): Promise<void> {
    await Promise.all(this.#closing);
    for (const { name, tool } of this.tools) this.close(`dispose of the tool "${name}"`, () => tool.dispose?.());
    await Promise.all(this.#closing);
  }
}
