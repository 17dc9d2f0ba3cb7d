import type { ChatLayout, LayoutPart, Slot } from './chat-layout.js';
import { trimText } from './trimmed-text.js';

/** The texts of an episode in the places of a layout; control tokens stay. */
export function fillLayout(
  parts: readonly (LayoutPart | number)[],
  texts: { readonly [S in Slot]?: string },
  { trims }: Pick<ChatLayout, 'trims'>,
): (string | number)[] {
  return parts.map((part) => {
    if (typeof part === 'number') return part;
    return 'text' in part ? part.text : trimText(texts[part.slot] ?? '', trims[part.slot]);
  });
}
