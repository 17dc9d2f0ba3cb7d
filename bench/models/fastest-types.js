// Beside llama.cpp: tokens a second of each side in that of its types in which it is fastest.
import { alternate, timed } from '../sides/alternate.js';
import { quietThreads } from '../sides/quiet-threads.js';
import { PeerProcess } from '../sides/peer-process.js';
import { openModel } from '../sides/small-model.js';
import { ggufFiles } from './gguf-files.js';
import { LLAMA, llamaPackages } from './llama-packages.js';

const types = ['float32', 'int8', 'int4'];
const widths = [34, 20, 20, 20, 8, 14];

/** A process with llama.cpp for each type of weights; none where it has no build for this machine. */
export async function startLlama(folder, threads) {
  const packages = llamaPackages();
  const peers = new Map();
  if (packages === undefined) {
    console.log(`Skipped: node-llama-cpp ${LLAMA} has no llama.cpp for ${process.platform} on ${process.arch}.`);
    return peers;
  }
  for (const [type, file] of await ggufFiles(folder)) {
    const parameters = [packages, file, String(threads)];
    peers.set(type, await PeerProcess.start(process.execPath, 'llama.js', parameters, quietThreads(threads)));
  }
  return peers;
}

export function printFastestHead() {
  console.log(`\nTokens a second beside llama.cpp (node-llama-cpp ${LLAMA}), each side in its fastest type:`);
  line('', 'agentgym', 'llama.cpp', 'PyTorch', 'ratio', 'goal');
}

/**
 * Measures one work in all types of all sides, which alternate, and prints it. Returns its row, whose ratio is of seconds as in
 * other rows: ours as a share of llama.cpp's.
 * @param item `work` makes what our policy does; `goal` is the least ratio of tokens a second
 */
export async function compareFastest(item, { host, folder, vocabulary, settings, peers, llama, threads, rounds }) {
  const { name, kind, sizes, work, goal } = item;
  const policies = [];
  const sides = [];
  const others = [...llama].map(([type, peer]) => ['llama.cpp', type, peer]);
  others.push(...[...peers].map(([type, peer]) => ['PyTorch', type, peer]));
  try {
    for (const samplingWeights of types) {
      const options = { ...settings, threads, samplingWeights };
      const policy = await openModel(host, folder, options, { samplesOnly: true });
      policies.push(policy);
      const { before, run } = await work(policy, { vocabulary, ...sizes });
      const measure = (count) => timed(run, count, before);
      sides.push({ side: `agentgym ${samplingWeights}`, threads, repetitions: 1, run: measure });
    }
    for (const [program, type, peer] of others) {
      await peer.ask({ prepare: name, kind, sizes: { vocabulary, ...sizes } });
      const measure = (repetitions) => peer.ask({ measure: name, repetitions });
      sides.push({ side: `${program} ${type}`, threads, repetitions: 1, run: measure });
    }
    const results = await alternate(sides, rounds);
    for (const [, , peer] of others) await peer.ask({ forget: name });
    return print(item, results, goal);
  } finally {
    for (const policy of policies) await policy.dispose();
  }
}

function print({ name, sizes }, results, goal) {
  const tokens = sizes.rows * (sizes.fresh ?? sizes.prompt);
  const rate = ({ seconds }) => Math.round(tokens / seconds).toLocaleString('en');
  const of = (program) =>
    [...results]
      .filter(([side]) => side.startsWith(program))
      .map(([side, figure]) => ({ ...figure, type: side.slice(program.length + 1) }))
      .sort((a, b) => a.seconds - b.seconds);
  const all = { agentgym: of('agentgym'), 'llama.cpp': of('llama.cpp'), PyTorch: of('PyTorch') };
  const [[ours], [theirs], [torch]] = Object.values(all);
  const ratio = theirs.seconds / ours.seconds;
  const cell = (figure) => (figure === undefined ? '' : `${rate(figure)} (${figure.type})`);
  const verdict = `${goal.toFixed(1)}${ratio >= goal ? '' : ' missed'}`;
  line(name, cell(ours), cell(theirs), cell(torch), ratio.toFixed(2), verdict);
  const programs = Object.entries(all).filter(([, figures]) => figures.length > 0);
  const lists = programs.map(
    ([program, figures]) => `${program} ${figures.map((figure) => `${figure.type} ${rate(figure)}`).join(', ')}`,
  );
  console.log(`  ${lists.join('; ')}`);
  const text = [ours, theirs].map((figure) => `${rate(figure)} tok/s, ${figure.type}`);
  return { name: `${name}, llama.cpp`, ours, theirs, ratio: 1 / ratio, goal: 1 / goal, text };
}

function line(name, ...cells) {
  console.log([name.padEnd(widths[0]), ...cells.map((cell, i) => cell.padStart(widths[i + 1]))].join(''));
}
