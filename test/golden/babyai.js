// Compares the built BabyAI plugin with recordings of Farama Minigrid's levels (lines with `start.grid`) and of
// AgentGym's text wrapper (lines with `data_idx`): .jsonl or .jsonl.gz files, or folders of them.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';

function recordingsIn(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.jsonl(\.gz)?$/.test(name))
    .sort()
    .map((name) => join(path, name));
}

function readLines(file) {
  const bytes = readFileSync(file);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isPacked ? gunzipSync(bytes) : bytes)
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Counts by part, and prints what is unequal. */
class Tally {
  parts = new Map();
  notes = new Map();
  examples = new Map();

  checker(name) {
    return (part, what, recorded, ours) => {
      const row = this.parts.get(part) ?? { equal: 0, all: 0 };
      this.parts.set(part, row);
      row.all += 1;
      if (isDeepStrictEqual(recorded, ours)) {
        row.equal += 1;
        return;
      }
      console.log(`UNEQUAL ${name} ${part}: ${what}`);
      console.log(`    recorded ${JSON.stringify(recorded)}`);
      console.log(`    ours     ${JSON.stringify(ours)}`);
    };
  }

  noter(name) {
    return (kind) => {
      this.notes.set(kind, (this.notes.get(kind) ?? 0) + 1);
      this.examples.set(kind, [...(this.examples.get(kind) ?? []), name]);
    };
  }

  get isEqual() {
    return [...this.parts.values()].every(({ equal, all }) => equal === all);
  }
}

/** What the experts must not do: what the original's bot solves, ours solves too. */
const failures = ['only theirs solves', 'our plan fails'];

/** Checks recordings and returns the exit code: 0 equal, 1 not, 2 a file cannot be compared. */
export async function run(paths) {
  const { compareLevel } = await import('./babyai/levels.js');
  const { compareTranscript } = await import('./babyai/agentgym.js');
  let code = 0;
  for (const file of paths.flatMap(recordingsIn)) {
    const tally = new Tally();
    try {
      const lines = readLines(file);
      if (lines.length === 0) throw new Error('it has no lines');
      for (const line of lines) {
        const isTranscript = line.data_idx !== undefined;
        const name = `${line.id} ${line.seed}${isTranscript ? ` (data_idx ${line.data_idx})` : ''}`;
        if (isTranscript) compareTranscript(line, tally.checker(name));
        else compareLevel(line, tally.checker(name), tally.noter(name));
      }
    } catch (error) {
      console.error(`${file} is no recording of BabyAI that can be compared: ${error.stack}`);
      return 2;
    }
    console.log(`${file}:`);
    for (const [part, { equal, all }] of tally.parts) {
      console.log(`${equal === all ? ' ' : '!'} ${part.padEnd(12)} ${equal} of ${all} values are equal`);
    }
    for (const [kind, count] of tally.notes) {
      const shown =
        failures.includes(kind) || kind.startsWith('nobody')
          ? `: ${tally.examples.get(kind).slice(0, 20).join(', ')}`
          : '';
      console.log(`  expert: ${kind}: ${count}${shown}`);
    }
    if (!tally.isEqual || failures.some((kind) => tally.notes.has(kind))) code = 1;
  }
  return code;
}
