import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Publishes a tarball with provenance, or only simulates this. Throws with the output of npm.
 * @returns NAME@VERSION, as npm read it
 */
export async function publishTarball(tarball: string, { dryRun }: { readonly dryRun: boolean }): Promise<string> {
  // Provenance needs a build service that npm trusts, but a dry run works anywhere.
  const mode = dryRun ? ['--dry-run'] : ['--provenance'];
  const { stdout } = await run(
    'npm',
    ['publish', tarball, '--access', 'public', '--tag', 'latest', '--ignore-scripts', '--json', ...mode],
    { maxBuffer: 2 ** 26, shell: process.platform === 'win32' },
  );
  const answer = JSON.parse(stdout) as { id?: string } | Record<string, { id: string }>;
  const [first] = 'id' in answer ? [answer as { id: string }] : Object.values(answer as Record<string, { id: string }>);
  if (first === undefined) throw new Error(`npm publish said nothing of ${tarball}`);
  return first.id;
}
