// What a program asks of the sandbox of an episode, while it works on a call: a line `{"sandbox": 3, "run": [...]}`.
import * as v from 'valibot';

import type { Sandbox } from '../../contracts/sandbox.js';
import { messageOf } from '../../errors/message-of.js';

const base64 = v.pipe(v.string(), v.base64());

const shape = v.union([
  v.strictObject({
    sandbox: v.number(),
    run: v.tupleWithRest([v.string()], v.string()),
    input: v.optional(v.union([v.literal(''), base64]), ''),
    seconds: v.exactOptional(v.pipe(v.number(), v.gtValue(0))),
    outputBytes: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
  v.strictObject({ sandbox: v.number(), write: v.string(), content: v.union([v.literal(''), base64]) }),
  v.strictObject({
    sandbox: v.number(),
    read: v.string(),
    bytes: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
]);

/** `sandbox` is the number of the instance. */
export type AskedSandbox = v.InferOutput<typeof shape>;

/** Undefined for any other line. */
export function readSandboxCall(line: string): AskedSandbox | undefined {
  if (!line.startsWith('{"sandbox"')) return undefined;
  try {
    return v.parse(shape, JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Carries it out. @returns the line of the answer, as an object */
export async function answerSandboxCall(call: AskedSandbox, sandbox: Sandbox): Promise<object> {
  try {
    return { sandbox: call.sandbox, answer: await carryOut(call, sandbox) };
  } catch (error) {
    return { sandbox: call.sandbox, error: messageOf(error) };
  }
}

async function carryOut(call: AskedSandbox, sandbox: Sandbox): Promise<unknown> {
  if ('write' in call) {
    await sandbox.write(call.write, Buffer.from(call.content, 'base64'));
    return null;
  }
  if ('read' in call) {
    const content = await sandbox.read(call.read, call.bytes);
    return content === undefined ? null : Buffer.from(content).toString('base64');
  }
  const { run, input, sandbox: _, ...limits } = call;
  const [command, ...args] = run;
  const { milliseconds: __, ...result } = await sandbox.run(command, args, {
    ...limits,
    input: Buffer.from(input, 'base64'),
  });
  return result;
}
