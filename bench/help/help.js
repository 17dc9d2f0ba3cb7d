// `npm run bench -- help`: measures `agentgym --help`, the fastest of 10 runs. More than 250 ms gives the exit code 1.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LIMIT = 250;
const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

function milliseconds(args) {
  const times = Array.from({ length: 10 }, () => {
    const start = performance.now();
    const { status } = spawnSync(process.execPath, args, { env: { ...process.env, NODE_ENV: 'production' } });
    if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
    return performance.now() - start;
  });
  return Math.min(...times);
}

/** Prints both times; the exit code is 1 above the limit. */
export function measure() {
  const bare = milliseconds(['-e', '0']);
  const help = milliseconds([bin, '--help']);
  console.log(`node alone       ${bare.toFixed(0)} ms`);
  console.log(`agentgym --help  ${help.toFixed(0)} ms, limit ${LIMIT} ms`);
  return help > LIMIT ? 1 : 0;
}
