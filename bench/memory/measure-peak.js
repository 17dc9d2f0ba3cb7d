// The peak memory of a process with its children. Linux only: it reads /proc.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const INTERVAL = 20;

/**
 * Runs Node.js with these arguments. Resolves to the exit code, what it wrote, and the peak in bytes: the anonymous memory
 * of all its processes, and the pages of files that the main one maps. Pss would count code that other programs of the
 * machine also use only in part, so the same run would measure differently beside others.
 */
export async function measurePeak(args, { cwd }) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  let peak = 0;
  const timer = setInterval(() => {
    // A peak between two looks is in the kernel's own record of the process.
    const { now, highest } = memoryOf(child.pid);
    peak = Math.max(peak, now, highest);
  }, INTERVAL);
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearInterval(timer);
  return { code, output, peak };
}

/** Resident memory of a process with its children now, and the highest of the process alone so far; 0 if it has ended. */
export function memoryOf(pid) {
  const main = numbersOf(`/proc/${pid}/status`, ['VmHWM', 'VmRSS']);
  if (main.VmRSS === undefined) return { now: 0, highest: 0 };
  const others = descendants(pid).map((id) => numbersOf(`/proc/${id}/smaps_rollup`, ['Pss']).Pss ?? 0);
  return { now: others.reduce((total, bytes) => total + bytes, main.VmRSS), highest: main.VmHWM };
}

function numbersOf(path, names) {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    const found = lines
      .map((line) => /^(\w+):\s+(\d+) kB/.exec(line))
      .filter((match) => match && names.includes(match[1]));
    return Object.fromEntries(found.map(([, name, kilobytes]) => [name, 1024 * Number(kilobytes)]));
  } catch {
    // The process has ended.
    return {};
  }
}

function descendants(pid) {
  const found = [];
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
      for (const child of children === '' ? [] : children.split(' ')) found.push(child, ...descendants(child));
    }
  } catch {
    // It has ended.
  }
  return found;
}
