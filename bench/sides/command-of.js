// A measurement's command as it is written beside its results: with nothing of the machine that it ran on.
import { basename, isAbsolute } from 'node:path';

/** Options that say where something of this machine is, and change nothing of what is measured. */
const PLACES = ['--python', '--trl', '--json'];

/**
 * The command that repeats a measurement.
 * @param parts its name and options, as they were given
 */
export function commandOf(parts) {
  const kept = parts.filter((part, index) => {
    const isPlace = PLACES.some((option) => part === option || part.startsWith(`${option}=`));
    return !isPlace && !PLACES.includes(parts[index - 1]);
  });
  return ['npm run bench --', ...kept.map(withoutFolders).map(quoted)].join(' ');
}

function withoutFolders(part) {
  const [option, ...value] = part.startsWith('--') ? part.split('=') : ['', part];
  const text = value.join('=');
  if (!isAbsolute(text)) return part;
  return option === '' ? basename(text) : `${option}=${basename(text)}`;
}

const quoted = (argument) => (/^[\w./:=-]+$/u.test(argument) ? argument : `'${argument}'`);
