import { formatBytes } from './format-quantity.js';

interface Pulled {
  readonly model: string;
  readonly commit?: string;
  readonly sha256?: string;
  readonly bytes: number;
  readonly outcome: 'pulled' | 'present';
  readonly folder: string;
  readonly file?: string;
  readonly from: string;
  readonly base?: string;
  readonly hasBase?: boolean;
}

/** Says what was pulled, where it is, and how a recipe names it. */
export function pulledLines(pulled: Pulled): readonly string[] {
  const { base, bytes, commit, file, folder, from, hasBase, model, outcome, sha256 } = pulled;
  const version = commit === undefined ? `SHA-256 ${sha256!.slice(0, 12)}` : commit.slice(0, 12);
  const at = commit === undefined ? ', ' : ' at ';
  return [
    `${model}${at}${version}, ${formatBytes(bytes)}: ${outcome === 'present' ? 'already complete' : 'complete'}`,
    ...(file === undefined ? [] : [`File: ${file}`]),
    `Folder: ${folder}`,
    `In a recipe: policy.from: ${from}`,
    ...(base === undefined
      ? []
      : [`An adapter of ${base}${hasBase ? '' : `, which is not pulled: \`agentgym pull ${base}\``}`]),
  ];
}
