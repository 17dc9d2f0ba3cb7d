import { createHash } from 'node:crypto';

import type { RecordedArtifact } from '../contracts/artifact.js';
import { readWholeFile } from '../files/read-whole-file.js';
import type { ReportArtifact } from '../reporting/report-data.js';
import { artifactFile } from '../runs/artifact-files.js';

/** An artifact of a run with its content, if it has at most `mostBytes` and is what was recorded. */
export async function reportArtifact(
  run: string,
  { turn, name, mediaType, bytes, sha256 }: RecordedArtifact,
  mostBytes: number,
): Promise<ReportArtifact> {
  const listed = { ...(turn !== undefined && { turn }), name, mediaType, bytes, ...(sha256 && { sha256 }) };
  const without = (absent: string): ReportArtifact => ({ ...listed, absent });
  if (sha256 === undefined) return without('It was too large to be recorded.');
  const place = `artifacts/${sha256}`;
  if (bytes > mostBytes) return without(`It would make this page too large. The run's folder has it in ${place}.`);
  // A folder may come from somebody else, and a link in it could lead to any file.
  const content = await readWholeFile(artifactFile(run, sha256), bytes, 'refuse').catch(() => undefined);
  if (content === undefined) return without(`The run's folder lacks ${place}, or has something else there.`);
  if (createHash('sha256').update(content).digest('hex') !== sha256) return without(`${place} was changed since.`);
  return { ...listed, content: content.toString('base64') };
}
