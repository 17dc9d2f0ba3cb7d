// A job on a cluster tells what it does on its standard output, which is all that every scheduler brings back. A frame is
// one line; other lines are the log of the job. Plugins and games print there, too, so each frame is signed with a key
// that only this machine and the job have.
import { createHmac, timingSafeEqual } from 'node:crypto';

import * as v from 'valibot';

import { typeProblem } from '../../config/check-structure.js';
import { asciiJson } from '../../processes/ascii-json.js';
import { longestLine } from '../job-report.js';
import { frameSchema } from './frame-schema.js';
import { RefusedFrame } from './refused-frame.js';

/** A frame as it arrives. */
export type NumberedFrame = v.InferOutput<typeof frameSchema>;

type WithoutNumber<Numbered> = Numbered extends unknown ? Omit<Numbered, 'seq'> : never;
/** A frame as a job makes it. */
export type Frame = WithoutNumber<v.InferInput<typeof frameSchema>>;

const MARK = '@agentgym-frame ';

/** A frame as a line, with its signature. Undefined if it is too long for a reader. */
export function frameLine(frame: Frame & { readonly seq: number }, key: string): string | undefined {
  const text = asciiJson(frame);
  const line = `${MARK}${signatureOf(text, key)} ${text}`;
  // Other output of the job may stand before it, without a line break.
  return line.length > longestLine ? undefined : `\n${line}\n`;
}

/**
 * Undefined if the line is no frame of the job that has this key.
 *
 * @throws RefusedFrame if the job signed something that is no frame
 */
export function readFrame(line: string, key: string): NumberedFrame | undefined {
  if (!line.startsWith(MARK)) return undefined;
  const at = line.indexOf(' ', MARK.length);
  const [signature, text] = [line.slice(MARK.length, Math.max(at, MARK.length)), line.slice(at + 1)];
  if (!isEqual(signature, signatureOf(text, key))) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RefusedFrame('a frame is not JSON');
  }
  const { issues, output, success } = v.safeParse(frameSchema, value);
  if (success) return output;
  const place = v.getDotPath<typeof frameSchema>(issues[0]) ?? 'type';
  const problem = typeProblem(frameSchema, value, ['frame']) ?? `\`frame.${place}\` is out of bounds`;
  throw new RefusedFrame(`a frame is invalid: ${problem}`);
}

function signatureOf(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
