// Every temporary folder of a run of the tests lies in one, which goes when they have ended.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Once for all projects: workers and the processes that they start inherit it. */
export default function setUp(): (() => void) | undefined {
  if (process.env['AGENTGYM_TESTS'] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-'));
  Object.assign(process.env, { AGENTGYM_TESTS: folder, TMPDIR: folder, TEMP: folder });
  // A process that has just been killed may still write.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
