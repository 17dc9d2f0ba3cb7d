import { existsSync } from 'node:fs';
import { join } from 'node:path';

import * as v from 'valibot';

import { AgentgymError } from '../errors/agentgym-error.js';
import { AppendLog } from '../files/append-log.js';
import { readJsonLines } from '../files/read-json-lines.js';
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

/**
 * The verdicts of a run, and the length of their whole lines: a kill may leave half a line at the end.
 *
 * @throws AG_RUN_DAMAGED, which names a line that is no verdict
 */
export async function readVerdicts(
  run: string,
): Promise<{ readonly verdicts: readonly KeptVerdict[]; readonly bytes: number }> {
  const file = join(run, verdictsFile);
  if (!existsSync(file)) return { verdicts: [], bytes: 0 };
  const verdicts: KeptVerdict[] = [];
  let bytes = 0;
  for await (const { document, end, number: line } of readJsonLines<KeptVerdict>(file)) {
    if (!v.is(lineShape, document)) {
      const message = `Line ${line} of ${file} is no verdict of a judge.`;
      throw new AgentgymError('AG_RUN_DAMAGED', { message, file, line });
    }
    verdicts.push(document);
    bytes = end;
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
