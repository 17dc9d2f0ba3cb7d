// Makes docs/performance.md of the measurements in bench/results: `npm run reference` writes it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { drawGrowth, type GrowthPoint } from './growth-figure.js';

const results = fileURLToPath(new URL('../bench/results', import.meta.url));
export const performancePage = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
export const figuresFolder = fileURLToPath(new URL('../docs/figures', import.meta.url));

interface Side {
  readonly threads: number;
  readonly seconds: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
  /** Numbers of the weights, where each side is in its fastest. */
  readonly type?: string;
  readonly peakBytes?: number;
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
  /** Of a language model that is not made for the measurement. */
  readonly model?: string;
  readonly engine?: string;
  readonly torch?: string;
  readonly transformers?: string;
  readonly trl?: string;
  readonly foreignCores?: number;
  readonly precision?: string;
  readonly rows?: readonly Row[];
  /** Where the time goes. */
  readonly profile?: readonly string[];
  /** Of `growth`. */
  readonly points?: readonly GrowthPoint[];
  /** Of `resident`: minutes, and the mean memory in bytes. */
  readonly periods?: readonly { readonly from: number; readonly mean: number }[];
  readonly spread?: number;
  readonly steps?: number;
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
  growth: 'Growth',
  resident: 'Memory of an hour',
};

/** The heading of `models`, where the model is not made for it. */
const languageModel = 'A language model';

const method = `# Performance

After this page you know how fast training and sampling are beside PyTorch, TRL and transformers, and how this was measured.

This page is made of the files in \`bench/results/\`, which \`npm run bench -- NAME\` writes: one for each day and machine.
\`bench/README.md\` says what each measurement does and how it is run.

- Both sides alternate in one run, each on one thread and on two, and each counts with the faster of the two.
- A time is the median of all repetitions, with the quartiles in brackets. A ratio is our time as a share of theirs:
  below 1, agentgym is faster.
- PyTorch is eager, with the settings of \`bench/peer/\`: joined projections, a cache that is allocated beforehand, fused AdamW.
- Models have random weights, unless a heading names one. Speed does not depend on them.
- Where llama.cpp is the peer, each side counts in the type of weights in which it is fastest.
- "Others" is how much of the machine other processes used meanwhile. Believe a ratio only where that is near 0.
`;

/** The text of the page, and its figures by the names of their files. */
export function measuredPerformancePage(): { readonly page: string; readonly figures: ReadonlyMap<string, string> } {
  const files = existsSync(results) ? readdirSync(results).filter((name) => name.endsWith('.json')) : [];
  const figures = new Map<string, string>();
  const sections = files
    .sort()
    .reverse()
    .map((name) => {
      const content = JSON.parse(readFileSync(join(results, name), 'utf8')) as ResultsFile;
      return section(content, name.replace('.json', ''), figures);
    });
  return { page: [method, ...sections].join('\n'), figures };
}

function section(content: ResultsFile, file: string, figures: Map<string, string>): string {
  const { date, device, memoryGiB, node, measurements } = content;
  const parts = Object.entries(headings).flatMap(([name, heading]) =>
    // Those of other engines follow: `engine tensorflow`.
    Object.entries(measurements)
      .filter(([key]) => key.split(' ', 1)[0] === name)
      .map(([key, measurement]) => {
        const { model, rows, points, periods } = measurement;
        const isLanguageModel = name === 'models' && model !== undefined;
        if (rows !== undefined) return table(isLanguageModel ? languageModel : heading, measurement, rows);
        if (periods !== undefined) return memory(heading, measurement, periods);
        const figure = `${key.replaceAll(' ', '-')}-${file}.svg`;
        figures.set(figure, drawGrowth(points ?? []));
        return growth(heading, measurement, figure);
      }),
  );
  return [`## ${device}, ${date}\n`, `${memoryGiB} GiB of memory, Node.js ${node.replace(/^v/, '')}.\n`, ...parts].join(
    '\n',
  );
}

/** Heading, command, the other side, and how busy the machine was. */
function head(heading: string, measurement: Measurement): string[] {
  const {
    command,
    model,
    engine = 'auto',
    precision = 'float32',
    torch,
    transformers,
    trl,
    foreignCores,
  } = measurement;
  const peers = [
    ...(torch === undefined ? [] : [`PyTorch ${torch}`]),
    ...(transformers === undefined ? [] : [`transformers ${transformers}`]),
    ...(trl === undefined ? [] : [`TRL ${trl}`]),
  ];
  const others = foreignCores === undefined ? '' : ` Others used ${foreignCores.toFixed(2)} cores.`;
  const by = engine === 'auto' ? '' : `, ${engine}${precision === 'float32' ? '' : ` in ${precision}`}`;
  const beside = peers.length === 0 ? '' : ` ${peers.join(', ')}.`;
  const title = model === undefined ? heading : `${heading}: ${model}`;
  return [`### ${title}${by}\n`, `\`${command}\`.${beside}${others}\n`];
}

function memory(heading: string, measurement: Measurement, periods: NonNullable<Measurement['periods']>): string {
  const settled = periods.filter(({ from }) => from >= 5).map(({ mean }) => Math.round(mean / 1e6));
  return [
    ...head(heading, measurement),
    `Training on a text world, ${measurement.steps} steps: the resident memory of the process with its children. After the`,
    `first five minutes, the means of five minutes are ${Math.min(...settled)} to ${Math.max(...settled)} MB: they differ by`,
    `${(100 * (measurement.spread ?? 0)).toFixed(1)} %.\n`,
  ].join('\n');
}

function growth(heading: string, measurement: Measurement, figure: string): string {
  return [
    ...head(heading, measurement),
    `![Tokens a second against episodes at a time, context and parameters](figures/${figure})\n`,
    'Episodes and context grow with 0.8 million parameters, parameters with 8 episodes. Where the context grows, a training',
    'step has 4,096 tokens, and 8 episodes are sampled. Otherwise an episode has a prompt of 16 tokens and 64 more. Prompts',
    'are read before sampling is measured.\n',
  ].join('\n');
}

function table(heading: string, measurement: Measurement, rows: readonly Row[]): string {
  return [
    ...head(heading, measurement),
    '| | agentgym | peer | ratio | goal |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(({ name, ours, theirs, ratio, goal }) => {
      const wanted = goal === undefined ? '' : `${goal.toFixed(2)}${ratio <= goal ? '' : ', missed'}`;
      return `| ${name} | ${side(ours)} | ${side(theirs)} | ${ratio.toFixed(2)} | ${wanted} |`;
    }),
    '',
    ...(measurement.profile?.length ? ['```text', ...measurement.profile, '```', ''] : []),
  ].join('\n');
}

function side({ seconds, low, high, threads, type, peakBytes }: Side): string {
  const [scale, unit] = seconds >= 1 ? [1, 's'] : [1000, 'ms'];
  const shown = (value: number) => Number((scale * value).toPrecision(3)).toString();
  const range = `${shown(low)} to ${shown(high)}`;
  const parts = [`${shown(seconds)} ${unit} (${range})`, `${threads} ${threads === 1 ? 'thread' : 'threads'}`];
  if (type !== undefined) parts.push(type);
  if (peakBytes !== undefined) parts.push(`${(peakBytes / 2 ** 30).toFixed(1)} GiB`);
  return parts.join(', ');
}
