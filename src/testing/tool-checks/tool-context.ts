import type { ToolResult } from '../../contracts/function-calls.js';
import type { Json } from '../../contracts/json.js';
import type { ToolContribution } from '../../contracts/plugin.js';
import type { Random } from '../../contracts/random.js';
import type { Tool, ToolModule, ToolSession } from '../../contracts/tool.js';
import { withinDeadline } from '../../errors/within-deadline.js';
import { openSandbox } from '../../sandbox/open-sandbox.js';
import { type KitSettings, quietly, type SubjectOf } from '../conformance-kit.js';
import type { ReaderContext, ReaderSettings } from '../reader-checks.js';

/** A tool for the kit: its module, and options to test it with. */
export interface ToolSubject extends SubjectOf<ToolModule<never>> {
  /** The plugin's facts about it; absent: it is not external. */
  readonly contribution?: Pick<ToolContribution, 'external'>;
}

export interface ToolCheckSettings extends KitSettings, ReaderSettings {
  /** Texts, in addition to its example, that the tool must read as calls. */
  readonly calls?: readonly string[];
  /** Maximum seconds of one call. */
  readonly secondsPerCall?: number;
}

/** The argument of every check of a tool. */
export interface ToolCheckContext extends ReaderContext {
  readonly tool: Tool;
  /** Creates another instance with the same options; the kit disposes of it. */
  readonly create: () => Promise<Tool>;
  readonly external: boolean;
  /** Its example and the calls in the settings. */
  readonly calls: readonly string[];
  readonly random: Random;
  readonly secondsPerCall: number;
}

/** The call in a text; undefined if it is not a call. */
export function callOf(tool: Tool, text: string): { readonly call: Json } | undefined {
  const reading = tool.parse(text);
  return reading !== undefined && 'call' in reading ? reading : undefined;
}

/** Runs one call like the host, but without cutting the output. */
export function runCall(
  { random, secondsPerCall }: ToolCheckContext,
  session: ToolSession,
  call: Json,
  stream = 'call',
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  const context = { random: random.stream(stream), signal };
  return withinDeadline('the call', 1000 * secondsPerCall, async () => session.run(call, context));
}

/** Begins a session like the host, in a sandbox if the tool needs one. `end` disposes of both. */
export async function beginSession(
  tool: Tool,
  random: Random,
): Promise<{ readonly session: ToolSession; readonly end: () => Promise<void> }> {
  const sandbox = tool.sandbox && (await openSandbox(tool.sandbox, new AbortController().signal));
  const session = await tool.begin({
    ...{ random, task: 'a task', seed: random.stream('seed').integer(0, 2 ** 48) },
    ...(sandbox && { sandbox }),
  });
  const end = async () => {
    await quietly(() => session.dispose?.());
    await sandbox?.close();
  };
  return { session, end };
}

/** Uses a new session and then disposes of it. */
export async function inSession<T>(
  { random, tool }: ToolCheckContext,
  use: (session: ToolSession) => Promise<T>,
  of = tool,
): Promise<T> {
  const { session, end } = await beginSession(of, random.stream('session'));
  try {
    return await use(session);
  } finally {
    await end();
  }
}

/** The answers of one fresh session to these texts, in order; texts that are not calls are skipped. */
export function answersOf(context: ToolCheckContext, tool: Tool, texts: readonly string[]): Promise<object> {
  const answer = async (session: ToolSession): Promise<object> => {
    const answers: Record<string, ToolResult> = {};
    for (const [index, text] of texts.entries()) {
      const read = callOf(tool, text);
      if (read !== undefined)
        answers[`call ${index}, ${text}`] = await runCall(context, session, read.call, `call ${index}`);
    }
    return answers;
  };
  return inSession(context, answer, tool);
}
