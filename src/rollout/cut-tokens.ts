import type { ConversationEncoder } from '../contracts/policy.js';
import type { Actor } from './actor.js';
import { joinEnds } from './cut-text.js';

/** An answer with the observation that an actor reads of it. Players without tokens read all of it. */
export function cutFor<T extends { readonly observation: string; readonly characters?: number }>(
  actor: Actor,
  answer: T,
): T {
  if (actor.kind !== 'model' || actor.observationTokens === undefined) return answer;
  const { observation: whole, characters } = answer;
  const observation = cutTokens(whole, actor.observationTokens, actor.model.encoder, characters);
  return observation === whole ? answer : { ...answer, observation, characters: characters ?? whole.length };
}

/** A game with the observations that a policy would have read. */
export function cutObservations<T extends { readonly observations: readonly string[] }>(
  game: T,
  longest: number | undefined,
  encoder: ConversationEncoder,
): T {
  if (longest === undefined) return game;
  return { ...game, observations: game.observations.map((text) => cutTokens(text, longest, encoder)) };
}

/**
 * A text that adds more than `longest` tokens to a conversation, without its middle. Its beginning and its end are whole
 * tokens of the text, and a mark between them says how many tokens were left out. With the mark, it adds `longest` tokens
 * at most. The result depends on the text, the limit and the encoder only.
 *
 * @param longest more than `markTokens`
 * @param characters length of the text before it was cut by characters, which the mark tells; absent: it was not
 */
export function cutTokens(text: string, longest: number, encoder: ConversationEncoder, characters?: number): string {
  if (tokensIn(text, encoder) <= longest) return text;
  const idsOf = (part: string) =>
    encoder.encodeText?.(part, { addSpecial: false, parseSpecial: false }) ?? encoder.encodeAction(part);
  const ids = idsOf(text);
  for (let kept = Math.min(longest, ids.length); ;) {
    const end = Math.floor(kept / 2);
    const head = commonStart(text, encoder.decode(ids.slice(0, kept - end)));
    const tail = commonEnd(text.slice(head), encoder.decode(ids.slice(ids.length - end)));
    const cut = joinEnds(text, head, tail, (...ends) => {
      const shown = ends.reduce((sum, part) => sum + idsOf(part).length, 0);
      return markOf(ids.length - shown, ids.length, characters);
    });
    const excess = tokensIn(cut, encoder) - longest;
    if (excess <= 0 || kept === 0) return cut;
    kept = Math.max(0, kept - excess);
  }
}

/** Tokens that the longest mark of a cut adds to a conversation. */
export function markTokens(encoder: ConversationEncoder): number {
  return tokensIn(
    joinEnds('', 0, 0, () => markOf(1e6, 1e6, 1e7)),
    encoder,
  );
}

function markOf(left: number, all: number, characters: number | undefined): string {
  return `${left} of ${all} tokens${characters === undefined ? '' : ` of a text of ${characters} characters`}`;
}

/** Tokens that a text adds to a conversation as an observation, without those of the chat template. */
function tokensIn(text: string, encoder: ConversationEncoder): number {
  return encoder.append(text).length - encoder.append('').length;
}

/** Stands for a character that a tokenizer does not know, and for a part of one. */
const unknown = '\uFFFD';

/** UTF-16 units at the start of a text that some of its ids were decoded to. */
function commonStart(text: string, decoded: string): number {
  let units = 0;
  for (const character of decoded.replace(/\uFFFD+$/, '')) {
    const own = text.codePointAt(units);
    if (own === undefined) return units;
    const same = String.fromCodePoint(own);
    if (character !== same && character !== unknown) return units;
    units += same.length;
  }
  return units;
}

/** The same at its end. */
function commonEnd(text: string, decoded: string): number {
  const reversed = (one: string) => [...one].reverse().join('');
  return commonStart(reversed(text.slice(-2 * decoded.length)), reversed(decoded));
}
