import { AgentgymError } from '../errors/agentgym-error.js';
import { systemReason } from '../errors/system-error.js';
import type { DemonstrationHeader } from './demonstration-header.js';
import { JsonLinesWriter } from './json-lines-writer.js';

/** Begins a file of demonstrations; episodes follow. Throws AG_DEMONSTRATION_WRITE, as the writer does. */
export async function openDemonstrations(file: string, header: DemonstrationHeader): Promise<JsonLinesWriter> {
  const writer = await JsonLinesWriter.open(file, refusal);
  await writer.write(header);
  return writer;
}

function refusal(file: string, error: unknown): AgentgymError {
  return new AgentgymError('AG_DEMONSTRATION_WRITE', {
    message: `Could not write the demonstrations ${file}: ${systemReason(error)}.`,
    file,
    cause: error,
  });
}
