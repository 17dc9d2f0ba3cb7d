// Makes docs/performance.md of the measurements in bench/results: `npm run reference` writes it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const results = fileURLToPath(new URL('../bench/results', import.meta.url));
export const performancePage = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

interface Side {
  readonly threads: number;
  readonly seconds: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

interface Row {
  readonly name: string;
  readonly ours: Side;
  readonly theirs: Side;
  readonly ratio: number;
  readonly goal?: number;
}

interface Measurement {
  readonly command: string;
  readonly engine?: string;
  readonly torch?: string;
  readonly transformers?: string;
  readonly trl?: string;
  readonly foreignCores?: number;
  readonly rows?: readonly Row[];
}

interface ResultsFile {
  readonly date: string;
  readonly device: string;
  readonly memoryGiB: number;
  readonly node: string;
  readonly measurements: { readonly [name: string]: Measurement };
}

/** Headings of the measurements, in the order of the page. */
const headings: { readonly [name: string]: string } = {
  engine: 'Training steps',
  decode: 'Sampling',
  rl: 'Iterations of GRPO',
  models: 'A model of half a billion parameters',
};

const method = `# Performance

After this page you know how fast training and sampling are beside PyTorch, TRL and transformers, and how this was measured.

This page is made of the files in \`bench/results/\`, which \`npm run bench -- NAME\` writes: one for each day and machine.
\`bench/README.md\` says what each measurement does and how it is run.

- Both sides alternate in one run, each on one thread and on two, and each counts with the faster of the two.
- A time is the median of all repetitions, with the quartiles in brackets. A ratio is our time as a share of theirs:
  below 1, agentgym is faster.
- PyTorch is eager, with the settings of \`bench/peer/\`: joined projections, a cache that is allocated beforehand, fused AdamW.
- Models have random weights. Speed does not depend on them.
- "Others" is how much of the machine other processes used meanwhile. Believe a ratio only where that is near 0.
`;

/** The text of the page. */
export function measuredPerformancePage(): string {
  const files = existsSync(results) ? readdirSync(results).filter((name) => name.endsWith('.json')) : [];
  const sections = files
    .sort()
    .reverse()
    .map((name) => section(JSON.parse(readFileSync(join(results, name), 'utf8')) as ResultsFile));
  return [method, ...sections].join('\n');
}

function section({ date, device, memoryGiB, node, measurements }: ResultsFile): string {
  const parts = Object.entries(headings).flatMap(([name, heading]) => {
    const measurement = measurements[name];
    return measurement?.rows === undefined ? [] : [table(heading, measurement, measurement.rows)];
  });
  return [`## ${device}, ${date}\n`, `${memoryGiB} GiB of memory, Node.js ${node.replace(/^v/, '')}.\n`, ...parts].join(
    '\n',
  );
}

function table(heading: string, measurement: Measurement, rows: readonly Row[]): string {
  const { command, engine, torch, transformers, trl, foreignCores } = measurement;
  const peers = [
    ...(torch === undefined ? [] : [`PyTorch ${torch}`]),
    ...(transformers === undefined ? [] : [`transformers ${transformers}`]),
    ...(trl === undefined ? [] : [`TRL ${trl}`]),
  ];
  const others = foreignCores === undefined ? '' : ` Others used ${foreignCores.toFixed(2)} cores.`;
  const by = engine === undefined || engine === 'auto' ? '' : ` Engine: \`${engine}\`.`;
  return [
    `### ${heading}\n`,
    `\`${command}\`: ${peers.join(', ')}.${by}${others}\n`,
    '| | agentgym | peer | ratio | goal |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(({ name, ours, theirs, ratio, goal }) => {
      const wanted = goal === undefined ? '' : `${goal.toFixed(2)}${ratio <= goal ? '' : ', missed'}`;
      return `| ${name} | ${side(ours)} | ${side(theirs)} | ${ratio.toFixed(2)} | ${wanted} |`;
    }),
    '',
  ].join('\n');
}

function side({ seconds, low, high, threads }: Side): string {
  const ms = (value: number) => (1000 * value).toPrecision(3);
  return `${ms(seconds)} ms (${ms(low)} to ${ms(high)}), ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
}
