import type { Game, GameTexts } from './game.js';
import type { Compat } from './compat.js';
import { readGame } from './game.js';
export function openPlayable(texts: GameTexts, compat: Compat): Game {
  return readGame(texts, compat);
}
