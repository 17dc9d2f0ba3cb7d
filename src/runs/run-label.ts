import { basename, join } from 'node:path';

import { readTextFile } from '../files/read-whole-file.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { writeJsonAtomically } from './durable-files.js';

/**
 * A user's name, tags and note for a run: `label.json`. It may be changed at any time, even while the run is active.
 */
export interface RunLabel {
  readonly name?: string;
  readonly tags: readonly string[];
  readonly note?: string;
}

const unlabelled: RunLabel = { tags: [] };
const longestWord = 100;
const longestNote = 2000;
/** Of a file that somebody changed; a command line may give more. */
const mostTags = 1000;

/** An empty label if a run has no label or an unreadable one, so that a bad label does not break a list of runs. */
export async function readLabel(directory: string): Promise<RunLabel> {
  try {
    const label = JSON.parse(await readTextFile(labelPath(directory))) as Partial<RunLabel> | null;
    const { name, note, tags } = label ?? {};
    // Somebody may have changed the file by hand.
    const words = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
    return {
      tags: words.slice(0, mostTags).map((tag) => inOneLine(tag.slice(0, longestWord))),
      ...(typeof name === 'string' && name !== '' && { name: inOneLine(name.slice(0, longestWord)) }),
      ...(typeof note === 'string' && { note: note.slice(0, longestNote) }),
    };
  } catch {
    return unlabelled;
  }
}

export async function writeLabel(directory: string, label: RunLabel): Promise<void> {
  await writeJsonAtomically(labelPath(directory), { formatVersion: 1, ...label });
}

/** @throws AG_COMMAND_USAGE for words that a list cannot show */
export function checkLabel(label: RunLabel): RunLabel {
  const { name, tags, note } = label;
  for (const [flag, word] of [['--name', name], ...tags.map((tag) => ['--tag', tag])] as const) {
    if (word === undefined || (/^\S(.*\S)?$/.test(word) && word.length <= longestWord)) continue;
    const message = `\`${flag}\` accepts one line of 1 to ${longestWord} characters, without blanks around it.`;
    throw new AgentgymError('AG_COMMAND_USAGE', { message, hint: 'Shorten it, or use `--note` for longer texts.' });
  }
  if (note !== undefined && note.length > longestNote) {
    const message = `\`--note\` accepts up to ${longestNote} characters, not ${note.length}.`;
    throw new AgentgymError('AG_COMMAND_USAGE', { message, hint: 'Keep long texts in a file next to the run.' });
  }
  return { ...label, tags: [...new Set(tags)] };
}

/** The name of a run in lists: the user's name, the folder that the user chose, or the name of its recipe. */
export function nameOfRun(
  directory: string,
  run: { readonly id: string; readonly name: string },
  label: RunLabel,
): string {
  const folder = basename(directory);
  return inOneLine(label.name ?? (folder.endsWith(`-${run.id}`) ? run.name : folder));
}

/** A name of others with line breaks would look like further lines of a table. */
function inOneLine(word: string): string {
  return word.replaceAll(/[\r\n]+/g, ' ');
}

function labelPath(directory: string): string {
  return join(directory, 'label.json');
}
