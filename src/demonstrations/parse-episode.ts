import type { JsonObject } from '../contracts/json.js';
import type { DemonstratedEpisode, DemonstratedTurn } from '../rollout/demonstrated-episode.js';
import { isObject } from './demonstration-header.js';
import { present, unknownKey } from './known-keys.js';
import { readOutcome, textProblem } from './optional-keys.js';

/** A line of our own format, as `agentgym demonstrate` writes it. Returns the problem of a broken line. */
export function parseEpisode(value: JsonObject): DemonstratedEpisode | string {
  const { turns } = value;
  const outcome = readOutcome(value, ['task', 'system', 'instructions', 'finalObservation'], ['turns', 'tools']);
  if (typeof outcome === 'string') return outcome;
  if (!Array.isArray(turns) || turns.length === 0) return '"turns" is not a list with a turn';
  if (!isNames(value['tools'] ?? [])) return '"tools" is not a list of strings';
  const read: DemonstratedTurn[] = [];
  for (const [index, given] of (turns as readonly unknown[]).entries()) {
    const turn = isObject(given) ? present(given) : given;
    const problem = turnProblem(turn);
    if (problem !== undefined) return `turn ${index + 1}: ${problem}`;
    read.push(turn as DemonstratedTurn);
  }
  const { task, system, instructions, tools, finalObservation } = value as Omit<DemonstratedEpisode, 'turns'>;
  return { task, system, instructions, tools, turns: read, finalObservation, ...outcome };
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function turnProblem(turn: unknown): string | undefined {
  if (!isObject(turn)) return 'it is not an object';
  if (typeof turn['observation'] !== 'string') return '"observation" is not a string';
  const problem = textProblem(turn, ['action', 'text', 'malformed']);
  if (problem !== undefined) return problem;
  const { isContext = true } = turn;
  if (isContext !== true) return '"isContext" is not true';
  if (!isNames(turn['tools'] ?? [])) return '"tools" is not a list of strings';
  const unknown = unknownKey(turn, ['observation', 'action', 'text', 'tools', 'malformed', 'isContext']);
  if (unknown !== undefined) return unknown;
  return turn['action'] === undefined && turn['text'] === undefined ? 'it has no "action" and no "text"' : undefined;
}
