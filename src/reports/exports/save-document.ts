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
export async function saveDocument({ text, mark, format, output, force }: DocumentRequest): Promise<string> {
  const file = resolve(output);
  const textOf = () => readTextFile(file, longestLog).catch(() => '');
  if (!force && existsSync(file) && !(await textOf()).startsWith(mark)) {
    throw new AgentgymError('AG_OUTPUT_EXISTS', {
      message: `${file} already exists, and \`agentgym report --format ${format}\` did not write it.`,
      hint: 'Choose another `--output FILE`, or overwrite it with `--force`.',
      file,
    });
  }
  await writeDocument(file, text, file);
  return file;
}
