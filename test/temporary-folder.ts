// All temporary folders of a test run are in one folder, which is removed at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs once for all projects: workers and their processes inherit the folder. */
export default function setUp(): (() => void) | undefined {
  if (process.env['AGENTGYM_TESTS'] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-'));
  Object.assign(process.env, { AGENTGYM_TESTS: folder, TMPDIR: folder, TEMP: folder });
  // A process that has just been killed may still write.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
