import type { ActionFormat } from '../contracts/format.js';
import type { FunctionDefinition, OfferedFunctions, ReadCall } from '../contracts/function-calls.js';
import type { Tool, ToolReading } from '../contracts/tool.js';
import { withinDeadline } from '../errors/within-deadline.js';
import { argumentProblem } from './check-arguments.js';
import { CallSignals } from './call-signals.js';
import { describeTextCall, readTextCalls } from './text-calls.js';

export interface ToolLimits {
  /** Calls of an episode that reach a tool; absent: unlimited. */
  readonly maxCalls?: number;
  /** Calls of a text that are answered; the next one is refused, and those after it are ignored. Absent: unlimited. */
  readonly maxCallsPerTurn?: number;
  /** UTF-16 units after which an output is cut. */
  readonly maxOutputCharacters: number;
  /** Time of a call before it is asked to stop. */
  readonly milliseconds: number;
}

/** Most calls that a turn may have: those that are answered, and one that is refused. */
export function callsOfTurn({ maxCallsPerTurn = Infinity }: ToolLimits): number {
  return maxCallsPerTurn + 1;
}

/** A tool under the name that a recipe gives it. */
export interface NamedTool {
  readonly name: string;
  readonly tool: Tool;
  /** The same calls may get other answers another time. */
  readonly external?: boolean;
}

/** A call that a text makes. */
export interface FoundCall {
  /** As records name the tool. */
  readonly name: string;
  readonly reading: ToolReading | { readonly refused: string };
  /** Who answers. Absent: a tool of the world, or nobody. */
  readonly tool?: NamedTool;
}

/** Time that a tool has for its cleanup; after that it is abandoned. */
const disposalMilliseconds = 5000;
/** Characters of the name of an unknown tool that are shown. */
const shownName = 64;

/** What an agent may call. */
export class ToolList implements OfferedFunctions {
  constructor(
    /** Tools of the recipe. The first that claims a text in a syntax of its own receives it. */
    readonly named: readonly NamedTool[],
    readonly limits: ToolLimits,
    /** Tools of the world. */
    readonly worldTools: readonly FunctionDefinition[] = [],
    /** Actions of the world that are functions. */
    readonly actions: readonly FunctionDefinition[] = [],
  ) {}

  /** Whether there is anything to call besides actions. */
  get isEmpty(): boolean {
    return this.named.length === 0 && this.worldTools.length === 0;
  }

  /** The tools that are functions, for action formats with function calls. */
  get tools(): FunctionDefinition[] {
    const own = this.named.flatMap(({ name, tool }) => {
      if (tool.function === undefined) return [];
      const { description, parameters } = tool.function;
      return [{ name, description, parameters }];
    });
    return [...own, ...this.worldTools];
  }

  /** The same without those tools of the world that a task does not offer. */
  choosing(offered: readonly string[]): ToolList {
    const chosen = this.worldTools.filter(({ name }) => offered.includes(name));
    return new ToolList(this.named, this.limits, chosen, this.actions);
  }

  /**
   * The calls of a text, in order: all function calls of the action format if any of them is of a tool; or else the call that
   * the first matching tool reads in its own syntax. Undefined if the text calls no tool.
   */
  read(text: string, format: ActionFormat | undefined): readonly FoundCall[] | undefined {
    const calls = format?.readCalls?.(text) ?? (this.worldTools.length > 0 ? readTextCalls(text) : []);
    const found = calls.map((one) => this.#find(one, format?.actionNames ?? []));
    if (found.some(({ isTool }) => isTool)) return found;
    for (const tool of this.named) {
      const reading = tool.tool.parse(text);
      if (reading !== undefined) return [{ name: tool.name, reading, tool }];
    }
    return undefined;
  }

  /** The text about the tools in the system prompt. */
  get instructions(): string {
    return this.#describe(this.named, this.worldTools);
  }

  /** The same where the action format describes the tools that are functions. */
  get instructionsBesideFunctions(): string {
    const others = this.named.filter(({ tool }) => tool.function === undefined);
    return this.#describe(others, []);
  }

  #find(read: ReadCall, actions: readonly string[]): FoundCall & { readonly isTool?: true } {
    if ('malformed' in read) return { name: '?', reading: read };
    const { name, arguments: values } = read.call;
    const tool = this.named.find((one) => one.name === name && one.tool.function !== undefined);
    if (tool !== undefined) return { name, reading: tool.tool.function!.read(values), tool, isTool: true };
    const ofWorld = this.worldTools.find((one) => one.name === name);
    if (ofWorld !== undefined) {
      const problem = argumentProblem(values, ofWorld.parameters);
      const reading = problem === undefined ? { call: values } : { malformed: problem };
      return { name, reading, isTool: true };
    }
    if (actions.includes(name)) return { name, reading: { refused: 'an action must stand alone' } };
    return { name: name.slice(0, shownName), reading: { malformed: 'there is no function of that name' } };
  }

  #describe(own: readonly NamedTool[], ofWorld: readonly FunctionDefinition[]): string {
    if (this.isEmpty) return '';
    const { maxCalls } = this.limits;
    const limit =
      maxCalls === undefined ? [] : [`Tools answer ${maxCalls} ${maxCalls === 1 ? 'call' : 'calls'} at most.`];
    return [...own.map(({ tool }) => tool.instructions), ...ofWorld.map(describeTextCall), ...limit].join('\n');
  }
}

/** The tools of an agent. All episodes share them, but each episode has separate sessions. */
export class Toolbox extends ToolList {
  /** Total time of calls so far, summed over concurrent episodes. */
  milliseconds = 0;
  readonly signals = new CallSignals();
  readonly #closing = new Set<Promise<void>>();

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
    for (const { name, tool } of this.named) this.close(`dispose of the tool "${name}"`, () => tool.dispose?.());
    await Promise.all(this.#closing);
  }
}
