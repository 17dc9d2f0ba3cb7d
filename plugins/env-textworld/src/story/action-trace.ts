/** A reply of a story that traces its actions, and what the trace says. */
export interface TracedReply {
  /** The reply without the trace. */
  readonly text: string;
  /** What was done, in Inform's words: `removing the coin from the chest`. */
  readonly done: readonly string[];
  /** Whether the story understood an action, done or not. */
  readonly understood: boolean;
}

const succeeded = ' - succeeded';

/**
 * Reads the trace out of a reply: lines such as `[opening the chest]` and `[opening the chest - succeeded]`. Actions
 * that are parts of others have a number in parentheses, and do not count. See `_detect_i7_events_debug_tags` in
 * `textworld/envs/wrappers/tw_inform7.py`.
 */
export function readTrace(reply: string): TracedReply {
  const done: string[] = [];
  let text = '';
  let understood = false;
  let from = 0;
  for (;;) {
    const open = reply.indexOf('[', from);
    const close = open < 0 ? -1 : reply.indexOf(']', open);
    if (close < 0) break;
    if (close === open + 1) {
      text += reply.slice(from, close);
      from = close;
      continue;
    }
    const line = reply.slice(open + 1, close).trim();
    text += reply.slice(from, open);
    from = reply[close + 1] === '\n' ? close + 2 : close + 1;
    understood = true;
    const end = line.indexOf(succeeded);
    if (end < 0) continue;
    const action = line.slice(0, end);
    if (!action.includes('(') && !action.includes(')')) done.push(action);
  }
  text += reply.slice(from);
  return { text: text.replace(/^\n+/, '').trimEnd(), done, understood };
}
