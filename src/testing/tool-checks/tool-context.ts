import type { ToolContribution } from '../../contracts/plugin.js';
import type { Json } from '../../contracts/json.js';
import type { Random } from '../../contracts/random.js';
import type { Tool, ToolModule, ToolResult, ToolSession } from '../../contracts/tool.js';
import { withinDeadline } from '../../errors/within-deadline.js';
import type { KitSettings } from '../conformance-kit.js';

/** A tool as the kit takes it: its module, and options to try it with. */
export interface ToolSubject<Options> extends ToolModule<Options> {
  readonly options: Options;
  /** What the plugin says of it; absent: it is not external. */
  readonly contribution?: Pick<ToolContribution, 'external'>;
}

export interface ToolCheckSettings extends KitSettings {
  /** Texts beside its example that the tool must claim as calls. */
  readonly calls?: readonly string[];
  /** Texts that are none of its business, beside those of the kit. */
  readonly others?: readonly string[];
  /** Awkward texts to try. */
  readonly texts?: number;
  /** Seconds that reading one text may take. */
  readonly secondsPerText?: number;
  /** Seconds that one call may take. */
  readonly secondsPerCall?: number;
}

/** What every check of a tool is given. */
export interface ToolCheckContext {
  readonly tool: Tool;
  /** Another instance with the same options; the kit disposes of it. */
  readonly create: () => Promise<Tool>;
  readonly external: boolean;
  /** Its example and what the settings add. */
  readonly calls: readonly string[];
  readonly others: readonly string[];
  readonly texts: () => Generator<string>;
  readonly random: Random;
  readonly millisecondsPerText: number;
  readonly millisecondsPerCall: number;
}

/** The call that a text stands for; undefined where it stands for none. */
export function callOf(tool: Tool, text: string): { readonly call: Json } | undefined {
  const reading = tool.parse(text);
  return reading !== undefined && 'call' in reading ? reading : undefined;
}

/** Runs one call as the host does, but for the cut. */
export async function runCall(
  session: ToolSession,
  call: Json,
  random: Random,
  { millisecondsPerCall }: Pick<ToolCheckContext, 'millisecondsPerCall'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  return withinDeadline('the call', millisecondsPerCall, async () => session.run(call, { random, signal }));
}

/** The answers of one fresh session to these texts, in order; those that are no calls are left out. */
export async function answersOf(tool: Tool, texts: readonly string[], context: ToolCheckContext): Promise<string[]> {
  const session = await tool.begin({ random: context.random.stream('session') });
  const answers: string[] = [];
  for (const [index, text] of texts.entries()) {
    const read = callOf(tool, text);
    if (read === undefined) continue;
    answers.push(JSON.stringify(await runCall(session, read.call, context.random.stream('call', index), context)));
  }
  await session.dispose?.();
  return answers;
}
