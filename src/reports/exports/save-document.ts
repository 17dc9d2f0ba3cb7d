import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { longestLog, readTextFile } from '../../files/read-whole-file.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { writeDocument } from '../../runs/write-document.js';

export interface DocumentRequest {
  readonly text: string;
  /** First line of the written document; a file that starts with it may be overwritten. */
  readonly mark: string;
  readonly format: string;
  readonly output: string;
  /** Overwrite a file of another origin too. */
  readonly force: boolean;
}

/**
 * Writes a document completely or not at all, and returns its path. Throws AG_OUTPUT_EXISTS if another file is there,
 * AG_REPORT_WRITE_FAILED.
 */
export async function saveDocument(request: DocumentRequest): Promise<string> {
  const file = resolve(request.output);
  await refuseOther(file, request);
  await writeDocument(file, request.text, file);
  return file;
}

async function refuseOther(file: string, { mark, format, force }: DocumentRequest): Promise<void> {
  if (force || !existsSync(file)) return;
  const text = await readTextFile(file, longestLog).catch(() => undefined);
  if (text?.startsWith(mark)) return;
  throw new AgentgymError('AG_OUTPUT_EXISTS', {
    message: `${file} already exists, and \`agentgym report --format ${format}\` did not write it.`,
    hint: 'Choose another `--output FILE`, or overwrite it with `--force`.',
    file,
  });
}
