import { Buffer } from 'node:buffer';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Its seconds depend on the clock, and so do the lengths and digests of logs with seconds in them. */
const trainerState = 'trainer.json';
/** Of a whole model, or of an adapter. */
const weights = ['model.safetensors', 'adapter_model.safetensors'];
/** Checksums of files, including `trainer.json`. */
const checksums = 'checksums.json';

/**
 * Differences between two runs: their logs line by line except `time/...`, and their demonstrations and their last
 * checkpoint byte by byte.
 * Empty if there are none.
 */
export function compareRuns(expected, found) {
  return [
    ...compareLogs(expected, found),
    ...compareDemonstrations(expected, found),
    ...compareCheckpoints(expected, found),
  ];
}

function compareDemonstrations(expected, found) {
  const files = (run) => {
    const folder = join(run, 'demonstrations');
    if (!existsSync(folder)) return [];
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return entries.map((entry) => relative(run, join(entry.parentPath, entry.name))).sort();
  };
  const [wanted, there] = [files(expected), files(found)];
  if (wanted.join() !== there.join()) return [`the demonstrations are ${there.join(', ')}, not ${wanted.join(', ')}`];
  // The first line names the world, which may be another one that plays the same.
  const episodes = (run, file) => {
    const content = readFileSync(join(run, file));
    return content.subarray(content.indexOf('\n'));
  };
  const isSame = (file) => episodes(expected, file).equals(episodes(found, file));
  return wanted.filter((file) => !isSame(file)).map((file) => `${file} differs`);
}

function compareLogs(expected, found) {
  const logs = (run) => {
    const episodes = join(run, 'episodes');
    const names = existsSync(episodes) ? readdirSync(episodes).sort() : [];
    return ['metrics.jsonl', 'evaluations.jsonl', ...names.map((name) => `episodes/${name}`)];
  };
  const [wanted, there] = [logs(expected), logs(found)];
  if (wanted.join() !== there.join()) return [`the logs are ${there.join(', ')}, not ${wanted.join(', ')}`];
  return wanted.flatMap((name) => {
    const [left, right] = [timelessLines(join(expected, name)), timelessLines(join(found, name))];
    const at = left.findIndex((line, i) => line !== right[i]);
    if (at === -1) return left.length === right.length ? [] : [`${name} has ${right.length} lines, not ${left.length}`];
    return [`line ${at + 1} of ${name}: ${excerpt(left[at], right[at])}`];
  });
}

function compareCheckpoints(expected, found) {
  const latest = (run) => JSON.parse(readFileSync(join(run, 'checkpoints/latest.json'), 'utf8')).checkpoint;
  const [name, other] = [latest(expected), latest(found)];
  if (name !== other) return [`the last checkpoint is ${other}, not ${name}`];
  const files = (run) =>
    readdirSync(join(run, 'checkpoints', name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(join(run, 'checkpoints', name), join(entry.parentPath, entry.name)))
      .sort();
  const [wanted, there] = [files(expected), files(found)];
  if (wanted.join() !== there.join()) return [`${name} holds ${there.join(', ')}, not ${wanted.join(', ')}`];
  if (!wanted.some((file) => weights.includes(file)))
    return [`${name} holds no ${weights.join(' and no ')} to compare`];
  return wanted
    .filter((file) => file !== checksums)
    .flatMap((file) => {
      const [left, right] = [expected, found].map((run) => {
        const content = readFileSync(join(run, 'checkpoints', name, file));
        return file === trainerState ? timelessState(content) : content;
      });
      if (left.equals(right)) return [];
      const at = left.findIndex((byte, i) => byte !== right[i]);
      return [`${name}/${file} differs from byte ${at} on (${left.length} and ${right.length} bytes)`];
    });
}

function timelessState(content) {
  return Buffer.from(JSON.stringify({ ...JSON.parse(content), seconds: 0, logs: {}, digests: {} }));
}

function timelessLines(path) {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text.split('\n').map((line) => {
    if (line === '') return '';
    const entries = Object.entries(JSON.parse(line)).filter(([key]) => !key.startsWith('time/'));
    return JSON.stringify(Object.fromEntries(entries));
  });
}

/** The text around the first different character. */
function excerpt(left, right = '(no line)') {
  const at = [...left].findIndex((character, i) => character !== right[i]);
  const from = Math.max(0, at - 60);
  return `...${left.slice(from, at + 30)}... left alone, ...${right.slice(from, at + 30)}... killed`;
}
