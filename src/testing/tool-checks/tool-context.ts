import type { ToolContribution } from '../../contracts/plugin.js';
import type { Json } from '../../contracts/json.js';
import type { Random } from '../../contracts/random.js';
import type { Tool, ToolModule, ToolResult, ToolSession } from '../../contracts/tool.js';
import { withinDeadline } from '../../errors/within-deadline.js';
import type { KitSettings } from '../conformance-kit.js';

/** A tool for the kit: its module, and options to test it with. */
export interface ToolSubject<Options> extends ToolModule<Options> {
  readonly options: Options;
  /** The plugin's facts about it; absent: it is not external. */
  readonly contribution?: Pick<ToolContribution, 'external'>;
}

export interface ToolCheckSettings extends KitSettings {
  /** Texts, in addition to its example, that the tool must read as calls. */
  readonly calls?: readonly string[];
  /** Texts, in addition to those of the kit, that are not calls. */
  readonly others?: readonly string[];
  /** Number of awkward texts to try. */
  readonly texts?: number;
  /** Maximum seconds to read one text. */
  readonly secondsPerText?: number;
  /** Maximum seconds of one call. */
  readonly secondsPerCall?: number;
}

/** The argument of every check of a tool. */
export interface ToolCheckContext {
  readonly tool: Tool;
  /** Creates another instance with the same options; the kit disposes of it. */
  readonly create: () => Promise<Tool>;
  readonly external: boolean;
  /** Its example and the calls in the settings. */
  readonly calls: readonly string[];
  readonly others: readonly string[];
  readonly texts: () => Generator<string>;
  readonly random: Random;
  readonly millisecondsPerText: number;
  readonly millisecondsPerCall: number;
}

/** The call in a text; undefined if it is not a call. */
export function callOf(tool: Tool, text: string): { readonly call: Json } | undefined {
  const reading = tool.parse(text);
  return reading !== undefined && 'call' in reading ? reading : undefined;
}

/** Runs one call like the host, but without cutting the output. */
export async function runCall(
  session: ToolSession,
  call: Json,
  random: Random,
  { millisecondsPerCall }: Pick<ToolCheckContext, 'millisecondsPerCall'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  return withinDeadline('the call', millisecondsPerCall, async () => session.run(call, { random, signal }));
}

/** The answers of one fresh session to these texts, in order; texts that are not calls are skipped. */
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
