import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

import * as v from 'valibot';

import { AgentgymError } from '../errors/agentgym-error.js';
import { AppendLog } from '../files/append-log.js';
import type { KeptVerdict } from '../rollout/verdicts.js';

/**
 * What the judges of a run said, a verdict a line. It only grows. Unlike the logs of a run it is not cut back at a resume:
 * the episodes after the checkpoint are played again, and their verdicts are read here.
 */
export const verdictsFile = 'verdicts.jsonl';

const number = v.pipe(v.number(), v.finite());
const lineShape = v.looseObject({
  formatVersion: v.literal(1),
  key: v.string(),
  judge: v.string(),
  judgements: v.array(
    v.looseObject({
      scores: v.array(number),
      reason: v.exactOptional(v.string()),
      tokens: v.exactOptional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
    }),
  ),
});

/** Bytes that are read at once. */
const part = 1 << 20;

/**
 * The verdicts of a run, and the length of their whole lines: a kill may leave half a line at the end.
 *
 * @throws AG_RUN_DAMAGED, which names a line that is no verdict
 */
export function readVerdicts(run: string): { readonly verdicts: readonly KeptVerdict[]; readonly bytes: number } {
  const file = join(run, verdictsFile);
  if (!existsSync(file)) return { verdicts: [], bytes: 0 };
  const verdicts: KeptVerdict[] = [];
  let [rest, bytes] = [Buffer.alloc(0), 0];
  const descriptor = openSync(file, 'r');
  try {
    const chunk = Buffer.alloc(part);
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      rest = Buffer.concat([rest, chunk.subarray(0, read)]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        verdicts.push(parseLine(rest.toString('utf8', 0, end), file, verdicts.length + 1));
        rest = rest.subarray(end + 1);
        bytes += end + 1;
      }
    }
  } finally {
    closeSync(descriptor);
  }
  return { verdicts, bytes };
}

/** The file of a run that works: each new verdict is on the disk before it counts. */
export class VerdictLog {
  readonly #log: AppendLog;
  #isOpen = true;
  /** The newest write to the disk, and the next one, which is for all lines that come before it begins. */
  #syncing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** @param keep bytes of whole lines */
  constructor(run: string, keep: number) {
    this.#log = new AppendLog(join(run, verdictsFile), keep);
  }

  /** Does nothing after `close`: a judge may answer after its run has ended. */
  async write(verdict: KeptVerdict): Promise<void> {
    if (!this.#isOpen) return;
    this.#log.appendLine({ formatVersion: 1, ...verdict });
    this.#next ??= this.#syncing.then(() => {
      this.#next = undefined;
      this.#syncing = this.#isOpen ? this.#log.sync() : Promise.resolve();
      return this.#syncing;
    });
    await this.#next;
  }

  close(): void {
    this.#isOpen = false;
    this.#log.close();
  }
}

function parseLine(text: string, file: string, line: number): KeptVerdict {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // Not JSON, and so no verdict.
  }
  if (v.is(lineShape, document)) return document as KeptVerdict;
  throw new AgentgymError('AG_RUN_DAMAGED', {
    message: `Line ${line} of ${file} is no verdict of a judge.`,
    file,
    line,
  });
}
