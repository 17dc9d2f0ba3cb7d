import type { Episode } from '../contracts/trajectory.js';
import { fitText, visibleText, wrapText } from './display-text.js';
import { paint, type TerminalStyle } from './terminal-style.js';

/** One player's game of a task. */
export interface Game {
  readonly title: string;
  readonly episode: Episode;
}

/** On a narrower terminal, two games are printed one below the other. */
const narrow = 60;
const longestText = 400;

/** Two games of one task, turn by turn: the text of the environment, and the answer of each player (`>`). */
export function compareGames(left: Game, right: Game, style: TerminalStyle): string[] {
  if (style.width < narrow)
    return [...gameLines(left, style.width, style), '', ...gameLines(right, style.width, style)];
  const column = Math.floor((Math.min(style.width, 120) - 3) / 2);
  const [leftBlocks, rightBlocks] = [blocks(left), blocks(right)];
  const lines: string[] = [];
  for (let i = 0; i < Math.max(leftBlocks.length, rightBlocks.length); i++) {
    const [a, b] = [wrapBlock(leftBlocks[i], column), wrapBlock(rightBlocks[i], column)];
    for (let row = 0; row < Math.max(a.length, b.length); row++) {
      const cell = (texts: readonly string[], block: Block | undefined) =>
        tint(fitText(texts[row] ?? '', column), block, style);
      lines.push(`${cell(a, leftBlocks[i])} ${paint('│', 'dim', style)} ${cell(b, rightBlocks[i])}`.trimEnd());
    }
  }
  return lines;
}

interface Block {
  readonly kind: 'title' | 'observation' | 'action' | 'won' | 'lost';
  readonly text: string;
}

function gameLines(game: Game, width: number, style: TerminalStyle): string[] {
  return blocks(game).flatMap((block) => wrapBlock(block, width).map((line) => tint(line, block, style)));
}

function blocks({ title, episode }: Game): Block[] {
  const turns = episode.turns.flatMap(({ observation, text }): Block[] => [
    { kind: 'observation', text: observation },
    { kind: 'action', text: `> ${text === '' ? '(nothing)' : text}` },
  ]);
  return [{ kind: 'title', text: title }, ...turns, ...ending(episode)];
}

function ending(episode: Episode): Block[] {
  if (episode.status === 'failed') return [{ kind: 'lost', text: `failed: ${episode.failure.message}` }];
  const { finalObservation, success, truncated, turns } = episode;
  const count = `${turns.length} ${turns.length === 1 ? 'turn' : 'turns'}`;
  const end = success
    ? `solved in ${count}`
    : truncated === undefined
      ? `not solved in ${count}`
      : `truncated after ${count}`;
  return [
    { kind: 'observation', text: finalObservation },
    { kind: success ? 'won' : 'lost', text: end },
  ];
}

function wrapBlock(block: Block | undefined, width: number): string[] {
  if (block === undefined) return [];
  const text = visibleText(block.text.slice(0, longestText));
  return wrapText(block.text.length > longestText ? `${text}…` : text, width);
}

function tint(line: string, block: Block | undefined, style: TerminalStyle): string {
  if (block?.kind === 'title') return paint(line, 'bold', style);
  if (block?.kind === 'action') return paint(line, 'cyan', style);
  if (block?.kind === 'won') return paint(line, 'green', style);
  if (block?.kind === 'lost') return paint(line, 'red', style);
  return line;
}
